"""Thumbnails of figures: the drawing without text, cropped, with thicker lines."""

import math
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from headcount.export.figure import Picture
from headcount.stage import diagram, heatmaps_svg, layout, svg
from headcount.stage.diagram import Arrow, Box, Diagram
from headcount.stage.layout import Point, Rect
from headcount.stage.scene import Block, Scene
from headcount.stage.svg import Ink, px
from headcount.stage.theme import Theme

#: Pixels. WIDE × HIGH: the layout that is shrunk. OF_MAPS: the same for heatmaps. AS_THICK: largest side of a drawing that keeps
#: its line widths. AROUND: margin. DOT: a chart's dot. SHAPE: the thumbnail (see assets/style.css).
WIDE, HIGH, OF_MAPS, AS_THICK, AROUND, DOT, SHAPE = 960, 600, (624, 400), 240, 8, 5, (130, 76)


def thumbnail(picture: Picture, theme: Theme) -> str:
    """Returns the thumbnail of a picture as SVG. Raises TypeError for a chart that Plotly must draw (see `small`)."""
    drawing, ink, ends = picture.drawing, Ink(theme, least=math.inf), list[Point]()
    if isinstance(drawing, Scene):
        placed = layout.place(drawing, WIDE)
        curves = tuple((replace(curve, label=""), points) for curve, points in placed.curves)
        drawn = svg.draw(drawing, replace(placed, blocks=calm(placed.blocks, drawing), curves=curves, texts=(), links=()), ink)
        rects = [rect for _, rect in placed.blocks]
        ends = [(x + side, y) for curve, points in curves for x, y in points for side in (-3 * curve.thick, 3 * curve.thick)]
    elif isinstance(drawing, Diagram):
        drawing = drawing.within(WIDE, HIGH)
        drawn, rects = diagram.draw(drawing, ink), [box.rect for box in drawing.of(Box)]
        ends = [point for arrow in drawing.of(Arrow) for point in arrow.points]
    elif picture.arranged is None:
        raise TypeError(f"{picture.title!r} is drawn by Plotly")
    else:
        figure = picture.arranged(*OF_MAPS)
        drawn, rects = heatmaps_svg.draw(figure, ink), [one.rect for one in heatmaps_svg.maps_of(figure).values()]
    corners = [*ends, *(corner for r in rects for corner in ((r.x, r.y), (r.x + r.w, r.y + r.h)))]
    if not corners:  # it has words alone
        return drawn
    (x0, x1), (y0, y1) = ((min(sides) - AROUND, max(sides) + AROUND) for sides in zip(*corners, strict=True))
    more = max(1.0, (x1 - x0) / AS_THICK, (y1 - y0) / AS_THICK)
    thick = re.sub(r'stroke-width="([\d.]+)"', lambda found: f'stroke-width="{px(float(found[1]) * more)}"', drawn)
    shown = re.sub("<text.*?</text>", "", thick, flags=re.DOTALL)
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{px(x0)} {px(y0)} {px(x1 - x0)} {px(y1 - y0)}">{shown}</svg>'


def calm(blocks: Iterable[tuple[Block, Rect]], scene: Scene) -> tuple[tuple[Block, Rect], ...]:
    """Simplifies a scene that has both matrices of heads and other matrices. Matrices of heads become areas of colour, and the
    others become outlines. Attention weights and sheets stay as they are."""
    named = {id(block) for block, _ in blocks if block.grid and not block.bands and scene.grids[block.grid].scale != "share"}
    hues = {block.hue for block, _ in blocks if id(block) in named}
    if len(hues) < 2 or None not in hues:
        return tuple(blocks)
    tinted = lambda block: replace(block, grid=None) if block.hue is None else replace(block, bands=1)  # noqa: E731
    return tuple((tinted(block) if id(block) in named else block, rect) for block, rect in blocks)


def small(chart: dict[str, Any]) -> dict[str, Any]:
    """Turns a Plotly figure into a thumbnail of the size SHAPE, without text and with small dots."""
    (width, height), its = SHAPE, chart["layout"]
    axes = {key: axis | {"title": None, "showticklabels": False} for key, axis in its.items() if re.match("[xy]axis", key)}
    sides = {"width": width, "height": height, "margin": dict.fromkeys("lrtb", AROUND), "meta": {"grow": height / width}}
    dots = lambda trace: {"marker": trace["marker"] | {"size": DOT}} if "size" in trace.get("marker", {}) else {}  # noqa: E731
    return {
        "data": [trace | dots(trace) | {"text": None, "texttemplate": None} for trace in chart["data"]],
        "layout": its | axes | sides | {"annotations": [], "showlegend": False},
    }
