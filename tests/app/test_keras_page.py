"""The Keras layer page without TensorFlow: what it says by formula, what it awaits, and what it makes of any text."""

import numpy as np
import pytest

from components.address import translate
from components.page_settings import KERAS_LAYER
from components.pages.keras_layer import layer_tables, masks
from components.pages.keras_layer.reply_text import apart, code, outcome, sums
from components.pages.keras_layer.selection import read_cells, read_lengths, whole_numbers, write_cells
from mha.codegen import LIBRARIES, Settings, expected, write
from mha.keras.layer import KerasLayer, count_of, variables
from mha.keras.question import Reply, reply_of
from tests.app.driver import in_address, open_page, text, title, value, whole

TEXTS = [setting.code for setting in KERAS_LAYER if setting.kind == "text"]
PRIMES = {"d_model": 11, "num_heads": 3, "key_dim": 5, "value_dim": 7, "query_len": 13, "key_len": 17, "split": "free"}


def page(**query):
    return whole(open_page("keras_layer", **query))


@pytest.mark.parametrize(("query", "headline", "words"), [
    (  # 11 · 3 · 5 query numbers; 3 · 7 · 11 of the output; 854 in all, as the heads page has it
        PRIMES, "3 heads of 5 in Keras: 8 variables, 854 parameters.",
        ("11 in, 3 heads of 5 out: each head's query | `query/kernel` | (11, 3, 5) | 11 · 3 · 5 = 165", "**854**",
         "3 heads of 7 in, 11 out: the heads become one output", "(3, 7, 11) | 3 · 7 · 11 = 231",
         "`MultiHeadAttention(num_heads=3, key_dim=5, value_dim=7)`: 3 heads", "6 heads of 5 have **1,697**",
         "`query/kernel` | `abc,cde->abde`", "`attention_output/kernel` | `abcd,cde->abe`",
         "h · key_dim = 15 is not d_model = 11", "value_dim = 7 is not key_dim = 5"),
    ),
    (  # 20 · 4 · 4 key numbers, 4 · 4 · 7 · 2 of the output
        {"key_width": 20, "output_shape": "7,2", "input_shape": "3,4,24", "num_heads": 4, "split": "free"}, "4 heads of 4",
        ("(20, 4, 4)", "`abcde,defg->abcfg`", "4 · 4 · 7 · 2 = 224", "(24, 4, 4)",
         "3 × 4 positions and $d_{model}$ = 24 come from"),
    ),
    (  # From a thread: width 1,800, 10 heads of 10, no biases; Keras 3.15 builds it from keras.Input((1800,))
        {"d_model": 1800, "split": "free", "num_heads": 10, "key_dim": 10, "value_dim": 10, "use_bias": "false",
         "input_shape": "1800"},
        "An input (None, 1800) has no positions to attend to.",
        ("called with `keras.Input((1800,))` it has 720,000 parameters",),
    ),
    (  # 512 · (512 + 510 + … + 386) of 64 · 512 · 512
        {"d_model": 4096, "num_heads": 256, "query_len": 512, "key_len": 512, "batch": 64, "part": "masks"},
        "14,712,832 of 16,777,216 pairs in 64 samples may look.",
        ("up to 4,194,304 are computed live",),
    ),
    (  # h·d·(2D + 1) + h_kv·d·(2D + 2) + D with D = 16, h = 8, d = 2
        {"part": "groups", "num_heads": 8, "num_kv_heads": 7}, "8 query heads, 4 key/value heads: ",
        ("7 key/value heads do not divide 8 query heads; showing 4.", "| **total** | **1,088** | **816** | **680** | **612** |"),
    ),
])  # fmt: skip
def test_what_stands_there_by_formula(query, headline, words):
    at = page(**query)
    assert title(at).startswith(headline)
    assert [word for word in words if word not in text(at)] == []
    assert all(in_address(at, key) == str(query[key]) for key in (*TEXTS, "num_kv_heads") if key in query)


def test_the_paper_refuses_the_width_that_input_shape_gives():
    at = page(input_shape="5,18")
    assert "18 / 4 is not a whole number" in text(at)
    assert in_address(at, "input_shape") == "5,18"


@pytest.mark.parametrize(("query", "key", "want"), [
    ({"query_width": "24"}, "d_model", 24), ({"query_width": "24", "d_model": "32"}, "d_model", 32),
    ({"mask": "custom"}, "attention_mask", "custom"), ({"mask": "padding"}, "mask", "none"),
    ({"mask": "causal"}, "mask", "causal"),
])  # fmt: skip
def test_other_names_of_a_setting_are_taken(query, key, want):
    at = page(**query)
    assert value(at, key) == want
    assert "query_width" not in at.query_params
    assert len(at.warning) == 0


def test_translate_leaves_other_keys_alone():
    assert translate({"d_model": ["8"], "mask": ["causal"]}) == {}
    assert translate({"query_width": ["8"]}) == {"query_width": None, "d_model": "8"}


LENGTHS = "1 to 4 whole numbers from 1 to 4096 separated by commas, got `two`."
WIDTH = "a whole number from 1 to 4096, got `1e3`."
CELLS = "rows of 0 and 1 separated by commas, got `102`."


@pytest.mark.parametrize("wrong", [
    {"input_shape": ("two", LENGTHS), "output_shape": ("0", ""), "attention_axes": ("7", ""), "key_width": ("1e3", WIDTH),
     "value_width": ("99999", ""), "mask_cells": ("102", CELLS)},
    {"input_shape": ("3,-4,8", ""), "attention_axes": ("1.5", ""), "lengths": ("6;x", "")}, {"input_shape": ("1,2,3,4,5", "")},
], ids=["each", "three", "one"])  # fmt: skip
def test_what_cannot_be_read_is_said_and_stays_typed(wrong):
    """All in one address, and a width that is said by the name that is shown."""
    typed = {key: raw for key, (raw, _) in wrong.items()}
    at = page(part="masks", attention_mask="custom" if "mask_cells" in wrong else "padding", query_width="blue", **typed)
    said = [warning.value for warning in at.warning]
    for key, (raw, words) in wrong.items():
        assert any(f"**{key}** must be {words}" in sentence for sentence in said), key
        assert at.text_input(key=key).value == raw
    assert any("**d_model** must be a whole number from 1 to 4096, got `blue`" in sentence for sentence in said)


@pytest.mark.parametrize(("case", "says"), [("polarity", True), ("additive", True), ("yours", False)])
def test_a_case_of_masks_says_that_it_leaves_the_causal_mask_out(case, says):
    said = text(page(part="masks", mask_case=case, mask="causal"))
    assert ("the causal mask that is chosen at the side is not part of it" in said) == says
    assert "is not part of it" not in text(page(part="masks", mask_case=case))


def test_fields_of_other_parts_keep_their_place_in_the_address():
    at = page(part="shapes", num_kv_heads=1, attention_mask="custom", mask_cells="10,01", mask_case="causal", lengths="5,3")
    for key, want in {"num_kv_heads": "1", "attention_mask": "custom", "mask_cells": "10,01", "mask_case": "causal"}.items():
        assert in_address(at, key) == want


def test_a_typed_mask_is_read_row_by_row_and_written_again():
    mask = read_cells("100,110", 3, 3)
    assert mask.tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert write_cells(mask) == "100,110,111"
    assert write_cells(np.ones((2, 3), bool)) == ""
    assert read_cells("1" * 99 + ",0", 2, 3).tolist() == [[True] * 3, [False, True, True]]


def test_lengths_are_cut_to_the_keys_and_the_rest_get_defaults():
    assert read_lengths("9, 0", 3, 6) == (6, 0, 2)
    assert read_lengths("", 2, 6) == (6, 4)


@pytest.mark.parametrize(("key", "raw", "want"), [
    ("input_shape", "3,4,16", (3, 4, 16)), ("input_shape", "(3, 4, 16)", (3, 4, 16)), ("input_shape", "3 × 4 × 16", (3, 4, 16)),
    ("input_shape", "3x4x16", (3, 4, 16)), ("input_shape", "[6,16,]", (6, 16)), ("input_shape", "", ()),
    ("attention_axes", "-2, −1", (-2, -1)),
])  # fmt: skip
def test_shapes_are_read_however_they_are_written_and_axes_from_the_end(key, raw, want):
    assert whole_numbers(key, raw) == want


def test_the_verdict_names_what_is_not_the_same():
    layer = KerasLayer(3, 5, 7, (2, 13, 11), (2, 17, 11))
    rows = variables(layer)
    reply = {"keras_version": "3.15.1", "variables": [[row.path, list(row.shape)] for row in rows],
             "einsums": [row.einsum for row in rows if row.einsum], "count": count_of(layer)}  # fmt: skip
    assert layer_tables.verdict(layer, reply_of(reply)).startswith("✓ Keras 3.15.1 built this layer")
    assert "other count: 853" in layer_tables.verdict(layer, reply_of(reply | {"count": 853}))
    assert "other names and shapes" in layer_tables.verdict(layer, reply_of(reply | {"variables": []}))


def test_a_symbolic_shape_that_differs_is_wrong_and_a_refusal_is_quoted():
    facts = reply_of({"symbolic": {"scores": [None, 2, 5, 5]}, "real": {"scores": [3, 2, 5, 7]}})
    assert layer_tables.both(facts, "scores") == ("(None, 2, 5, 5)", "(3, 2, 5, 7)")
    assert layer_tables.mark(facts) == "**wrong**"
    refused = reply_of({"error": "ValueError: `no`"})
    assert layer_tables.both(refused, "scores") == ("`ValueError: 'no'`", "`ValueError: 'no'`")
    assert layer_tables.mark(refused) == ""
    half = reply_of({"symbolic": {"error": "ValueError"}, "real": {"scores": [3, 2, 5, 7]}})
    assert layer_tables.both(half, "scores") == ("`ValueError`", "(3, 2, 5, 7)")
    assert layer_tables.mark(half) == ""
    assert outcome(Reply("running"), "scores") == "…"
    assert outcome(Reply("declined", why="too large"), "scores") == "not run"


def test_differences_are_0_or_two_digits():
    assert [apart(0.0), apart(1.2345), apart(1.5e-7)] == ["0", "1.23", "2e-07"] or apart(1.5e-7) == "1e-07"
    assert sums((0.9999999, 1.0000001), 3) == "1.000"
    assert sums((-2.371, 1.86), 2) == "−2.37 … 1.86"
    assert code("a|b`c") == "`a|b'c`"


@pytest.mark.parametrize("case", ["polarity", "causal", "empty_row", "additive", "shapes"])
def test_each_case_of_the_masks_waits_without_a_number(case):
    sentence, panels = masks.CASES[case](KerasLayer(2, 3, 5, (3, 5, 11), (3, 7, 11)), Reply("loading"))
    assert sentence.endswith("…")
    assert panels == []


LAYER = {"split": "free", "d_model": 11, "num_heads": 3, "key_dim": 5, "value_dim": 7, "query_len": 4, "key_len": 6, "seed": 9}


def scripts(at) -> list[str]:
    return [element.value for element in at.get("code")]


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_script_and_its_printout_are_those_of_the_chosen_sizes(library):
    size = {"d_model": 15, "value_dim": 5} if library == "PyTorch" else {}  # what nn.MultiheadAttention can be
    query = {"part": "code", "library": library.lower(), "mask": "causal", "batch": 3, "lengths": "6,2,5"} | LAYER | size
    at = whole(open_page("keras_layer", **query))
    mask = np.arange(6) < np.array([6, 2, 5])[:, None, None]
    width, value_dim = query["d_model"], query["value_dim"]
    settings = Settings(KerasLayer(3, 5, value_dim, (3, 4, width), (3, 6, width), seed=9), causal=True, mask=mask)
    printed, script = scripts(at)
    assert script == write(settings, library).rstrip()
    assert printed == expected(settings)
    assert at.get("download_button")[0].proto.label == f"headcount_{library.lower()}.py"


def test_the_title_says_how_long_each_is():
    at = open_page("keras_layer", part="code", **LAYER)
    lines = len(scripts(at)[1].splitlines())
    assert f"{lines} lines of Keras" in title(at)
    assert "854 parameters" in title(at)


@pytest.mark.parametrize(("library", "why"), [("numpy", "attention_axes=(0,)"), ("pytorch", "the input has rank 4 and not 3")])
def test_what_a_library_cannot_say_is_said_and_the_page_stays(library, why):
    query = {"input_shape": "3,4,16", "attention_axes": "0"}
    at = whole(open_page("keras_layer", part="code", library=library, attention_mask="none", **query))
    assert scripts(at) == []
    assert why in text(at)
