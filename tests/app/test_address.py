"""The address is the one source: its settings are in the widgets, in the layer and on the screen, and the other way round."""

from urllib.parse import parse_qs, urlsplit

import pytest

from components.address import MOVED, moved_to
from headcount import Config
from headcount.settings import STOPS
from tests.app.driver import (
    ALL_PAGES,
    PAGES,
    config,
    figures,
    open_page,
    seen,
    stages,
    text,
    typed,
    value,
    whole,
    whole_address,
)

SIZES = {"d_model": 33, "num_heads": 3, "key_dim": 5, "value_dim": 7, "query_len": 11, "key_len": 17}
OTHERS = {"use_bias": False, "seed": 41, "use_gate": True, "sliding_window": 2, "dropout": 0.4, "training": True,
          "dropout_seed": 5, "mask": "causal"}  # fmt: skip
CHOSEN = {**OTHERS, "split": "free", "backend": "tensorflow"}
LINK = {key: str(value).lower() for key, value in (SIZES | CHOSEN).items()} | {"split": "Keras"}


@pytest.mark.parametrize("page", [*PAGES, "keras_layer", "own_layer"])
def test_a_link_reproduces_the_layer_on_every_page(page):
    at = whole(open_page(page, **LINK))
    assert config(at) == Config(**SIZES, **OTHERS)
    assert {key: typed(at, key).value for key in SIZES} == SIZES
    known = at.session_state["settings"].values
    for key, wanted in (SIZES | CHOSEN).items():
        assert value(at, key) == known[key] == wanted, key
    assert whole_address(at) == LINK
    assert len(at.warning) == 0


@pytest.mark.parametrize(("page", "query"), [
    ("attention", {"head": 2, "divisor": "sqrt_d_model", "tokens": "a b c", "cell": "scores.2.1.3"}),
    ("projections", {"kernel": "w_v", "cut": "keras"}), ("concatenation", {"head_off": 2}),
    ("trained_heads", {"asking": 9}),
])  # fmt: skip
def test_each_pages_own_keys_are_its_widgets_values(page, query):
    at = whole(open_page(page, **query))
    assert {key: type(wanted)(value(at, key)) for key, wanted in query.items()} == query
    assert whole_address(at) == {key: str(wanted) for key, wanted in query.items()}


def test_what_is_not_in_the_address_is_the_default_and_what_is_typed_is_in_the_layer():
    """A browser test checks that a typed number gets into the address, too."""
    at = whole(open_page())
    assert config(at) == Config(d_model=16, num_heads=4, key_dim=4, value_dim=4, query_len=13, key_len=13)
    assert whole_address(at) == {}
    for key, number in {"d_model": 48, "num_heads": 8, "query_len": 11, "key_len": 3, "seed": 7}.items():
        at = whole(typed(at, key).set_value(number).run())
        assert getattr(config(at), key) == number


def test_a_typed_number_between_two_stops_is_a_stop_of_the_slider():
    at = open_page(d_model=123, num_heads=123)
    assert at.select_slider(key="num_heads").value == 123
    assert stages(whole(at))[0]["alt"].endswith("123 heads.")


@pytest.mark.parametrize(("d_model", "num_heads", "size"), [(16, 4, 4), (33, 3, 11), (512, 1, 512), (91, 7, 13)])
def test_the_switch_to_free_sizes_keeps_the_layer_that_is_shown(d_model, num_heads, size):
    at = open_page(d_model=d_model, num_heads=num_heads)
    before = config(at)
    at.button_group(key="split").set_value("free").run()
    assert (value(at, "split"), value(at, "key_dim"), value(at, "value_dim")) == ("free", size, size)
    assert config(whole(at)) == before
    typed(at, "num_heads").set_value(2 * num_heads).run()
    assert (config(at).key_dim, config(at).value_dim) == (size, size)


@pytest.mark.parametrize(("page", "cell", "words", "title", "row"), [
    ("heads", "q.2.3.1", "Q of head 2, row 3, column 1", "", None),
    ("attention", "scores.4.6.6", "QKᵀ of head 4, row 6, column 6", "", None),
    ("concatenation", "concat.1.5", "Concat, row 1, column 5", "", None),
    ("attention", "weights.4.6.6", "", "Where does “today” look in head 4?", 6),
    ("concatenation", "output.6.16", "", "“today”, column 16 of output", 6),
    ("projections", "q.2.3.1", "", "Head 2: “Dan”, column 1 of its Q", None),
])  # fmt: skip
def test_a_cell_in_the_address_is_marked_and_explained_or_has_its_card_and_its_frame_in_heatmaps(page, cell, words, title, row):
    at = whole(open_page(page, cell=cell))
    assert words in text(at)
    assert cell in [plan.get("chosen") for plan in stages(at)]
    assert title in "".join(node.proto.body for node in at.get("html"))
    shapes = [shape for figure in figures(at).values() for shape in figure["layout"].get("shapes", ())]
    framed = {(shape["y0"], shape["y1"] - shape["y0"]) for shape in shapes if shape["line"]["width"] == 3}
    assert row is None or framed == {(row - 0.5, 1.0)}


@pytest.mark.parametrize(("page", "cell"), [*zip(PAGES, ["q.5.1.1", "q.0.1.1"] * 2, strict=True)])
def test_a_cell_that_is_not_there_is_said_with_its_ranges(page, cell):
    at = whole(open_page(page, cell=cell, numbers="seed"))
    form = f"cell must be q.head.row.column with head 1 to 4, row 1 to 13, column 1 to 4, got `{cell}`."
    assert [warning.value for warning in at.warning] == [form]
    assert all(plan.get("chosen") is None or plan["example"] for plan in stages(at))


def test_a_cell_of_no_matrix_is_said_with_the_matrices():
    (warning,) = whole(open_page(cell="bad")).warning
    assert warning.value.startswith("cell must start with one of q, k, v, scores, scaled, masked, weights, context, concat, ")
    assert warning.value.endswith(", got `bad`.")


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(("page", "key", "least", "shown"), [
    ("attention", "head", 1, "1"), ("concatenation", "head_off", 0, "0, all heads on"),
])  # fmt: skip
def test_a_head_that_this_layer_has_not_is_said_with_those_it_has_and_the_default_shown(page, key, least, shown, own):
    """The address keeps the head, which exists again with more heads."""
    link = {"d_model": 21, "num_heads": 3, "seed": 5, key: 99}
    if not own:
        page, link = "figures", link | {"figure": {"head": "steps", "head_off": "concatenation"}[key]}
    at = whole(open_page(page, **link))
    allowed = f"**{key}** must be a whole number from {least} to 3 in a layer with 3 heads"
    assert [warning.value for warning in at.warning] == [f"{allowed}, got `99`; showing {shown}."]
    assert whole_address(at) == {name: str(raw) for name, raw in link.items()}
    without = whole(open_page(page, **{name: raw for name, raw in link.items() if name != key}))
    assert stages(at) == stages(without)


def test_tokens_that_do_not_fit_are_counted():
    assert "2 words for 13 positions." in text(whole(open_page("attention", tokens="two words", numbers="seed")))


@pytest.mark.parametrize("key", STOPS)
def test_a_slider_ends_where_its_field_does(key):
    field = typed(seen(split="free"), key)
    assert (STOPS[key][0], STOPS[key][-1]) == (field.min, field.max)


#: What each page that there ever was shows at an address of it: the page of today, and what its address says there.
OLD = {
    "heads?num_heads=8": ("heads", {"num_heads": "8"}),
    "projections?kernel=w_k": ("projections", {"kernel": "w_k"}),
    "attention?divisor=none": ("attention", {"divisor": "none"}),
    "concatenation?head_off=2": ("concatenation", {"head_off": "2"}),
    "trained_heads?asking=8": ("trained_heads", {"asking": "8"}),
    "quiz?quiz=17": ("quiz", {"quiz": "17"}),
    "keras_layer?part=call": ("keras_layer", {"part": "call"}),
    "arrays?idea=products&d_model=32": ("keras_layer", {"d_model": "32"}),
    "models?model=Gemma-2B": ("models", {"model": "Gemma-2B"}),
    "published_models?model=Gemma-2B&model_heads=4": ("models", {"model": "Gemma-2B", "model_heads": "4"}),
    "costs?load_length=11&load_batch=3&load_layers=5&load_kv_heads=2": (
        "models", {"model": "this-layer", "further": "costs", "context": "11", "sequences": "3", "model_layers": "5",
                   "model_kv_heads": "2"}),
    "own_layer?layer=2": ("own_layer", {"layer": "2"}),
    "claims?claim=49&topic=costs&verdict=open": ("questions", {"question": "c49", "topic": "Costs"}),
    "claims?article=blog&guess_first=true&topic=first ten&contains=d_model": ("questions", {"find": "d_model"}),
    "questions?question=q11&contains=masks": ("questions", {"question": "q11", "find": "masks"}),
    "find?find=key_dim": ("questions", {"find": "key_dim"}),
    "figures?figure=steps": ("figures", {"figure": "steps"}),
}  # fmt: skip


@pytest.mark.parametrize("old", OLD)
def test_every_old_address_leads_to_its_place_of_today_with_its_settings(old):
    path, query = old.split("?")
    there = urlsplit(moved_to(path, query) or old)
    page = there.path.removeprefix("./") or "heads"
    at = whole(open_page(page, **{key: values[0] for key, values in parse_qs(there.query).items()}))
    assert (page, whole_address(at)) == OLD[old]
    assert [warning.value for warning in at.warning] == []


def test_every_address_that_moves_and_every_page_is_among_the_old_ones():
    assert {old.split("?")[0] for old in OLD} == {*MOVED, *ALL_PAGES}
    assert {page for page, _ in OLD.values()} == {*ALL_PAGES}
