"""Plotly's SVG made fit for a sheet: the same bytes every time, and heatmaps' cells as rectangles instead of a picture."""

import base64
import io
import re
from collections.abc import Iterator

import numpy as np
from PIL import Image

from components.export.look import Look
from components.figures.svg_cells import MOST_VECTOR_CELLS, bar_height, short
from components.theme import PRINT

IMAGE = re.compile(r'<image\b[^>]*?xlink:href="data:image/png;base64,([^"]+)"[^>]*?/?>(?:</image>)?')


def tidied(svg: str, figure: dict, look: Look, name: str) -> str:
    """What is inside Plotly's <svg>, its ids derived from `name`, cells as rectangles while there are not too many."""
    uid = re.search(r'id="defs-([0-9a-f]+)"', svg)
    if uid:
        svg = svg.replace(uid[1], name)
    inner = re.sub(r"^.*?<svg[^>]*>|</svg>\s*$", "", svg, flags=re.S)
    maps = list(_heatmaps(figure))
    if sum(z.size for z, _ in maps) > MOST_VECTOR_CELLS or len(IMAGE.findall(inner)) != len(maps):
        return inner
    waiting = iter(maps)
    return IMAGE.sub(lambda found: _cells(found, *next(waiting), look), inner)


def cell_count(figure: dict) -> int:
    """Cells of the figure's heatmaps."""
    return sum(z.size for z, _ in _heatmaps(figure))


def _heatmaps(figure: dict) -> Iterator[tuple[np.ndarray, dict]]:
    """Values as they lie on the screen, and the trace, in the order in which Plotly draws: axes by their number, then traces."""

    def order(trace: dict) -> tuple[int, int]:
        return tuple(int(trace.get(axis, "")[1:] or 1) for axis in ("xaxis", "yaxis"))

    layout = figure["layout"]
    for trace in sorted((t for t in figure["data"] if t.get("type") == "heatmap"), key=order):
        z = np.array([[np.nan if v is None else v for v in row] for row in trace["z"]], dtype=float)
        across, up = (layout.get(trace.get(f"{a}axis", a).replace(a, f"{a}axis", 1), {}) for a in "xy")
        yield z[:, :: -1 if _turned(across) else 1][:: 1 if _turned(up) else -1], trace


def _turned(axis: dict) -> bool:
    low, high = axis.get("range", (0, 1))
    return axis.get("autorange") == "reversed" or low > high


def _cells(found: re.Match, z: np.ndarray, trace: dict, look: Look) -> str:
    """A rectangle in the picture's own colour for every cell that has one; in print a bar where the number is negative."""
    place = {key: float(re.search(rf'\b{key}="([-\d.]+)"', found[0])[1]) for key in ("x", "y", "width", "height")}
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(found[1]))).convert("RGBA"))
    rows, cols = z.shape
    wide, high = place["width"] / cols, place["height"] / rows
    apart = min(wide, high) >= 5  # as in components/figures/svg_cells.py: between smaller cells a gap would hide too much
    across, down = (min(trace.get(gap, 0), wide * 0.3) if apart else 0 for gap in ("xgap", "ygap"))
    made, bars = [], {"#000": [], "#fff": []}
    for (r, c), value in np.ndenumerate(z):
        red, green, blue, solid = (int(v) for v in pixels[_middle(r, rows, len(pixels)), _middle(c, cols, pixels.shape[1])])
        if np.isnan(value) or solid == 0:
            continue
        x, y = place["x"] + c * wide, place["y"] + r * high
        clear = f' fill-opacity="{short(solid / 255)}"' if solid < 255 else ""
        made.append(
            f'<rect x="{short(x + across / 2)}" y="{short(y + down / 2)}" width="{short(wide - across)}" '
            f'height="{short(high - down)}" fill="#{red:02x}{green:02x}{blue:02x}"{clear}/>'
        )
        if value < 0 and look.colours is PRINT:
            on = "#000" if red > 140 or solid < 128 else "#fff"
            bars[on].append(f"M{short(x + wide * 0.2)} {short(y + high / 2)}h{short(wide * 0.6)}")
    thick = short(bar_height(min(wide, high)))
    made += [f'<path d="{"".join(d)}" stroke="{on}" stroke-width="{thick}" fill="none"/>' for on, d in bars.items() if d]
    return f"<g>{''.join(made)}</g>"


def _middle(place: int, count: int, pixels: int) -> int:
    return min(int((place + 0.5) * pixels / count), pixels - 1)
