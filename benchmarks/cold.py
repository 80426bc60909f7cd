"""From the start of a server to its first visitor's first figure, against a bare Streamlit and Plotly page.

`python -m benchmarks.cold [--rounds N]` prints a table and writes `benchmarks/results/cold.json`. In each round the app and the
bare page (`benchmarks/floor/heatmap.py`, one heatmap, no TensorFlow) take turns: a fresh server process, a fresh browser
context, and the visitor comes as soon as the server says that it is up. The figure is there with the first task after the
animation frame that painted it.
"""

import argparse
import statistics
import sys

from playwright.sync_api import Browser

from benchmarks import serving

MOST = 1.3
SCRIPTS = {"app": "app.py", "bare": "benchmarks/floor/heatmap.py"}
#: Looks at every animation frame whether a stage has drawn or a heatmap is there; the stage lives in a shadow root.
PROBE = """(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => (window.painted = performance.timeOrigin + performance.now());
  const figure = () => document.querySelector('.heatmaplayer image') ||
    [...document.querySelectorAll('[data-testid^="stBidiComponent"], [data-testid^="stBidiComponent"] *')]
      .some((e) => e.shadowRoot?.querySelector('.stage[data-drawn]'));
  const look = () => figure() ? channel.port2.postMessage(0) : requestAnimationFrame(look);
  requestAnimationFrame(look);
})()"""


def first_figure(browser: Browser, script: str) -> dict[str, float]:
    """Seconds: until the server is up, from navigation to the figure, and from the start of the process to the figure."""
    with serving.served(script) as server:
        page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
        page.add_init_script(PROBE)
        page.goto(server.url, wait_until="commit")
        page.wait_for_function("window.painted", timeout=60_000, polling=50)
        painted, navigated = page.evaluate("[window.painted / 1000, performance.timeOrigin / 1000]")
        page.context.close()
    return {
        "up_s": navigated - server.began,
        "navigation_to_figure_s": painted - navigated,
        "start_to_figure_s": painted - server.began,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    out = sys.stdout.write
    with serving.chromium() as browser:
        for script in SCRIPTS.values():
            first_figure(browser, script)  # compiled modules and the disk's cache, for both
        made = {name: [] for name in SCRIPTS}
        for _ in range(rounds):
            for name, script in SCRIPTS.items():
                made[name].append(first_figure(browser, script))
    figures: dict[str, dict] = {}
    out(f"{'':24} {'app s':>7} {'bare s':>7} {'ratio':>6}\n")
    for what in made["app"][0]:
        app, bare = (statistics.median(each[what] for each in made[name]) for name in SCRIPTS)
        figures[what] = {"app": round(app, 3), "bare": round(bare, 3), "ratio": round(app / bare, 3)}
        out(f"{what:24} {app:7.2f} {bare:7.2f} {app / bare:6.2f}\n")
    met = {what: figures[what]["ratio"] <= MOST for what in ("start_to_figure_s", "navigation_to_figure_s")}
    out(f"at most {MOST}: {'met' if all(met.values()) else 'MISSED'}\n")
    serving.write("cold", figures | {"rounds": rounds}, met)
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
