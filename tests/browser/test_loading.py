"""While a page loads, nothing visible moves: what is below a missing part stays hidden (assets/style.css)."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import open_app, rerun
from tests.browser.screen import becomes

#: web.dev's bound for a page that does not jump (cumulative layout shift, https://web.dev/articles/cls).
MAX_SHIFT = 0.1
#: Counted from the start of the navigation on; a shift soon after somebody's input would not count.
PROBE = """(() => {
  window.seen = { shift: 0 };
  const note = (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; };
  new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type: "layout-shift", buffered: true });
})()"""
#: What of the page's elements is not seen for what is above them.
WAITING = "document.getAnimations().filter((one) => one.animationName === 'seen').length"
FRESH = "!('touched' in document.documentElement.dataset)"


def shift(page: Page) -> float:
    """The distance by which things have moved since the request, when everything is drawn."""
    becomes(page, lambda: page.evaluate(WAITING), 0)
    return page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(seen.shift))))")


def does_not_jump(page: Page, url: str) -> None:
    """Checks a page for a visitor without a cache: fonts and programs come over the network."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    open_app(page, url)
    session.detach()
    assert page.evaluate(FRESH)
    assert shift(page) <= MAX_SHIFT


@pytest.mark.parametrize("query", ["embed=true", "present=1", "present=1&step=4"])
def test_a_page_that_is_embedded_or_presented_does_not_jump_either(new_page: Callable[..., Page], server: str, query: str):
    """The same as tests/browser/test_accessibility.py tests for other pages."""
    does_not_jump(new_page(script=PROBE), f"{server}/?{query}")


# A picture's markup stands before its program has been read: on a slow machine it is there by itself.
HELD = """{
  const make = URL.createObjectURL;
  window.held = new Promise((go) => { window.release = go; });
  URL.createObjectURL = (one) => make.call(URL, one.type !== 'text/javascript' ? one
    : new Blob(['await window.held;', one], { type: one.type }));
}"""
SEEN = "(one) => one.checkVisibility({ visibilityProperty: true })"


@pytest.mark.parametrize("path", ["", "concatenation"])
def test_the_legend_of_a_picture_is_not_seen_before_the_picture(new_page: Callable[..., Page], server: str, path: str):
    """Otherwise it would move by the height of the picture."""
    page = new_page(script=HELD)
    with rerun(page):
        page.goto(f"{server}/{path}", wait_until="commit")
        legend = page.locator("div.legend").first
        legend.wait_for(state="attached")
        assert not legend.evaluate(SEEN)
        page.evaluate("release()")
    assert legend.evaluate(SEEN)


@pytest.mark.parametrize(("step", "key", "there"), [(11, "3", "step=12&guess_keras=double"), (4, "ArrowRight", "step=5")])
def test_a_key_that_is_pressed_while_a_step_loads_is_heard_once_it_can_be(
    new_page: Callable[..., Page], server: str, step: int, key: str, there: str
):
    page = new_page(script=HELD)
    page.goto(f"{server}/?present=1&step={step}", wait_until="commit")
    page.locator(".st-key-presenter h1").wait_for()
    page.keyboard.press(key)
    assert page.url.endswith(f"?present=1&step={step}")
    page.evaluate("release()")
    becomes(page, lambda: page.url.endswith(f"?present=1&{there}"), True)


def test_the_program_of_charts_comes_once_a_chart_is_seen(new_page: Callable[..., Page], server: str):
    """A chart in a closed expander has its place, but nobody sees it."""
    page, asked = new_page(), []
    page.on("request", lambda one: asked.append(one.url))
    open_app(page, f"{server}/")
    page.wait_for_timeout(1000)
    assert [url for url in asked if "plotly" in url] == []
    page.locator("summary", has_text="What more heads cost").click()
    page.locator(".js-plotly-plot svg.main-svg").first.wait_for()
    assert len([url for url in asked if "plotly" in url]) == 1
