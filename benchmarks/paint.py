"""From a key press on the heads slider to the new figure on the screen, in Chromium, against the least it can cost.

`python -m benchmarks.paint [--moves N] [--pages / /attention ...]` prints a table and writes `benchmarks/results/paint.json`.

A page's floor (`benchmarks/floor/page.py`) has the same settings, one slider, and the very figures that the page's own server
has sent before, ready in memory. The start page's moving diagram is also held against one text and one canvas
(`benchmarks/floor/text.py`). App and floor take turns, one key press each, so that a busy moment of the machine meets both;
only the ratio of the medians within one run counts. Times are taken in the page: `benchmarks/probe.js`.

main: the first stage of the page, the figure one looks at. all: every stage. charts: the last Plotly chart as well, which
Streamlit builds anew after each change; it stands further down, and is shown without a target.
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks import serving
from benchmarks.messages import Messages, finished, listen, plan_of

PAGES = ("/", "/projections", "/attention", "/concatenation")
HEADS = (1, 2, 4, 8, 16)  # of d_model 16: each is a layer with the paper's split
MOST, MOST_BARE = 1.25, 1.5
SLIDER = 'input[type=range][aria-label="Heads (h)"]'
PROBE = (Path(__file__).parent / "probe.js").read_text()
QUIET_MS = 500  # with nothing going on, longer than a glide


class Contestant:
    """One open page, its slider moving up and down between 1 and 16 heads."""

    def __init__(self, browser: Browser, url: str, width: int = 1280):
        self.page: Page = browser.new_context(viewport={"width": width, "height": 720}).new_page()
        self.messages: Messages = listen(self.page)
        self.page.add_init_script(PROBE)
        self.page.goto(url)
        self.page.wait_for_selector(SLIDER)
        self.settle()
        self.at, self.way = HEADS.index(4), 1
        self.times: dict[str, list[float]] = {"main": [], "all": [], "charts": []}

    def settle(self, quiet: int = QUIET_MS) -> None:
        """Until no message has come for a while."""
        still, seen = 0, -1
        while still < quiet:
            self.page.wait_for_timeout(50)
            total = self.messages.sizes.total() + self.messages.begun
            busy = total != seen or self.messages.begun > self.messages.ended
            still, seen = (0 if busy else still + 50), total

    def stage_width(self) -> int:
        return self.page.evaluate("""() => Math.max(...[...document.querySelectorAll('[data-testid^="stBidiComponent"]')]
            .flatMap(e => [e, ...e.querySelectorAll('*')]).filter(e => e.shadowRoot)
            .flatMap(e => [...e.shadowRoot.querySelectorAll('.stage')]).map(e => e.clientWidth))""")

    def move(self, expected: dict[int, list[str]], keep: bool = True) -> None:
        """One arrow key, and the wait for all that it changes."""
        if not 0 <= self.at + self.way < len(HEADS):
            self.way = -self.way
        self.at += self.way
        slider = self.page.locator(SLIDER).first
        slider.focus()
        self.messages.clear()
        self.page.wait_for_timeout(random.uniform(0, 40))  # no fixed place between two animation frames
        self.page.evaluate("labels => probe.arm(labels)", expected[HEADS[self.at]])
        self.page.keyboard.press("ArrowRight" if self.way > 0 else "ArrowLeft")
        self.page.wait_for_function("probe.done()", timeout=20_000)
        self.settle()
        painted, charts = self.page.evaluate("[probe.painted, probe.charts]")
        if keep:
            for name, value in (("main", painted[0]), ("all", max(painted)), ("charts", max(*painted, charts))):
                self.times[name].append(value)


def record(browser: Browser, url: str) -> dict[int, list[dict]]:
    """The figures of each head count as the app sends them to a new visitor."""
    shown = {}
    for heads in HEADS:
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        messages = listen(page)
        page.goto(f"{url}?num_heads={heads}")
        page.wait_for_function(f"document.querySelector('{SLIDER}')")
        page.wait_for_timeout(2500)
        shown[heads] = finished(messages)
        context.close()
    return shown


def labels(shown: dict[int, list[dict]]) -> dict[int, list[str]]:
    """What each stage says of itself once it shows this head count."""
    import base64

    return {h: [plan_of(base64.b64decode(s["stage"]))["alt"] for s in all_ if "stage" in s] for h, all_ in shown.items()}


def compare(browser: Browser, app: str, path: str, moves: int) -> dict:
    """Median times of the page and its floor, and their ratios."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        shown = record(browser, app + path)
        (folder / "recorded.json").write_text(json.dumps(shown))
        floor = stack.enter_context(serving.served("benchmarks/floor/page.py", HEADCOUNT_RECORDED=str(folder / "recorded.json")))
        racers = {"app": Contestant(browser, app + path), "floor": Contestant(browser, floor.url)}
        # The same figure at the same size: the app's narrower margins are made up for.
        wider = racers["app"].stage_width() - racers["floor"].stage_width()
        racers["floor"].page.set_viewport_size({"width": 1280 + wider, "height": 720})
        expected = {"app": labels(shown), "floor": labels(shown)}
        if path == "/":
            bare = stack.enter_context(serving.served("benchmarks/floor/text.py"))
            racers["bare"] = Contestant(browser, bare.url)
            expected["bare"] = {h: [f"heads {h}"] for h in HEADS}
        for number in range(-8, moves):  # the first eight, up and down, are for warming up
            for name, racer in racers.items():
                racer.move(expected[name], keep=number >= 0)
        for racer in racers.values():
            racer.page.context.close()
    charts = any("chart" in s for s in shown[4])
    figures: dict = {"moves": moves}
    for name, racer in racers.items():
        for what in ("main", "all", "charts") if charts and name != "bare" else ("main", "all"):
            figures[f"{name}_{what}_ms"] = round(statistics.median(racer.times[what]), 1)
            figures[f"{name}_{what}_p90_ms"] = round(serving.percentile(racer.times[what], 90), 1)
    for what in ("main", "all", "charts") if charts else ("main", "all"):
        figures[f"{what}_to_floor"] = round(figures[f"app_{what}_ms"] / figures[f"floor_{what}_ms"], 3)
    if path == "/":
        figures["main_to_bare"] = round(figures["app_main_ms"] / figures["bare_main_ms"], 3)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=40)
    parser.add_argument("--pages", nargs="+", default=PAGES, choices=PAGES)
    asked = parser.parse_args()
    out = sys.stdout.write
    figures, met = {}, {}
    out(f"{'page':16} {'figure':7} {'app ms':>8} {'p90':>7} {'floor ms':>9} {'p90':>7} {'ratio':>6}  target\n")
    with serving.chromium() as browser, serving.served("app.py") as app:
        for path in asked.pages:
            row = figures[path] = compare(browser, app.url, path, asked.moves)
            for what in ("main", "all", "charts"):
                if (ratio := row.get(f"{what}_to_floor")) is None:
                    continue
                if what != "charts":
                    met[f"{path} {what}"] = ratio <= MOST
                times = [row[f"{name}_{what}{p}_ms"] for name in ("app", "floor") for p in ("", "_p90")]
                out(f"{path:16} {what:7} {times[0]:8.1f} {times[1]:7.1f} {times[2]:9.1f} {times[3]:7.1f} {ratio:6.2f}  "
                    f"{'' if what == 'charts' else 'met' if ratio <= MOST else 'MISSED'}\n")
            if (ratio := row.get("main_to_bare")) is not None:
                met[f"{path} main to text and canvas"] = ratio <= MOST_BARE
                out(f"{path:16} {'bare':7} {row['app_main_ms']:8.1f} {row['app_main_p90_ms']:7.1f} {row['bare_main_ms']:9.1f} "
                    f"{row['bare_main_p90_ms']:7.1f} {ratio:6.2f}  {'met' if ratio <= MOST_BARE else 'MISSED'}\n")
    serving.write("paint", figures, met)
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
