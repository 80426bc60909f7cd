"""Time from a key press on a slider to its picture on the screen, in Chromium, against the least possible cost.

`python -m benchmarks.paint [num_heads|d_model|key_dim|value_dim] [--moves N]` measures that slider, on the pages whose picture it
changes. Without an argument it measures all of them and writes `benchmarks/results.json`.

A page's floor (`recorded` in benchmarks/floor.py) has the same slider and the same figures, sent before by the app's own server
and ready in memory. It lacks the app's frame, other fields, tables and downloads. App and floor take turns, one key press each,
so that a busy moment of the machine affects both. Only the ratio of the medians within one run counts. Times are taken in the
page: `benchmarks/probe.js`. main: the stage. charts: also the last chart, further down; on a floor it is Streamlit's own element.
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
from urllib.request import urlopen

import numpy as np
from playwright.sync_api import Browser, WebSocket
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.load import HEADS
from benchmarks.measured import FLOOR, options, say, write
from headcount.names import BY_CODE
from tests.serving import chromium, new_page, served

MAX_RATIO, WARM_UP = 1.25, 4  # the ratio; moves: each of the five stops has been seen
QUIET_MS, PATIENCE_MS = 700, 180_000  # without activity, longer than a glide
OWN_SIZES = "split=free&numbers=seed&"
PROBE = (Path(__file__).parent / "probe.js").read_text()


@dataclass(frozen=True, slots=True)
class Slider:
    """One slider of a page: its name in the address, its label, and the stops that take turns."""

    path: str
    key: str
    label: str
    values: Sequence[int]
    query: str = ""  # the rest of the address

    def link(self, value: int) -> str:
        return f"{self.path}?{self.query}{self.key}={value}"

    def place(self, number: int) -> int:
        """Place of the value after this many moves: up and down through the values, one stop at a time."""
        last = len(self.values) - 1
        return last - abs(number % (2 * last) - last)


#: By code: the pages whose picture a slider changes, its label, its stops, and the rest of the address.
SLIDERS = {
    code: [Slider(path, code, f"{BY_CODE[code].label} `{code}`", stops, query) for path in pages]
    for code, stops, query, pages in (
        ("num_heads", HEADS, "", ("/", "/projections", "/attention", "/concatenation")),  # each has the paper's split
        ("d_model", (8, 12, 16, 24, 32), OWN_SIZES, ("/", "/projections", "/attention")),
        ("key_dim", (2, 3, 4, 6, 8), OWN_SIZES, ("/", "/projections", "/attention")),
        ("value_dim", (2, 3, 4, 6, 8), OWN_SIZES, ("/", "/concatenation")),
    )
}


class Racer:
    """One open page, and the data that its server sends."""

    def __init__(self, browser: Browser, url: str, slider: Slider):
        self.slider, self.page = slider, new_page(browser)
        self.received = self.begun = self.ended = 0  # bytes and reruns
        self.elements: dict[tuple[int, ...], object] = {}  # the newest at each place of the page
        self.times: dict[str, list[float]] = {"main": [], "charts": []}
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("websocket", self._listen)
        self.page.add_init_script(PROBE)
        self.selector = f'input[type=range][aria-label="{slider.label}"]'
        self.open(url)

    def open(self, url: str) -> None:
        """Opens the page as a new visitor; the browser keeps its cached programs."""
        self.elements.clear()
        self.page.goto(url)
        self.page.wait_for_selector(self.selector, state="attached")
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
        """Waits until no message has come and no picture has changed for a while."""
        still, seen = 0, None
        while still < QUIET_MS:
            self.page.wait_for_timeout(50)
            now = (self.received, self.begun, self.page.evaluate("[probe.main, probe.charts]"))
            still, seen = (still + 50 if now == seen and self.begun <= self.ended else 0), now

    def move(self, number: int, label: str, keep: bool) -> None:
        """Presses one arrow key, and waits for all its changes. `label` is the stage's new label."""
        self.page.locator(self.selector).first.focus()
        key = "ArrowRight" if self.slider.place(number) > self.slider.place(number - 1) else "ArrowLeft"
        self.page.wait_for_timeout(random.uniform(0, 40))  # no fixed place between two animation frames
        self.page.evaluate("label => probe.arm(label)", label)
        self.page.keyboard.press(key)
        self.page.wait_for_function("probe.main > 0")
        self.settle()
        main, charts = self.page.evaluate("[probe.main, probe.charts]")
        if keep:
            self.times["main"].append(main)
            self.times["charts"].append(max(main, charts))


def finished(elements: dict[tuple[int, ...], object]) -> list[dict]:
    """Lists the page's stages and charts in their order, as plain JSON that is enough to show them again."""
    shown = []
    for _, element in sorted(elements.items()):
        name = element.component_name.split(".")[-1] if type(element).__name__ == "BidiComponent" else ""
        if name == "headcount_stage":
            program = {"html": element.html_content, "css": element.css_content, "js": element.js_content}
            shown.append({"program": program, "bytes": base64.b64encode(element.bytes).decode()})
        elif name.startswith("headcount_chart"):
            sent = json.loads(element.bytes)
            options = {"alt": sent["alt"], "config": {"displaylogo": False}}
            shown.append({"chart": {"data": sent["data"], "layout": sent["layout"]}, "options": options})
    return shown


def fetched(app: str, elements: list[dict]) -> list[dict]:
    """Puts the programs that a browser would fetch from the app into the elements."""
    for program in (element["program"] for element in elements if "program" in element):
        if address := re.search(r'"\./(programs/[^"]+)"', program["js"]):
            with urlopen(f"{app}/{address[1]}") as answer:
                program["js"] = answer.read().decode()
    return elements


def record(browser: Browser, app: str, slider: Slider) -> dict[str, list[dict]]:
    """Records the elements that the app sends to a new visitor for each value."""
    shown, racer = {}, Racer(browser, app + slider.link(slider.values[0]), slider)
    for value in slider.values:
        racer.open(app + slider.link(value))
        racer.page.wait_for_timeout(1000)
        shown[str(value)] = fetched(app, finished(racer.elements))
    racer.page.context.close()
    return shown


def label_of(elements: list[dict]) -> str:
    """Reads the first stage's label: a word in the JSON part of its scene (headcount/stage/wire.py)."""
    scene = base64.b64decode(next(element["bytes"] for element in elements if "bytes" in element))
    return json.loads(scene[4 : 4 + struct.unpack_from("<I", scene)[0]])["alt"]


def compare(browser: Browser, app: str, slider: Slider, moves: int) -> dict:
    """Compares median times of the page and its floor, and gives their ratios."""
    # With another label, so that no program of the app recognises the slider and shows the next picture at once.
    on_floor = replace(slider, label=f"{slider.label} on the floor")
    with ExitStack() as stack:
        shown = record(browser, app, slider)
        file = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "recorded.json"
        file.write_text(json.dumps({"label": on_floor.label, "values": slider.values, "shown": shown}))
        floor = stack.enter_context(served(FLOOR, HEADCOUNT_RECORDED=str(file)))
        racers = {
            "app": Racer(browser, app + slider.link(slider.values[0]), slider),
            "floor": Racer(browser, f"{floor.url}/?page=recorded", on_floor),
        }  # fmt: skip
        # The same figure at the same size, corrected for the app's narrower margins.
        app_width, floor_width = (racer.page.evaluate("probe.width()") for racer in racers.values())
        racers["floor"].page.set_viewport_size({"width": 1280 + app_width - floor_width, "height": 720})
        for number in range(1, WARM_UP + moves + 1):
            label = label_of(shown[str(slider.values[slider.place(number)])])
            for racer in racers.values():
                racer.move(number, label, keep=number > WARM_UP)
        for racer in racers.values():
            racer.page.context.close()
    figures: dict = {"moves": moves}
    for what in ("main", "charts"):
        for name, racer in racers.items():
            figures[f"{name}_{what}_ms"] = round(statistics.median(racer.times[what]), 1)
            figures[f"{name}_{what}_p90_ms"] = round(float(np.percentile(racer.times[what], 90)), 1)
        figures[f"{what}_to_floor"] = round(figures[f"app_{what}_ms"] / figures[f"floor_{what}_ms"], 3)
    return figures


def main() -> int:
    args, rows, met = options(__doc__, what=list(SLIDERS), moves=24), {}, {}
    with chromium() as browser, served() as app:
        for slider in (slider for code in ([args.what] if args.what else SLIDERS) for slider in SLIDERS[code]):
            name = f"{slider.key} on {slider.path}"
            row = rows[name] = compare(browser, app.url, slider, args.moves)
            met[name] = row["main_to_floor"] <= MAX_RATIO
            met[f"{name} with the last chart"] = row["charts_to_floor"] <= MAX_RATIO
            say(f"{name}: {row}")
    return write("paint", rows, met)


if __name__ == "__main__":
    sys.exit(main())
