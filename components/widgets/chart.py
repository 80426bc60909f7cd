"""Shows Plotly charts in a component of the app's own, with alt text, downloads, and tables of their numbers.

A chart is drawn once; afterwards only its changes are drawn. Streamlit's own element (1.67) draws each chart two or three times.
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
from components.widgets.previews import Packed, follow_beside, of_layer, once
from components.widgets.tables import table_view
from headcount import Config, Trace
from headcount.assets import ASSETS
from headcount.layer import SEED, Origin
from headcount.plots.heatmaps import NARROW, WIDE, map_width
from headcount.plots.recolour import colours, template
from headcount.settings import CELL, HEAD
from headcount.stage.numbers import chart_count, of_chart
from headcount.stage.plotly_json import as_json
from headcount.stage.program import PLOTLY_NAME, PLOTLY_PROGRAM, SHARED, SLIDER_PREVIEW, joined
from headcount.stage.theme import DARK

MARKUP = '<div class="headcount-chart" role="figure" data-coming><div></div></div>'
#: The dark theme's colour for each of the light theme's. Heatmaps are sent in light colours, together with this table.
DARK_COLOURS = colours(DARK)
SCRIPT = (
    joined(SHARED, PLOTLY_PROGRAM, SLIDER_PREVIEW, ASSETS / "chart" / "chart.js")
    .replace("/*FILE*/", f"static/{PLOTLY_NAME}")
    .replace("/*TEMPLATE*/{}", json.dumps(template("$ink", "$ground", "$line", "$font")))
)


def pack(figure: dict, alt: str, **more: object) -> bytes:
    """A Plotly figure and its alt text as JSON bytes. `more`: further fields of the component's data (assets/types.d.ts). Arrays
    become binary data, and missing numbers null. The field "look" is a checksum of all other fields."""
    if map_width(figure) is not None:
        more["dark"] = DARK_COLOURS
    text = as_json({"data": figure["data"], "layout": figure["layout"], "alt": alt, **more})
    return f'{{"look":{zlib.crc32(text.encode())},{text[1:]}'.encode()


def packed(
    key: str, draw: Callable[[], tuple[dict, str]], narrow: Callable[[], tuple[dict, str]] | None = None, click: bool = False
) -> Packed:  # fmt: skip
    """The chart that `draw` returns, packed for the browser. `narrow`: draws heatmaps for a phone; None for other charts.
    `click`: whether points can be clicked. The cells of heatmaps can always be clicked."""
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
    """Shows a chart. `drawn`: a Plotly figure and its alt text; `on_point`: a callback after a click on a point."""
    _show(key, packed(key, lambda: drawn, click=on_point is not None), on_point, origin=origin, tables=tables)


def show_chart_of(
    shown: Shown, trace: Trace | None, key: str, draw: Callable[..., tuple[dict, str]], *how: Hashable, of_layer: bool = True
) -> None:
    """Shows the chart that `draw(shown.cfg, trace, *how)` returns, and caches it for all visitors. `draw` is part of the cache's
    key, so it must be a module's function. `of_layer`: whether to prefetch the charts of a slider's next stops."""

    def of(cfg: Config, trace: Trace | None) -> Packed:
        return once(shown.origin, trace, partial(packed, key, partial(draw, cfg, trace, *how)), draw, key, cfg, *how)

    _show(key, of(shown.cfg, trace), following=of if of_layer else None, origin=shown.origin)


def draw_chart(figure: dict, key: str, alt: str) -> None:
    """Shows a chart without tables and downloads."""
    _send(key, pack(figure, alt))


def show_maps(
    shown: Shown, trace: Trace, key: str, draw: Callable[..., tuple[dict, str]], *how: Hashable, width: int = WIDE,
    ahead: bool = True, tables: DeltaGenerator | None = None,
) -> None:  # fmt: skip
    """Shows the heatmaps that `draw(trace, *how, width=…)` returns. `draw` must be a module's function, as in `show_chart_of`. A
    click on a cell chooses that cell, and its head if the page has a field for the head. `ahead`: whether to prefetch the
    heatmaps of a slider's next stops."""

    def of(cfg: Config, trace: Trace) -> Packed:
        here = of_layer(how, cfg)
        arranged = partial(draw, trace, *here)
        make = partial(packed, key, partial(arranged, width=width), partial(arranged, width=NARROW))
        return once(shown.origin, trace, make, draw, key, *here)

    _show(key, of(trace.cfg, trace), partial(_choose, key), of if ahead else None, shown.origin, tables)


def _show(
    key: str, chart: Packed, on_point: Callable[[], None] | None = None, following: Callable[..., Packed] | None = None,
    origin: Origin = SEED, tables: DeltaGenerator | None = None,
) -> None:  # fmt: skip
    """Shows a packed chart with its tables. `following(cfg, trace)`: packs the same chart of another layer, to prefetch it."""
    _send(key, chart.data, on_point)
    if following is not None:
        follow_beside(key, chart.data, following)
    with tables or nullcontext():
        table_view(key, chart.alt, chart.count, lambda: of_chart(chart.draw()), chart.draw, origin=origin)


def _choose(key: str) -> None:
    """Callback of a click in heatmaps: sets the field for the cell, and the field for the head if the page has one."""
    if (address := clicked_cell(key)) is not None:
        set_value(CELL.code, address)
        parts = address.split(".")
        if HEAD.code in st.session_state and len(parts) == 4:
            set_value(HEAD.code, int(parts[1]))


def clicked_cell(key: str) -> str | None:
    """The clicked cell in the heatmaps `key` as text, such as q.2.3.1. None if the browser has reported no such cell."""
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
    chart = component("chart", SCRIPT, MARKUP, page_styles=True)
    chart(key=key, data=data, height="content", on_point_change=on_point or (lambda: None))


def clicked(key: str) -> int:
    """The index (from 0) of the clicked point in the chart `key`; -1 without a click."""
    point = reported(key, "point")
    at = point.get("at") if isinstance(point, dict) else None
    return at if isinstance(at, int) else -1
