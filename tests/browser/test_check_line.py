"""The line that checks every number against the real Keras layer, as a visitor sees it come."""

from collections.abc import Callable
from itertools import product

import pytest
from playwright.sync_api import Page

from components.widgets.check import POLL
from mha import Config, count_parameters
from tests.browser import helpers
from tests.browser.helpers import open_app, query
from tests.browser.screen import alts, becomes, check_line, enter, numbers
from tests.browser.stage import drawn, lit_card

pytestmark = pytest.mark.keras
COUNT = count_parameters(Config())
START_POLL = """async (program) => {
  const { default: poll } = await import("data:text/javascript," + encodeURIComponent(program));
  window.polls = 0;
  poll({ data: { after: 250 }, parentElement: {}, setTriggerValue: () => window.polls++ });
}"""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """TensorFlow takes its time to load, on a busy machine most of a minute."""
    monkeypatch.setattr(helpers, "PATIENCE", 90.0)


def test_the_picture_does_not_wait_and_the_line_goes_from_loading_to_checked(page: Page, fresh_server: str):
    open_app(page, f"{fresh_server}/")
    assert drawn(page) >= 1
    assert lit_card(page)[1] == COUNT
    assert "✓" not in check_line(page)
    assert "load" in check_line(page)
    becomes(page, lambda: "✓" in check_line(page), True)
    assert COUNT in numbers(check_line(page))
    assert "NumPy" in check_line(page)
    enter(page, "num_heads", 8)
    becomes(page, lambda: query(page).get("num_heads"), "8")
    becomes(page, lambda: "✓" in check_line(page), True)
    assert "8 heads" in alts(page)[0]


def test_a_poll_lets_what_a_visitor_does_go_first(new_page: Callable[..., Page], server: str):
    """Joined with a poll of the page before, Back was lost: Streamlit (1.67) runs the page that the later message names."""
    page = new_page(alone=True)  # the clock stays with its context
    open_app(page, f"{server}/quiz")
    page.clock.install(time=0)
    page.clock.pause_at(1000)  # from here on time passes only where the test says so
    for event in ("click", "keydown", "popstate"):
        page.evaluate(START_POLL, POLL)
        page.clock.run_for(200)
        page.evaluate("(event) => window.dispatchEvent(new Event(event))", event)
        page.clock.run_for(1000)
        assert page.evaluate("window.polls") == 0
        page.clock.run_for(1000)
        assert page.evaluate("window.polls") == 1


def test_numbers_by_tensorflow_come_once_it_is_loaded(page: Page, fresh_server: str):
    open_app(page, f"{fresh_server}/attention?backend=tensorflow&cell=weights.1.2.4")
    assert drawn(page) >= 1
    assert "NumPy" in check_line(page)
    before = alts(page)
    becomes(page, lambda: "✓" in check_line(page) and "NumPy" not in check_line(page), True)
    assert query(page) == {"backend": "tensorflow", "cell": "weights.1.2.4"}
    assert [numbers(one)[:2] for one in alts(page)] == [numbers(one)[:2] for one in before]


def test_without_tensorflow_the_app_runs_and_says_so(page: Page, without_tensorflow: str):
    for path, backend in product(("", "attention"), ("numpy", "tensorflow")):
        open_app(page, f"{without_tensorflow}/{path}?backend={backend}")
        assert drawn(page) >= 1
        becomes(page, lambda: "not installed" in check_line(page), True)
        assert "✓" not in check_line(page)
        assert "NumPy" in check_line(page)
