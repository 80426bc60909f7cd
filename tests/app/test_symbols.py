"""What a visitor reads is W with a lowered Q, not an identifier; the address keeps its words."""

import re

import pytest

from components.streamlit.frame import ENTRIES
from components.widgets.symbols import set_symbols
from tests.app.driver import open_page, value, whole

RAW = re.compile(r"[WbQKVZ]_[QKVO]\b|\bd_(?:k|v|model)\b|\bh_kv\b|sqrt_d|\b[wb]_[qkvo]\b|\w_\d")


def raw(text: str) -> list[str]:
    return RAW.findall(re.sub(r"`[^`]*`|\$[^$]*\$", "", text))


@pytest.mark.parametrize(("text", "wanted"), [
    ("W_O mixes them.", "$W_O$ mixes them."),
    ("with √d_k = 2 and √d_model", r"with $\sqrt{d_k}$ = 2 and $\sqrt{d_{model}}$"),
    ("W_DKV, b_Q and h_kv · d_v", "$W_{DKV}$, $b_Q$ and $h_{kv}$ · $d_v$"),
    ("`d_model` and $W_Q$ stay", "`d_model` and $W_Q$ stay"),
    ("key_dim, w_q, W_Queue, card_k", "key_dim, w_q, W_Queue, card_k"),
])  # fmt: skip
def test_a_symbol_is_set_and_nothing_else(text, wanted):
    assert set_symbols(text) == wanted


@pytest.mark.parametrize("entry", ENTRIES.values(), ids=lambda entry: entry.file)
def test_headings_and_buttons_have_no_raw_identifiers(entry):
    page = entry.file.removeprefix("pages/").removesuffix(".py")
    if page == "keras_layer":  # its headings are Keras's own words
        return
    at = whole(open_page(page))
    written = [one.value for kind in ("title", "header", "subheader") for one in at.get(kind)]
    written += [one.label for one in at.button]
    assert [text for text in written if raw(text)] == []


def test_a_choice_keeps_its_word_in_the_address():
    at = whole(open_page("attention", divisor="sqrt_d_model"))
    assert value(at, "divisor") == "sqrt_d_model"
    at = whole(open_page("projections", kernel="w_k"))
    assert value(at, "kernel") == "w_k"
