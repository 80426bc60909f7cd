"""On the page of trained heads: from a key to the guests' tables as they stay, against a bare page with the same pictures.

`python -m benchmarks.trained [--moves N]` prints a line for each of heads, guest and removed head, and writes
`benchmarks/results/trained.json`. Page and floor (`benchmarks/floor/trained.py`) take turns, one key each; only the ratio of
the medians counts. Times are taken in the page: `benchmarks/racing.py`. main: the tables. charts: the last chart, no target, as
in benchmarks/paint.py. On the floor nothing is shown before its server has sent it. Guests are typed; a click is drawn at once.
"""

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks import serving
from benchmarks.messages import finished, listen
from benchmarks.racing import CARDS, PATIENCE_MS, Racer

MOST = 1.25


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the page: its name in the address, its label, and the values that take turns."""

    key: str
    label: str
    values: tuple[int, ...]
    slider: bool = False

    @property
    def on_floor(self) -> "Field":
        """By a label of its own, so that the tables' program does not know it and tell at once what comes."""
        return replace(self, label=f"{self.label} on the floor")

    @property
    def selector(self) -> str:
        return f'input[type={"range" if self.slider else "number"}][aria-label="{self.label}"]'


FIELDS = (
    Field("heads", "Heads", (3, 4, 6, 8), slider=True), Field("guest", "Guest", (1, 2, 3, 4)),
    Field("removed", "Remove head", (0, 1, 2, 3)),
)  # fmt: skip


def not_foretold(one: dict) -> dict:
    """The tables without what the next move will show: the floor shows a picture when its server has sent it, and not before."""
    return one | {"table": {name: part for name, part in one["table"].items() if name != "slider"}} if "table" in one else one


def record(browser: Browser, url: str, field: Field) -> dict[int, list[dict]]:
    """What the app sends to a new visitor for each value."""
    shown = {}
    for value in field.values:
        page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
        messages = listen(page)
        page.goto(f"{url}/trained_heads?{field.key}={value}")
        page.wait_for_selector(field.selector, state="attached", timeout=PATIENCE_MS)
        while not messages.ended or messages.begun > messages.ended:
            page.wait_for_timeout(200)
        page.wait_for_timeout(1000)
        shown[value] = [not_foretold(one) for one in finished(messages)]
        page.context.close()
    return shown


def mover(field: Field) -> Callable[[Racer, int, bool], None]:
    """How the value at a place of `values` is chosen: a slider goes one stop further, up and down; a field is typed into."""

    def move(racer: Racer, number: int, keep: bool) -> None:
        steps = len(field.values) - 1
        place, before = (steps - abs(n % (2 * steps) - steps) for n in (number, number - 1))

        def prepare(page: Page) -> None:
            entry = page.locator(field.selector).first
            entry.focus()
            if not field.slider:
                entry.fill(str(field.values[place]))

        racer.choose(prepare, ("ArrowRight" if place > before else "ArrowLeft") if field.slider else "Enter", keep)

    return move


def compare(browser: Browser, app: str, field: Field, moves: int) -> dict:
    """Median times of the page and its floor, and their ratios."""
    with ExitStack() as stack:
        shown = record(browser, app, field)
        file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "recorded.json"
        recorded = {"label": field.on_floor.label, "slider": field.slider, "at": field.values[0], "shown": shown}
        file.write_text(json.dumps(recorded))
        floor = stack.enter_context(serving.served("benchmarks/floor/trained.py", HEADCOUNT_RECORDED=str(file)))
        racers = {
            "app": Racer(browser, f"{app}/trained_heads?{field.key}={field.values[0]}", field.selector, CARDS),
            "floor": Racer(browser, floor.url, field.on_floor.selector, CARDS),
        }  # fmt: skip
        moved = {"app": mover(field), "floor": mover(field.on_floor)}
        for number in range(1, 9 + moves):  # the first eight are for warming up
            for name, racer in racers.items():
                moved[name](racer, number, number > 8)
        for racer in racers.values():
            racer.page.context.close()
    figures: dict = {"moves": moves}
    for what in ("main", "charts"):
        for name, racer in racers.items():
            figures[f"{name}_{what}_ms"] = round(statistics.median(racer.times[what]), 1)
            figures[f"{name}_{what}_p90_ms"] = round(serving.percentile(racer.times[what], 90), 1)
        figures[f"{what}_to_floor"] = round(figures[f"app_{what}_ms"] / figures[f"floor_{what}_ms"], 3)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=24)
    asked = parser.parse_args()
    figures, met = {}, {}
    with serving.chromium() as browser, serving.served("app.py") as app:
        for field in FIELDS:
            row = figures[field.key] = compare(browser, app.url, field, asked.moves)
            met[field.key] = row["main_to_floor"] <= MOST
            sys.stdout.write(f"{field.key}: {row} {'met' if met[field.key] else 'MISSED'}\n")
            sys.stdout.flush()
    serving.write("trained", figures, met)
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
