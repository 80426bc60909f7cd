"""Every Plotly figure on the page: the chart with its alt text and export name, and its numbers as tables."""

import json
import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Literal

import streamlit as st

from components.figures.numbers import chart_count, of_chart
from components.widgets.tables import table_view
from mha.bounded_cache import BoundedCache

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

Width = Literal["stretch", "content"]

#: Tools that a single figure does not need; the rest are reached by keyboard one tab stop each.
REMOVED = ["lasso2d", "select2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "pan2d", "zoom2d", "resetScale2d"]
#: Charts kept over all visitors: how many, and how many characters they have as text.
FIGURES: "BoundedCache[Figure]" = BoundedCache(64, 2 << 20)
LOCK = threading.Lock()


@cache
def figure_type() -> "type[Figure]":
    """Plotly's figure that builds its dictionary once: Streamlit (1.67) reads it in each run and changes nothing in it
    (tests/app/test_streamlit_contract.py), and Plotly would copy all of it each time."""
    import plotly.graph_objects as go  # half a second, and only the first chart pays it

    class ConvertedOnce(go.Figure):
        def __init__(self, figure: dict):
            super().__init__(figure)
            self._converted = super().to_dict()

        def to_dict(self) -> dict:
            return self._converted

    return ConvertedOnce


def shared_figure(figure: dict) -> "Figure":
    """The figure as Plotly has checked it, once for all visitors who see the same: else 2 ms in each run."""
    text = json.dumps(figure, default=lambda array: (array.shape, array.dtype.str, array.tobytes().hex()))
    with LOCK:
        known = FIGURES.get(text)
    if known is None:
        known = figure_type()(figure)
        with LOCK:
            FIGURES.put(text, known, len(text))
    return known


def show_chart(figure: dict, key: str, alt: str, width: Width = "stretch") -> None:
    """Draw a plain figure, and below it the same in tables; the picture's file is named after `key`."""
    draw_chart(figure, key, alt, width)
    table_view(key, alt, chart_count(figure), lambda: of_chart(figure), lambda: figure)


def draw_chart(
    figure: dict, key: str, alt: str, width: Width = "stretch", on_select: Callable[[], None] | None = None
) -> None:
    """The chart alone: for a picture whose tables come from elsewhere. `on_select`: called after a click on one of its points."""
    download = {"format": "svg", "filename": key}
    config = {"displaylogo": False, "modeBarButtonsToRemove": REMOVED, "toImageButtonOptions": download}
    st.plotly_chart(
        shared_figure(figure), key=key, alt=alt, width=width, config=config, on_select=on_select or "ignore",
        selection_mode="points",
    )  # fmt: skip
