"""What every page has: numbers and files below each picture, made on demand; formulas for symbols; and text fields short enough
for the server's longest message."""

import ast
import json
import re

import pytest
from streamlit import config

from components.pages.keras_layer import BY_CODE
from components.symbols import set_symbols
from components.widgets.tables import markdown_table
from headcount import Config, run
from headcount.export.figures import SHOWN
from headcount.export.rendering import FORMATS
from tests.app.driver import ALL_PAGES, PAGES, component, figures, open_page, schematics, seen, stages, text, whole
from tests.sources import ROOT, python_files

#: Pages whose first screen has no picture: text and tables, or pictures in frames of their own.
WITHOUT = ("questions", "quiz", "figures")
#: How the key of a thumbnail begins: a press opens what has words and files.
THUMBNAIL = "small_"


def pictures(at) -> list[str]:
    """Keys of the charts, of the moving pictures and of the schematics."""
    keys = (key for name in ("chart", "stage", "drawing") for key, _ in component(at, name))
    return sorted(key for key in keys if not key.startswith(THUMBNAIL))


def switches(at) -> list[str]:
    return sorted(key.removesuffix("_table") for key in at.session_state._state.filtered_state if key.endswith("_table"))


def tables(at) -> list[dict]:
    """The tables below pictures. A sortable table is the page's own."""
    return [table for _, data in component(at, "tables") for table in json.loads(data) if "sorts" not in table]


@pytest.mark.parametrize("page", ALL_PAGES)
@pytest.mark.usefixtures("no_browser")
def test_every_picture_says_what_it_shows_and_opens_as_tables_and_files_that_are_not_made_before(page):
    at = whole(open_page(page, head_off=2))
    keys = switches(at)
    assert keys == pictures(at)
    assert bool(keys) != (page in WITHOUT)
    assert tables(at) == []
    said = [figure["alt"] for key, figure in figures(at).items() if not key.startswith(THUMBNAIL)]
    said += [plan["alt"] for plan in stages(at)] + schematics(at)
    assert len(said) == len(keys)
    assert all(any(letter.isdigit() for letter in words) for words in said), said
    assert page not in PAGES or at.get("download_button") == []
    for key in keys:
        at.session_state[f"{key}_table"] = True
    opened = dict(component(whole(at.run()), "tables"))
    for table in (table for key in keys for table in json.loads(opened[f"{key}_tables"])):
        assert {len(row) for row in table["rows"]} == {len(table["heads"])}
    if page in PAGES:
        assert {*keys} == {key for shown, key in SHOWN if shown == ("" if page == "heads" else page)}
        made_here_alone(at, keys)


def made_here_alone(at, keys: list[str]) -> None:
    """Asserts that there is a button for every kind of file, except those that the browser makes of the picture."""
    found = {button.key: not button.proto.disabled for button in at.get("download_button") if button.key}
    charts = {*figures(at)}
    assert charts
    maps = {key for key in charts if "grow" in figures(at)[key]["layout"].get("meta", {})}
    own = {key: {"pdf", "png", *(() if key in maps else ("svg",) if key in charts else ("plotly",))} for key in keys}
    assert {*found} == {f"{key}_{kind}" for key in keys for kind in FORMATS if kind not in own[key]}
    assert all(on for key, on in found.items() if key.rpartition("_")[2] in ("html", "csv", "npz"))


def test_the_table_says_what_was_computed():
    at = open_page("attention", num_heads=2, mask="causal", numbers="seed", query_len=6, key_len=6)
    at.session_state["attention_maps_table"] = True
    at.run()
    (table,) = [table for table in tables(at) if table["title"] == "head 2"]
    weights = run(Config(num_heads=2, mask="causal")).weights.values[0, 1]
    assert table["rows"][5] == ["6 mat", *(f"{value:.3f}" for value in weights[5])]
    assert table["rows"][0] == ["1 the", "1.000", *["–"] * 5]


def test_too_many_numbers_are_handed_out_as_a_file_only():
    at = open_page("attention", query_len=512, key_len=512, numbers="seed")
    at.session_state["attention_maps_table"] = True
    whole(at.run())
    assert tables(at) == []
    assert "16,384 numbers are too many to read here (up to 4,000 are shown)" in text(at)


def test_a_table_s_cells_are_markdown_and_a_bar_in_one_does_not_end_it():
    assert markdown_table(("a", "b", "c"), [("`x|y`", "", "1")], right=[2]) == ("| a | b | c |\n|:--|:--|--:|\n| `x\\|y` | | 1 |")
    assert markdown_table(("a",), [("\\|",), ("\\\\|",), ("||",)]).splitlines()[2:] == ["| \\| |", "| \\\\\\| |", "| \\|\\| |"]


RAW = re.compile(r"[WbQKVZ]_[QKVO]\b|\bd_(?:k|v|model)\b|\bh_kv\b|sqrt_d|\b[wb]_[qkvo]\b|\w_\d")


def raw(text: str) -> list[str]:
    """Raw identifiers in a text, outside code, formulas and the targets of links."""
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
    ("models", {"model": "Llama-3-8B", "further": "costs"}), ("trained_heads", {"task": "dinner"}),
    *(("keras_layer", {"part": part}) for part in BY_CODE["part"].choices if part != "code"),
]  # fmt: skip
HELPED = ("selectbox", "number_input", "text_input", "select_slider", "toggle", "segmented_control", "pills", "file_uploader")
SENTENCES = ("title", "header", "subheader", "markdown", "caption", "text", "info", "warning")


@pytest.mark.parametrize(("page", "query"), [*((page, {"head_off": 2}) for page in ALL_PAGES), *STATES], ids=str)
def test_what_is_read_on_a_page_has_no_raw_identifiers(page, query):
    """Tests sentences, headings, buttons and help. Labels and options are in the address; assets/style.css typesets them."""
    at = seen(page, **query)
    written = [one.value for kind in SENTENCES for one in at.get(kind)] + [one.label for one in at.button]
    written += [one.proto.help for kind in HELPED for one in at.get(kind)]
    assert [line for text in written for line in text.split("\n") if raw(line)] == []


FIELDS = ("text_input", "text_area", "chat_input")


def calls() -> list[tuple[str, ast.Call]]:
    """Every call that makes a text field, with its place in the code."""
    found = []
    for path in python_files("app.py", "components", "headcount", "pages"):
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in FIELDS:
                found.append((f"{path}:{node.lineno}", node))
    return found


def test_every_text_field_says_how_many_characters_it_takes():
    """`**more` counts only if max_chars is visibly in it."""
    found = calls()
    assert {place.split(":")[0] for place, _ in found} >= {"components/app/controls.py"}, "where fields come from"
    for place, call in found:
        names = {keyword.arg for keyword in call.keywords}
        text = (ROOT / place.split(":")[0]).read_text(encoding="utf-8")
        assert "max_chars" in names or (None in names and '"max_chars":' in text), place


@pytest.mark.parametrize("page", ALL_PAGES)
def test_all_text_fields_of_a_page_together_fit_into_one_message(page: str):
    """A character is up to four bytes. A longer message ends the connection, and the browser would send it again for ever."""
    at = seen(page, head_off=2)
    fields = [*at.text_input, *at.text_area]
    assert all(field.proto.max_chars > 0 for field in fields), [field.label for field in fields if not field.proto.max_chars]
    assert 4 * sum(field.proto.max_chars for field in fields) < config.get_option("server.maxWidgetStateSize") * 1_000_000
