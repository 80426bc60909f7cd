"""The line that compares every number with the real Keras layer, as a visitor sees it appear. Without TensorFlow:
tests/browser/test_deep_links.py."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from components.widgets.check import POLL
from headcount import Config, count_parameters
from tests.browser.helpers import query, rerun
from tests.browser.screen import alts, becomes, check_line, enter, numbers
from tests.browser.stage import drawn, lit_card
from tests.serving import Server

pytestmark = [pytest.mark.keras, pytest.mark.usefixtures("patience_for_keras")]
COUNT = count_parameters(Config())
START_POLL = """async (program) => {
  const { default: poll } = await import("data:text/javascript," + encodeURIComponent(program));
  window.polls = 0;
  poll({ data: { after: 250 }, parentElement: {}, setTriggerValue: () => window.polls++ });
}"""


#: Python runs it when it starts: Keras's process then waits with loading TensorFlow for as long as the file is there.
WAITS = """import os, sys, time
while "headcount.keras.worker" in sys.orig_argv and os.path.exists({held!r}): time.sleep(0.05)
"""


@pytest.fixture
def waits(tmp_path: Path) -> Path:
    """The file for which Keras's process waits."""
    (held := tmp_path / "held").touch()
    (tmp_path / "sitecustomize.py").write_text(WAITS.format(held=str(held)))
    return held


@pytest.fixture
def fresh_server(same_port: Callable[[], int], waits: Path) -> Iterator[str]:
    with Server(waits.with_name("server.log"), port=same_port(), PYTHONPATH=str(waits.parent)) as running:
        yield running.url


def test_neither_picture_nor_numbers_wait_for_keras_and_the_line_goes_from_loading_to_checked(
    new_page: Callable[..., Page], fresh_server: str, waits: Path
):
    """Two visitors come while TensorFlow is loading. One wants it only for the check, the other for the numbers, too."""
    page, other = new_page(), new_page()
    with rerun(page), rerun(other):
        page.goto(f"{fresh_server}/", wait_until="commit")
        other.goto(f"{fresh_server}/attention?backend=tensorflow&cell=weights.1.2.4", wait_until="commit")
    assert drawn(page) >= 1
    assert lit_card(page)[1] == COUNT
    assert "✓" not in check_line(page)
    assert "load" in check_line(page)
    assert drawn(other) >= 1
    assert "NumPy" in check_line(other)
    before = alts(other)

    waits.unlink()
    becomes(page, lambda: "✓" in check_line(page), True)
    assert COUNT in numbers(check_line(page))
    assert "NumPy" in check_line(page)
    enter(page, "num_heads", 8)
    becomes(page, lambda: query(page).get("num_heads"), "8")
    becomes(page, lambda: "✓" in check_line(page), True)
    assert "8 heads" in alts(page)[0]

    becomes(other, lambda: "✓" in check_line(other) and "NumPy" not in check_line(other), True)
    assert query(other) == {"backend": "tensorflow", "cell": "weights.1.2.4"}
    assert [numbers(one)[:2] for one in alts(other)] == [numbers(one)[:2] for one in before]


def test_a_poll_lets_what_a_visitor_does_go_first(new_page: Callable[..., Page]):
    """If a poll and Back came in one message, Back was lost: Streamlit (1.67) runs the page that the later message names."""
    page = new_page(alone=True)  # the clock stays with its context
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
