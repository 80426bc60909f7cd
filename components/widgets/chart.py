"""Every chart by Plotly: a component with its alt text and export name, and its numbers as tables.

Plotly's program comes once for each visitor as a file of the server (components/streamlit/server.py); a chart is drawn once, and
changed where something of it changes. Streamlit's own element (1.67) draws each chart two or three times.
"""

import json
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

import streamlit as st

from components.figures.numbers import chart_count, of_chart
from components.figures.plotly_json import as_json
from components.figures.program import PLOTLY_NAME, SHARED, SLIDER_PREVIEW, joined
from components.streamlit.runtime import component
from components.widgets.previews import Following, FollowingChart, follow_picture
from components.widgets.tables import table_view
from mha import Config, Trace
from mha.assets import ASSETS

Width = Literal["stretch", "content"]

#: Tools that a single figure does not need; the rest are reached by keyboard one tab stop each.
REMOVED = ["lasso2d", "select2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "pan2d", "zoom2d", "resetScale2d", "sendChartToCloud"]
MARKUP = '<div class="headcount-chart" role="figure"><div></div></div>'


@cache
def chart_program(ahead: bool) -> str:
    """`ahead`: with what shows a slider's next chart before the server has answered."""
    shared = joined(SHARED)
    kept = shared[shared.index("const kept = ") :]  # the rest is not sent: a page has up to six charts
    text = "\n".join((kept, joined(*([SLIDER_PREVIEW] if ahead else []), ASSETS / "chart" / "chart.js")))
    return text.replace("/*FILE*/", f"static/{PLOTLY_NAME}").replace("/*REMOVED*/[]", json.dumps(REMOVED))


def pack(figure: dict, alt: str, **more: object) -> bytes:
    """A plain figure as it is sent: JSON, arrays as their bytes, nothing (null) where a list has no number."""
    text = as_json({"data": figure["data"], "layout": figure["layout"], "alt": alt, **more})
    return f'{{"look":{zlib.crc32(text.encode())},{text[1:]}'.encode()


def look_of(data: bytes) -> int:
    """What tells a packed figure from every other."""
    return int(data[len('{"look":') : data.index(b",")])


def show_chart(
    figure: dict, key: str, alt: str, slider: Following | None = None,
    then: Callable[[Config, Trace], tuple[dict, str]] | None = None,
) -> None:  # fmt: skip
    """Draw a plain figure, and below it the same in tables; the picture's file is named after `key`.

    With `slider`, of the picture that it stands beside, and `then`, the figure of another layer with its words, it changes as
    soon as a slider moves.
    """
    look = draw_chart(figure, key, alt, ahead=then is not None)
    if slider is not None and then is not None:
        follow_picture(key, FollowingChart(slider, look, lambda cfg, trace: pack(*then(cfg, trace), **_how(key, "stretch"))))
    table_view(key, alt, chart_count(figure), lambda: of_chart(figure), lambda: figure)


def draw_chart(
    figure: dict, key: str, alt: str, width: Width = "stretch", on_point: Callable[[], None] | None = None, tools: bool = True,
    ahead: bool = False,
) -> int:  # fmt: skip
    """The chart alone: for a picture whose tables come from elsewhere. `on_point`: called after a click on one of its points
    (`clicked`); `tools`: whether it can be saved and seen on the whole screen; `ahead`: whether it will be sent what a slider's
    next stops show. Returns its look."""
    data = pack(figure, alt, **_how(key, width, on_point is not None, tools))
    chart = component("chart_ahead" if ahead else "chart", chart_program(ahead), MARKUP, page_styles=True)
    chart(key=key, data=data, height="content", on_point_change=on_point or (lambda: None))
    return look_of(data)


def _how(key: str, width: Width, click: bool = False, tools: bool = True) -> dict[str, object]:
    return {"wide": width == "stretch", "click": click, **({"file": key} if tools else {})}


def clicked(key: str) -> tuple[int, Any]:
    """The number of the point that was clicked in the chart `key`, and what the figure says of it (customdata); -1 for none."""
    point = st.session_state[key].get("point")
    at = point.get("at") if isinstance(point, dict) else None
    return (at, point.get("data")) if isinstance(at, int) else (-1, None)
