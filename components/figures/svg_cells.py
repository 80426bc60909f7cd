"""Cells as vectors: a rectangle each while they are few, and one picture for a block where they are too many."""

import base64
import io
from functools import cache

import numpy as np

from components.figures.flow import Rect
from components.figures.scene import Block, Grid
from components.theme import PRINT, Theme

#: Cells of a figure that are drawn as rectangles (some 60 bytes each); a figure with more has its cells in pictures.
MOST_VECTOR_CELLS = 12_000
#: Distance of a masked cell's strokes, in pixels.
STROKES = 5


def short(value: float) -> str:
    """A length with at most two decimals, as few letters as can be."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


@cache
def stops(theme: Theme, scale: str) -> np.ndarray:
    """The evenly spaced colours of a scale, (stops, 3)."""
    colours = theme.share if scale == "share" else theme.signed
    return np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours], dtype=float)


def colours_of(values: np.ndarray, scale: str, top: float, theme: Theme) -> np.ndarray:
    """Each value's colour, uint8 (…, 3): shares run from 0 to `top`, all else is centred on 0; NaN means nothing."""
    share = np.nan_to_num(values / top if scale == "share" else 0.5 + values / (2 * top))
    known = stops(theme, scale)
    at = np.linspace(0, 1, len(known))
    return np.stack([np.interp(share, at, known[:, part]) for part in range(3)], axis=-1).round().astype(np.uint8)


def values_of(block: Block, grid: Grid) -> np.ndarray:
    return grid.values[block.r0 : block.r0 + block.rows, block.c0 : block.c0 + block.cols]


def is_written(block: Block, rect: Rect, grid: Grid) -> bool:
    """Whether the cells are large enough to hold their numbers."""
    return rect.w / block.cols >= 26 and rect.h / block.rows >= 16 and grid.pool == 1


def has_bars(scale: str, theme: Theme) -> bool:
    """Whether a bar says that a number is negative: in print, both ends of the signed scale are dark."""
    return theme is PRINT and scale != "share"


def bar_height(high: float) -> float:
    """Of the bar over a negative number in a cell so high: in small cells it must not hide the grey below it."""
    return max(high * 0.13, 0.15)


def cells(block: Block, rect: Rect, grid: Grid, top: float, theme: Theme, words: dict[str, str]) -> str:
    """The block's cells, and their numbers where there is room. `words`: attributes of the numbers' type."""
    values = values_of(block, grid)
    wide, high = rect.w / block.cols, rect.h / block.rows
    gap = 1 if min(wide, high) >= 5 else 0
    rgb = colours_of(values, grid.scale, top, theme)
    drawn, masked, bars, numbers = [], [], {"#000": [], "#fff": []}, []
    written = is_written(block, rect, grid)
    for (r, c), value in np.ndenumerate(values):
        x, y = rect.x + c * wide, rect.y + r * high
        if np.isnan(value):
            masked.append(hatch(x, y, wide - 1, high - 1))
            continue
        red, green, blue = (int(part) for part in rgb[r, c])
        drawn.append(
            f'<rect x="{short(x)}" y="{short(y)}" width="{short(max(wide - gap, 0.6))}" height="{short(max(high - gap, 0.6))}" '
            f'fill="#{red:02x}{green:02x}{blue:02x}"/>'
        )
        on = "#000" if red * 0.3 + green * 0.59 + blue * 0.11 > 140 else "#fff"
        if written:
            text = f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
            place = f'x="{short(x + wide / 2)}" y="{short(y + high / 2 + words["size"] * 0.35)}"'
            numbers.append(f'<text {place} font-size="{words["size"]}" text-anchor="middle" fill="{on}">{text}</text>')
        elif value < 0 and has_bars(grid.scale, theme):
            bars[on].append(f"M{short(x + wide * 0.2)} {short(y + (high - gap) / 2)}h{short((wide - gap) * 0.6)}")
    thick = short(bar_height(high - gap))
    drawn += [f'<path d="{"".join(d)}" stroke="{on}" stroke-width="{thick}" fill="none"/>' for on, d in bars.items() if d]
    if masked:
        drawn.append(f'<path d="{"".join(masked)}" stroke="{theme.muted}" stroke-width="0.7" fill="none"/>')
    return "".join(drawn + numbers)


def hatch(x: float, y: float, w: float, h: float) -> str:
    """Diagonal strokes that end at the cell's edges: a masked cell is no number, not even 0."""
    strokes = []
    start = -h
    while start < w:
        left, right = max(start, 0), min(start + h, w)
        if right > left:
            strokes.append(
                f"M{short(x + left)} {short(y + h - (left - start))}L{short(x + right)} {short(y + h - (right - start))}"
            )
        start += STROKES
    return "".join(strokes)


def picture(block: Block, rect: Rect, grid: Grid, top: float, theme: Theme) -> str:
    """The block's cells as one embedded PNG, a pixel each (three by three where bars say what is negative); masked: clear."""
    from PIL import Image  # only who takes a figure away waits for it

    values = values_of(block, grid)
    rgb = colours_of(values, grid.scale, top, theme)
    clear = np.where(np.isnan(values), 0, 255).astype(np.uint8)
    if has_bars(grid.scale, theme):
        rgb, clear = (np.repeat(np.repeat(part, 3, axis=0), 3, axis=1) for part in (rgb, clear))
        middle = rgb[1::3]
        dark = middle.mean(axis=-1, keepdims=True) < 140
        negative = np.repeat(values < 0, 3, axis=1)[..., None]
        rgb[1::3] = np.where(negative, np.where(dark, 255, 0), middle)
    made = io.BytesIO()
    Image.fromarray(np.dstack([rgb, clear])).save(made, "PNG", optimize=True)
    data = base64.b64encode(made.getvalue()).decode()
    return (
        f'<image x="{short(rect.x)}" y="{short(rect.y)}" width="{short(rect.w)}" height="{short(rect.h)}" '
        f'preserveAspectRatio="none" style="image-rendering:pixelated" xlink:href="data:image/png;base64,{data}"/>'
    )
