"""Actions of a visitor in a browser, and functions that wait until the app has answered."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Locator, Page

from tests.browser.watch import watch_of

RESULTS = Path("test-results")
PATIENCE = 30.0  # seconds; a shared machine may be slow, and no test waits longer than the app needs

#: As by Back and Forward, to any address.
GO = "(there) => { history.pushState(null, '', there); dispatchEvent(new PopStateEvent('popstate')); }"

# Notes the programs of components (Streamlit 1.67 makes an address for each and imports it), before a page has any.
NOTE_PROGRAMS = """{
  const make = URL.createObjectURL, programs = (window.programs = []);
  URL.createObjectURL = (one) => {
    const url = make.call(URL, one);
    if (one.type === 'text/javascript') programs.push(url);
    return url;
  };
}"""
# What on the page is still on its way, or "". A component whose program has not been imported hears no key and no click; a chart
# that is not shown is not drawn.
NOT_STILL = """async () => {
  await Promise.all((window.programs ?? []).map((url) => import(url)));
  const app = document.querySelector('[data-testid="stApp"]');
  if (!app || app.dataset.testConnectionState !== 'CONNECTED') return 'no connection';
  if (app.dataset.testScriptState !== 'notRunning') return 'the script runs';
  const old = document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stAppSkeleton"]');
  if (old) return `of the run before: ${old.outerHTML.slice(0, 300)}`;
  const shown = (chart) => chart.clientWidth && !chart.closest('details:not([open])');
  const charts = [...document.querySelectorAll('.headcount-chart')].filter(shown);
  return charts.every(chart => chart.querySelector('.main-svg')) ? '' : 'a chart';
}"""


def wait_until_settled(page: Page, reruns: int = 0, whole: int = 0) -> None:
    """Waits until `reruns` runs (`whole` of them of the whole page) have ended, no run is going on, and the page is drawn. Raises
    AssertionError, which says what is missing, after PATIENCE seconds."""
    seen = watch_of(page)
    deadline = time.monotonic() + PATIENCE
    still, counted, waits = 0, (-1, -1), ""
    while still < 3:  # three looks in a row, 25 ms apart: a rerun may start the next one
        page.wait_for_timeout(25)  # also lets Playwright hand over the messages that have come in
        # Not "as many ended as begun": the server drops an end that it has not sent yet when the next rerun begins.
        before, counted = counted, (seen.begun, seen.ended)
        done = seen.complete >= reruns and seen.whole >= whole and counted == before
        waits = page.evaluate(NOT_STILL) if done else "the server"
        still = 0 if waits else still + 1
        if time.monotonic() > deadline:
            raise AssertionError(
                f"not settled after {PATIENCE:.0f} s: {seen.begun} reruns begun, {seen.ended} ended, "
                f"{seen.complete} of them complete and {seen.whole} of the whole page, {reruns} and {whole} expected; "
                f"it waits for {waits or 'nothing'} at {address(page)}"
            )


@contextmanager
def rerun(page: Page) -> Iterator[None]:
    """A context for an action that reruns the page or leads to another one. At its end, waits until the whole page has run and
    is drawn. A run of a fragment does not count, because it may come by itself."""
    expected = watch_of(page).whole + 1
    yield
    wait_until_settled(page, whole=expected)


def open_app(page: Page, url: str) -> None:
    """Opens an address of the app and waits for its first picture."""
    with rerun(page):
        page.goto(url)


def go_to(page: Page, there: str) -> None:
    """Goes to another address (path and query) in the same session, as Back and Forward do. This takes half as long as a load.
    Addresses in other spellings than the app's own (split=free, mask=custom) need `open_app`."""
    with rerun(page):
        page.evaluate(GO, there)


def unfold(page: Page) -> None:
    """Opens every closed part of the page, except the tables of pictures."""
    closed = page.locator("[data-testid='stMain'] details:not([class*='_table'] *):not([open]) > summary")
    closed.evaluate_all("all => all.forEach((one) => one.click())")


def reload(page: Page) -> None:
    with rerun(page):
        page.reload()


def go_back(page: Page) -> None:
    with rerun(page):
        page.evaluate("history.back()")


def address(page: Page) -> str:
    """Path and query in the address bar at this moment. (`page.url` lags behind changes by the page's own script.)"""
    return page.evaluate("location.pathname + location.search")


def query(page: Page) -> dict[str, str]:
    """The parameters in the address bar at this moment."""
    return page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")


def slider(page: Page, label: str) -> Locator:
    """The handle of the slider with this label. If a second run has drawn it again, the first one."""
    return page.locator(f'input[type="range"][aria-label="{label}"]').first


def press(page: Page, label: str, key: str, times: int = 1) -> None:
    """Presses a key on a slider `times` times, and waits for each rerun."""
    for _ in range(times):
        slider(page, label).focus()
        with rerun(page):
            page.keyboard.press(key)


def problems(page: Page) -> list[str]:
    """The list of problems on which the test will fail at its end. A test that causes one on purpose checks it and clears the
    list."""
    return watch_of(page).problems


def screenshot(page: Page, name: str, full_page: bool = True) -> Path:
    """The path of a screenshot in test-results/. Characters of `name` that no file name may have are replaced."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', name)}.png"
    page.screenshot(path=path, full_page=full_page)
    return path
