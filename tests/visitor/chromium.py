"""The walk in Chromium: clicks, keys and taps on whatever the page offers, on a laptop's screen and on a phone's."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Error, Locator

from tests.browser.helpers import address, screenshot, wait_until_settled
from tests.browser.watch import watch
from tests.serving import chromium, served
from tests.visitor.visitor import PAGES, SLOW, TEXTS
from tests.visitor.walk import Pick, Untrue

HERE = Path(__file__).parent
SCREENS = {
    "laptop": {"viewport": {"width": 1280, "height": 720}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2},
}
KEYS = ("ArrowRight", "ArrowLeft", "Home", "End", "PageUp", "PageDown")
NUMBERS = ("1", "2", "3", "5", "8", "12", "48", "0", "99999", "-1", "", "7")
ERRORS = '[data-testid="stException"], [data-testid="stMain"] :text("encountered an error")'
#: What is done besides using what is on the page; a program for each.
OTHERWISE = {
    "back": "navigation.canGoBack && history.back()",
    "forward": "history.forward()",
    "reload": "location.reload()",
    "scroll down": "document.querySelector('[data-testid=stMain]').scrollBy(0, 900)",
    "scroll up": "document.querySelector('[data-testid=stMain]').scrollBy(0, -500)",
}


class Tour:
    """One visitor in a browser context of its own. `steps` says what was done."""

    def __init__(self, browser: Browser, server: str, pick: Pick):
        self.pick, self.screen, page = pick, pick(tuple(SCREENS)), pick(PAGES)
        self.url = f"{server}/{'' if page == PAGES[0] else page}"
        self.page = browser.new_context(**SCREENS[self.screen], reduced_motion="reduce").new_page()
        self.seen = watch(self.page)
        self.page.on("popup", lambda popup: popup.close())
        self.steps = [f"open {page} on a {self.screen}"]

    def begin(self) -> None:
        self._go(lambda: self.page.goto(self.url))

    def step(self) -> None:
        kind = self.pick((*("use",) * 12, *OTHERWISE))
        try:
            if kind == "use":
                self._use()
            else:
                self.steps.append(kind)
                self._go(lambda: self.page.evaluate(OTHERWISE[kind]))
        except Error as missed:  # what was there a moment ago is covered or gone: a visitor would try something else
            self.steps.append(f"  (not done: {missed.message.splitlines()[0][:80]})")

    def told(self, found: list[str]) -> str:
        picture = screenshot(self.page, f"explore-{self.steps[0]}-{len(self.steps)}", full_page=False)
        lines = [*found, f"at {address(self.page)} ({self.screen}), seen in {picture}", "after:"]
        return "\n".join([*lines, *(f"  {step}" for step in self.steps)])

    def _go(self, act: Callable[[], object]) -> None:
        """The act, the wait until the page has drawn what came of it, and a look at it."""
        act()
        self.page.wait_for_timeout(120)
        try:
            wait_until_settled(self.page)
        except AssertionError as late:
            self.seen.problems.append(f"{late}")
        errors = [f"exception on the page: {text[:200]}" for text in self.page.locator(ERRORS).all_inner_texts()[:1]]
        found = [*self.seen.problems, *errors, *self.page.evaluate((HERE / "outside.js").read_text())]
        self.seen.problems.clear()
        if found:
            raise Untrue(found)

    def _use(self) -> None:
        offered = [one for one in self.page.evaluate((HERE / "clickable.js").read_text()) if SLOW not in one["name"]]
        if not offered:
            raise Untrue(["nothing on the page can be clicked"])
        kind = self.pick(sorted({one["kind"] for one in offered}))  # a page of a hundred buttons has a slider, too
        one = self.pick([one for one in offered if one["kind"] == kind])
        what, act = self._act(kind, self.page.locator(f'[data-visitor="{one["number"]}"]').first)
        self.steps.append(f"{what} {one['name']!r}")
        self._go(act)

    def _act(self, kind: str, there: Locator) -> tuple[str, Callable[[], object]]:
        """What is done with it, in words, and the doing. A click that something else would take is forced: so does a finger."""
        click = there.tap if self.screen == "phone" else there.click
        quick = {"timeout": 4000, "force": True}
        if kind == "slider":
            key = self.pick(KEYS)
            return f"press {key} on", lambda: there.press(key, timeout=4000)
        if kind in ("number", "text"):
            text = self.pick(NUMBERS if kind == "number" else TEXTS)
            return f"type {text[:60]!r} into", lambda: (there.fill(text, **quick), there.press("Enter"))
        if kind == "list":
            place = self.pick(range(12))
            return f"choose option {place} of", lambda: (click(**quick), self._option(place))
        if kind == "picture":
            box = there.bounding_box() or {"width": 10, "height": 10}
            at = {"x": self.pick(range(100)) / 100 * box["width"], "y": self.pick(range(100)) / 100 * box["height"]}
            return f"click at {at['x']:.0f}, {at['y']:.0f} of", lambda: click(position=at, **quick)
        return "click", lambda: click(**quick)

    def _option(self, place: int) -> None:
        self.page.wait_for_timeout(150)
        options = self.page.locator('[role="option"]')
        if count := options.count():
            options.nth(place % count).click(timeout=4000)


@contextmanager
def over_chromium() -> Iterator[Callable[[Pick], Tour]]:
    """What begins a walk, on a server of its own."""
    with served() as server, chromium() as browser:

        def new(pick: Pick) -> Tour:
            for context in browser.contexts:
                context.close()
            return Tour(browser, server.url, pick)

        yield new
