"""What a visitor reads is W with a lowered Q, not an identifier; the address keeps its words."""

import re

import pytest

from components.page_settings import BY_CODE
from components.symbols import set_symbols
from tests.app.driver import ALL_PAGES, seen

RAW = re.compile(r"[WbQKVZ]_[QKVO]\b|\bd_(?:k|v|model)\b|\bh_kv\b|sqrt_d|\b[wb]_[qkvo]\b|\w_\d")


def raw(text: str) -> list[str]:
    """Of what is read: not of code, of formulas, or of the address that a link leads to."""
    return RAW.findall(re.sub(r"`[^`]*`|\$[^$]*\$|(?<=\])\(\./[^)\s]*\)", "", text))


@pytest.mark.parametrize(("text", "wanted"), [
    ("W_O mixes them.", "$W_O$ mixes them."),
    ("with √d_k = 2 and √d_model", r"with $\sqrt{d_k}$ = 2 and $\sqrt{d_{model}}$"),
    ("W_DKV, b_Q and h_kv · d_v", "$W_{DKV}$, $b_Q$ and $h_{kv}$ · $d_v$"),
    ("`d_model` and $W_Q$ stay", "`d_model` and $W_Q$ stay"),
    ("key_dim, w_q, W_Queue, card_k", "key_dim, w_q, W_Queue, card_k"),
])  # fmt: skip
def test_a_symbol_is_set_and_nothing_else(text, wanted):
    assert set_symbols(text) == wanted


#: States of pages whose sentences are made of other parts; besides each page as it opens.
STATES = [
    ("heads", {"split": "free", "cell": "q.2.3.1"}), ("heads", {"d_model": "15"}), ("attention", {"cell": "weights.1.2.2"}),
    ("concatenation", {"head_off": "2", "cell": "output.1.1"}), ("models", {"model": "DeepSeek-V2-Lite"}),
    ("models", {"model": "Llama-3-8B", "further": "costs"}), ("trained_heads", {"task": "sentence"}),
    ("trained_heads", {"task": "facts"}),
    *(("keras_layer", {"part": part}) for part in BY_CODE["part"].choices if part != "code"),
]  # fmt: skip
HELPED = ("selectbox", "number_input", "text_input", "select_slider", "toggle", "segmented_control", "pills", "file_uploader")
SENTENCES = ("title", "header", "subheader", "markdown", "caption", "text", "info", "warning")


@pytest.mark.parametrize(("page", "query"), [*((page, {"head_off": 2}) for page in ALL_PAGES), *STATES], ids=str)
def test_what_is_read_on_a_page_has_no_raw_identifiers(page, query):
    """Sentences, headings, buttons, and what help says. Labels and options stand in the address: assets/style.css sets those."""
    at = seen(page, **query)
    written = [one.value for kind in SENTENCES for one in at.get(kind)] + [one.label for one in at.button]
    written += [one.proto.help for kind in HELPED for one in at.get(kind)]
    assert [line for text in written for line in text.split("\n") if raw(line)] == []
