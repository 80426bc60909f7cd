"""Every page, with every value of every choice, in pairs and in every state of Keras: it opens, and its sentences are true. Pages
come from the menu and choices from the pages, so new ones are tested at once."""

import pytest

from lessons.walk import STEPS
from tests.app.driver import OPENED, sent, stages
from tests.app.driver import PAGES as LAYER
from tests.app.own_layer import KERAS, TORCH
from tests.visitor.choices import LAB_PAGES, alone, together, unbound
from tests.visitor.held import breaches
from tests.visitor.visitor import PAGES, Query, Visitor, put, switches, values, widgets

pytestmark = pytest.mark.first
#: In the paper's split as in Keras's: more than any page computes.
TOO_LARGE = {"d_model": "4096", "num_heads": "32", "key_dim": "512", "value_dim": "512"}
OTHER_STATES = ("missing", "awaited", "refused", "too large", "an own layer", "the presenter")
#: Buttons of one list that do the same, by the beginning of their keys: the first three of each are clicked.
ALIKE = 3


ONES = {"d_model": 1, "num_heads": 1, "query_len": 1, "key_len": 1}
#: What meets nowhere else: a single choice, or the end of a number by itself, is tried on every page.
EXTREMES = {
    "256 heads of width 1": {"num_heads": 256, "d_model": 256},
    "256 free heads": {"num_heads": 256, "split": "free", "key_dim": 3, "value_dim": 2},
    "all 1": ONES,
    "all 1, free": ONES | {"split": "free", "key_dim": 1, "value_dim": 1},
    "all 1, another head asked for": ONES | {"head": 2, "head_off": 2, "tokens": "two words"},
    "width 1, free": {"d_model": 1, "num_heads": 3, "split": "free", "key_dim": 1, "value_dim": 2},
    "one token, two heads of 1": {"query_len": 1, "key_len": 1, "num_heads": 2, "d_model": 2, "head_off": 1, "tokens": "one"},
    "9 heads of 1": {"d_model": 9, "num_heads": 9, "head_off": 2, "use_bias": "false", "mask": "causal"},
    "one query": {"query_len": 1, "key_len": 7},
    "one key": {"query_len": 7, "key_len": 1},
    "cross-attention": {"query_len": 5, "key_len": 11},
    "512 tokens": {"query_len": 512, "key_len": 512},
    "512 tokens, causal": {"query_len": 512, "key_len": 257, "mask": "causal"},
    "causal cross-attention": {"mask": "causal", "query_len": 11, "key_len": 3},
    "prime heads": {"d_model": 91, "num_heads": 7, "query_len": 13, "key_len": 17},
    "value size apart": {"split": "free", "d_model": 11, "num_heads": 3, "key_dim": 5, "value_dim": 7},
    "BERT-base": {"d_model": 768, "num_heads": 12},
    "far too large": {"d_model": 4096, "num_heads": 256, "split": "free", "key_dim": 512, "value_dim": 512, "query_len": 512},
    "a chosen cell of each kind": {"cell": "weights.2.3.1", "mask": "causal"},
    "a chosen masked cell": {"cell": "weights.2.1.6", "mask": "causal"},
    "a chosen cell of the output": {"cell": "output.6.16"},
    "tokens": {"tokens": "the cat sat on the mat"},
    "another divisor": {"divisor": "none", "cell": "scaled.1.1.1"},
    "a cut of Keras": {"kernel": "w_v", "cut": "keras"},
}


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest) -> str:
    """Tests are grouped by page, because a page's choices are read once in a process."""
    return request.param


def failures(visitor: Visitor, where: str = "") -> list[str]:
    return [f"{visitor.address}{where}: {breach}" for breach in breaches(visitor)]


def report(found: list[str]) -> None:
    assert not found, f"{len(found)} of them, as addresses:\n" + "\n".join(dict.fromkeys(found))


def test_every_number_and_every_list_too_long_for_pairs_shows_a_page_that_is_true(page: str, keras):
    report([fault for query in alone(page) for fault in failures(Visitor(page, query).open())])


def test_every_extreme_shows_a_page_that_is_true(page: str, keras):
    """Everything is opened. On pages that do not draw the layer, one extreme is tested."""
    found = []
    for query in EXTREMES.values() if page in LAYER else [EXTREMES["all 1, free"]]:
        visitor = Visitor(page, {key: str(value) for key, value in query.items()}).open(OPENED)
        found += failures(visitor)
        if page in LAYER and not (stages(visitor.at) or visitor.at.info):
            found.append(f"{visitor.address}: neither a picture, nor why there is none")
        if sent(visitor.at) > 4_000_000:
            found.append(f"{visitor.address}: {sent(visitor.at)} bytes")
    report(found)


@pytest.mark.keras
def test_every_pair_of_choices_shows_a_page_that_is_true_with_the_real_layers_answer_in(page: str, keras):
    keras.turn("answered")
    found = failures(Visitor(page).open())
    for query in together(page):
        found += failures(Visitor(page, query).open(), " (answered)")
    report(found)


@pytest.mark.keras
def test_every_choice_meets_every_other_state(page: str, keras):
    """No TensorFlow, awaited and refused answers, sizes too large to compute (with the real worker), an own layer, and the
    presenter."""
    found, own = [], None
    for place, row in enumerate(together(page, {"state": OTHER_STATES})):
        state = row.pop("state", OTHER_STATES[place % len(OTHER_STATES)])
        keras.turn(state if state in ("awaited", "refused") else "answered" if state == "too large" else "missing")
        if state == "an own layer":
            own = own or with_own_layer(KERAS if place % 2 else TORCH)
            seen = choose(own.go(page), row)
        elif state == "the presenter":
            least, most = 1, len(STEPS)
            seen = Visitor(page, row | {"present": "1", "step": str(least + place % most)}).open()
        else:
            seen = Visitor(page, row | (TOO_LARGE if state == "too large" and page in LAB_PAGES else {})).open()
        found += failures(seen, f" ({state})")
    report(found)


def with_own_layer(data: bytes) -> Visitor:
    visitor = Visitor("own_layer").open()
    put(widgets(visitor.at)["own_file"], ("model.keras", data))
    return visitor.run()


def choose(visitor: Visitor, row: Query) -> Visitor:
    """Sets the row by widgets, because the session has a layer that no address can have."""
    there = widgets(visitor.at)
    for key, text in row.items():
        if key in there:
            put(there[key], text == "true" if there[key].type in ("toggle", "checkbox") else text)
    return visitor.run()


def test_every_button_slider_box_and_row_shows_a_page_that_is_true(page: str, keras):
    """These have no place in the address. Each is used in a new session."""
    first, found, seen = Visitor(page).open(), [], {}
    for name in unbound(first):
        alike = name.rstrip("0123456789").rpartition("_")[0] or name
        seen[alike] = seen.get(alike, 0) + (first is not None and name.startswith("to_"))
        if seen[alike] > ALIKE:
            continue
        choices = values(widgets(first.at)[name])
        for value in {0: choices[:1], 1: choices[len(choices) // 2 : len(choices) // 2 + 1], 2: choices[-1:]}.values():
            visitor = Visitor(page).open()
            for one in value:
                put(widgets(visitor.at)[name], one)
                found += failures(visitor.run(), f", then {name} = {one!r}"[:200])
            if len(choices) == 1:
                break
    for name in switches(first.at):
        visitor = Visitor(page).open()
        found += failures(visitor.run(switches(visitor.at)[name]()), f", then {name}")
    report(found)
