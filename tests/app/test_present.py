"""The walk shows states of the real pages, can be entered at any step, and is gone when it is left."""

import json
import struct

import numpy as np
import pytest

from components.figures.wire import pack
from components.pages.presenter.walk import WALK, link, message, numbers, picture, request
from mha import Config, count_parameters
from tests.app.driver import PAGES, open_page, whole

NUMBERS = range(1, len(WALK) + 1)


def plans(at) -> list[tuple[dict, np.ndarray]]:
    """Every moving picture's plan and its values."""
    found = [element.proto for element in at.get("bidi_component") if element.proto.component_name == "headcount_stage"]
    return [read(proto.bytes) for proto in found]


def read(raw: bytes) -> tuple[dict, np.ndarray]:
    length = struct.unpack("<I", raw[:4])[0]
    return json.loads(raw[4:4 + length]), np.frombuffer(raw[4 + length:], dtype=np.float32)


def values(plan: dict, floats: np.ndarray, name: str) -> np.ndarray:
    grid = plan["grids"][name]
    return floats[grid["at"]:grid["at"] + grid["rows"] * grid["cols"]].reshape(grid["rows"], grid["cols"])


def shows(page: tuple[dict, np.ndarray], step: tuple[dict, np.ndarray]) -> bool:
    """Whether every panel of the step stands on the page, with the same numbers at the same scale."""
    (there, far), (here, near) = page, step
    panels = [panel for row in there["rows"] for panel in row]
    return all(panel in panels for row in here["rows"] for panel in row) and all(
        name in there["grids"]
        and np.array_equal(values(there, far, name), values(here, near, name), equal_nan=True)
        and there["tops"].get(grid["scale"]) == here["tops"].get(grid["scale"])
        for name, grid in here["grids"].items()
    )


def shown(at) -> str:
    return at.main.title[0].value


@pytest.mark.parametrize("number", NUMBERS)
def test_every_step_is_a_state_of_the_page_that_it_links_to(number):
    step = WALK[number - 1]
    path, _, query = link(step).removeprefix("./").partition("?")
    at = whole(open_page(path or "heads", **dict(pair.split("=") for pair in query.split("&") if pair)))
    assert any(shows(page, read(pack(picture(step)))) for page in plans(at))


def test_another_state_of_the_page_is_not_taken_for_the_step():
    at = open_page("attention", mask="causal")
    assert not any(shows(page, read(pack(picture(WALK[8])))) for page in plans(at))


@pytest.mark.parametrize("number", NUMBERS)
def test_a_link_opens_its_step_with_one_message_and_one_large_picture(number):
    at = open_page("attention", present=1, step=number)
    assert not at.exception
    assert shown(at) == message(WALK[number - 1])
    plan, _ = plans(at)[0]
    assert plan["large"]
    assert plan["alt"] == picture(WALK[number - 1]).alt


def test_the_walk_begins_with_one_head_and_ends_with_the_sum():
    assert 11 <= len(WALK) <= 14
    assert request(WALK[0]).cfg.num_heads == 1
    panels = [panel.id for panel in picture(WALK[-1]).rows[1]]
    assert panels == ["share-0", "share-1", "share-2", "share-3", "b_o-term", "output-sum"]


def test_the_counts_in_a_message_are_those_of_the_layers_side_by_side():
    """Width 12 and 2 biased heads of 5: 12 · 2 · 5 · 4 + 2 · 5 · 3 + 12 = 522."""
    named = numbers(Config(d_model=12, num_heads=2, key_dim=5, value_dim=5), paper=False)
    assert "522" in str(named["counts"]).split(", ")
    assert named["joined"] == 10
    assert numbers(Config(d_model=12, num_heads=2), paper=True)["counts"] == f"{count_parameters(Config(d_model=12)):,}"


@pytest.mark.parametrize("page", PAGES)
def test_the_way_in_is_in_the_sidebar_of_every_page(page):
    inside = open_page(page).sidebar.get("bidi_component")
    assert "headcount_enter" in [element.proto.component_name for element in inside]


def test_leaving_gives_the_page_back_and_leaves_nothing():
    at = whole(open_page("attention", num_heads=8, head=3))
    before, kept = shown(at), set(at.session_state._state.filtered_state)
    at.query_params["present"] = "1"
    at.query_params["step"] = "5"
    at.run()
    assert shown(at) == message(WALK[4])
    for key in ("present", "step"):
        del at.query_params[key]
    whole(at.run())
    assert shown(at) == before
    assert set(at.session_state._state.filtered_state) == kept
    assert set(at.query_params) == {"num_heads", "head"}


def test_the_pages_own_settings_outlive_the_walk():
    at = open_page("attention", head=3, divisor="none", tokens="a b c d e f", present=1)
    del at.query_params["present"]
    at.run()
    assert (at.session_state["head"], at.session_state["divisor"], at.session_state["tokens"]) == (3, "none", "a b c d e f")


@pytest.mark.parametrize("raw", ["0", "13", "-1", "two", "1e1", "٣", "9" * 400])
def test_a_step_that_is_not_there_is_said_and_the_first_is_shown(raw):
    at = open_page(present=1, step=raw)
    assert not at.exception
    assert shown(at) == message(WALK[0])
    assert any("**step** must be a whole number from 1 to 12" in warning.value for warning in at.warning)


def test_a_word_for_present_is_said_and_the_page_is_shown():
    at = whole(open_page(present="yes"))
    assert any("**present** must be 0 or 1, got `yes`" in warning.value for warning in at.warning)


@pytest.mark.parametrize("page", ["heads", "attention"])
def test_a_page_that_has_no_layer_to_show_can_be_presented_from(page):
    at = open_page(page, present=1, step=2, d_model=15, num_heads=4)
    assert not at.exception
    assert shown(at) == message(WALK[1])
