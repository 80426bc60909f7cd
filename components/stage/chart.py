"""Parts that plain Plotly figures share: a layout on clear ground, headings and notes, a legend above."""

import re

from components.stage.theme import NO_GROUND

#: In one line above the chart.
LEGEND_ABOVE = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 13}}


def layout(height: int, margin: tuple[int, int, int, int], **more: object) -> dict:
    """Makes a layout: `height` and `margin` (left, right, top, bottom) in pixels; `more`: what else a layout has."""
    return {"height": height, "margin": dict(zip("lrtb", margin, strict=True)), **more, **NO_GROUND}


def bare(height: int, **more: object) -> dict:
    """A layout without legend and with narrow margins, where `more` does not say otherwise."""
    return {
        "height": height, "margin": {"l": 8, "r": 8, "t": 8, "b": 8}, "showlegend": False, **NO_GROUND,
        "hovermode": "closest", **more,
    }  # fmt: skip


def lowered(text: str) -> str:
    """ "d_model" and "W_O" as Plotly sets them; Keras's key_dim stays."""
    return re.sub(r"\b([A-Za-z])_(model|[A-Za-z])\b", r"\1<sub>\2</sub>", text)


def heading(text: str, x: float, y: float, **more: object) -> dict:
    """Words at a place that is counted from 0 to 1 over the whole chart."""
    return {
        "text": text, "x": x, "xref": "paper", "y": y, "yref": "paper", "showarrow": False, **more, "font": {"size": 14},
    }  # fmt: skip


def note(text: str, x: float, y: float, *, size: int = 14, **more: object) -> dict:
    """Words at a place of the axes."""
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": {"size": size}, **more}
