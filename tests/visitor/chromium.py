"""The walk in Chromium: clicks, keys, drags and taps on whatever the page offers, on a laptop's screen and on a phone's, files,
and the lesson by its keys. What is seen at rest is compared with the same address opened afresh."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Error, Locator

from lessons.walk import STEPS as LESSON
from tests.browser.helpers import GO, address, screenshot, wait_until_settled
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
LESSON_KEYS = ("ArrowRight", "ArrowRight", "PageDown", "ArrowLeft", "PageUp")
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
SEEN, CLICKABLE, OUTSIDE = ((HERE / f"{name}.js").read_text() for name in ("seen", "clickable", "outside"))
#: Pages that show what was answered, dropped or pressed in this visit, which no address keeps.
BY_VISIT = ("/quiz", "/own_layer", "/models", "/figures")
#: Seconds in which a page and its address opened afresh become one: Keras may answer one of them later.
AGREE = 12


class Tour:
    """One visitor in a browser context of its own. `steps` says what was done."""

    def __init__(self, browser: Browser, server: str, pick: Pick):
        self.pick, self.screen, page = pick, pick(tuple(SCREENS)), pick(PAGES)
        self.url = f"{server}/{'' if page == PAGES[0] else page}"
        self.page, self.afresh = (browser.new_context(**SCREENS[self.screen], reduced_motion="reduce").new_page() for _ in "12")
        self.seen, self.server = watch(self.page), server
        watch(self.afresh)
        self.page.on("popup", lambda popup: popup.close())
        self.steps = [f"open {page} on a {self.screen}"]

    def begin(self) -> None:
        self._go(lambda: self.page.goto(self.url))

    def step(self) -> None:
        if "present=1" in address(self.page):  # Back, or a breach on the way: in the lesson there is nothing but its keys
            self.page.keyboard.press("Escape")
            wait_until_settled(self.page)
        kind = self.pick((*("use",) * 12, *("lesson", "compare") * 2, *OTHERWISE))
        try:
            if kind in ("use", "lesson", "compare"):
                getattr(self, f"_{kind}")()
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
        found = [*self.seen.problems, *errors, *self.page.evaluate(OUTSIDE)]
        self.seen.problems.clear()
        if found:
            raise Untrue(found)

    def _lesson(self) -> None:
        """Some steps by key, from any; then out of it."""
        step = self.pick(range(1, len(LESSON) + 1))
        self.steps.append(f"the lesson's step {step}")
        self._go(lambda: self.page.evaluate(GO, f"/?present=1&step={step}"))
        for _ in range(3):
            key = self.pick(LESSON_KEYS)
            self.steps.append(f"press {key}")
            self._go(lambda key=key: self.page.keyboard.press(key))
            self._compare()
        self.steps.append("press Escape")
        self._go(lambda: self.page.keyboard.press("Escape"))

    def _compare(self) -> None:
        """Words, sliders and what is painted, beside the same address in another visit."""
        here = address(self.page)
        if here.startswith(BY_VISIT):
            return
        self.page.mouse.move(0, 0)
        self.afresh.goto(self.server + here)
        deadline = time.monotonic() + AGREE
        while True:
            wait_until_settled(self.afresh)
            found = apart(self.page.evaluate(SEEN), self.afresh.evaluate(SEEN))
            if not found or address(self.page) != here:
                return
            if time.monotonic() > deadline:
                raise Untrue([f"unlike its address {here} opened afresh: {one}" for one in found])
            self.page.wait_for_timeout(700)

    def _use(self) -> None:
        offered = [one for one in self.page.evaluate(CLICKABLE) if SLOW not in one["name"]]
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
            key = self.pick((*KEYS, "drag"))
            if key == "drag":
                far = self.pick((-150, -40, 40, 150))
                return f"drag by {far} px", lambda: self._drag(there, far)
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
        if kind == "download":
            return "download", lambda: self._download(lambda: click(**quick))
        return "click", lambda: click(**quick)

    def _drag(self, there: Locator, far: int) -> None:
        there.scroll_into_view_if_needed(timeout=4000)
        thumb = there.locator("xpath=../..").bounding_box(timeout=4000) or {"x": 0, "y": 0, "width": 0, "height": 0}
        x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for part in (0.3, 0.6, 1):
            self.page.mouse.move(x + part * far, y)
            self.page.wait_for_timeout(60)
        self.page.mouse.up()

    def _download(self, click: Callable[[], object]) -> None:
        try:
            with self.page.expect_download(timeout=60_000) as taken:
                click()
            if not taken.value.path().stat().st_size:
                self.seen.problems.append("an empty file")
        except Error as missed:
            if 'event "download"' not in missed.message:
                raise
            self.seen.problems.append("a file that does not come within 60 s")

    def _option(self, place: int) -> None:
        self.page.wait_for_timeout(150)
        options = self.page.locator('[role="option"]')
        if count := options.count():
            options.nth(place % count).click(timeout=4000)


def apart(here: dict, there: dict) -> list[str]:
    """In what two visitors' screens differ."""
    found = []
    for kind in ("words", "sliders"):
        gone, come = ([one for one in a[kind] if one not in b[kind]] for a, b in ((there, here), (here, there)))
        if gone or come:
            found.append(f"{kind} {come[:4]} for {gone[:4]}")
    sizes = [[len(sums) for sums in one["painted"]] for one in (here, there)]
    pairs = zip(*([value for sums in one["painted"] for value in sums] for one in (here, there)), strict=False)
    if sizes[0] != sizes[1]:
        found.append(f"pictures of {sizes[0]} squares for {sizes[1]}")
    elif differ := sum(abs(a - b) > 2000 for a, b in pairs):
        found.append(f"{differ} of {sum(sizes[0])} squares are painted otherwise")
    return found


@contextmanager
def over_chromium() -> Iterator[Callable[[Pick], Tour]]:
    """What begins a walk, on a server of its own."""
    with served() as server, chromium() as browser:

        def new(pick: Pick) -> Tour:
            for context in browser.contexts:
                context.close()
            return Tour(browser, server.url, pick)

        yield new
