"""From Enter in the chooser of models to the first chart on the screen, against a bare page with the same charts and texts.

`python -m benchmarks.models [--moves N]` prints a line and writes `benchmarks/results/models.json`. Page and floor
(`benchmarks/floor/models.py`) take turns, one switch each; only the ratio of the medians counts. Times are taken in the page:
`benchmarks/racing.py`. main: the matrices, the figure one looks at, as they stay. charts: the last one, without a target, as in
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
from benchmarks.messages import finished, listen
from benchmarks.racing import CHART, PATIENCE_MS, Racer

MODELS = ("BERT-base", "DeepSeek-V3", "Gemma-2-9B", "Llama-3-8B")
MOST = 1.25
CHOOSER = 'input[aria-label="Model"]'


def switch(racer: Racer, model: str, keep: bool) -> None:
    def typed(page: Page) -> None:
        chooser = page.locator(CHOOSER).first
        chooser.click()
        chooser.fill(model)
        page.wait_for_selector('[role="option"]')

    racer.choose(typed, "Enter", keep)


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
            "app": Racer(browser, f"{app.url}/published_models?model={MODELS[0]}", CHOOSER, CHART),
            "floor": Racer(browser, floor.url, CHOOSER, CHART),
        }  # fmt: skip
        for number in range(-4, asked.moves):  # the first four are for warming up
            for racer in racers.values():
                switch(racer, MODELS[(number + 1) % len(MODELS)], keep=number >= 0)
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
