"""The walk in Chromium: clicks, keys and taps on whatever the page offers, on a laptop's screen and on a phone's."""

import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Error, Page

from tests.browser.helpers import address, wait_until_settled
from tests.browser.watch import watch
from tests.serving import chromium, served
from tests.visitor.visitor import PAGES, SLOW, TEXTS

HERE = Path(__file__).parent
SCREENS = {
    "laptop": {"viewport": {"width": 1280, "height": 720}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2},
}
ACTIONS = 25
KEYS = ("ArrowRight", "ArrowLeft", "Home", "End", "PageUp", "PageDown")
ERRORS = '[data-testid="stException"], [data-testid="stMain"] :text("encountered an error")'


class Tour:
    """One visitor in a browser context of its own. `steps` says what was done."""

    def __init__(self, browser: Browser, server: str, tour: int):
        self.choose = random.Random(tour)
        self.screen = ("laptop", "phone")[tour % 2]
        self.context: BrowserContext = browser.new_context(**SCREENS[self.screen], reduced_motion="reduce")
        self.page: Page = self.context.new_page()
        self.seen = watch(self.page)
        self.page.on("popup", lambda popup: popup.close())
        page = self.choose.choice(PAGES)
        self.url = f"{server}/{'' if page == PAGES[0] else page}"
        self.steps = [f"open /{'' if page == PAGES[0] else page} on a {self.screen}"]
        self._go(lambda: self.page.goto(self.url))
        self.first = self.page.evaluate("navigation.currentEntry.index")

    def _go(self, act: Callable[[], object]) -> None:
        """The act, and the wait until the page has drawn what came of it."""
        act()
        self.page.wait_for_timeout(120)
        try:
            wait_until_settled(self.page)
        except AssertionError as late:
            self.seen.problems.append(f"{late}")

    def step(self) -> None:
        kind = self.choose.choice(("use",) * 12 + ("back", "forward", "reload", "scroll"))
        if kind == "use":
            self._use()
            return
        self.steps.append(kind)
        far = self.choose.randrange(-600, 1800)
        script = {
            "back": f"navigation.currentEntry.index > {self.first} && history.back()",
            "forward": "history.forward()",
            "reload": "location.reload()",
            "scroll": f"document.querySelector('[data-testid=stMain]').scrollBy(0, {far})",
        }[kind]
        self._go(lambda: self.page.evaluate(script))

    def _use(self) -> None:
        offered = self.page.evaluate((HERE / "clickable.js").read_text())
        offered = [one for one in offered if SLOW not in one["name"]]
        if not offered:
            self.seen.problems.append("nothing on the page can be clicked")
            return
        kind = self.choose.choice(sorted({one["kind"] for one in offered}))  # a page of a hundred buttons has a slider, too
        one = self.choose.choice([one for one in offered if one["kind"] == kind])
        there = self.page.locator(f'[data-visitor="{one["number"]}"]').first
        what, act = self._act(kind, there)
        self.steps.append(f"{what} {one['name']!r}")
        self._go(act)

    def _act(self, kind: str, there) -> tuple[str, Callable[[], object]]:
        """What is done with it, in words, and the doing. A click that something else would take is forced: so does a finger."""
        click = there.tap if self.screen == "phone" else there.click
        quick = {"timeout": 4000, "force": True}
        if kind == "slider":
            key = self.choose.choice(KEYS)
            return f"press {key} on", lambda: there.press(key, timeout=4000)
        if kind == "number":
            number = self.choose.choice(("1", "2", "3", "5", "8", "12", "48", "0", "99999", "-1", "", "7"))
            return f"type {number!r} into", lambda: (there.fill(number, **quick), there.press("Enter"))
        if kind == "text":
            text = self.choose.choice(TEXTS)
            return f"type {text[:60]!r} into", lambda: (there.fill(text, **quick), there.press("Enter"))
        if kind == "list":
            place = self.choose.randrange(12)
            return f"choose option {place} of", lambda: (click(**quick), self._option(place))
        if kind == "picture":
            box = there.bounding_box() or {"width": 10, "height": 10}
            at = {"x": self.choose.random() * box["width"], "y": self.choose.random() * box["height"]}
            return f"click at {at['x']:.0f}, {at['y']:.0f} of", lambda: click(position=at, **quick)
        return "click", lambda: click(**quick)

    def _option(self, place: int) -> None:
        self.page.wait_for_timeout(150)
        options = self.page.locator('[role="option"]')
        if count := options.count():
            options.nth(place % count).click(timeout=4000)

    def breaches(self) -> list[str]:
        found = [*self.seen.problems]
        self.seen.problems.clear()
        found += [f"an error on the page: {text[:200]}" for text in self.page.locator(ERRORS).all_inner_texts()[:1]]
        return found + self.page.evaluate((HERE / "outside.js").read_text())


def signature(breach: str) -> str:
    """What two failures have in common that are the same: numbers, the page of a request and the address are not."""
    return re.sub(r"/\w+(?=/_stcore)|; at .*|[0-9.,]+", "#", breach)[:120]


def over_chromium(seed: int, minutes: float, log: Path) -> int:
    """Walks until the time is over. What it finds is printed, kept in `log` and photographed, one of a kind once."""
    end, seen, steps, tour = time.monotonic() + 60 * minutes, set(), 0, seed
    with served() as server, chromium() as browser:
        while time.monotonic() < end:
            walk = Tour(browser, server.url, tour)
            for _ in range(ACTIONS):
                if time.monotonic() > end:
                    break
                steps += 1
                here = address(walk.page)
                found = [breach for breach in walk.breaches() if signature(breach) not in seen]
                if found:
                    seen |= {signature(breach) for breach in found}
                    picture = log.with_name(f"explore-{seed}-{len(seen)}.png")
                    walk.page.screenshot(path=picture)
                    told(log, tour, walk, here, found, picture)
                try:
                    walk.step()
                except Error as missed:  # what was there a moment ago is covered or gone: a visitor would try something else
                    walk.steps.append(f"  (not done: {missed.message.splitlines()[0][:80]})")
            walk.context.close()
            tour += 1
    words = f"Chromium, seeds {seed} to {tour - 1}: {steps:,} steps, {len(seen)} kinds of failures."
    sys.stdout.write(words + "\n")
    return len(seen)


def told(log: Path, tour: int, walk: Tour, here: str, found: list[str], picture: Path) -> None:
    lines = [f"=== Chromium, SEED={tour}", *found, f"at {here} ({walk.screen}), seen in {picture}", "after:"]
    words = "\n".join([*lines, *(f"  {step}" for step in walk.steps)]) + "\n"
    sys.stdout.write(words + "\n")
    sys.stdout.flush()
    with log.open("a", encoding="utf-8") as out:
        out.write(words)
