"""From Enter in the chooser of models to the first chart on the screen, against a bare page with the same charts and texts.

`python -m benchmarks.models [--moves N]` prints a line and writes `benchmarks/results/models.json`. Page and floor
(`benchmarks/floor/models.py`) take turns, one switch each; only the ratio of the medians counts. Times are taken in the page:
`benchmarks/probe.js`. main: the matrices, the figure one looks at, as they stay. charts: the last one, without a target, as in
benchmarks/paint.py. The app's page also has its frame, fields, tables and the downloads below each chart; the floor has not.
"""

import argparse
import json
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks import serving
from benchmarks.messages import Messages, finished, listen

MODELS = ("BERT-base", "DeepSeek-V3", "Gemma-2-9B", "Llama-3-8B")
MOST = 1.25
CHOOSER = 'input[aria-label="Model"]'
PATIENCE_MS = 180_000
PROBE = (Path(__file__).parent / "probe.js").read_text()
QUIET_MS = 700
#: When the first chart on the page came to look as it stays: Plotly draws each chart two or three times over, mostly the same.
FIRST = """(() => { window.first = 0; let shown = ""; const LOOKS = ["d", "transform", "x", "y", "width", "height", "style"];
const looks = box => [...box.querySelectorAll("svg.main-svg :is(path, rect, text, image)")].map(e =>
  LOOKS.map(name => e.getAttribute(name) || "").join() + (e.localName === "text" ? e.textContent : "")
).join("|").replace(/url[^)]*\\)/g, "").replace(/\\d+\\.\\d+/g, n => (+n).toFixed(1));
new MutationObserver(changes => {
  const chart = document.querySelector('[data-testid="stPlotlyChart"]');
  const box = chart && chart.closest('[data-testid="stElementContainer"]');
  if (!window.probe?.key || !box || !changes.some(c => box.contains(c.target) || c.target.contains(box))) return;
  const now = looks(box), key = probe.key;
  if (now === shown) return;
  shown = now;
  requestAnimationFrame(() => setTimeout(() => { window.first = performance.now() - key; }));
}).observe(document, {childList: true, subtree: true, attributes: true, attributeFilter: LOOKS}); })()"""


class Contestant:
    """One open page whose model is switched again and again."""

    def __init__(self, browser: Browser, url: str):
        self.page: Page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
        self.messages: Messages = listen(self.page)
        self.page.add_init_script(PROBE)
        self.page.add_init_script(FIRST)
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.goto(url)
        self.page.wait_for_selector(CHOOSER, state="attached")
        self.settle()
        self.times: dict[str, list[float]] = {"main": [], "charts": []}

    def settle(self) -> None:
        """Until no message has come and no chart has changed for a while."""
        still, seen = 0, None
        while still < QUIET_MS:
            self.page.wait_for_timeout(50)
            now = (self.messages.sizes.total(), self.messages.begun, self.page.evaluate("probe.charts"))
            still, seen = (still + 50 if now == seen and self.messages.begun <= self.messages.ended else 0), now

    def switch(self, model: str, keep: bool) -> None:
        chooser = self.page.locator(CHOOSER).first
        chooser.click()
        chooser.fill(model)
        self.page.wait_for_selector('[role="option"]')
        self.page.evaluate("first = 0, probe.arm([])")
        chooser.press("Enter")
        self.page.wait_for_function("probe.charts > 0")
        self.settle()
        if keep:
            for name, value in self.page.evaluate("({main: first, charts: probe.charts})").items():
                self.times[name].append(value)


def record(browser: Browser, url: str) -> dict[str, list[dict]]:
    """Charts and texts of each model as the app sends them to a new visitor."""
    shown = {}
    for model in MODELS:
        page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
        messages = listen(page)
        page.goto(f"{url}/published_models?model={model}")
        page.wait_for_selector(CHOOSER, state="attached", timeout=PATIENCE_MS)
        while not messages.ended or messages.begun > messages.ended:
            page.wait_for_timeout(200)
        texts = [{"text": element.body} for element in messages.elements.values() if type(element).__name__ == "Markdown"]
        shown[model] = finished(messages) + texts
        page.context.close()
    return shown


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=24)
    asked = parser.parse_args()
    with serving.chromium() as browser, serving.served("app.py") as app, ExitStack() as stack:
        shown = record(browser, app.url)
        file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "recorded.json"
        file.write_text(json.dumps(shown))
        floor = stack.enter_context(serving.served("benchmarks/floor/models.py", HEADCOUNT_RECORDED=str(file)))
        racers = {
            "app": Contestant(browser, f"{app.url}/published_models?model={MODELS[0]}"), "floor": Contestant(browser, floor.url),
        }  # fmt: skip
        for number in range(-4, asked.moves):  # the first four are for warming up
            for racer in racers.values():
                racer.switch(MODELS[(number + 1) % len(MODELS)], keep=number >= 0)
    figures: dict = {"moves": asked.moves}
    for what in ("main", "charts"):
        for name, racer in racers.items():
            figures[f"{name}_{what}_ms"] = round(statistics.median(racer.times[what]), 1)
            figures[f"{name}_{what}_p90_ms"] = round(serving.percentile(racer.times[what], 90), 1)
        figures[f"{what}_to_floor"] = round(figures[f"app_{what}_ms"] / figures[f"floor_{what}_ms"], 3)
    ratio = figures["main_to_floor"]
    serving.write("models", figures, {"model switch": ratio <= MOST})
    sys.stdout.write(f"{figures} ratio {ratio:.2f} {'met' if ratio <= MOST else 'MISSED'}\n")
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
