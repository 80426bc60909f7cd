"""A page on which a choice is made again and again, and when its main picture and its last chart came to look as they stay.

Times are taken in the page: `benchmarks/probe.js` for the charts, `benchmarks/look.js` for the main picture.
"""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.messages import Messages, listen

PATIENCE_MS = 180_000
PROBE = (Path(__file__).parent / "probe.js").read_text()
QUIET_MS = 700
LOOK = (Path(__file__).parent / "look.js").read_text()
#: The main picture: the first chart on the page.
CHART = "window.mainPicture = () => document.querySelector('[data-testid=\"stPlotlyChart\"]')?.parentElement;"
#: The main picture: the guests' tables, the component of which the shadow holds cards.
CARDS = """window.mainPicture = () => [...document.querySelectorAll('[data-testid^="stBidiComponent"]')]
  .flatMap(e => [e, ...e.querySelectorAll("*")]).map(e => e.shadowRoot?.querySelector(".card")?.parentElement).find(Boolean);"""


class Racer:
    """One open page. `field`: a selector of what is chosen with, there when the page is."""

    def __init__(self, browser: Browser, url: str, field: str, main: str):
        self.page: Page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
        self.messages: Messages = listen(self.page)
        for script in (PROBE, main, LOOK):
            self.page.add_init_script(script)
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.goto(url)
        self.page.wait_for_selector(field, state="attached")
        self.settle()
        self.times: dict[str, list[float]] = {"main": [], "charts": []}

    def settle(self) -> None:
        """Until no message has come and no chart has changed for a while."""
        still, seen = 0, None
        while still < QUIET_MS:
            self.page.wait_for_timeout(50)
            now = (self.messages.sizes.total(), self.messages.begun, self.page.evaluate("[probe.charts, first]"))
            still, seen = (still + 50 if now == seen and self.messages.begun <= self.messages.ended else 0), now

    def choose(self, prepare: Callable[[Page], None], key: str, keep: bool) -> None:
        """`prepare`, then the one key that is measured, and the wait for all that it changes."""
        prepare(self.page)
        self.page.evaluate("first = 0, probe.arm([])")
        self.page.keyboard.press(key)
        self.page.wait_for_function("first > 0")
        self.settle()
        if keep:
            main, charts = self.page.evaluate("[first, probe.charts]")
            self.times["main"].append(main)
            self.times["charts"].append(max(main, charts))
