"""The page The Keras layer without TensorFlow: what it computes by formula, what it waits for, and how it reads any text. Also
every part with every choice while the real layer is awaited, with its answer, and without.

Parts come from the app's own table, so new ones are tested at once. Layers have unusual sizes: one
head, one key, one sample, fewer keys than queries, ranks 4 and 5, values of another width, wrong axes, and more than can be run.
"""

import re

import pytest
from streamlit.testing.v1 import AppTest

from components.address import translate
from components.pages.keras_layer import BY_CODE, layer_tables
from components.pages.keras_layer.reply_text import apart, code, outcome, sums
from components.pages.keras_layer.selection import whole_numbers
from headcount.codegen import LIBRARIES, KerasCall, expected, write
from headcount.keras.layer import MAX_NUMBERS, KerasLayer, count_of, variables
from headcount.keras.question import Reply, reply_of
from tests.app.driver import config, in_address, open_page, schematics, text, title, value, whole
from tests.visitor.held import breaches
from tests.visitor.keras_states import Awaited, Missing, asking
from tests.visitor.visitor import Visitor

TEXTS = [setting.code for setting in BY_CODE.values() if setting.kind == "text"]
PRIMES = {"d_model": 11, "num_heads": 3, "key_dim": 5, "value_dim": 7, "query_len": 13, "key_len": 17, "split": "free"}


def page(**query):
    return whole(open_page("keras_layer", **query))


@pytest.mark.parametrize(("query", "headline", "words"), [
    (  # 11 · 3 · 5 query numbers; 3 · 7 · 11 of the output; 854 in all, as the heads page has it
        PRIMES, "3 heads with key_dim 5 have 854 parameters, 6 heads 1,697.",
        ("query/kernel (11, 3, 5), 165;", "attention_output/kernel (3, 7, 11), 231;", "scores (2, 3, 13, 17);",
         "`MultiHeadAttention(num_heads=3, key_dim=5, value_dim=7)` on a query of shape (2, 13, 11), a key (2, 17, 11) and a "
         "value (2, 17, 11) builds four weight matrices (Keras's kernels) and their biases. Each head has its own slice of each "
         "matrix: twice the heads make twice the slices.",
         "3 heads, key_dim 5: 854; 6 heads, key_dim 5: 1,697.",
         "`query/kernel` | `abc,cde->abde`", "`attention_output/kernel` | `abcd,cde->abe`",
         "h · key_dim = 15 is not d_model = 11", "value_dim = 7 is not key_dim = 5"),
    ),
    (  # 20 · 4 · 4 key numbers, 4 · 4 · 7 · 2 of the output
        {"key_width": 20, "output_shape": "7,2", "input_shape": "3,4,24", "num_heads": 4, "split": "free"},
        "4 heads with key_dim 4",
        ("key/kernel (20, 4, 4), 320", "`abcde,defg->abcfg`", "attention_output/kernel (4, 4, 7, 2), 224", "(24, 4, 4), 384",
         "3 × 4 positions and $d_{model}$ = 24 come from"),
    ),
    (  # From a thread: width 1,800, 10 heads of 10, no biases; Keras 3.15 builds it from keras.Input((1800,))
        {"d_model": 1800, "split": "free", "num_heads": 10, "key_dim": 10, "value_dim": 10, "use_bias": "false",
         "input_shape": "1800"},
        "An input (None, 1800) has no positions to attend to.",
        ("called with `keras.Input((1800,))` it has 720,000 parameters",),
    ),
])  # fmt: skip
def test_what_stands_there_by_formula(query, headline, words):
    at = page(**query)
    assert title(at).startswith(headline)
    said = f"{text(at)} {' '.join(schematics(at))}"
    assert [word for word in words if word not in said] == []
    assert all(in_address(at, key) == str(query[key]) for key in TEXTS if key in query)


@pytest.mark.parametrize(("query", "call"), [
    ({}, "num_heads=4, key_dim=4"), ({"d_model": 33, "num_heads": 3}, "num_heads=3, key_dim=11"),
    ({"d_model": 33, "num_heads": 3, "key_dim": 5, "split": "paper", "value_dim": 7}, "num_heads=3, key_dim=5, value_dim=7"),
    ({"num_heads": 3}, "num_heads=3, key_dim=5"), ({"input_shape": "5,18"}, "num_heads=4, key_dim=4"),
], ids=["nothing", "no head size", "with head sizes", "what the paper cannot divide", "another width"])  # fmt: skip
def test_an_address_of_the_papers_begins_with_its_head_sizes_which_then_stay_as_in_keras(query, call):
    """33 / 3 = 11. 16 / 3 is no whole number: the paper has no such layer, Keras has one with 5."""
    at = page(**query)
    assert f"`MultiHeadAttention({call})`" in text(at)
    assert "As in Keras, both head sizes stay as they are when the number of heads changes." in text(at)
    at.select_slider(key="num_heads").set_value(1).run()
    assert f"`MultiHeadAttention(num_heads=1, {call.partition(', ')[2]})`" in text(whole(at))
    assert value(at, "split") == "paper", "which the other pages go on with"


@pytest.mark.parametrize(("query", "key", "want"), [
    ({"query_width": "24"}, "d_model", 24), ({"query_width": "24", "d_model": "32"}, "d_model", 32),
    ({"mask": "causal"}, "mask", "causal"), ({"part": "axes"}, "part", "shapes"),
])  # fmt: skip
def test_other_names_of_a_setting_are_taken(query, key, want):
    at = page(**query)
    assert value(at, key) == want
    assert "query_width" not in at.query_params
    assert len(at.warning) == 0


def test_translate_leaves_other_keys_alone():
    assert translate({"d_model": ["8"], "mask": ["causal"]}) == {}
    assert translate({"query_width": ["8"]}) == {"query_width": None, "d_model": "8"}


def test_a_call_of_keras_layer_as_an_address_is_that_layer_with_values_as_wide_as_keys():
    at = whole(open_page("keras_layer", num_heads=8, key_dim=64))
    assert "num_heads=8, key_dim=64)" in text(at)
    assert config(at).value_dim == 64
    assert config(whole(open_page("heads", d_model=16, num_heads=2, key_dim=5, value_dim=7))).value_dim == 7
    assert config(whole(open_page("heads", d_model=16, num_heads=2, key_dim=5, split="paper"))).key_dim == 8


LENGTHS = "1 to 4 whole numbers from 1 to 4096 separated by commas, got `two`."
WIDTH = "a whole number from 1 to 4096, got `1e3`."


@pytest.mark.parametrize("wrong", [
    {"input_shape": ("two", LENGTHS), "output_shape": ("0", ""), "attention_axes": ("7", ""), "key_width": ("1e3", WIDTH),
     "value_width": ("99999", "")},
    {"input_shape": ("3,-4,8", ""), "attention_axes": ("1.5", "")}, {"input_shape": ("1,2,3,4,5", "")},
], ids=["each", "two", "one"])  # fmt: skip
def test_what_cannot_be_read_is_said_and_stays_typed(wrong):
    """All faults are in one address. A width is named as it is shown."""
    typed = {key: raw for key, (raw, _) in wrong.items()}
    at = page(part="shapes", query_width="blue", **typed)
    said = [warning.value for warning in at.warning]
    for key, (raw, words) in wrong.items():
        assert any(f"**{key}** must be {words}" in sentence for sentence in said), key
        assert at.text_input(key=key).value == raw
    assert any("**d_model** must be a whole number from 1 to 4,096, got `blue`" in sentence for sentence in said)


def test_fields_of_other_parts_keep_their_place_in_the_address():
    at = page(part="shapes", library="numpy")
    assert in_address(at, "library") == "numpy"


@pytest.mark.parametrize(("part", "instead"), [
    ("masks", "The questions on masks have"), ("arrays", "The questions say what a bias"), ("groups", "The page Models shows"),
])  # fmt: skip
def test_a_link_to_a_part_that_is_no_more_says_so_and_where_to_look(part, instead):
    fields = {"mask_case": "shapes", "lengths": "6,4", "mask_cells": "110", "attention_mask": "custom", "idea": "products"}
    at = page(part=part, num_kv_heads=1, **fields)
    assert [one.value for one in at.warning if f"**part={part}** is gone. {instead}" in one.value] == [at.warning[0].value]
    assert title(at).startswith("4 heads with key_dim 4 have")
    assert {*at.query_params} == set()


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


LAYER = {"split": "free", "d_model": 11, "num_heads": 3, "key_dim": 5, "value_dim": 7, "query_len": 4, "key_len": 6, "seed": 9}


def scripts(at) -> list[str]:
    return [element.value for element in at.get("code")]


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_script_and_its_printout_are_those_of_the_chosen_sizes(library):
    size = {"d_model": 15, "value_dim": 5} if library == "PyTorch" else {}  # what nn.MultiheadAttention can be
    query = {"part": "code", "library": library.lower(), "mask": "causal", "batch": 3} | LAYER | size
    at = whole(open_page("keras_layer", **query))
    width, value_dim = query["d_model"], query["value_dim"]
    settings = KerasCall(KerasLayer(3, 5, value_dim, (3, 4, width), (3, 6, width), seed=9), causal=True)
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
    at = whole(open_page("keras_layer", part="code", library=library, **query))
    assert scripts(at) == []
    assert why in text(at)


#: What can be chosen within a part, from the app's tables.
WITHIN = {"code": ("library", BY_CODE["library"].choices)}
SMALL = {
    "default": {},
    "one of each": {"num_heads": 1, "query_len": 1, "key_len": 1, "batch": 1},
    "one key": {"split": "free", "d_model": 11, "num_heads": 6, "key_dim": 5, "value_dim": 7, "query_len": 5, "key_len": 1,
                "batch": 3, "mask": "causal"},
    "fewer keys": {"split": "free", "d_model": 11, "num_heads": 4, "key_dim": 3, "value_dim": 2, "query_len": 13, "key_len": 5,
                   "batch": 3, "use_bias": "false", "mask": "causal"},
    "a batch as long": {"split": "free", "num_heads": 3, "d_model": 7, "key_dim": 5, "value_dim": 2, "key_width": 11,
                        "value_width": 13, "output_shape": "3,2", "query_len": 4, "key_len": 4, "batch": 4},
    "one sample of rank 4": {"input_shape": "3,5,16", "batch": 1},
    "rank 5": {"input_shape": "2,3,2,8", "num_heads": 2, "attention_axes": "1,3", "batch": 3, "mask": "causal"},
    "width 1": {"split": "free", "input_shape": "6,1", "batch": 3, "num_heads": 2, "key_dim": 2, "value_dim": 2,
                "use_bias": "false", "attention_axes": "1"},
    "axes of heads": {"attention_axes": "2"},
    "axes of samples": {"input_shape": "3,4,8", "attention_axes": "0", "num_heads": 2},
    "no such axis": {"attention_axes": "5"},
}  # fmt: skip
LARGE = {
    "wide": {"d_model": 1024, "num_heads": 8},
    "wider": {"d_model": 4096, "num_heads": 32, "query_len": 512, "key_len": 512},
    "the most positions": {"input_shape": "4096,4096,4096,16", "batch": 64, "mask": "causal"},
}  # fmt: skip


def choices() -> list[dict[str, str]]:
    """Every part with each of its own choices."""
    found = []
    for part in BY_CODE["part"].choices:
        key, values = WITHIN.get(part, (None, [None]))
        found += [{"part": part} | ({key: value} if key else {}) for value in values]
    return found


def named(choice: dict[str, str]) -> str:
    return "-".join(choice.values())


def test_every_value_of_every_choice_of_the_page_is_among_those_that_are_tried():
    tried = choices()
    for key, values in {row.code: row.choices for row in BY_CODE.values() if row.kind == "word"}.items():
        assert {choice.get(key) for choice in tried} - {None} == set(values), key


@pytest.fixture(scope="module")
def answered(client):
    """The real layer, whose answer is on the page in its first run."""
    client.load()
    with asking(lambda: client):
        yield


@pytest.fixture
def waits():
    with asking(Awaited):
        yield "The real layer is being loaded"


@pytest.fixture
def missing():
    with asking(Missing):
        yield "TensorFlow is not installed here"


def sound(**query: object) -> tuple[AppTest, str]:
    """The page and its text, after checks that hold on every screen: no error, true sentences, and no limit of the app as
    Keras's."""
    at = whole(open_page("keras_layer", **query))
    assert breaches(Visitor("keras_layer", query, at=at)) == []
    return at, text(at)


#: Scripts are the same code for every layer: each layer meets one, and each of them several layers.
IN_TURN = [choice for choice in choices() if choice["part"] == "code"]


def pairs(layers: dict[str, dict]) -> list:
    """Each layer with every choice. Choices of IN_TURN are tried on every third layer, in turn."""
    return [
        pytest.param(sizes, choice, id=f"{name}-{named(choice)}")
        for number, (name, sizes) in enumerate(layers.items()) for choice in choices()
        if choice not in IN_TURN or IN_TURN.index(choice) % 3 == number % 3
    ]  # fmt: skip


@pytest.mark.keras
@pytest.mark.parametrize(("sizes", "choice"), pairs(SMALL))
def test_with_the_real_layers_answer_in_nothing_waits_and_what_is_said_fits(answered, sizes, choice):
    _, said = sound(**sizes, **choice)
    assert "is shown comes from formulas" not in said or "Keras refuses this call" in said
    assert not re.search(r"(\||: |\. )…( \||\.?$)", said, re.MULTILINE), "nothing is awaited any more"
    if choice["part"] == "call" and sizes != SMALL["no such axis"]:
        assert re.search(r"(each row|axes together) sums? to 1\.000", said)


@pytest.mark.keras
@pytest.mark.parametrize(("sizes", "choice"), pairs(LARGE))
def test_a_layer_too_large_is_this_apps_bound_everywhere_and_never_an_error_of_keras(answered, sizes, choice):
    _, said = sound(**sizes, **choice)
    assert f"up to {MAX_NUMBERS:,} are computed live" in said
    assert "*Not run* by this app: the layer" in said
    assert not re.search(r"Keras refuse|\w+Error\b", said)


@pytest.mark.keras
@pytest.mark.parametrize(("query", "words"), [
    ({"part": "shapes"}, ("(None, 4, 6, 6)", "(2, 4, 6, 9)", "**wrong**")),
    ({"part": "call"},
     ("Unrecognized keyword arguments", "one tensor (2, 6, 16)", "off by **0** from `layer(query, value, key)`")),
    ({"input_shape": "16"}, ("has no positions to attend to", "IndexError")),
    ({"part": "shapes", "input_shape": "3,4,8", "attention_axes": 2},
     ("(2, 3, 4, 4, 4)", "| rank 4, attention_axes=1 |", "(2, 3, 4, 2, 2)", "Largest change: **")),
    ({"part": "code"}, ("(1,088 parameters) takes 45 lines of Keras", "What is printed is the answer of the real layer")),
    ({"part": "shapes", "d_model": 1024, "num_heads": 8},
     ("*Not run* by this app: the layer takes 4,297,856 numbers",)),
    ({"d_model": 4096, "num_heads": 32}, ("comes from formulas. *Not run* by this app: the layer takes 67,523,072 numbers",)),
])  # fmt: skip
def test_each_part_brings_the_real_layers_answers(answered, query, words):
    at = whole(open_page("keras_layer", **{"query_len": 6, "key_len": 6} | query))
    assert [word for word in words if word not in f"{title(at)} {text(at)}"] == []


@pytest.mark.slow
@pytest.mark.parametrize(("number", "choice"), [*enumerate(choices())], ids=str)
def test_without_an_answer_every_part_stands_by_formula_and_says_why(number, choice, request):
    """A small layer and one that is too large, in each state in turn. tests/visitor has each choice in each state."""
    state = ("waits", "failed", "missing")[number % 3]
    reason = request.getfixturevalue(state)
    _, said = sound(**(SMALL["one key"], LARGE["wide"])[number % 2], **choice)
    assert reason in said
    assert "What is shown comes from formulas" in said
    assert ("…" in said) >= (state == "waits")
