"""A figure so small that no word can be read: its drawing alone, cropped, with thicker lines."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from headcount.export.figure import Picture
from headcount.stage import diagram, layout, maps, svg
from headcount.stage.diagram import Arrow, Box
from headcount.stage.layout import Point, Rect
from headcount.stage.scene import Scene
from headcount.stage.svg import Ink, px
from headcount.stage.theme import Theme

#: Pixels of the layout that is shrunk, of one of maps, of one whose lines keep their thickness, and around the drawing. Pixels of
#: a chart's dots, and of a thumbnail (assets/style.css).
WIDE, HIGH, OF_MAPS, AS_THICK, AROUND, DOT, SHAPE = 960, 600, (624, 400), 240, 8, 5, (130, 76)
#: The names of a chart, its axes and its marks, and what is no part of its drawing.
WORDS = {"title": None, "showticklabels": False, "ticks": ""}


def thumbnail(picture: Picture, theme: Theme) -> str | dict[str, Any]:
    """Draws an SVG, or for Plotly a plain figure that keeps its SHAPE."""
    if picture.is_plotted:
        (width, height), chart = SHAPE, bare(picture.chart)
        sides = {"width": width, "height": height, "margin": dict.fromkeys("lrtb", AROUND), "meta": {"grow": height / width}}
        return chart | {"layout": chart["layout"] | sides}
    drawing, ink = picture.drawing, Ink(theme, least=math.inf)
    if isinstance(drawing, Scene):
        placed = layout.place(drawing, WIDE)
        curves = tuple((replace(curve, label=""), points) for curve, points in placed.curves)
        drawn = svg.draw(drawing, replace(placed, texts=(), links=(), curves=curves), ink)
        return _cropped(drawn, (rect for _, rect in placed.blocks), (one for _, points in curves for one in points))
    if picture.arranged is not None:
        figure = bare(picture.arranged(*OF_MAPS))
        return _cropped(maps.draw(figure, ink), (one.rect for one in maps.maps_of(figure).values()))
    drawing = drawing.within(WIDE, HIGH)
    drawing = replace(drawing, shapes=[shape for shape in drawing.shapes if isinstance(shape, Box | Arrow)])
    ends = (point for arrow in drawing.of(Arrow) for point in arrow.points)
    return _cropped(diagram.draw(drawing, ink), (box.rect for box in drawing.of(Box)), ends)


def bare(chart: dict[str, Any]) -> dict[str, Any]:
    """Makes a plain Plotly figure without words, and with small dots."""
    axes = {key: axis | WORDS for key, axis in chart["layout"].items() if re.match("[xy]axis", key)}
    scales = {key: axis | {"showscale": False} for key, axis in chart["layout"].items() if key.startswith("coloraxis")}
    dots = lambda trace: {"marker": trace["marker"] | {"size": DOT}} if "size" in trace.get("marker", {}) else {}  # noqa: E731
    return {
        "data": [trace | dots(trace) | {"text": None, "texttemplate": None} for trace in chart["data"]],
        "layout": chart["layout"] | axes | scales | {"annotations": [], "showlegend": False},
    }


def _cropped(drawn: str, rects: Iterable[Rect], points: Iterable[Point] = ()) -> str:
    """Draws SVG of the area around these places."""
    corners = [*points, *(corner for r in rects for corner in ((r.x, r.y), (r.x + r.w, r.y + r.h)))]
    (x0, x1), (y0, y1) = ((min(sides) - AROUND, max(sides) + AROUND) for sides in zip(*corners, strict=True))
    more = max(1.0, (x1 - x0) / AS_THICK, (y1 - y0) / AS_THICK)
    thick = re.sub(r'stroke-width="([\d.]+)"', lambda found: f'stroke-width="{px(float(found[1]) * more)}"', drawn)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{px(x0)} {px(y0)} {px(x1 - x0)} {px(y1 - y0)}">{thick}</svg>'
