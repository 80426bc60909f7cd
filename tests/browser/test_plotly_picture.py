"""Drawn by Plotly, a picture is as wide as its place, on the page's ground, and its cells answer the pointer."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from components.figures.theme import DARK, LIGHT
from mha import Config, run
from mha.explain import parse_cell
from tests.browser.helpers import open_app, query, rerun, wait_until_settled
from tests.browser.screen import arithmetic, becomes, result

FIGURE = "(key) => document.querySelector(`.st-key-${key}_plotly .js-plotly-plot`)"
SPOT = f"""([key, chosen]) => {{
  const figure = ({FIGURE})(key), cells = figure.data.find((trace) => trace.name === "cells");
  figure.scrollIntoView({{ block: "center" }});
  const at = cells.customdata.indexOf(chosen), box = figure.getBoundingClientRect(), {{ xaxis, yaxis }} = figure._fullLayout;
  return [box.x + xaxis._offset + xaxis.l2p(cells.x[at]), box.y + yaxis._offset + yaxis.l2p(cells.y[at])];
}}"""
MEASURES = f"""(key) => {{
  const figure = ({FIGURE})(key), box = figure.getBoundingClientRect(), place = document.querySelector(".stMainBlockContainer");
  const style = getComputedStyle(place);
  return {{ width: box.width, drawn: figure._fullLayout.width, left: box.left, right: innerWidth - box.right,
    place: place.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
    colours: figure.data.find((trace) => trace.name === "words").textfont.color }};
}}"""


def said_at(page: Page, chosen: str) -> str:
    """What stands under the pointer at that cell."""
    x, y = page.evaluate(SPOT, ["stage", chosen])
    page.mouse.move(x - 1, y)
    page.mouse.move(x, y)
    page.wait_for_timeout(100)
    return " ".join(page.locator(".hoverlayer text").all_text_contents())


def test_pointing_tells_the_arithmetic_and_a_click_chooses_the_cell(page: Page, server: str):
    open_app(page, f"{server}/attention?numbers=seed&drawn_by=plotly&head=2")
    becomes(page, lambda: said_at(page, "scores.2.3.5"), lambda said: "of head 2, row 3, column 5 = " in said and "·" in said)
    with rerun(page):
        page.mouse.click(*page.evaluate(SPOT, ["stage", "scores.2.3.5"]))
    becomes(page, lambda: query(page).get("cell"), "scores.2.3.5")
    becomes(page, lambda: bool(arithmetic(page)), True)
    cfg = Config(num_heads=4)
    cell = parse_cell("scores.2.3.5", cfg)
    assert result(page) == pytest.approx(float(run(cfg).scores.values[0, cell.head, cell.row, cell.col]), abs=5e-4)
    with rerun(page):  # and then another one, on the picture that was drawn anew
        page.mouse.click(*page.evaluate(SPOT, ["stage", "q.2.4.1"]))
    becomes(page, lambda: query(page).get("cell"), "q.2.4.1")


def test_a_click_on_a_map_chooses_its_head(page: Page, server: str):
    open_app(page, f"{server}/attention?numbers=seed&drawn_by=plotly")
    with rerun(page):
        page.mouse.click(*page.evaluate(SPOT, ["maps", "go:3"]))
    becomes(page, lambda: query(page).get("head"), "3")


@pytest.mark.parametrize("address", ["/", "/attention?numbers=seed&tokens=the cat sat on the mat", "/keras_layer?part=masks"])
@pytest.mark.parametrize(("width", "height", "scheme"), [(1280, 720, "light"), (390, 844, "dark")])
def test_a_picture_is_as_wide_as_its_place_and_on_its_ground(
    new_page: Callable[..., Page], server: str, address: str, width: int, height: int, scheme: str
):
    page = new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    open_app(page, f"{server}{address}{'&' if '?' in address else '?'}drawn_by=plotly")
    key = "stage" if "keras" not in address else page.locator("[class*='_plotly']").first.evaluate(
        "(box) => [...box.classList].find((name) => name.startsWith('st-key-')).slice(7, -7)"
    )
    theme = DARK if scheme == "dark" else LIGHT
    becomes(page, lambda: page.evaluate(MEASURES, key)["colours"][0] in (theme.ink, theme.muted, *theme.head_text), True)
    wait_until_settled(page)
    seen = page.evaluate(MEASURES, key)
    assert seen["width"] == pytest.approx(seen["drawn"], abs=1), "the picture is squeezed"
    assert seen["drawn"] <= seen["place"] + 1
    assert seen["left"] >= 0
    assert seen["right"] >= 0
