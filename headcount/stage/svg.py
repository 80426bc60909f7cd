"""Drawing of a scene as SVG. Labels become text, and cells become rectangles or images. The same scene gives the same bytes."""

import io
import math
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from html import escape

import numpy as np

from headcount.names import as_share, decimals
from headcount.stage import layout
from headcount.stage.layout import CELL, CURVE, LINK, TINT, TOKEN, Placed, PlacedLink, Point, Rect, Token
from headcount.stage.scene import Block, Curve, Grid, Length, Scene, Text
from headcount.stage.text import LAYOUT, LOWERED, RAISED, SMALLER, pieces, width_of
from headcount.stage.theme import PRINT, Theme, head_colour, text_colour, tint

#: Pixels between the diagonal strokes of a masked cell, and their thickness.
STROKES, THICK = LAYOUT["strokes"]["apart"], LAYOUT["strokes"]["thick"]


def px(value: float) -> str:
    """Formats a number of pixels for SVG, with at most two decimals."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def place(rect: Rect) -> str:
    return f'x="{px(rect.x)}" y="{px(rect.y)}" width="{px(rect.w)}" height="{px(rect.h)}"'


@cache
def stops(theme: Theme, scale: str) -> np.ndarray:
    """Returns the evenly spaced colours of a colour scale as an array of shape (colours, 3), with numbers from 0 to 255."""
    colours: tuple[str, ...] = getattr(theme, scale if scale in ("share", "pale") else "signed")
    return np.array([[*bytes.fromhex(colour[1:])] for colour in colours], dtype=float)


def colours_of(values: np.ndarray, scale: str, top: float, theme: Theme) -> np.ndarray:
    """Returns the colours of `values` as uint8 (…, 3). Scales end at `top`. "share" and "pale" begin at 0, others at -`top`."""
    share = np.nan_to_num(values / top if scale in ("share", "pale") else 0.5 + values / (2 * top))
    known = stops(theme, scale)
    at = np.linspace(0, 1, len(known))
    return np.stack([np.interp(share, at, known[:, part]) for part in range(3)], axis=-1).round().astype(np.uint8)


def shades(block: Block, values: np.ndarray, scale: str, top: float, theme: Theme) -> np.ndarray:
    """Returns the colours of a block's cells as uint8 of shape (rows, columns, 3). In a sheet (a block with `bands`), a larger
    number has a stronger shade of the head's colour."""
    if not block.bands:
        rgb = colours_of(values, scale, top, theme)
        if block.pale and theme.pale:
            rgb[[*block.pale]] = colours_of(values[[*block.pale]], "pale", top, theme)
        return rgb
    ends = ([band_tint(block, head, TINT[end], theme) for head in range(block.bands)] for end in ("low", "high"))
    low, high = (np.array([[*bytes.fromhex(colour[1:])] for colour in colours], float) for colours in ends)
    head = np.arange(values.shape[1]) * block.bands // values.shape[1]
    share = (0.5 + values / (2 * top))[..., None]
    return (low[head] + (high - low)[head] * share).round().astype(np.uint8)


def band_tint(block: Block, head: int, share: float, theme: Theme) -> str:
    """Returns the tint of slice `head` (0-based) of a sheet, with the strength `share`. The tint of a pale head is fainter."""
    return tint(theme, (block.hue or 0) + head, share * (TINT["pale"] if head in block.pale else 1))


def number_is_dark(rgb: np.ndarray) -> np.ndarray:
    """Returns for each colour (uint8, last axis 3) whether black is easier to read on it than white (nearly as in WCAG)."""
    return (rgb / 255) ** 2 @ (0.21, 0.72, 0.07) > CELL["dark_ink_above"]


def values_of(block: Block, grid: Grid) -> np.ndarray:
    return grid.values[block.row : block.row + block.rows, block.col : block.col + block.cols]


def has_bars(scale: str, theme: Theme) -> bool:
    """Returns whether bars mark negative numbers: in print, for signed scales, because both ends of such a scale are dark."""
    return theme is PRINT and scale != "share"


def cells(block: Block, rect: Rect, grid: Grid, top: float, ink: "Ink", size: float) -> str:
    """Returns the SVG of a block's cells. `size` is the font size of numbers in cells (0: no numbers). Numbers without room are
    left out. A block with a `look` always has numbers."""
    values, theme = values_of(block, grid), ink.theme
    wide, high = layout.cell_sides(block, rect)
    gap = layout.cell_gap(wide, high)
    rgb = shades(block, values, grid.scale, top, theme)
    if ink.least == math.inf and not block.look:
        return _image(rgb, np.isnan(values), rect)
    dark = number_is_dark(rgb)
    drawn, masked, bars, numbers = [], [], {"#000000": [], "#ffffff": []}, []
    imaged = ink.images and not block.look and not (block.pale and not theme.pale) and block.rows > 1 and values.size >= IMAGED
    if imaged:
        ground = theme.lift if block.bands else theme.background
        drawn = [_image(rgb, np.isnan(values), rect), *strokes({ground: [squares(block, rect)]}, CELL["gap"])]
    written = size > 0 and grid.pool == 1 and wide >= CELL["number_width"] and high >= CELL["number_height"]
    least = CELL["drawn_least"]
    spelt = partial(as_share, places=2) if grid.scale == "share" else decimals
    # Plain Python numbers and texts from here on: the loop runs for each of thousands of cells, and NumPy scalars are slow.
    colours, (rows, cols) = rgb.tolist(), values.shape
    lower = dict.fromkeys(block.pale, high / 4) if not theme.pale else {}
    lefts, tops = [px(rect.x + c * wide) for c in range(cols)], [px(rect.y + r * high + lower.get(r, 0)) for r in range(rows)]
    across, tall = px(max(wide - gap, least)), high - gap
    for (r, c), value in zip(np.ndindex(values.shape), values.ravel().tolist(), strict=True):
        x, y = rect.x + c * wide, rect.y + r * high
        if math.isnan(value):
            masked.append(hatch(x, y, wide - 1, high - 1))
            continue
        if block.look:
            drawn.append(_bar(value, Rect(x, y, wide, high), theme) if block.look == "bar" else "")
            text = as_share(value) if grid.scale == "share" else decimals(value)
            at = f'x="{px(x + wide - 4)}" y="{px(y + high / 2 + CELL["number_size"] * 0.35)}" font-size="{CELL["number_size"]}"'
            numbers.append(f'<text {at} text-anchor="end" fill="{theme.ink}">{text}</text>')
            continue
        red, green, blue = colours[r][c]
        sides = f'width="{across}" height="{px(max(tall - 2 * lower.get(r, 0), least))}"'
        if not imaged:
            drawn.append(f'<rect x="{lefts[c]}" y="{tops[r]}" {sides} fill="#{red:02x}{green:02x}{blue:02x}"/>')
        on = "#000000" if dark[r, c] else "#ffffff"
        if written:
            at = f'x="{px(x + wide / 2)}" y="{px(y + high / 2 + size * 0.35)}"'
            numbers.append(f'<text {at} font-size="{size}" text-anchor="middle" fill="{on}">{spelt(value)}</text>')
        elif value < 0 and not block.bands and has_bars(grid.scale, theme):
            bars[on].append(f"M{px(x + wide * 0.2)} {px(y + (high - gap) / 2)}h{px((wide - gap) * 0.6)}")
    thick = max((high - gap) * 0.13, 0.15)  # in small cells a bar must not hide the grey
    drawn += strokes(bars, thick) + strokes({theme.muted: masked}, THICK)
    return "".join(drawn + numbers)


def _image(rgb: np.ndarray, masked: np.ndarray, rect: Rect) -> str:
    from PIL import Image  # imported late: only exported figures need it

    file = io.BytesIO()
    clear = np.dstack([rgb, np.where(masked, 0, 255).astype(np.uint8)]) if masked.any() else rgb
    Image.fromarray(clear).save(file, "PNG")
    data = f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
    return f'<image {place(rect)} preserveAspectRatio="none" image-rendering="pixelated" href="{data}"/>'


def squares(block: Block, rect: Rect) -> str:
    """Returns an SVG path of the lines between a sheet's squares. Returns "" if they are too small or in one row."""
    wide, high = layout.cell_sides(block, rect)
    if not layout.cell_gap(wide, high) or block.rows < 2:
        return ""
    down = (f"M{px(rect.x + wide * c - 0.5)} {px(rect.y)}v{px(rect.h)}" for c in range(1, block.cols))
    across = (f"M{px(rect.x)} {px(rect.y + high * r - 0.5)}h{px(rect.w)}" for r in range(1, block.rows))
    return "".join((*down, *across))


def _bar(share: float, rect: Rect, theme: Theme) -> str:
    """Returns the SVG of an attention weight as a bar on a background. There is room at the right for the number."""
    long, high = rect.w - LAYOUT["bar"]["number"], rect.h * LAYOUT["bar"]["high"]
    bars = ((1.0, theme.share[0]), (share, theme.share[-1]))
    places = (Rect(rect.x, rect.y + (rect.h - high) / 2, long * part, high) for part, _ in bars)
    return "".join(f'<rect {place(one)} fill="{fill}"/>' for one, (_, fill) in zip(places, bars, strict=True))


def strokes(paths: Mapping[str, Sequence[str]], thick: float) -> list[str]:
    """Returns SVG of lines of `thick` pixels. `paths` has path data for each colour."""
    return [f'<path d="{"".join(d)}" stroke="{on}" stroke-width="{px(thick)}" fill="none"/>' for on, d in paths.items() if any(d)]


def hatch(x: float, y: float, w: float, h: float) -> str:
    """Returns SVG path data of the diagonal strokes that mark a masked cell."""
    lines, start = [], -h
    while start < w:
        left, right = max(start, 0), min(start + h, w)
        if right > left:
            lines.append(f"M{px(x + left)} {px(y + h + start - left)}L{px(x + right)} {px(y + h + start - right)}")
        start += STROKES
    return "".join(lines)


#: Cells of a colour scale in the legend, their side in pixels, and pixels between two scales.
SWATCHES, SWATCH, APART = 9, 9, 24
#: Number of cells from which an image takes fewer bytes than rectangles.
IMAGED = 16


@dataclass(frozen=True, slots=True)
class Ink:
    """The style of a drawn picture. `least` is the smallest font size in pixels. Smaller numbers in cells are enlarged to `least`
    if they then fit, and left out if not. Smaller row labels are left out. An infinite `least` is for thumbnails, which draw
    cells as images. `images` draws most large blocks as images, to save bytes."""

    theme: Theme
    face: str = "sans"
    least: float = 0.0
    images: bool = False


def draw(scene: Scene, placed: Placed, ink: Ink) -> str:
    """Returns the SVG of a placed scene, without the `<svg>` tag. The stage draws parts in the same order, from back to front."""
    chosen = (Rect(rect.x + 0.5, rect.y + 0.5, rect.w - 1, rect.h - 1) for panel, rect in placed.frames if panel.on)
    parts = [_frame(rect, 10, ink.theme.lift, ink.theme.ink, 2) for rect in chosen]
    parts += [_block(scene, block, rect, ink) for block, rect in placed.blocks]
    parts += [_curve(curve, points, ink) for curve, points in placed.curves]
    parts += [_ring(curve, points, ink) for curve, points in placed.curves if curve.label]
    for text, x, y in placed.texts:
        parts += [_mark(text, x, y, ink)] if text.mark == "frame" else []
        at, fill = layout.on_page(text, x, placed.width, ink.face), text_colour(ink.theme, text.role, text.hue)
        parts.append(line(text.text, at, y, text.size, ink, fill=fill, anchor=text.anchor, bold=text.role == "strong"))
    parts += [_link(link, ink) for link in placed.links]
    return "\n".join(parts)


#: Dash patterns that distinguish the curves of heads in a theme with one colour for all.
DASHES = ("none", "7 3", "2 2.5", "9 3 2 3", "14 4", "4 6", "12 3 2 3 2 3", "1 4")


def _curve(curve: Curve, points: Sequence[Point], ink: Ink) -> str:
    first, *others = (f"{px(x)} {px(y)}" for x, y in points)
    colour = ink.theme.ink if curve.hue is None else ink.theme.lift if curve.hue < 0 else head_colour(ink.theme, curve.hue)
    seen = f' opacity="{CURVE["faded"]}"' if curve.faded else ""
    turn = DASHES[max(curve.hue or 0, 0) % len(DASHES)] if len(ink.theme.head_text) == 1 else "none"
    dashed = "" if turn == "none" else f' stroke-dasharray="{turn}"'
    stroke = f'stroke="{colour}" stroke-width="{px(curve.thick)}" stroke-linecap="{"butt" if dashed else "round"}"{dashed}{seen}'
    drawn = f'<path d="M{first}{"C" if len(points) > 2 else "L"}{" ".join(others)}" fill="none" {stroke}/>'
    x, y = first.split()
    return drawn + (f'<circle cx="{x}" cy="{y}" r="{CURVE["dot"]}" fill="{colour}"/>' if curve.dot else "")


def _ring(curve: Curve, points: Sequence[Point], ink: Ink) -> str:
    (x, y), size = layout.along(points, curve.along), CURVE["size"]
    colour = ink.theme.ink if curve.hue is None else head_colour(ink.theme, curve.hue)
    fill = text_colour(ink.theme, "strong", curve.hue)
    seen = CURVE["faded"] if curve.faded else 1
    around = f'cx="{px(x)}" cy="{px(y)}" r="{CURVE["ring"]}" fill="{ink.theme.lift}" stroke="{colour}" stroke-opacity="{seen}"'
    drawn, more = f'<circle {around} stroke-width="1.75"/>', f' opacity="{seen}"' if curve.faded else ""
    return drawn + line(curve.label, x, y + size * 0.34, size, ink, fill=fill, anchor="middle", bold=True, more=more)


def _mark(text: Text, x: float, y: float, ink: Ink) -> str:
    wide, (beside, above, below) = layout.text_width(text, ink.face), CURVE["frame"]
    left = layout.left_of(text, x, wide) - beside
    around = Rect(left, y - above * text.size, wide + 2 * beside, (above + below) * text.size)
    return _frame(around, 6, ink.theme.lift, ink.theme.ink, 1.75)


def _link(link: PlacedLink, ink: Ink) -> str:
    text, (x0, y0), (x1, y1) = link
    x, y, tall = (x0 + x1) / 2, (y0 + y1) / 2, LINK["tall"]
    wide = max(width_of(text, LINK["size"], ink.face, bold=True) + LINK["beside"], tall)
    drawn = f'<path d="M{px(x0)} {px(y0)}L{px(x1)} {px(y1)}" stroke="{ink.theme.ink}" stroke-width="1.5"/>'
    frame = _frame(Rect(x - wide / 2, y - tall / 2, wide, tall), tall / 2, ink.theme.lift, ink.theme.ink, 1.5)
    words = line(text, x, y + LINK["size"] * 0.34, LINK["size"], ink, fill=ink.theme.ink, anchor="middle", bold=True)
    return drawn + frame + words


def _visible(rect: Rect) -> Rect:
    return Rect(rect.x, rect.y, max(rect.w, 1), max(rect.h, 1))


def _frame(rect: Rect, radius: float, fill: str, stroke: str, width: float) -> str:
    return f'<rect {place(_visible(rect))} rx="{px(radius)}" fill="{fill}" stroke="{stroke}" stroke-width="{px(width)}"/>'


def _block(scene: Scene, block: Block, rect: Rect, ink: Ink) -> str:
    hue = None if block.hue is None else head_colour(ink.theme, block.hue)
    grid = scene.grids[block.grid] if block.grid else None
    if grid is None and block.bands:
        body = "".join(f'<rect {place(_visible(piece))} fill="{band_tint(block, head, TINT["even"], ink.theme)}"/>'
                       for head, piece in enumerate(layout.bands_of(block, rect)))  # fmt: skip
        body += "".join(strokes({ink.theme.lift: [squares(block, rect)]}, CELL["gap"]))
    elif grid is None:
        colour = ink.theme.warn if block.warn else hue or ink.theme.muted
        clear = CELL["ghost" if block.faded and hue is None else "empty"]
        body = f'<rect {place(_visible(rect))} fill="{colour}" opacity="{clear}"/>'
        if block.warn:
            body += "".join(strokes({colour: [hatch(rect.x, rect.y, rect.w, rect.h)]}, THICK))
    else:
        wide = rect.w / block.cols
        size = round(min(max(CELL["number_size"], wide * CELL["number_growth"]), wide / CELL["number_share"]), 2)
        if size < ink.least - 0.01:
            size = ink.least if _have_room(values_of(block, grid), wide, ink) else 0.0
        ground = f'<rect {place(rect)} fill="{ink.theme.lift}"/>' if block.bands else ""
        body = ground + cells(block, rect, grid, scene.end_of(grid.scale), ink, size)
    seen = f' opacity="{CELL["faded"]}"' if block.faded and (grid or hue) else ""
    edge = _edge(block, rect, hue, ink.theme)
    tokens = layout.tokens(block, rect)
    labels = "".join(_token(token, ink) for token in tokens if token.size >= ink.least - 0.01)
    return f"<g{seen}><title>{escape(block.title)}</title>{body}{edge}{labels}</g>"


def _have_room(values: np.ndarray, wide: float, ink: Ink) -> bool:
    seen = values[np.isfinite(values)]
    longest = max((decimals(value) for value in (seen.min(), seen.max())), key=len) if seen.size else ""
    return width_of(longest, ink.least, ink.face) <= wide - 2


def _edge(block: Block, rect: Rect, hue: str | None, theme: Theme) -> str:
    boxes = (f"M{px(one.x)} {px(one.y)}h{px(one.w)}v{px(one.h)}h{px(-one.w)}z" for one in layout.lines_of(block, rect))
    lines = f'<path d="{"".join(boxes)}" fill="{theme.ink}"/>'
    strip = layout.strip_of(block, rect)
    return lines if strip is None else f'{lines}<rect {place(strip)} fill="{hue}"/>'


def _token(token: Token, ink: Ink) -> str:
    more = ""
    if width_of(token.text, token.size, ink.face) > TOKEN["longest"]:
        more = f' textLength="{TOKEN["longest"]}" lengthAdjust="spacingAndGlyphs"'
    y, muted = token.y + token.size / 3, ink.theme.muted
    return line(token.text, token.x, y, token.size, ink, fill=muted, anchor=token.anchor, more=more)


def line(
    text: str, x: float, y: float, size: float, ink: Ink, *, fill: str, anchor: str = "start", bold: bool = False, more: str = ""
) -> str:
    """Returns the SVG of one line of text. Subscripts and superscripts are parts of one text element, so the text can be
    searched. If a program (Inkscape, LibreOffice) replaces the font, a text of several letters keeps its width."""
    spans, off, text = [], 0.0, re.sub(" {2,}", lambda match: "\u00a0" * len(match[0]), text)
    parts = _slanted(text) if ink.face == "serif" else [(part, how, False) for part, how in pieces(text)]
    for part, how, slants in parts:
        wanted, its = {"": 0.0, "_": LOWERED, "^": RAISED}[how] * size, size * (SMALLER if how else 1)
        shift = f' dy="{px(wanted - off)}"' if wanted != off else ""
        small = f' font-size="{px(its)}"' if how else ""
        # LibreOffice would give each span the length of the whole text, so each span has a length of its own.
        wide = _as_wide(part, its, ink, bold) if len(parts) > 1 else ""
        small += ' font-style="italic"' if slants else ""
        spans.append(f"<tspan{shift}{small}{wide}>{escape(part)}</tspan>" if shift or small or wide else escape(part))
        off = wanted
    weight = ' font-weight="600"' if bold else ""
    at = "" if anchor == "start" else f' text-anchor="{anchor}"'
    place = f'x="{px(x)}" y="{px(y)}" font-size="{px(size)}"'
    more += _as_wide(text, size, ink, bold) if len(text) > 1 and "textLength" not in more else ""
    return f'<text {place}{weight}{at} fill="{fill}"{more}>{"".join(spans)}</text>'


#: Single letters that the paper sets in italics: matrices, and h.
ALONE = re.compile(r"(?<![\w.])([XQKVZh])(?![\w.])")


def _slanted(text: str) -> list[tuple[str, str, bool]]:
    """Splits a label into parts: text, position ("", "_" or "^"), italic or not. Symbols are italic, as in the paper."""
    parts, found = pieces(text), []
    for place, (part, how) in enumerate(parts):
        if how:
            found.append((part, how, len(part) == 1 and part.isalpha()))
            continue
        base = re.search(r"(?<![A-Za-z])[A-Za-z]{1,2}$", part) if place + 1 < len(parts) else None
        before = part[: base.start()] if base else part
        found += [(one, "", bool(ALONE.fullmatch(one))) for one in ALONE.split(before) if one]
        found += [(base[0], "", True)] if base else []
    return found


def _as_wide(text: str, size: float, ink: Ink, bold: bool) -> str:
    return f' textLength="{px(width_of(text, size, ink.face, bold))}" lengthAdjust="spacingAndGlyphs"'


def legend(scene: Scene, ink: Ink, width: float, size: float = 12) -> list[str]:
    """Returns the legend as lines of SVG at y = 0 that fit `width`. A single line is at the right, several begin at the left."""
    items: list[tuple[str, float]] = []
    for kind in scene.scales:
        scale, means = _scale(scene, kind, ink, size), _means(scene, kind, ink, size)
        whole = (scale[0] + _moved(means[0], scale[1] + 8), scale[1] + 8 + means[1]) if means else scale
        items += [whole] if whole[1] <= width or means is None else [scale, means]
    lines = layout.in_lines(items, lambda item: item[1], width, APART)
    drawn = []
    for line_items in lines:
        x, parts = 0.0 if len(lines) > 1 else max(width - sum(wide + APART for _, wide in line_items) + APART, 0), []
        for item, wide in line_items:
            parts.append(_moved(item, x))
            x += wide + APART
        drawn.append("".join(parts))
    return drawn


def _scale(scene: Scene, kind: str, ink: Ink, size: float) -> tuple[str, float]:
    top = scene.end_of(kind)
    name, (low, high) = scene.named.get(kind) or LAYOUT["scale_names"][kind], layout.scale_ends(kind, top)
    # The ends are anchored at the strip. If an editor substitutes a wider font, they grow away from the strip.
    before = width_of(name, size, ink.face) + 16 + width_of(low, size, ink.face)
    strip, after = Rect(before + 8, 0.5 - SWATCH, SWATCHES * SWATCH, SWATCH), before + 8 + SWATCHES * SWATCH + 7
    colours = Grid(np.linspace(0.0 if kind == "share" else -top, top, SWATCHES, dtype=np.float32)[None, :], kind)
    block = Block("legend", kind, Length(), Length(), 1, SWATCHES)
    parts = (
        line(name, 0, 0, size, ink, fill=ink.theme.muted),
        line(low, before, 0, size, ink, fill=ink.theme.muted, anchor="end"),
        cells(block, strip, colours, top, ink, 0),
        line(high, after, 0, size, ink, fill=ink.theme.muted),
    )
    return "".join(parts), after + width_of(high, size, ink.face)


def _means(scene: Scene, kind: str, ink: Ink, size: float) -> tuple[str, float] | None:
    """Returns the SVG of the remark that a cell is a mean, and its width. Returns None if each cell is one number."""
    pool = max(grid.pool for grid in scene.grids.values() if grid.scale == kind)
    text = f"(a cell is the mean of {pool} × {pool})"
    return (line(text, 0, 0, size, ink, fill=ink.theme.muted), width_of(text, size, ink.face)) if pool > 1 else None


def _moved(item: str, x: float) -> str:
    return f'<g transform="translate({px(x)} 0)">{item}</g>'
