"""From a choice to its picture on the screen, in Chromium, against the least that it can cost.

`python -m benchmarks.paint [slider|d_model|key_dim|value_dim|models|trained] [--moves N]`. slider: a key press on the heads
slider, on four pages; writes `benchmarks/results/paint.json`. d_model, key_dim, value_dim: on that slider, on the pages whose
picture it changes; `paint_d_model.json` and so on. models: Enter in the chooser of published models; `models.json`. trained: a
key on each of the fields of trained heads; `trained.json`. Without an argument: all of them.

A page's floor (`recorded` in benchmarks/floor.py) has the same field and the very figures that the app's own server has sent
before, ready in memory; it does not have the app's frame, other fields, tables and downloads. The start page's moving diagram is
also held against one text and one canvas. App and floor take turns, one key press each, so that a busy moment of the machine
meets both; only the ratio of the medians within one run counts. Times are taken in the page: `benchmarks/probe.js`.

main: the picture that one looks at, as it stays. charts: the last chart as well, which stands further down; on a floor it is
Streamlit's own element. On a floor nothing is shown before its server has sent it.
"""

import base64
import json
import random
import re
import statistics
import struct
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal
from urllib.request import urlopen

from playwright.sync_api import Browser, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.load import HEADS
from benchmarks.serving import FLOOR, chromium, new_page, options, percentile, say, served, write
from mha.names import BY_CODE

MOST, MOST_BARE = 1.25, 1.5
WARM_UP = 4  # moves: each of the five stops has been seen
QUIET_MS = 700  # with nothing going on, longer than a glide
PATIENCE_MS = 180_000
OWN_SIZES = "split=free&numbers=seed&"
PROBE = (Path(__file__).parent / "probe.js").read_text()


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a page: its name in the address, its label, the values that take turns, and the page's main picture."""

    path: str
    key: str
    label: str
    values: Sequence
    kind: Literal["slider", "number", "list"]
    picture: Literal["stage", "cards", "chart"]
    sidebar: bool = False
    query: str = ""  # what else the address holds

    @property
    def selector(self) -> str:
        kind = {"slider": "[type=range]", "number": "[type=number]", "list": ""}[self.kind]
        return f'input{kind}[aria-label="{self.label}"]'

    def place(self, number: int) -> int:
        """Up and down through the values, one stop at a time."""
        last = len(self.values) - 1
        return last - abs(number % (2 * last) - last)


#: By code: the pages whose picture a slider changes, its label, its stops, and what else the address holds.
SLIDERS = {
    code: [Field(path, code, BY_CODE[code].label, stops, "slider", "stage", sidebar=True, query=query) for path in pages]
    for code, stops, query, pages in (
        ("num_heads", HEADS, "", ("/", "/projections", "/attention", "/concatenation")),  # each has the paper's split
        ("d_model", (8, 12, 16, 24, 32), OWN_SIZES, ("/", "/projections", "/attention")),
        ("key_dim", (2, 3, 4, 6, 8), OWN_SIZES, ("/", "/projections", "/attention")),
        ("value_dim", (2, 3, 4, 6, 8), OWN_SIZES, ("/", "/concatenation")),
    )
}
MODELS = Field(
    "/models", "model", "Model", ("BERT-base", "DeepSeek-V3", "Gemma-2-9B", "Llama-3-8B"), "list", "chart"
)
TRAINED = [
    Field("/trained_heads", "heads", "Heads", (3, 4, 6, 8), "slider", "cards"),
    Field("/trained_heads", "guest", "Guest", (1, 2, 3, 4), "number", "cards"),
    Field("/trained_heads", "removed", "Remove head", (0, 1, 2, 3), "number", "cards"),
]


class Racer:
    """One open page, and what its server sends to it."""

    def __init__(self, browser: Browser, url: str, field: Field):
        self.field, self.page = field, new_page(browser)
        self.received = self.begun = self.ended = 0  # bytes and reruns
        self.elements: dict[tuple[int, ...], object] = {}  # the newest at each place of the page
        self.times: dict[str, list[float]] = {"main": [], "charts": []}
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("websocket", self._listen)
        self.page.add_init_script(f'const MAIN_PICTURE = "{field.picture}";{PROBE}')
        self.open(url)

    def open(self, url: str) -> None:
        """As a new visitor; the browser keeps what it has of the programs."""
        self.elements.clear()
        self.page.goto(url)
        self.page.wait_for_selector(self.field.selector, state="attached")
        self.settle()

    def _listen(self, socket: WebSocket) -> None:
        self.begun = self.ended
        socket.on("framereceived", self._read)

    def _read(self, payload: bytes | str) -> None:
        if isinstance(payload, str):
            return
        self.received += len(payload)
        message = ForwardMsg.FromString(payload)
        kind = message.WhichOneof("type")
        self.begun += kind == "new_session"
        self.ended += kind == "script_finished"
        if kind == "delta" and (element := message.delta.new_element.WhichOneof("type")):
            self.elements[tuple(message.metadata.delta_path)] = getattr(message.delta.new_element, element)

    def settle(self) -> None:
        """Until no message has come and no picture has changed for a while."""
        still, seen = 0, None
        while still < QUIET_MS:
            self.page.wait_for_timeout(50)
            now = (self.received, self.begun, self.page.evaluate("[probe.main, probe.charts]"))
            still, seen = (still + 50 if now == seen and self.begun <= self.ended else 0), now

    def move(self, number: int, label: str, keep: bool) -> None:
        """The one key that chooses a value, and the wait for all that it changes. `label`: what a stage then says of itself."""
        place, before = self.field.place(number), self.field.place(number - 1)
        entry, key = self.page.locator(self.field.selector).first, "Enter"
        if self.field.kind == "slider":
            entry.focus()
            key = "ArrowRight" if place > before else "ArrowLeft"
        elif self.field.kind == "number":
            entry.focus()  # after a click the page would show what is typed, before Enter
            entry.fill(str(self.field.values[place]))
        else:
            entry.click()
            entry.fill(self.field.values[place])
            self.page.wait_for_selector('[role="option"]')
        self.page.wait_for_timeout(random.uniform(0, 40))  # no fixed place between two animation frames
        self.page.evaluate("label => probe.arm(label)", label)
        self.page.keyboard.press(key)
        self.page.wait_for_function("probe.main > 0")
        self.settle()
        main, charts = self.page.evaluate("[probe.main, probe.charts]")
        if keep:
            self.times["main"].append(main)
            self.times["charts"].append(max(main, charts))


def plan_of(scene: bytes) -> tuple[dict, bytes]:
    """The part of a packed scene that is JSON (components/figures/wire.py), and the rest."""
    (length,) = struct.unpack_from("<I", scene)
    return json.loads(scene[4 : 4 + length]), scene[4 + length :]


def without_previews(scene: bytes) -> bytes:
    """The scene without what the next move will show: the floor shows a figure when its server has sent it, and not before."""
    plan, values = plan_of(scene)
    head = json.dumps({name: part for name, part in plan.items() if name != "slider"}, separators=(",", ":")).encode()
    head += b" " * (-(len(head) + 4) % 4)
    return struct.pack("<I", len(head)) + head + values


def finished(elements: dict[tuple[int, ...], object], texts: bool) -> list[dict]:
    """The page's stages, guests' tables and charts in their order on it, as plain JSON: all that is needed to show them again.
    The texts come last."""
    shown, markdown = [], []
    for _, element in sorted(elements.items()):
        kind = type(element).__name__
        name = element.component_name.split(".")[-1] if kind == "BidiComponent" else ""
        if name in ("headcount_stage", "headcount_table"):
            program = {"html": element.html_content, "css": element.css_content, "js": element.js_content}
            if name == "headcount_stage":
                content: dict = {"bytes": base64.b64encode(without_previews(element.bytes)).decode()}
            else:
                told = {name: part for name, part in json.loads(element.bytes).items() if name != "slider"}
                content = {"bytes": base64.b64encode(json.dumps(told).encode()).decode()}
            shown.append({"component": name, "program": program, **content})
        elif name.startswith("headcount_chart"):
            sent = json.loads(element.bytes)
            options = {"alt": sent["alt"], "width": "stretch" if sent["wide"] else "content", "config": {"displaylogo": False}}
            shown.append({"chart": {"data": sent["data"], "layout": sent["layout"]}, "options": options})
        elif kind == "Markdown" and texts:
            markdown.append({"text": element.body})
    return shown + markdown


def fetched(app: str, elements: list[dict]) -> list[dict]:
    """With the programs in them that a browser would fetch from the app."""
    for element in elements:
        program = element.get("program", {})
        if address := re.search(r'"\./(programs/[^"]+)"', program.get("js", "")):
            with urlopen(f"{app}/{address[1]}") as answer:
                program["js"] = answer.read().decode()
    return elements


def record(browser: Browser, app: str, field: Field) -> dict[str, list[dict]]:
    """What the app sends to a new visitor for each value."""
    shown, racer = {}, None
    for value in field.values:
        url = f"{app}{field.path}?{field.query}{field.key}={value}"
        if racer is None:
            racer = Racer(browser, url, field)
        else:
            racer.open(url)
        racer.page.wait_for_timeout(1000)
        shown[str(value)] = fetched(app, finished(racer.elements, texts=field is MODELS))
    if racer is not None:
        racer.page.context.close()
    return shown


def label_of(elements: list[dict]) -> str:
    """What the first stage says of itself; "" where there is none."""
    stages = (element["bytes"] for element in elements if element.get("component") == "headcount_stage")
    return next((plan_of(base64.b64decode(sent))[0]["alt"] for sent in stages), "")


def compare(browser: Browser, app: str, field: Field, moves: int) -> dict:
    """Median times of the page and its floor, and their ratios."""
    # With another label, so that no program of the app recognises the field and shows at once what comes.
    on_floor = replace(field, label=f"{field.label} on the floor")
    with ExitStack() as stack:
        shown = record(browser, app, field)
        file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "recorded.json"
        page = {"label": on_floor.label, "values": field.values, "kind": field.kind, "sidebar": field.sidebar, "shown": shown}
        file.write_text(json.dumps(page))
        floor = stack.enter_context(served(FLOOR, HEADCOUNT_RECORDED=str(file)))
        racers = {
            "app": Racer(browser, f"{app}{field.path}?{field.query}{field.key}={field.values[0]}", field),
            "floor": Racer(browser, f"{floor.url}/?page=recorded", on_floor),
        }  # fmt: skip
        if field.picture == "stage":  # the same figure at the same size: the app's narrower margins are made up for
            app_width, floor_width = (racer.page.evaluate("probe.width()") for racer in racers.values())
            racers["floor"].page.set_viewport_size({"width": 1280 + app_width - floor_width, "height": 720})
        if field.path == "/" and field.key == "num_heads":  # the bare page has that slider alone
            racers["bare"] = Racer(browser, f"{floor.url}/?page=text", on_floor)
        for number in range(1, WARM_UP + moves + 1):
            value = field.values[field.place(number)]
            for name, racer in racers.items():
                label = f"heads {value}" if name == "bare" else label_of(shown[str(value)])
                racer.move(number, label, keep=number > WARM_UP)
        for racer in racers.values():
            racer.page.context.close()
    figures: dict = {"moves": moves}
    for name, racer in racers.items():
        for what in ("main",) if name == "bare" else ("main", "charts"):
            figures[f"{name}_{what}_ms"] = round(statistics.median(racer.times[what]), 1)
            figures[f"{name}_{what}_p90_ms"] = round(percentile(racer.times[what], 90), 1)
            if name != "app":
                ratio = figures[f"app_{what}_ms"] / figures[f"{name}_{what}_ms"]
                figures[f"{what}_to_{name}"] = round(ratio, 3)
    return figures


def measure(file: str, fields: dict[str, Field], moves: int) -> int:
    """One row for each field, by its name in the file."""
    rows, met = {}, {}
    with chromium() as browser, served() as app:
        for name, field in fields.items():
            row = rows[name] = compare(browser, app.url, field, moves)
            met[name] = row["main_to_floor"] <= MOST
            met[f"{name} with the last chart"] = row["charts_to_floor"] <= MOST
            if "main_to_bare" in row:
                met[f"{name} to text and canvas"] = row["main_to_bare"] <= MOST_BARE
            say(f"{name}: {row}")
    return write(file, rows, met)


#: By name: the file with the results, and the fields by their names in it.
MEASURES = {
    "slider": ("paint", {field.path: field for field in SLIDERS["num_heads"]}),
    **{code: (f"paint_{code}", {field.path: field for field in SLIDERS[code]}) for code in SLIDERS if code != "num_heads"},
    "models": ("models", {MODELS.key: MODELS}),
    "trained": ("trained", {field.key: field for field in TRAINED}),
}  # fmt: skip


def main() -> int:
    args = options(__doc__, what=list(MEASURES), moves=24)
    wanted = [MEASURES[args.what]] if args.what else MEASURES.values()
    return max(measure(file, fields, args.moves) for file, fields in wanted)


if __name__ == "__main__":
    sys.exit(main())
