"""Time from the start of a server to its first visitor's first figure, against a bare Streamlit and Plotly page.

`python -m benchmarks.cold [--rounds N]` prints a table and writes `benchmarks/results.json`. In each round the app and the bare
page (`heatmap` in benchmarks/floor.py, one heatmap, no TensorFlow) take turns. Each gets a fresh server process and a fresh
browser context, and the visitor comes as soon as the server is up. The figure counts at the animation frame after the one that
painted it.
"""

import statistics
import sys

from playwright.sync_api import Browser

from benchmarks.measured import FLOOR, options, say, write
from tests.serving import chromium, new_page, served

MAX_RATIO = 1.3
PAGES = {"app": ("app.py", "/"), "bare": (FLOOR, "/?page=heatmap")}
#: Waits for the time, at each animation frame, once a stage has drawn or a heatmap is there; the stage is in a shadow root.
PAINTED = """() => (document.querySelector('.heatmaplayer image') ||
  [...document.querySelectorAll('[data-testid^="stBidiComponent"], [data-testid^="stBidiComponent"] *')]
    .some((e) => e.shadowRoot?.querySelector('.stage[data-drawn]'))) && (performance.timeOrigin + performance.now()) / 1000"""


def first_figure(browser: Browser, script: str, address: str) -> dict[str, float]:
    """Measures seconds until the server is up, from navigation to the figure, and from the process's start to the figure."""
    with served(script) as server:
        page = new_page(browser)
        page.goto(server.url + address, wait_until="commit")
        painted = page.wait_for_function(PAINTED, timeout=60_000, polling="raf").json_value()
        navigated = page.evaluate("performance.timeOrigin / 1000")
        page.context.close()
    up, start = navigated - server.began, painted - server.began
    return {"up_s": up, "navigation_to_figure_s": painted - navigated, "start_to_figure_s": start}


def main() -> int:
    rounds = options(__doc__, rounds=9).rounds
    times: dict[str, list[dict[str, float]]] = {name: [] for name in PAGES}
    with chromium() as browser:
        for number in range(rounds + 1):
            for name, page in PAGES.items():
                times[name].append(first_figure(browser, *page))
                if number == 0:  # compiled modules and the disk's cache, for both
                    times[name].clear()
    figures = {}
    for what in times["app"][0]:
        app, bare = (statistics.median(row[what] for row in times[name]) for name in PAGES)
        figures[what] = {"app": round(app, 3), "bare": round(bare, 3), "ratio": round(app / bare, 3)}
        say(f"{what:24} {figures[what]}")
    met = {what: figures[what]["ratio"] <= MAX_RATIO for what in ("start_to_figure_s", "navigation_to_figure_s")}
    return write("cold", figures, met, rounds=rounds)


if __name__ == "__main__":
    sys.exit(main())
