"""Parts that Plotly charts share, as dictionaries."""

from typing import Any

from headcount.stage.theme import NO_GROUND

#: A legend in one line above the chart.
LEGEND_ABOVE = {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 13}}


def layout(height: int, margin: tuple[int, int, int, int], over: str = "", **more: Any) -> dict:
    """Makes the layout of a chart. `height` and `margin` (left, right, top, bottom) are in pixels. `over` is the title of the y
    axis. The title is above the axis or, in a chart with a legend, at the start of the legend."""
    left, right, top, bottom = margin
    if over:
        more["meta"] = {"over": over, **more.get("meta", {})}
    if over and "legend" in more:
        more["legend"] = more["legend"] | {"title": {"text": over, "side": "left", "font": {"size": 13}}}
    elif over:
        top = max(top, 30)
        more["annotations"] = [*more.get("annotations", ()), note(over, 0, 1, xshift=-left, yshift=24, xanchor="left")]
    return {"height": height, "margin": {"l": left, "r": right, "t": top, "b": bottom}, **more, **NO_GROUND}


def note(text: str, x: float, y: float, **more: object) -> dict:
    """Makes a text annotation. `x` and `y` are fractions of the plot's width and height, counted from the lower left corner."""
    return {"text": text, "x": x, "xref": "paper", "y": y, "yref": "paper", "showarrow": False, **more, "font": {"size": 14}}


def line(x: object, y: object, name: str, hue: str, hover: str, size: int, dash: str = "", **more: object) -> dict:
    """Makes a Plotly trace of a line with markers. `size` is that of a marker in pixels. `hover` is Plotly's hover template."""
    return {
        "type": "scatter", "mode": "lines+markers", "x": x, "y": y, "name": name, "hovertemplate": hover,
        "line": {"color": hue, "width": 3} | ({"dash": dash} if dash else {}), "marker": {"size": size, "color": hue}, **more,
    }  # fmt: skip
