"""A plain Plotly figure in a look: background, ink and type; in print, greys, dashes, symbols and hatching replace hues."""

import base64
import io
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np

from components.export.look import Look
from components.figures.layout import Rect
from components.figures.numbers import axis_of, matrix_of
from components.figures.svg import MOST_VECTOR_CELLS, bar_height, place, px, strokes
from components.figures.text import FACES
from components.figures.theme import EITHER, EITHER_HEADS, EITHER_SHARE, EITHER_SIGNED, LIGHT, NO_GROUND, PRINT, Theme, stops

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SIGNS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
HATCHING = ("", "/", ".", "x", "-", "\\", "|", "+")
#: The greys that replace the charts' hues in print.
GREYS: dict[str, str] = dict(zip(EITHER, ("#000000", "#7d7d7d", "#b4b4b4", "#8f8f8f"), strict=True))
GREYS |= {hue: ("#1a1a1a", "#a0a0a0")[i % 2] for i, hue in enumerate(EITHER_HEADS)}
SCALES = {EITHER_SIGNED: "signed", LIGHT.signed: "signed", EITHER_SHARE: "share", LIGHT.share: "share"}


def dressed(figure: dict[str, Any], look: Look) -> dict[str, Any]:
    """A copy of the figure in the look's colours and type."""
    theme = look.colours
    copy = deepcopy({"data": list(figure["data"]), "layout": figure["layout"]})
    for number, trace in enumerate(copy["data"]):
        trace["uid"] = f"t{number}"  # random otherwise, and part of the SVG
    layout = copy["layout"]
    layout["template"] = {"layout": _ground(theme, FACES[look.font].css)}
    layout |= NO_GROUND
    for side in ("width", "height"):
        layout.pop(side, None)
    if theme is not PRINT:
        return copy
    for number, trace in enumerate(copy["data"]):
        _distinguished(trace, number)
    return _in_greys(copy)


def _ground(theme: Theme, family: str) -> dict:
    axis = {
        "gridcolor": theme.line, "linecolor": theme.muted, "zerolinecolor": theme.line, "tickcolor": theme.line,
        "automargin": True, "title": {"font": {"color": theme.muted}}, "tickfont": {"color": theme.muted},
    }  # fmt: skip
    font = {"family": family, "size": 13, "color": theme.ink}
    return {"font": font, "xaxis": axis, "yaxis": axis, "colorway": list(theme.heads)}


def _distinguished(trace: dict, number: int) -> None:
    """Gives a trace its dash, symbol or hatching, where the figure has not chosen one."""
    if trace.get("type") == "bar":
        marker = trace.setdefault("marker", {})
        marker.setdefault("pattern", {"shape": HATCHING[number % len(HATCHING)], "fgcolor": "#000000", "solidity": 0.25})
        marker.setdefault("line", {"color": "#000000", "width": 0.6})
    elif trace.get("type", "scatter") == "scatter" and "lines" in trace.get("mode", "lines"):
        trace.setdefault("line", {}).setdefault("dash", DASHES[number % len(DASHES)])
        if "markers" in trace.get("mode", ""):
            trace.setdefault("marker", {}).setdefault("symbol", SIGNS[number % len(SIGNS)])


def _in_greys(part: Any) -> Any:
    """Every colour below as a grey; the app's own scales as the print theme's."""
    if isinstance(part, dict):
        return {key: _scale(value) if key == "colorscale" else _in_greys(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_in_greys(value) for value in part]
    return grey(part) if isinstance(part, str) else part


def _scale(colours: Any) -> Any:
    if isinstance(colours, str):
        return colours
    kind = SCALES.get(tuple(colour for _, colour in colours))
    return stops(getattr(PRINT, kind)) if kind else [[at, grey(colour)] for at, colour in colours]


def grey(text: str) -> str:
    """A colour without its hue: a chosen grey for the charts' colours, an equally light one for others. Other text stays."""
    if text.lower() in GREYS:
        return GREYS[text.lower()]
    if re.fullmatch(r"#[0-9a-fA-F]{6}", text):
        parts, rest = [int(text[i : i + 2], 16) for i in (1, 3, 5)], ""
    elif match := re.fullmatch(r"rgba?\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*([\d.]+)\s*)?\)", text):
        parts, rest = [int(part) for part in match.groups()[:3]], match[4] or ""
    else:
        return text
    light = round(0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2])
    return f"rgba({light},{light},{light},{rest})" if rest else f"#{light:02x}{light:02x}{light:02x}"


IMAGE = re.compile(r'<image\b[^>]*?xlink:href="data:image/png;base64,([^"]+)"[^>]*?/?>(?:</image>)?')


def tidied(svg: str, figure: dict, look: Look, name: str) -> str:
    """The content of Plotly's <svg>: its ids derived from `name`, its cells as rectangles unless there are too many."""
    uid = re.search(r'id="defs-([0-9a-f]+)"', svg)
    if uid:
        svg = svg.replace(uid[1], name)
    inner = re.sub(r"^.*?<svg[^>]*>|</svg>\s*$", "", svg, flags=re.S)
    maps = list(_heatmaps(figure))
    if sum(z.size for z, _ in maps) > MOST_VECTOR_CELLS or len(IMAGE.findall(inner)) != len(maps):
        return inner
    waiting = iter(maps)
    return IMAGE.sub(lambda image: _cells(image, *next(waiting), look), inner)


def cell_count(figure: dict) -> int:
    """Cells of the figure's heatmaps."""
    return sum(z.size for z, _ in _heatmaps(figure))


def _heatmaps(figure: dict) -> Iterator[tuple[np.ndarray, dict]]:
    """Values from the top left of the screen, and the trace, in the order in which Plotly draws: by axes, then by trace."""

    def order(trace: dict) -> tuple[int, int]:
        across, up = (int(trace.get(axis, "")[1:] or 1) for axis in ("xaxis", "yaxis"))
        return across, up

    layout = figure["layout"]
    for trace in sorted((t for t in figure["data"] if t.get("type") == "heatmap"), key=order):
        z, across, up = matrix_of(trace["z"]), axis_of(trace, "x", layout), axis_of(trace, "y", layout)
        yield z[:, :: -1 if _turned(across) else 1][:: 1 if _turned(up) else -1], trace


def _turned(axis: dict) -> bool:
    low, high = axis.get("range", (0, 1))
    return axis.get("autorange") == "reversed" or low > high


def _cells(image: re.Match, z: np.ndarray, trace: dict, look: Look) -> str:
    """A rectangle in the picture's own colour for every cell that has one; in print a bar where the number is negative."""
    from PIL import Image  # imported late: only exported figures need it

    spot = {key: float(value) for key, value in re.findall(r'\b(x|y|width|height)="([-\d.]+)"', image[0])}
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(image[1]))).convert("RGBA"))
    rows, cols = z.shape
    wide, high = spot["width"] / cols, spot["height"] / rows
    apart = min(wide, high) >= 5  # as in components/figures/svg.py: between smaller cells a gap would hide too much
    across, down = (min(trace.get(gap, 0), wide * 0.3) if apart else 0 for gap in ("xgap", "ygap"))
    rects: list[str] = []
    bars: dict[str, list[str]] = {"#000": [], "#fff": []}
    for (r, c), value in np.ndenumerate(z):
        red, green, blue, solid = (int(v) for v in pixels[_middle(r, rows, len(pixels)), _middle(c, cols, pixels.shape[1])])
        if np.isnan(value) or solid == 0:
            continue
        x, y = spot["x"] + c * wide, spot["y"] + r * high
        clear = f' fill-opacity="{px(solid / 255)}"' if solid < 255 else ""
        box = Rect(x + across / 2, y + down / 2, wide - across, high - down)
        rects.append(f'<rect {place(box)} fill="#{red:02x}{green:02x}{blue:02x}"{clear}/>')
        if value < 0 and look.colours is PRINT:
            on = "#000" if red > 140 or solid < 128 else "#fff"
            bars[on].append(f"M{px(x + wide * 0.2)} {px(y + high / 2)}h{px(wide * 0.6)}")
    return f"<g>{''.join(rects + strokes(bars, bar_height(min(wide, high))))}</g>"


def _middle(place: int, count: int, pixels: int) -> int:
    return min(int((place + 0.5) * pixels / count), pixels - 1)
