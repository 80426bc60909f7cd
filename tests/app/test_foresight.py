"""The pictures prefetched for a slider's next stops are those that the server then sends."""

import json
import struct

import pytest

from components.app.runtime import reported
from components.widgets import previews
from components.widgets.previews import ASKED, FAR, NEAR
from tests.app.driver import OPENED, PAGES, come, component, figures, open_page, seen, stages, text, title, whole

KEYS = {
    "heads": ["law", "stage", "time_against_heads"], "projections": ["stage", "cuts", "projections"],
    "attention": ["query", "stage", "attention_maps", "divisors"], "concatenation": ["stage", "shares"],
}  # fmt: skip
FREE = {"split": "free", "key_dim": 3, "value_dim": 6, "mask": "causal", "numbers": "seed"}
PAPER = {"numbers": "seed"}


def drawn(at, keys: list[str]) -> list[tuple[dict, bytes]]:
    """The data sent to stages and then to charts with these keys, without the chosen cell."""
    return [without_cell(data) for name in ("stage", "chart") for key, data in component(at, name) if key in keys]


def split(data: bytes) -> tuple[dict, bytes]:
    (length,) = struct.unpack_from("<I", data)
    return json.loads(data[4 : 4 + length]), data[4 + length :]


def ahead(at) -> tuple[dict, dict[str, dict[int, bytes]]]:
    """The prefetched data: its head, and the packed pictures by key and value."""
    ((_, data),) = component(at, "ahead")
    head, rest = split(data)
    return head, {key: {int(value): rest[start:end] for value, (start, end) in one["scenes"].items()}
                  for key, one in head["pictures"].items()}  # fmt: skip


def touched(page: str, code: str, **query: object):
    """The page after a touch of that slider."""
    return whole(come(page, OPENED | {ASKED: (code, NEAR)}, **query))


def without_cell(data: bytes) -> tuple[dict, bytes]:
    """A scene's plan without its cell, and its numbers. A chart is JSON as a whole."""
    if data.startswith(b'{"look"'):
        return json.loads(data), b""
    plan, values = split(data)
    return {name: part for name, part in plan.items() if name not in ("chosen", "example")}, values


@pytest.mark.parametrize(("code", "query"), [
    ("num_heads", PAPER), ("d_model", PAPER), ("num_heads", FREE), ("d_model", FREE), ("key_dim", FREE), ("value_dim", FREE),
], ids=str)  # fmt: skip
@pytest.mark.parametrize("page", PAGES)
def test_what_is_sent_ahead_is_what_comes(page, code, query):
    at = touched(page, code, **query)
    head, pictures = ahead(at)
    assert head["touched"] == code
    stops = at.session_state["settings"].stops(code)
    here = stops.index(at.session_state["settings"].values[code])
    beside = [stops[here + 1], stops[here - 1]]
    if code == "d_model" and query is PAPER:
        beside = [value for value in beside if value % 4 == 0]
    assert {key: list(told) for key, told in pictures.items()} == dict.fromkeys(KEYS[page], beside)
    comes = beside[PAGES.index(page) % len(beside)]  # the next stop on two pages, the one before on the others
    there = seen(page, **query | {code: comes})
    assert [without_cell(pictures[key][comes]) for key in KEYS[page]] == drawn(there, KEYS[page])


@pytest.mark.parametrize("page", ["heads", "projections", "concatenation"])
@pytest.mark.parametrize(("stands", "beside"), [(16, [24, 12]), (24, [16])])
def test_random_numbers_are_sent_ahead_beside_trained_ones_and_the_other_way(page, stands, beside):
    """Trained numbers come with words, random ones without. (The picture of three cuts is not prefetched.)"""
    at = touched(page, "d_model", d_model=stands)
    keys, pictures = [key for key in KEYS[page] if key != "cuts"], ahead(at)[1]
    assert {key: [value for value in pictures[key] if value in beside] for key in keys} == dict.fromkeys(keys, beside)
    for value in beside:
        there = whole(open_page(page, d_model=value))
        assert [without_cell(pictures[key][value]) for key in keys] == drawn(there, keys)


def test_before_a_slider_is_touched_a_page_says_its_sliders_and_looks_and_sends_nothing_ahead():
    at = whole(open_page("attention", numbers="seed"))
    (query, stage), charts, (head, pictures) = stages(at), figures(at), ahead(at)
    assert [one["code"] for one in head["sliders"]] == ["num_heads", "d_model"]
    looks = {
        "query": query["look"],
        "stage": stage["look"],
        **{key: charts[key]["look"] for key in ("attention_maps", "divisors")},
    }
    assert {key: one["look"] for key, one in head["pictures"].items()} == looks
    assert pictures == {key: {} for key in looks}


def test_a_chart_of_a_chosen_cell_s_query_is_left_to_the_server():
    """Another layer may lack that cell, and the chart would show another query."""
    at = touched("attention", "num_heads", numbers="seed", cell="weights.1.2.3")
    assert list(ahead(at)[1]) == ["query", "attention_maps", "stage"]
    assert "attention weights of query 2 in " in figures(at)["divisors"]["alt"]


def test_pictures_come_when_they_are_asked_for_and_not_with_an_answer():
    """On a slow line the next pictures of many quick presses would come before the last picture."""
    at = touched("projections", "key_dim", **FREE)
    assert {len(told) for told in ahead(at)[1].values()} == {2 * NEAR}
    head, pictures = ahead(whole(at.run()))
    assert (head["touched"], {len(told) for told in pictures.values()}) == ("", {0})


def test_a_pointer_asks_for_the_stops_of_a_drag():
    at = come("projections", OPENED | {ASKED: ("key_dim", FAR)}, **FREE)
    head, pictures = ahead(whole(at))
    assert head["far"]
    assert list(pictures["stage"]) == [4, 2, 6, 1, 8, 12, 16, 24], "as many as 256 kB hold"


def test_what_a_component_reports_that_has_gone_is_nothing():
    """Its report was on its way when a page without the component was drawn."""
    assert reported("stage", "cell") is None


@pytest.mark.parametrize(("code", "query", "told"), [
    ("d_model", {}, [24, 12]), ("num_heads", {}, [8, 2]),
    ("d_model", {"d_model": 64}, [48]),  # no trained network is wider; the page says so above its picture
    ("num_heads", PAPER | {"head": 3}, [8]),  # of two heads the page shows the first
    ("num_heads", PAPER | {"d_model": 6, "num_heads": 3}, [2]),  # where the slider stops at 1, 2, 3, 6, and 4, its default
], ids=str)  # fmt: skip
def test_a_page_that_would_be_of_another_kind_is_left_to_the_server(code, query, told):
    """The page would have other numbers, would lack the named head, or would have no layer in the paper's convention."""
    assert {key: list(next_ones) for key, next_ones in ahead(touched("attention", code, **query))[1].items()} == dict.fromkeys(
        ("query", "attention_maps", "stage", "divisors"), told
    )


def test_the_heads_slider_stops_where_the_heads_divide_the_width():
    chosen = open_page("attention", d_model=20, num_heads=10).session_state["settings"]
    assert chosen.stops("num_heads") == [1, 2, 4, 5, 10, 20]
    assert chosen.but(split="free").stops("num_heads") == [1, 2, 4, 8, 10, 16, 32, 64, 128, 256]


@pytest.mark.parametrize("page", PAGES)
def test_what_is_kept_is_what_would_be_drawn_anew(page, monkeypatch):
    query = FREE | {"num_heads": 7}
    kept = [whole(open_page(page, **query)) for _ in range(2)][1]
    monkeypatch.setattr(previews.PICTURES, "get", lambda key: None)
    anew = whole(open_page(page, **query))
    assert component(anew, "stage") == component(kept, "stage")
    assert (title(anew), text(anew)) == (title(kept), text(kept))
    assert figures(anew) == figures(kept)
