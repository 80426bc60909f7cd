"""Every chart by Plotly: a component with its alt text and export name, and its numbers as tables.

Plotly's program comes once for each visitor as a file of the server (components/app/server.py). A chart is drawn once, and only
its changes after that. Streamlit's own element (1.67) draws each chart two or three times.
"""

import json
import zlib
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.app.runtime import component, reported
from components.app.session import Shown
from components.app.stale_widget_values import set_value
from components.widgets.previews import Packed, of_layer, once, prefetch_beside
from components.widgets.tables import table_view
from headcount import Config, Trace
from headcount.assets import ASSETS
from headcount.layer import SEED, Origin
from headcount.plots.heatmaps import NARROW, WIDE, map_width
from headcount.plots.theme import colours, template
from headcount.settings import CELL, HEAD
from headcount.stage.numbers import chart_count, of_chart
from headcount.stage.plotly_json import as_json
from headcount.stage.program import PLOTLY_NAME, PLOTLY_PROGRAM, SHARED, SLIDER_PREVIEW, joined
from headcount.stage.theme import DARK

MARKUP = '<div class="headcount-chart" role="figure" data-coming><div></div></div>'
#: Heatmaps are sent in the light theme's colours, with what each is in the dark one.
DARK_COLOURS = colours(DARK)
SCRIPT = (
    joined(SHARED, PLOTLY_PROGRAM, SLIDER_PREVIEW, ASSETS / "chart" / "chart.js")
    .replace("/*FILE*/", f"static/{PLOTLY_NAME}")
    .replace("/*TEMPLATE*/{}", json.dumps(template("$ink", "$ground", "$line", "$font")))
)


def pack(figure: dict, alt: str, **more: object) -> bytes:
    """The bytes of a plain figure: JSON, arrays as their bytes, nothing (null) where a list has no number."""
    if map_width(figure) is not None:
        more["dark"] = DARK_COLOURS
    text = as_json({"data": figure["data"], "layout": figure["layout"], "alt": alt, **more})
    return f'{{"look":{zlib.crc32(text.encode())},{text[1:]}'.encode()


def packed(
    key: str, draw: Callable[[], tuple[dict, str]], narrow: Callable[[], tuple[dict, str]] | None = None, click: bool = False
) -> Packed:  # fmt: skip
    """Packs a figure and its words; `narrow`: heatmaps as they are arranged for a phone, whose cells can be clicked. `click`:
    the points of a chart can be, too."""
    (figure, alt), of_phone = draw(), {}
    if narrow is not None:
        layout = narrow()[0]["layout"]
        of_phone["narrow"] = {name: part for name, part in layout.items() if part != figure["layout"][name]}
    data = pack(figure, alt, click=click or narrow is not None, file=key, **of_phone)
    return Packed(data, alt, chart_count(figure), lambda **sheet: draw(**sheet)[0])


def show_chart(
    drawn: tuple[dict, str], key: str, on_point: Callable[[], None] | None = None, origin: Origin = SEED,
    tables: DeltaGenerator | None = None,
) -> None:  # fmt: skip
    """Shows a plain figure with its alt text, and below it, or at the place `tables`, its numbers. `key` names the picture's
    file. `on_point` as for `draw_chart`; `origin`: where the numbers come from."""
    _show(key, packed(key, lambda: drawn, click=on_point is not None), on_point, origin=origin, tables=tables)


def show_chart_of(
    shown: Shown, trace: Trace | None, key: str, draw: Callable[..., tuple[dict, str]], *how: Hashable, of_layer: bool = True
) -> None:
    """Shows what `draw(shown.cfg, trace, *how)` draws, packed once for all visitors who see it, and below it the same in tables.
    `draw`: a function of a module, the same object in every run; `of_layer`: another layer's is drawn in the same way (not of a
    cell that it may lack)."""

    def of(cfg: Config, trace: Trace | None) -> Packed:
        return once(shown.origin, trace, partial(packed, key, partial(draw, cfg, trace, *how)), len, draw, key, cfg, *how)

    _show(key, of(shown.cfg, trace), following=of if of_layer else None, origin=shown.origin)


def draw_chart(figure: dict, key: str, alt: str, on_point: Callable[[], None] | None = None) -> None:
    """The chart alone, without tools: for a picture whose tables come from elsewhere. `on_point`: called after a click on one of
    its points (`clicked`)."""
    _send(key, pack(figure, alt, click=on_point is not None), on_point)


def show_maps(
    shown: Shown, trace: Trace, key: str, draw: Callable[..., tuple[dict, str]], *how: Hashable, width: int = WIDE,
    ahead: bool = True, tables: DeltaGenerator | None = None,
) -> None:  # fmt: skip
    """Heatmaps, and below them the same in tables; they change as soon as a slider moves, or, not `ahead`, with the answer.

    `draw(trace, *how, width=…)`: gives the figure, arranged for this width in pixels, and its alt text. It is a function of a
    module, the same object in every run. `how` as `of_layer` has it. A click on a cell chooses it, and its head where the page
    has a field for that. `width`: pixels that it is arranged for. `tables`: the place of its numbers, if not below it.
    """

    def of(cfg: Config, trace: Trace) -> Packed:
        here = of_layer(how, cfg)
        arranged = partial(draw, trace, *here)
        make = partial(packed, key, partial(arranged, width=width), partial(arranged, width=NARROW))
        return once(shown.origin, trace, make, len, draw, key, *here)

    _show(key, of(trace.cfg, trace), partial(_choose, key), of if ahead else None, shown.origin, tables)


def _show(
    key: str, chart: Packed, on_point: Callable[[], None] | None = None, following: Callable[..., Packed] | None = None,
    origin: Origin = SEED, tables: DeltaGenerator | None = None,
) -> None:  # fmt: skip
    """Shows a chart, and below it its numbers in tables: it is drawn once more when they are opened. `following(cfg, trace)`: the
    chart of another layer, to be sent ahead."""
    _send(key, chart.data, on_point)
    if following is not None:
        prefetch_beside(key, chart.look, following)
    with tables or nullcontext():
        table_view(key, chart.alt, chart.count, lambda: of_chart(chart.draw()), chart.draw, origin=origin)


def _choose(key: str) -> None:
    """Callback of a click on a cell: it is chosen, and so part of the address."""
    if (address := clicked_cell(key)) is not None:
        set_value(CELL.code, address)
        parts = address.split(".")
        if HEAD.code in st.session_state and len(parts) == 4:
            set_value(HEAD.code, int(parts[1]))


def clicked_cell(key: str) -> str | None:
    """The address (name.head.row.column) of the cell that was clicked in the heatmaps `key`; None if it explains nothing."""
    point = reported(key, "point") or {}
    at, what = point.get("at"), point.get("data")
    if not (isinstance(at, list) and len(at) == 2 and all(isinstance(n, int) for n in at) and isinstance(what, dict)):
        return None
    (row, col), head, bands, wide = at, what.get("head"), what.get("bands"), what.get("wide")
    if not isinstance(what.get("name"), str) or not what["name"]:
        return None
    if isinstance(bands, int) and bands and isinstance(wide, int) and wide >= bands:
        head, col = col // (wide // bands) + 1, col % (wide // bands)
    return ".".join(str(part) for part in (what["name"], head, row + 1, col + 1) if part is not None)


def _send(key: str, data: bytes, on_point: Callable[[], None] | None = None) -> None:
    """Sends a packed figure to its component."""
    chart = component("chart", SCRIPT, MARKUP, page_styles=True)
    chart(key=key, data=data, height="content", on_point_change=on_point or (lambda: None))


def clicked(key: str) -> int:
    """The number of the point that was clicked in the chart `key`; -1 for none."""
    point = reported(key, "point")
    at = point.get("at") if isinstance(point, dict) else None
    return at if isinstance(at, int) else -1
