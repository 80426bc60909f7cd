"""Every page, with every value of every choice, in pairs and in every state of Keras: it comes up, and what it says is so.

Pages come from the menu, choices from the pages themselves: what is added to either is in at once.
"""

import pytest

from lessons.walk import STEPS
from tests.app.own_layer import KERAS, TORCH
from tests.visitor.choices import LAB_PAGES, alone, offered, together, unbound
from tests.visitor.held import breaches
from tests.visitor.visitor import PAGES, Query, Visitor, put, switches, values, widgets

pytestmark = pytest.mark.first
#: In the paper's split as in Keras's: more than any page computes.
TOO_LARGE = {"d_model": "4096", "num_heads": "32", "key_dim": "512", "value_dim": "512"}
OTHER_STATES = ("missing", "awaited", "refused", "too large", "an own layer", "the presenter")
#: Buttons of one list that do the same, by the beginning of their keys: the first three of each are clicked.
ALIKE = 3


@pytest.fixture(scope="module", params=PAGES)
def page(request: pytest.FixtureRequest) -> str:
    """Page by page, not test by test: what can be chosen on a page is read off it once in a process."""
    return request.param


def failures(visitor: Visitor, where: str = "") -> list[str]:
    return [f"{visitor.address}{where}: {breach}" for breach in breaches(visitor)]


def report(found: list[str]) -> None:
    assert not found, f"{len(found)} of them, as addresses:\n" + "\n".join(dict.fromkeys(found))


def test_every_number_and_every_list_too_long_for_pairs_shows_a_page_that_is_true(page: str, keras):
    keras.turn("missing")
    report([fault for query in alone(page) for fault in failures(Visitor(page, query).open())])


@pytest.mark.keras
def test_every_pair_of_choices_shows_a_page_that_is_true_with_the_real_layers_answer_in(page: str, keras):
    keras.turn("answered")
    found = failures(Visitor(page).open())
    for query in together(page):
        found += failures(Visitor(page, query).open(), " (answered)")
    report(found)


@pytest.mark.keras
def test_every_choice_meets_every_other_state(page: str, keras):
    """No TensorFlow, awaited and refused answers, sizes too large to compute (the real worker is there), an own layer, and the
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
    """By the widgets: the session has a layer that an address cannot have."""
    there = widgets(visitor.at)
    for key, text in row.items():
        if key in there:
            put(there[key], text == "true" if there[key].type in ("toggle", "checkbox") else text)
    return visitor.run()


def test_every_button_slider_box_and_row_shows_a_page_that_is_true(page: str, keras):
    """What has no place in the address, each in a new session."""
    keras.turn("missing")
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


def test_choices_are_read_off_the_pages():
    """Three that are known, one of them shown only after another was chosen: nothing here is a list of our own."""
    assert offered("keras_layer")["part"][-1] == "code"
    assert "library" in offered("keras_layer")
    assert {"use_gate", "training"} <= {*offered("attention")}
    assert offered("models")["further"] == ("all-models", "ledger", "costs")
