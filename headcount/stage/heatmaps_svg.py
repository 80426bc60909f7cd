"""Converts Plotly figures of heatmaps (headcount/plots/) to SVG with the same layout."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Any

import numpy as np

from headcount.stage import svg
from headcount.stage.layout import Rect
from headcount.stage.scene import Block, Grid, Length
from headcount.stage.svg import Ink, px

#: LEADING: height of a line of text relative to its font size. SWATCH: pixels of one cell of a colour bar. FEW_SWATCHES: cells of
#: a colour bar in print. BESIDE, ABOVE: pixels between a map and its tick labels at the left and at the top.
LEADING, SWATCH, FEW_SWATCHES, BESIDE, ABOVE = 1.3, 4, 11, 6, 10
#: Pixels by which a title may be wider than its heatmap.
GAP = 20
#: Ends of the Plotly axis references (such as "x2 domain") whose values are fractions of a heatmap or of the figure, not cells.
WHOLE = ("domain", "paper")


@dataclass(frozen=True, slots=True)
class Map:
    """One heatmap of a figure: its Plotly trace, the rectangle that its cells cover (in pixels), and its values."""

    trace: dict[str, Any]
    rect: Rect
    values: np.ndarray

    def across(self, ref: str, value: float) -> float:
        """Converts a column (from 1) to pixels from the left, or a fraction of the width if `ref` ends in a word of WHOLE."""
        return self.rect.x + self.rect.w * (value if ref.endswith(WHOLE) else (value - 0.5) / self.values.shape[1])

    def down(self, ref: str, value: float) -> float:
        """Converts a row (from 1) to pixels from the top. If `ref` ends in a word of WHOLE, converts a fraction (from below)
        instead."""
        return self.rect.y + self.rect.h * (1 - value if ref.endswith(WHOLE) else (value - 0.5) / self.values.shape[0])


def draw(figure: dict[str, Any], ink: Ink) -> str:
    """Draws a Plotly figure of heatmaps as SVG, without the `<svg>` tag. Cells have the colours of the theme in `ink`."""
    maps, layout = maps_of(figure), figure["layout"]
    shapes = [(shape, maps[shape["xref"].split()[0]]) for shape in layout["shapes"]]
    below = [_shape(shape, one) for shape, one in shapes if shape.get("layer") == "below"]
    above = [_shape(shape, one) for shape, one in shapes if shape.get("layer") != "below"]
    parts = [*below, *(_cells(one, figure, ink) for one in maps.values())]
    for one in maps.values():
        parts.append(f'<rect {svg.place(one.rect)} fill="none" stroke="{ink.theme.ink}"/>')
        parts += _ticks(one, layout, ink)
    parts += above
    places = maps | {"paper": Map({}, _area(layout), np.empty(0))}
    parts += [text for note in layout["annotations"] for text in _note(note, places[note["xref"].split()[0]], ink)]
    return "\n".join([*parts, *_bars(layout, ink)])


def maps_of(figure: dict[str, Any]) -> dict[str, Map]:
    """Returns the heatmaps of a figure. The keys are Plotly's names of the x axes, such as "x2"."""
    layout, maps = figure["layout"], {}
    area = _area(layout)
    for trace in figure["data"]:
        if trace.get("hoverinfo") != "skip":  # skips the grey of another trace's rows
            (left, right), (low, high) = (_axis(layout, trace, letter)["domain"] for letter in "xy")
            rect = Rect(area.x + left * area.w, area.y + (1 - high) * area.h, (right - left) * area.w, (high - low) * area.h)
            maps[trace["xaxis"]] = Map(trace, rect, np.asarray(trace["z"], np.float32))
    return maps


def width_of(figure: dict[str, Any]) -> float:
    """Returns the used width of a figure in pixels, up to the end of the last heatmap or of a colour bar's last label."""
    layout = figure["layout"]
    area, below = _area(layout), [note for note in layout["annotations"] if note["xref"] == "paper"]
    words = (area.x + note["x"] * area.w + note["xshift"] + svg.width_of(note["text"], note["font"]["size"]) for note in below)
    return max(*(one.rect.x + one.rect.w for one in maps_of(figure).values()), *words, 0)


def legible(figure: dict[str, Any], face: str) -> bool:
    """Returns whether texts, in the font `face`, are at most GAP pixels wider than their heatmaps. If there is only one heatmap,
    its texts may also cover the left margin."""
    layout, maps = figure["layout"], maps_of(figure)
    room = {axis: one.rect.w + layout["margin"]["l"] * (len(maps) == 1) + GAP for axis, one in maps.items()} | {"paper": np.inf}
    return all(
        svg.width_of(label_of(line), note["font"]["size"], face, "<b>" in line) <= room[note["xref"].split()[0]]
        for note in layout["annotations"]
        for line in note["text"].split("<br>")
    )


def has_cells(figure: dict[str, Any]) -> bool:
    """Returns whether at least one heatmap of a figure shows numbers. The others may be outlines."""
    return any(not one.trace["meta"].get("outline") for one in maps_of(figure).values())


def _area(layout: dict[str, Any]) -> Rect:
    left, right, top, foot = (layout["margin"][side] for side in "lrtb")
    return Rect(left, top, layout["width"] - left - right, layout["height"] - top - foot)


def _axis(layout: dict[str, Any], trace: dict[str, Any], letter: str) -> dict[str, Any]:
    return layout[trace[f"{letter}axis"].replace(letter, f"{letter}axis", 1)]


def scale_of(axis: dict[str, Any]) -> str:
    return "share" if axis["cmin"] == 0 else "signed"


def _cells(one: Map, figure: dict[str, Any], ink: Ink) -> str:
    if one.trace["meta"].get("outline"):
        return ""
    axis = figure["layout"][one.trace["coloraxis"]]
    over = [other for other in figure["data"] if other.get("hoverinfo") == "skip" and other["xaxis"] == one.trace["xaxis"]]
    again = tuple(np.flatnonzero(np.isfinite(np.asarray(over[0]["z"], float)).any(axis=1)).tolist()) if over else ()
    rows, cols = one.values.shape
    faint = 1 - one.trace.get("opacity", 1)  # of all rows that are not drawn again
    block = Block("map", "map", Length(), Length(), rows, cols, pale=() if faint else again)
    drawn = svg.cells(block, one.rect, Grid(one.values, scale_of(axis)), axis["cmax"], ink, 0)
    if faint:
        wide, high = one.rect.w, one.rect.h / rows
        tops = (px(one.rect.y + row * high) for row in range(rows) if row not in again)
        veil = "".join(f"M{px(one.rect.x)} {top}h{px(wide)}v{px(high)}h{px(-wide)}z" for top in tops)
        drawn += f'<path d="{veil}" fill="{ink.theme.background}" opacity="{faint:.2f}"/>'
    return f"<g><title>{svg.escape(_plain(one.trace['name']))}</title>{drawn}</g>"


def _ticks(one: Map, layout: dict[str, Any], ink: Ink) -> Iterator[str]:
    across, down = (_axis(layout, one.trace, letter) for letter in "xy")
    if across.get("showticklabels", True):
        size = across["tickfont"]["size"]
        y = one.rect.y - ABOVE if across["side"] == "top" else one.rect.y + one.rect.h + ABOVE / 2 + size * 0.7
        for at, text in zip(across["tickvals"], across["ticktext"], strict=False):
            yield svg.line(unescape(text), one.across("x", at), y, size, ink, fill=across["tickfont"]["color"], anchor="middle")
    if down.get("showticklabels", True):
        size = down["tickfont"]["size"]
        for at, text in zip(down["tickvals"], down["ticktext"], strict=False):
            y = one.down("y", at) + size * 0.35
            said, bold = label_of(text), "<b>" in text
            yield svg.line(said, one.rect.x - BESIDE, y, size, ink, fill=down["tickfont"]["color"], anchor="end", bold=bold)


def _shape(shape: dict[str, Any], one: Map) -> str:
    line = shape["line"]
    stroke = f'stroke="{line["color"]}" stroke-width="{line["width"]}"' if line["width"] else ""
    if shape["type"] == "path":
        steps = re.findall(r"M(\S+) (\S+?)V([\d.]+)", shape["path"])
        cuts = (f"M{px(one.across('x', float(x)))} {px(one.down('y', float(y)))}V{px(one.down('y', float(end)))}"
                for x, y, end in steps)  # fmt: skip
        return f'<path d="{"".join(cuts)}" fill="none" {stroke}/>'
    (x0, x1), (y0, y1) = (
        [
            place(shape[f"{axis}ref"], shape[f"{axis}anchor"]) + sign * shape[end]
            if shape.get(f"{axis}sizemode") == "pixel"
            else place(shape[f"{axis}ref"], shape[end])
            for end in (f"{axis}0", f"{axis}1")
        ]
        for axis, place, sign in (("x", one.across, 1), ("y", one.down, -1))
    )
    if shape["type"] == "line":
        return f'<path d="M{px(x0)} {px(y0)}L{px(x1)} {px(y1)}" {stroke}/>'
    fill = "none" if shape["fillcolor"].startswith("rgba") else shape["fillcolor"]
    clear = f' opacity="{shape["opacity"]}"' if "opacity" in shape else ""
    rect = Rect(min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0))
    return f'<rect {svg.place(rect)} fill="{fill}"{clear} {stroke}/>'


def _note(note: dict[str, Any], one: Map, ink: Ink) -> Iterator[str]:
    size, lines = note["font"]["size"], note["text"].split("<br>")
    x = one.across(note["xref"], note["x"]) + note.get("xshift", 0)
    y = one.down(note["yref"], note["y"]) - note.get("yshift", 0)
    high, bold = len(lines) * size * LEADING, False
    top = y - {"bottom": high, "middle": high / 2, "top": 0}[note["yanchor"]]
    anchor = {"left": "start", "center": "middle", "right": "end"}[note["xanchor"]]
    for number, line in enumerate(lines):
        bold = "<b>" in line or bold
        text, base = label_of(line), top + (number + 1) * size * LEADING - size * 0.35
        if "bgcolor" in note:
            wide = svg.width_of(text, size, ink.face, bold) + 8
            yield f'<rect {svg.place(Rect(x - wide / 2, base - size, wide, size * LEADING))} fill="{note["bgcolor"]}"/>'
        yield svg.line(text, x, base, size, ink, fill=note["font"]["color"], anchor=anchor, bold=bold)
        bold = bold and "</b>" not in line


def label_of(text: str) -> str:
    """Converts a line of Plotly's HTML to this project's markup of labels: "<b>W<sub>Q</sub></b>" becomes "W_{Q}"."""
    lowered = re.sub(r"<sub>(.*?)</sub>", r"_{\1}", text)
    return unescape(re.sub(r"</?b>", "", lowered))


def _plain(text: str) -> str:
    return unescape(re.sub(r"<.*?>", "", text))


def _bars(layout: dict[str, Any], ink: Ink) -> Iterator[str]:
    area, names = _area(layout), ("coloraxis", "coloraxis2")
    for axis in (layout[name] for name in names if layout.get(name, {}).get("showscale", name == "coloraxis")):
        bar, scale = axis["colorbar"], scale_of(axis)
        rect = Rect(area.x + bar["x"] * area.w, area.y + area.h + bar["ypad"], bar["len"], bar["thickness"])
        count = FEW_SWATCHES if svg.has_bars(scale, ink.theme) else round(bar["len"] / SWATCH)
        ramp = Grid(np.linspace(axis["cmin"], axis["cmax"], count, dtype=np.float32)[None], scale)
        yield svg.cells(Block("bar", "bar", Length(), Length(), 1, count), rect, ramp, axis["cmax"], ink, 0)
