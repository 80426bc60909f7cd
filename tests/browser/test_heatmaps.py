"""Plotly's heatmaps of the layer: read without a click, zoomed one at a time, explained on a click, scrolled with a finger."""

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page

from headcount import Config, run
from headcount.stage.theme import DARK, LIGHT
from tests.browser.helpers import go_to, open_app, query, rerun
from tests.browser.screen import becomes, result
from tests.browser.stage import FIGURE, place, spot

PRIMES = "split=Keras&d_model=14&num_heads=3&key_dim=5&value_dim=7&query_len=11&key_len=11&mask=causal&seed=2&numbers=seed"
LAYER = run(Config(d_model=14, num_heads=3, key_dim=5, value_dim=7, query_len=11, key_len=11, mask="causal", seed=2))
# Titles and numbers of all heatmaps, as Plotly has drawn them.
READ = f"""(key) => ({FIGURE})(key)._fullData.map((trace) =>
  [trace.name, Array.from(trace.z, (row) => Array.from(row, (value) => Number.isNaN(value) ? null : value))])"""
LAYOUT = f"({FIGURE})('attention_maps')._fullLayout"
RANGES = f"""(key) => {{
  const layout = ({FIGURE})(key)._fullLayout;
  return ['xaxis', 'xaxis2', 'xaxis3'].map((name) => [...layout[name].range]);
}}"""

#: Of each map, whether its title stands above the figure.
OUTSIDE = f"""() => {{
  const figure = ({FIGURE})('attention_maps'), titles = [...figure.querySelectorAll('.annotation-text')];
  return titles.filter((one) => /^[1-4] (who|whom|where|when)$/.test(one.textContent))
    .map((one) => one.getBoundingClientRect().top < figure.getBoundingClientRect().top);
}}"""


def heatmaps(page: Page, key: str) -> dict[str, np.ndarray]:
    page.locator(f".st-key-{key} .js-plotly-plot").wait_for()
    return {re.sub("<.*?>", "", name): np.array(z, float) for name, z in page.evaluate(READ, key)}


def same(found: np.ndarray, wanted: np.ndarray) -> None:
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def zoom(page: Page) -> tuple[float, float]:
    """Drags a rectangle over a part of the second map. Returns its middle in the window."""
    (left, top), (right, bottom) = spot(page, 1, 2, 1), spot(page, 1, 7, 6)
    before = page.evaluate(RANGES, "attention_maps")
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(right, bottom, steps=6)
    page.mouse.up()
    becomes(page, lambda: page.evaluate(RANGES, "attention_maps") != before, True)
    page.wait_for_timeout(300)  # both axes are drawn anew
    return (left + right) / 2, (top + bottom) / 2


def test_maps_are_on_the_page_in_the_colours_of_the_theme_one_is_zoomed_alone_and_a_zoom_survives_a_click(
    page: Page, server: str
):
    open_app(page, f"{server}/attention?{PRIMES}")
    for scheme, theme in (("dark", DARK), ("light", LIGHT)):
        page.emulate_media(color_scheme=scheme)
        becomes(page, lambda theme=theme: page.evaluate(f"() => {LAYOUT}.xaxis.linecolor") == theme.ink, True)
        scale = page.evaluate(f"() => {LAYOUT}.coloraxis.colorscale.map((stop) => stop[1])")
        assert (scale[0], scale[-1]) == (theme.share[0], theme.share[-1])
    found = heatmaps(page, "attention_maps")
    assert [*found] == ["head 1", "head 2", "head 3"]
    for head, values in enumerate(found.values()):
        same(values, np.where(np.tril(np.ones((11, 11), bool)), LAYER.weights.values[0, head], np.nan))

    whole = page.evaluate(RANGES, "attention_maps")
    middle = zoom(page)
    zoomed = page.evaluate(RANGES, "attention_maps")
    assert zoomed[1][1] - zoomed[1][0] < 8
    assert [zoomed[0], zoomed[2]] == [whole[0], whole[2]]
    page.mouse.dblclick(*middle)
    becomes(page, lambda: page.evaluate(RANGES, "attention_maps"), whole)
    page.wait_for_timeout(600)  # a click would have been sent by then
    assert "cell" not in query(page)
    zoom(page)
    zoomed = page.evaluate(RANGES, "attention_maps")
    with rerun(page):
        page.mouse.click(*spot(page, 1, 5, 3))
    becomes(page, lambda: query(page).get("cell"), "weights.2.6.4")
    assert query(page)["head"] == "2"
    wanted = float(LAYER.weights.values[0, 1, 5, 3])
    becomes(page, lambda: result(page) == pytest.approx(wanted, abs=6e-4), True)
    assert page.evaluate(RANGES, "attention_maps") == zoomed


def test_the_corner_its_arithmetic_and_the_heatmaps_are_in_one_screen(page: Page, server: str):
    """At 1280 × 720, without scrolling: heatmaps right of the product, the arithmetic in its empty corner."""
    box = lambda name: page.locator(f".st-key-{name}").bounding_box()  # noqa: E731
    open_app(page, f"{server}/projections?numbers=seed")
    for path, key in (("projections", "projections"), ("concatenation", "shares")):
        if path == "concatenation":
            go_to(page, f"/{path}?numbers=seed")
        product, arithmetic, maps = box("stage"), box("explain"), page.locator(f".st-key-{key} .js-plotly-plot").bounding_box()
        assert product["x"] + product["width"] < maps["x"]
        assert max(one["y"] + one["height"] for one in (product, arithmetic, maps)) <= 720
        assert arithmetic["y"] >= product["y"] - 1
        assert arithmetic["x"] + arithmetic["width"] < product["x"] + product["width"] / 2 + 40
        if path == "projections":
            first = place(page, "x_query", 0, 0).middle[1]  # scrolls
            switch, arithmetic = box("kernel"), box("explain")
            assert switch["y"] + switch["height"] < arithmetic["y"]
            assert arithmetic["y"] + arithmetic["height"] < first


#: How far down the maps and the card end, how far the page is scrolled and how high the card's foot is.
ENDS = """() => ['.st-key-attention_maps .headcount-chart', '.st-key-row_card', '.st-key-explain'].map((one) =>
  document.querySelector(one).getBoundingClientRect()).flatMap((box) => [box.top, box.bottom]).concat(
  document.querySelector('[data-testid="stMain"]').scrollTop)"""


@pytest.mark.parametrize("asked", ["", "?num_heads=16", "?mask=causal&rotary=halves&alibi=true"])
def test_maps_and_one_query_s_row_stand_in_one_screen_and_play_moves_nothing(page: Page, server: str, asked: str):
    open_app(page, f"{server}/attention{asked}")
    before = page.evaluate(ENDS)
    assert max(before[:6]) <= 700
    page.locator(".st-key-explain .play").click()
    becomes(page, lambda: page.locator(".st-key-explain[data-playing]").count(), 1)
    for _ in range(4):
        assert page.evaluate(ENDS) == pytest.approx(before, abs=1)
        page.wait_for_timeout(300)
    page.locator(".st-key-explain .skip").click()
    becomes(page, lambda: page.locator(".st-key-explain[data-playing]").count(), 0)
    assert page.evaluate(ENDS) == pytest.approx(before, abs=1)


def test_the_keys_reach_every_row_and_head_from_the_maps(page: Page, server: str):
    open_app(page, f"{server}/attention")
    heading, chart = page.locator(".st-key-row_card h2"), page.locator(".st-key-attention_maps .headcount-chart")
    chart.focus()
    for key, cell, asks in (
        ("ArrowUp", "weights.1.8.8", "Where does “she” look in head 1?"),
        ("PageDown", "weights.2.8.8", "Where does “she” look in head 2?"),
        ("ArrowLeft", "weights.2.8.7", "Where does “she” look in head 2?"),
    ):  # fmt: skip
        with rerun(page):
            page.keyboard.press(key)
        becomes(page, lambda: query(page).get("cell"), cell)
        becomes(page, heading.inner_text, asks)
    assert chart.evaluate("(one) => document.activeElement === one")


def test_on_a_phone_a_finger_scrolls_the_page_and_two_maps_stand_side_by_side_each_with_its_title(
    new_page: Callable[..., Page], server: str
):
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    open_app(page, f"{server}/attention?numbers=seed&query_len=6&key_len=6")
    look = page.evaluate(f"() => [{LAYOUT}.xaxis.domain, {LAYOUT}.xaxis3.domain]")
    assert look[0] == look[1]
    assert look[0][1] < 0.5
    x, y = spot(page, 0, 3, 3)
    main = page.locator('[data-testid="stMain"]')
    before, whole = main.evaluate("(one) => one.scrollTop"), page.evaluate(RANGES, "attention_maps")
    session = page.context.new_cdp_session(page)
    touch = lambda kind, *at: session.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [*at]})  # noqa: E731
    touch("Start", {"x": x, "y": y})
    for far in range(20, 201, 20):
        touch("Move", {"x": x, "y": y - far})
    touch("End")
    becomes(page, lambda: main.evaluate("(one) => one.scrollTop") > before + 100, True)
    assert page.evaluate(RANGES, "attention_maps") == whole
    assert "cell" not in query(page)

    page.set_viewport_size({"width": 320, "height": 640})
    go_to(page, "/attention")
    assert page.evaluate(OUTSIDE) == [False] * 4, "on the narrowest phone every map has its title within the figure"
