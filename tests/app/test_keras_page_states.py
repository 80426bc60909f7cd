"""Every part of the Keras page with every choice on it: while the real layer is awaited, with its answer, and without.

Parts, cases and kinds of mask are the app's own tables: what is added there is in here at once. Layers have odd sizes: one head,
one key, one sample, fewer keys than queries, ranks 4 and 5, values of another width, wrong axes, and more than can be run.
"""

import re

import pytest
from streamlit.testing.v1 import AppTest

from components.page_settings import BY_CODE, KERAS_LAYER
from mha.keras.layer import MAX_NUMBERS
from mha.names import ATTENTION_MASKS
from tests.app.driver import open_page, stages, text, title, whole
from tests.visitor.held import breaches
from tests.visitor.keras_states import Awaited, Missing, asking
from tests.visitor.visitor import Visitor

#: What can be chosen within a part, from the app's tables.
WITHIN = {part: (key, BY_CODE[key].choices) for part, key in {"masks": "mask_case", "code": "library", "arrays": "idea"}.items()}
SMALL = {
    "default": {},
    "one of each": {"num_heads": 1, "query_len": 1, "key_len": 1, "batch": 1},
    "one key": {"split": "free", "d_model": 11, "num_heads": 6, "key_dim": 5, "value_dim": 7, "query_len": 5, "key_len": 1,
                "batch": 3, "mask": "causal", "num_kv_heads": 4},
    "fewer keys": {"split": "free", "d_model": 11, "num_heads": 4, "key_dim": 3, "value_dim": 2, "query_len": 13, "key_len": 5,
                   "batch": 3, "use_bias": "false", "mask": "causal", "lengths": "0,3"},
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
    "wider": {"d_model": 4096, "num_heads": 32, "num_kv_heads": 8, "query_len": 512, "key_len": 512},
    "the most positions": {"input_shape": "4096,4096,4096,16", "batch": 64, "mask": "causal"},
}  # fmt: skip


def choices() -> list[dict[str, str]]:
    """Every part with every choice that it has of its own."""
    found = []
    for part in BY_CODE["part"].choices:
        key, values = WITHIN.get(part, (None, [None]))
        kinds = ATTENTION_MASKS if part in ("masks", "code") else ATTENTION_MASKS[:1]
        found += [{"part": part, "attention_mask": kind} | ({key: value} if key else {}) for value in values
                  for kind in (kinds if value in (None, "yours", "keras") else kinds[:1])]  # fmt: skip
    return found


def named(choice: dict[str, str]) -> str:
    return "-".join(choice.values())


def test_every_value_of_every_choice_of_the_page_is_among_those_that_are_tried():
    tried = choices()
    for key, values in {row.code: row.choices for row in KERAS_LAYER if row.kind == "word"}.items():
        assert {choice.get(key) for choice in tried} - {None} == set(values), key


@pytest.fixture(scope="module")
def answered(client):
    """The real layer, whose answer is on the page when it comes up."""
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
    """The page and its text, after what holds on every screen: it came up, what it says is so, and no bound of the app is Keras's
    word."""
    at = whole(open_page("keras_layer", **query))
    assert breaches(Visitor("keras_layer", query, at=at)) == []
    return at, text(at)


#: Scripts, arrays and masks are the same code for every layer: each layer meets some, and each of them several layers.
IN_TURN = [choice for choice in choices() if choice["part"] in ("code", "arrays", "masks")]


def pairs(layers: dict[str, dict]) -> list:
    """Each layer with every choice, but of IN_TURN with every third one, another third for the next layer."""
    return [
        pytest.param(sizes, choice, id=f"{name}-{named(choice)}")
        for number, (name, sizes) in enumerate(layers.items()) for choice in choices()
        if choice not in IN_TURN or IN_TURN.index(choice) % 3 == number % 3
    ]  # fmt: skip


@pytest.mark.keras
@pytest.mark.parametrize(("sizes", "choice"), pairs(SMALL))
def test_with_the_real_layers_answer_in_nothing_waits_and_what_is_said_fits(answered, sizes, choice):
    at, said = sound(**sizes, **choice)
    assert "is shown is by formula" not in said or "Keras refuses this call" in said
    assert not re.search(r"(\||: |\. )…( \||\.?$)", said, re.MULTILINE), "nothing is awaited any more"
    if choice["part"] == "call" and sizes != SMALL["no such axis"]:
        assert re.search(r"(each row|axes together) sums? to 1\.000", said)
    if choice["part"] == "masks":
        fits_what_is_drawn(at, said)


def fits_what_is_drawn(at, said: str) -> None:
    """The first panel's maps are all samples and heads of the layer, or the page says how many of them are drawn."""
    plans = [plan for plan in stages(at) if plan["rows"]]
    if not plans:
        return
    drawn = {block["grid"] for block in plans[0]["rows"][0][0]["blocks"]}
    samples, heads = (len({name.split("/")[place] for name in drawn}) for place in (1, 2))
    config = at.session_state["settings"].config()
    whole_of = {"sample": (samples, at.session_state["batch"]), "head": (heads, config.num_heads)}
    for name, (some, every) in whole_of.items():
        words = f"{some} of {every} {name}s"
        assert (words in said) == (some != every), words


@pytest.mark.keras
@pytest.mark.parametrize(("sizes", "choice"), [one for one in pairs(LARGE) if one.values[1]["part"] != "arrays"])
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
    ({"part": "masks", "mask_case": "empty_row"}, ("may look nowhere has two answers.", "apart; all other queries 0")),
    ({"part": "groups", "num_heads": 8, "num_kv_heads": 2},
     ("8 query heads, 2 key/value", "by changing one key kernel", "outputs 0 apart")),
    ({"input_shape": "16"}, ("has no positions to attend to", "IndexError")),
    ({"part": "code"}, ("1,088 parameters: 48 lines of Keras", "What is printed is the answer of the real layer")),
    ({"part": "shapes", "d_model": 1024, "num_heads": 8},
     ("*Not run* by this app: the layer takes 4,297,856 numbers",)),
    ({"d_model": 4096, "num_heads": 32}, ("by formula. *Not run* by this app: the layer takes 67,523,072 numbers",)),
])  # fmt: skip
def test_each_part_brings_the_real_layers_answers(answered, query, words):
    at = whole(open_page("keras_layer", query_len=6, key_len=6, **query))
    assert [word for word in words if word not in f"{title(at)} {text(at)}"] == []


@pytest.mark.parametrize(("number", "choice"), [*enumerate(choices())], ids=str)
def test_without_an_answer_every_part_stands_by_formula_and_says_why(number, choice, request):
    """Of a small layer and of one that is too large, in each state in turn; tests/visitor has each choice in each."""
    state = ("waits", "failed", "missing")[number % 3]
    reason, ours = request.getfixturevalue(state), choice["part"] == "arrays"  # computed here, and checked as on other pages
    _, said = sound(**(SMALL["one key"], LARGE["wide"])[number % 2], **choice)
    assert (reason.replace("real layer", "real Keras layer") if ours else reason) in said
    assert ("What is shown is by formula" in said) != ours
    assert ("…" in said) >= (state == "waits" and not ours)


SHAPES = {"part": "masks", "mask_case": "shapes"}


@pytest.mark.parametrize(("part", "layer", "headline"), [
    (SHAPES, "default", "Five shapes are spread over (2, 4, 13, 13). (B, S) is refused."),
    (SHAPES, "a batch as long", "Five shapes are spread over (4, 3, 4, 4). (B, S) is misread."),
    (SHAPES, "one sample of rank 4", "Five shapes are spread over (1, 4, 15, 15). (B, S) is read right with one sample."),
    ({"part": "axes"}, "width 1", "attention_axes = 1: each of 6 positions sees all 6."),
    ({"part": "axes"}, "rank 5", "attention_axes = (1, 3): each of 12 positions sees 4."),
    ({"part": "axes"}, "one sample of rank 4", "attention_axes = None: each of 15 positions sees all 15."),
    ({"part": "axes"}, "fewer keys", "attention_axes = None: each of 13 queries sees all 5 keys."),
    ({"part": "axes"}, "one key", "attention_axes = None: each of 5 queries sees the only key."),
    ({"part": "axes"}, "one of each", "attention_axes = None: the only position sees itself."),
    ({"part": "axes"}, "axes of heads", "attention_axes = 2 attends to what is no axis of positions."),
    ({"part": "axes"}, "axes of samples", "attention_axes = 0 attends to what is no axis of positions."),
])  # fmt: skip
def test_the_headline_of_axes_and_shapes_is_about_the_visitors_own_input(part, layer, headline):
    assert title(open_page("keras_layer", **part, **SMALL[layer])) == headline


def test_pytorchs_shapes_triangles_and_words_are_those_of_the_layer_on_the_screen():
    """B = 2, h = 2, T = 3, S = 5: PyTorch took or refused each so; 1 + 2 + 3 pairs top-left, 3 + 4 + 5 bottom-right."""
    at = open_page("keras_layer", part="masks", mask_case="pytorch", num_heads=2, query_len=3, key_len=5)
    assert title(at) == "A mask for each head is (2, 2, 3, 5) in Keras and (4, 3, 5) in nn.MultiheadAttention."
    for said in ("| (B·h, T, S) | (4, 3, 5) | taken | refused | refused |",
                 "| (B, T, S) | (2, 3, 5) | refused | **taken as (h, T, S)** | taken |",
                 "| (B, S) | (2, 5) | refused | refused | refused |",
                 "6 of 15 pairs may look", "`causal_lower_right(3, 5)`: 12 pairs."):  # fmt: skip
        assert said in text(at), said
    words = "The shape of the 3D attn_mask is torch.Size([2, 3, 5]), but should be (4, 3, 5)."
    assert words not in text(at)  # until they are opened
    at.session_state["pytorch_words"] = True
    assert words in text(at.run())


def test_queries_that_may_look_nowhere_are_counted_over_all_samples():
    at = open_page("keras_layer", part="masks", query_len=3, key_len=5, batch=2, lengths="0,4")
    assert "**3 queries may look nowhere**, 2 samples together" in text(at)
    assert title(at) == "12 of 30 pairs in 2 samples may look."


def test_a_mask_too_large_to_be_made_is_said_where_it_is_missed():
    for part in ("masks", "code"):
        said = text(open_page("keras_layer", part=part, **LARGE["the most positions"]))
        assert "A mask of lengths is made for up to 65,536 keys of all samples together; here all may look." in said
