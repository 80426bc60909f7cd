"""A scene as vectors: text stays text, a cell is a rectangle, a frame is a frame. The same scene gives the same bytes."""

import base64
import io
import re
from dataclasses import dataclass
from functools import cache
from html import escape

import numpy as np

from components.figures.layout import (
    CELL,
    TOKEN,
    Placed,
    Rect,
    Token,
    cell_gap,
    is_tight,
    is_written,
    left_of,
    number_size,
    strip_of,
    text_width,
    tokens,
)
from components.figures.scene import Block, Grid, Length, Panel, Scene, Text
from components.figures.text import LAYOUT, LOWERED, RAISED, SMALLER, pieces, width_of
from components.figures.theme import PRINT, Theme, head_colour
from mha.names import LABELS

#: Cells of a figure that are drawn as rectangles (some 60 bytes each); a figure with more has its cells in pictures.
MOST_VECTOR_CELLS = 12_000
#: Distance of a masked cell's strokes, in pixels.
STROKES = LAYOUT["strokes"]


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


def has_bars(scale: str, theme: Theme) -> bool:
    """Whether a bar says that a number is negative: in print, both ends of the signed scale are dark."""
    return theme is PRINT and scale != "share"


def bar_height(high: float) -> float:
    """Of the bar over a negative number in a cell so high: in small cells it must not hide the grey below it."""
    return max(high * 0.13, 0.15)


def cells(block: Block, rect: Rect, grid: Grid, top: float, theme: Theme, size: float) -> str:
    """The block's cells, and their numbers where there is room. `size`: pixels of the numbers' type."""
    values = values_of(block, grid)
    wide, high = rect.w / block.cols, rect.h / block.rows
    gap = cell_gap(wide, high)
    rgb = colours_of(values, grid.scale, top, theme)
    drawn, masked, bars, numbers = [], [], {"#000": [], "#fff": []}, []
    written, least = is_written(block, rect, grid), CELL["drawn_least"]
    for (r, c), value in np.ndenumerate(values):
        x, y = rect.x + c * wide, rect.y + r * high
        if np.isnan(value):
            masked.append(hatch(x, y, wide - 1, high - 1))
            continue
        red, green, blue = (int(part) for part in rgb[r, c])
        extent = f'width="{short(max(wide - gap, least))}" height="{short(max(high - gap, least))}"'
        drawn.append(f'<rect x="{short(x)}" y="{short(y)}" {extent} fill="#{red:02x}{green:02x}{blue:02x}"/>')
        on = "#000" if red * 0.3 + green * 0.59 + blue * 0.11 > CELL["dark_ink_above"] else "#fff"
        if written:
            text = f"{value:.2f}".replace("-0.00", "0.00").replace("-", "−")
            place = f'x="{short(x + wide / 2)}" y="{short(y + high / 2 + size * 0.35)}"'
            numbers.append(f'<text {place} font-size="{size}" text-anchor="middle" fill="{on}">{text}</text>')
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


SCALE_NAMES = {"weight": "weights", "signed": "values", "score": "scores", "share": "attention"}
#: Cells of a legend's strip, and their side in pixels; pixels between two scales.
SWATCHES, SWATCH, APART = 9, 9, 24


@dataclass(frozen=True, slots=True)
class Ink:
    """With which colours and letters."""

    theme: Theme
    face: str = "sans"


def cell_count(scene: Scene) -> int:
    """How many cells the scene draws, copies counted."""
    return sum(block.rows * block.cols for block in scene.blocks if block.grid)


def is_vector(scene: Scene) -> bool:
    """Whether every cell is a rectangle; otherwise blocks are embedded pictures (frames and words stay vectors)."""
    return cell_count(scene) <= MOST_VECTOR_CELLS


def draw(scene: Scene, placed: Placed, ink: Ink) -> str:
    """Everything of a placed scene, below each other as the stage draws it."""
    vector = is_vector(scene)
    made = [_panel(panel, rect, ink) for panel, rect in placed.frames if panel.go]
    made += [_block(scene, block, rect, ink, vector) for block, rect in placed.blocks]
    made += [words(text, _inside(text, x, placed.width, ink), y, ink) for text, x, y in placed.texts]
    return "\n".join(made)


def _panel(panel: Panel, rect: Rect, ink: Ink) -> str:
    fill, stroke, width = (ink.theme.lift, ink.theme.ink, 2) if panel.on else ("none", ink.theme.line, 1)
    return _frame(Rect(rect.x + 0.5, rect.y + 0.5, rect.w - 1, rect.h - 1), 10, fill, stroke, width)


def _frame(rect: Rect, radius: float, fill: str, stroke: str, width: float) -> str:
    return (
        f'<rect x="{short(rect.x)}" y="{short(rect.y)}" width="{short(max(rect.w, 1))}" height="{short(max(rect.h, 1))}" '
        f'rx="{short(radius)}" fill="{fill}" stroke="{stroke}" stroke-width="{short(width)}"/>'
    )


def _block(scene: Scene, block: Block, rect: Rect, ink: Ink, vector: bool) -> str:
    hue = None if block.hue is None else head_colour(ink.theme, block.hue)
    name = LABELS.get(block.name, block.name) + ("" if block.head is None else f" of head {block.head + 1}")
    grid = scene.grids[block.grid] if block.grid else None
    if grid is None:
        body = (
            f'<rect x="{short(rect.x)}" y="{short(rect.y)}" width="{short(max(rect.w, 1))}" height="{short(max(rect.h, 1))}" '
            f'fill="{hue or ink.theme.muted}" opacity="0.16"/>'
        )
    elif vector:
        size = round(number_size(rect.w / block.cols), 2)
        body = cells(block, rect, grid, scene.tops.get(grid.scale, 1.0), ink.theme, size)
    else:
        body = picture(block, rect, grid, scene.tops.get(grid.scale, 1.0), ink.theme)
    seen = ' opacity="0.22"' if block.faded else ""
    edge, labels = _edge(block, rect, hue, ink), "".join(_token(token, ink) for token in tokens(block, rect, ink.face))
    return f"<g{seen}><title>{escape(name)}</title>{body}{edge}{labels}</g>"


def _edge(block: Block, rect: Rect, hue: str | None, ink: Ink) -> str:
    """A thin frame around a block; that of a head in its hue, with a strip."""
    box = Rect(rect.x - 1.5, rect.y - 1.5, rect.w + 2, rect.h + 2)
    made = "" if is_tight(block, rect) else _frame(box, 2.5, "none", hue or ink.theme.line, 1.5 if hue else 1)
    if (strip := strip_of(block, rect)) is None:
        return made
    place = f'x="{short(strip.x)}" y="{short(strip.y)}" width="{short(strip.w)}" height="{short(strip.h)}"'
    return f'{made}<rect {place} fill="{hue}"/>'


def _token(token: Token, ink: Ink) -> str:
    """A token; one that is wider than its room is squeezed into it, as on the stage."""
    more = f' transform="rotate(-{TOKEN["turn"]} {short(token.x)} {short(token.y)})"' if token.slanted else ""
    if width_of(token.text, token.size, ink.face) > TOKEN["longest"]:
        more += f' textLength="{TOKEN["longest"]}" lengthAdjust="spacingAndGlyphs"'
    y = token.y + token.size / 3
    return line(token.text, token.x, y, token.size, ink, fill=ink.theme.muted, anchor=token.anchor, more=more)


def _inside(text: Text, x: float, width: float, ink: Ink) -> float:
    """A word at the edge stays on the page."""
    wide = text_width(text, ink.face)
    before = x - left_of(text, x, wide)
    return max(before, min(x, width - wide + before))


def words(text: Text, x: float, y: float, ink: Ink) -> str:
    """A scene's label in its role and hue."""
    theme = ink.theme
    fill = theme.muted if text.role == "muted" else theme.ink
    if text.hue is not None:
        fill = theme.head_text[text.hue % len(theme.head_text)]
    return line(text.text, x, y, text.size, ink, fill=fill, anchor=text.anchor, bold=text.role == "strong")


def line(
    text: str, x: float, y: float, size: float, ink: Ink, *, fill: str, anchor: str = "start", bold: bool = False, more: str = ""
) -> str:
    """One line of type; lowered and raised parts are spans of the same text, so that it can be searched and edited."""
    spans, off, text = [], 0.0, re.sub(" {2,}", lambda found: "\u00a0" * len(found[0]), text)
    for part, how in pieces(text):
        wanted = {"": 0.0, "_": LOWERED, "^": RAISED}[how] * size
        shift = f' dy="{short(wanted - off)}"' if wanted != off else ""
        small = f' font-size="{short(size * SMALLER)}"' if how else ""
        spans.append(f"<tspan{shift}{small}>{escape(part)}</tspan>" if shift or small else escape(part))
        off = wanted
    weight = ' font-weight="600"' if bold else ""
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    place = f'x="{short(x)}" y="{short(y)}" font-size="{short(size)}"'
    return f'<text {place}{weight}{at} fill="{fill}"{more}>{"".join(spans)}</text>'


def legend(scene: Scene, ink: Ink, width: float, size: float = 12) -> list[str]:
    """What the colours mean, a strip for each kind of number as it is drawn in the cells: lines no wider than `width`, each from
    x = 0 (one line alone ends at `width`) with its words on y = 0."""
    lines: list[list[tuple[str, float]]] = []
    for kind in dict.fromkeys(grid.scale for grid in scene.grids.values()):
        scale, means = _scale(scene, kind, ink, size), _means(scene, kind, ink, size)
        whole = (scale[0] + _moved(means[0], scale[1] + 8), scale[1] + 8 + means[1]) if means else scale
        for item in [whole] if whole[1] <= width or means is None else [scale, means]:
            if lines and sum(wide + APART for _, wide in lines[-1]) + item[1] <= width:
                lines[-1].append(item)
            else:
                lines.append([item])
    made = []
    for items in lines:
        x, parts = 0.0 if len(lines) > 1 else max(width - sum(wide + APART for _, wide in items) + APART, 0), []
        for item, wide in items:
            parts.append(_moved(item, x))
            x += wide + APART
        made.append("".join(parts))
    return made


def _scale(scene: Scene, kind: str, ink: Ink, size: float) -> tuple[str, float]:
    """One scale's name, ends and strip; and how wide that is."""
    top, share = scene.tops.get(kind, 1.0), kind == "share"
    name, low, high = SCALE_NAMES[kind], "0" if share else f"−{top:.2f}", "1" if share else f"+{top:.2f}"
    # The ends are anchored at the strip: where an editor takes a wider font, they grow away from it.
    before = width_of(name, size, ink.face) + 16 + width_of(low, size, ink.face)
    strip, after = before + 8, before + 8 + SWATCHES * SWATCH + 7
    made = (
        line(name, 0, 0, size, ink, fill=ink.theme.muted),
        line(low, before, 0, size, ink, fill=ink.theme.muted, anchor="end"),
        _strip(kind, top, ink, strip, 0.5 - SWATCH),
        line(high, after, 0, size, ink, fill=ink.theme.muted),
    )
    return "".join(made), after + width_of(high, size, ink.face)


def _means(scene: Scene, kind: str, ink: Ink, size: float) -> tuple[str, float] | None:
    """What a cell stands for where it is a mean; and how wide those words are."""
    pool = max(grid.pool for grid in scene.grids.values() if grid.scale == kind)
    text = f"(a cell is the mean of {pool} × {pool})"
    return (line(text, 0, 0, size, ink, fill=ink.theme.muted), width_of(text, size, ink.face)) if pool > 1 else None


def _moved(item: str, x: float) -> str:
    return f'<g transform="translate({short(x)} 0)">{item}</g>'


def _strip(kind: str, top: float, ink: Ink, x: float, y: float) -> str:
    low = 0.0 if kind == "share" else -top
    grid = Grid(np.linspace(low, top, SWATCHES, dtype=np.float32)[None, :], kind)
    block = Block("legend", kind, Length(), Length(), 1, SWATCHES)
    return cells(block, Rect(x, y, SWATCHES * SWATCH, SWATCH), grid, top, ink.theme, 0)
