"""The start page before Streamlit's program is ready: the server's picture is seen, and the app draws the same in its place."""

import urllib.request
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route

from tests.browser.helpers import PATIENCE
from tests.browser.screen import becomes

SHIFT = """window.shift = 0;
const watch = new PerformanceObserver((list) => { for (const one of list.getEntries()) shift += one.value; });
watch.observe({ type: 'layout-shift', buffered: true });
const look = () => { if (document.getElementById('first')) requestAnimationFrame(look); else window.came = true; };
document.addEventListener('DOMContentLoaded', look);"""
#: Of heading, lead and picture: left and top.
PLACES = """() => [...document.querySelectorAll('#first :is(b, p, svg)')].filter((one) => one.checkVisibility()).map((one) => {
  const { left, top } = one.getBoundingClientRect();
  return [left, top];
})"""
DRAWN = """() => {
  const inner = (one) => one.shadowRoot?.querySelector('.stage') ?? one;
  const all = [...document.querySelectorAll('h1, p.lead, .st-key-law *')].map(inner);
  const drawn = all.filter((one) => one.matches('h1, p.lead, .stage'));
  return drawn.map((one) => one.getBoundingClientRect()).map(({ left, top }) => [left, top]);
}"""


@pytest.mark.parametrize(("width", "theme", "ground"), [(1280, "light", "rgb(252, 251, 248)"), (390, "dark", "rgb(17, 21, 27)")])
def test_heading_and_picture_are_seen_without_streamlits_program_and_stay_where_they_are(
    new_page: Callable[..., Page], server: str, width: int, theme: str, ground: str
):
    page, held = new_page(alone=True, script=SHIFT, viewport={"width": width, "height": 844}, color_scheme=theme), list[Route]()
    becomes(page, lambda: b'id="first"' in urllib.request.urlopen(server).read(), True)
    page.route("**/static/js/index*", lambda route: held.append(route))
    page.goto(server, wait_until="commit")
    page.wait_for_selector("#first svg >> visible=true")
    assert page.locator("#first").evaluate("(one) => getComputedStyle(one).backgroundColor") == ground
    before = page.evaluate(PLACES)
    assert len(before) == 3
    assert page.locator("#first").inner_text().startswith("Twice the heads. Twice the parameters?")
    for route in held:
        route.continue_()
    page.wait_for_function("window.came", timeout=PATIENCE * 1000)
    after = page.evaluate(DRAWN)
    assert [(round(x), round(y)) for x, y in after] == [(pytest.approx(x, abs=2), pytest.approx(y, abs=2)) for x, y in before]
    assert page.locator("h1").is_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("shift") <= 0.05
