"""The random visitor in Chromium: clicks, keys, drags and taps on all that the page offers, downloads, and the lesson by its
keys. It has a laptop's or a phone's screen. Screens at rest are compared with the same address opened in another visit."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Position, TimeoutError

from lessons.walk import STEPS as LESSON
from tests.browser.helpers import GO, address, screenshot, wait_until_settled
from tests.browser.watch import watch
from tests.serving import chromium, find_chromium, served
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
#: What can be used, also inside of components.
WANTED = (
    "button, [role=button], [role=tab], [role=radio], [role=switch], [role=option], [role=menuitem], summary, a[href], input, "
    "textarea, [role=combobox], .stage .over, .stage canvas, .js-plotly-plot .nsewdrag"
)
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
#: What was typed and refused, which no address keeps either.
REFUSED = '[data-testid="stAlert"]:has-text(", got ")'
#: Looks, a second apart, in which a page and its address opened afresh become one: Keras may answer one of them later.
AGREE = 12
#: Of 255, between two small pictures that show the same.
BLUR = 8


class Tour:
    """One visitor in a browser context of its own. `steps`: what was done, in words."""

    def __init__(self, browser: Browser, server: str, pick: Pick):
        self.pick, self.screen, page, motion = pick, pick(tuple(SCREENS)), pick(PAGES), pick(("reduce", "no-preference"))
        self.url = f"{server}/{'' if page == PAGES[0] else page}"
        self.page, self.afresh = (browser.new_context(**SCREENS[self.screen], reduced_motion=motion).new_page() for _ in "12")
        self.seen, self.server = watch(self.page), server
        watch(self.afresh)
        self.page.on("popup", lambda popup: popup.close())
        self.steps = [f"open {page} on a {self.screen}, prefers-reduced-motion {motion}"]

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
        except TimeoutError as missed:
            if "download" in missed.message:
                raise
            # What was there a moment ago is covered or gone: a visitor would try something else.
            self.steps.append(f"  (not done: {missed.message.splitlines()[0][:80]})")

    def told(self, found: list[str]) -> str:
        picture = screenshot(self.page, f"explore-{self.steps[0]}-{len(self.steps)}", full_page=False)
        lines = [*found, f"at {address(self.page)} ({self.screen}), seen in {picture}", "after:"]
        return "\n".join([*lines, *(f"  {step}" for step in self.steps)])

    def _go(self, act: Callable[[], object]) -> None:
        """Does `act`, waits until the page is drawn, and raises Untrue if something is wrong on it."""
        act()
        self.page.wait_for_timeout(120)
        wait_until_settled(self.page)
        errors = (f"exception on the page: {text[:200]}" for text in self.page.locator(ERRORS).all_inner_texts())
        found = [*self.seen.problems, *errors, *self.page.evaluate(OUTSIDE)]
        self.seen.problems.clear()
        if found:
            raise Untrue(found)

    def _lesson(self) -> None:
        """Opens the lesson at any step, goes through some steps by key, and leaves it."""
        step = self.pick(range(1, len(LESSON) + 1))
        self.steps.append(f"the lesson's step {step}")
        self._go(lambda: self.page.evaluate(GO, f"/?present=1&step={step}"))
        for _ in range(6):
            key = self.pick(LESSON_KEYS)
            self.steps.append(f"press {key}")
            self._go(lambda key=key: self.page.keyboard.press(key))
            self._compare()
        self.steps.append("press Escape")
        self._go(lambda: self.page.keyboard.press("Escape"))

    def _compare(self) -> None:
        """Compares the screen with the same address in another visit."""
        here = address(self.page)
        if here.startswith(BY_VISIT) or self.page.locator(REFUSED).count():
            return
        self.page.mouse.move(0, 0)
        self.afresh.goto(self.server + here)
        found = []
        for _ in range(AGREE):
            wait_until_settled(self.afresh)
            found = apart(self.page.evaluate(SEEN), self.afresh.evaluate(SEEN))
            if not found or address(self.page) != here:
                return
            self.page.wait_for_timeout(1000)
        raise Untrue([f"unlike its address {here} opened afresh: {one}" for one in found])

    def _use(self) -> None:
        there = self.page.locator(WANTED)
        offered = [one for one in there.evaluate_all(CLICKABLE) if SLOW not in one["name"]]
        if not offered:
            raise Untrue(["nothing on the page can be clicked"])
        kind = self.pick(sorted({one["kind"] for one in offered}))  # a page of a hundred buttons has a slider, too
        one = self.pick([one for one in offered if one["kind"] == kind])
        what, act = self._act(kind, there.nth(one["number"]))
        self.steps.append(f"{what} {one['name']!r}")
        self._go(act)

    def _act(self, kind: str, there: Locator) -> tuple[str, Callable[[], object]]:
        """The action on an element, in words and as a function. Clicks on covered elements are forced, as a finger's are."""
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
            keys = ["ArrowDown"] * self.pick(range(12))
            return f"go {len(keys)} down in", lambda: (click(**quick), *map(self.page.keyboard.press, [*keys, "Enter"]))
        if kind == "picture":
            box = there.bounding_box() or {"width": 10, "height": 10}
            at: Position = {"x": self.pick(range(100)) / 100 * box["width"], "y": self.pick(range(100)) / 100 * box["height"]}
            return f"click at {at['x']:.0f}, {at['y']:.0f} of", lambda: click(position=at, **quick)
        if kind == "download":
            return "download", lambda: self._download(lambda: click(**quick))
        return "click", lambda: click(**quick)

    def _drag(self, there: Locator, far: int) -> None:
        thumb = there.locator("xpath=../..")
        thumb.hover(timeout=4000, force=True)
        x, y = thumb.evaluate("(one) => { const { x, y } = one.getBoundingClientRect(); return [x, y]; }")
        self.page.mouse.down()
        self.page.mouse.move(x + far, y, steps=9)
        self.page.mouse.up()

    def _download(self, click: Callable[[], object]) -> None:
        with self.page.expect_download(timeout=60_000) as taken:
            click()
        if not taken.value.path().stat().st_size:
            self.seen.problems.append("an empty file")


def apart(here: dict, there: dict) -> list[str]:
    """The differences of two visitors' screens."""
    gone, come = ([*(Counter(a["words"]) - Counter(b["words"])).elements()] for a, b in ((there, here), (here, there)))
    if gone or come:
        return [f"{come[:4]} for {gone[:4]}"]
    differ = [abs(a - b) for a, b in zip(here["painted"], there["painted"], strict=True)]
    return [f"{sum(map(bool, differ))} of {len(differ)} colours, by up to {max(differ)}"] if max(differ, default=0) > BLUR else []


@contextmanager
def over_chromium() -> Iterator[Callable[[Pick], Tour]]:
    """A function that makes a random visitor, on a server of its own."""
    with served(BROWSER_PATH=find_chromium()) as server, chromium() as browser:

        def new(pick: Pick) -> Tour:
            for context in browser.contexts:
                context.close()
            return Tour(browser, server.url, pick)

        yield new
