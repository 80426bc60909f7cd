"""Places the panels of a scene on a page of a given width. assets/stage/2_arrange.js computes the same places in the browser.
Tests compare the results of both programs with tests/stage/golden/placements.json."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TypeVar

from headcount.stage.scene import Block, Curve, Length, Link, Panel, Scene, Text
from headcount.stage.text import LAYOUT, scale_end, width_of, wrap

PAGE, PANEL, CAPTION, CELL = (LAYOUT[name] for name in ("page", "panel", "caption", "cell"))
TOKEN, STRIP, EDGE, TINT, LINK, CURVE = (LAYOUT[name] for name in ("token", "strip", "edge", "tint", "link", "curve"))
T = TypeVar("T")
Rows = Sequence[Sequence[Panel]]
Point = tuple[float, float]
PlacedLink = tuple[str, Point, Point]
#: Pixels between two labels side by side, and a small cell size. Labels that fit with small cells also fit with larger ones.
APART, SMALL_CELL = LAYOUT["words"]["apart"], LAYOUT["words"]["small_cell"]


@dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle in pixels. `x` and `y` are its upper left corner."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A scene after layout, in pixels. `frames`, `blocks`, `texts` and `curves` have each part of the scene with its place."""

    cell: float
    width: float
    height: float
    frames: tuple[tuple[Panel, Rect], ...]
    blocks: tuple[tuple[Block, Rect], ...]
    texts: tuple[tuple[Text, float, float], ...]
    curves: tuple[tuple[Curve, tuple[Point, ...]], ...]
    links: tuple[PlacedLink, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A label of a row or column, in pixels. `y` is the middle of its letters. `x` is its start, middle or end (see `anchor`)."""

    text: str
    x: float
    y: float
    size: float
    anchor: str


def panel_width(panel: Panel, cell: float) -> float:
    return max(panel.width.at(cell), panel.least_px)


def columns_of(rows: Rows, cell: float) -> tuple[float, ...]:
    """Returns the width of each column of panels in pixels. Rows with fewer panels than the longest row do not count."""
    most = max(map(len, rows))
    full = [row for row in rows if len(row) == most]
    return tuple(max(panel_width(panel, cell) for panel in column) for column in zip(*full, strict=True))


def table_width(rows: Rows, apart: float, cell: float) -> float:
    """Returns the width of a table of panels in pixels. `apart`: pixels between two columns. `cell`: size of a cell in pixels."""
    columns = columns_of(rows, cell)
    alone = [panel_width(row[0], cell) for row in rows if len(row) == 1]
    return max(sum(columns) + apart * (len(columns) - 1), *alone, 0.0)


def beside_width(panel: Panel | None, cell: float) -> float:
    """Returns the width in pixels of the panel at the left of a table, including the gap after the panel; 0 without a panel."""
    return panel_width(panel, cell) + PANEL["beside"] if panel else 0.0


def largest_cell(rows: Rows, apart: float, width: float, most: float, beside: Panel | None = None) -> float:
    """Finds nearly the largest cell size, at most `most`, with which all columns and the panel `beside` fit `width` pixels."""
    low, high = CELL["least"], most
    whole = lambda cell: table_width(rows, apart, cell) + beside_width(beside, cell)  # noqa: E731
    if whole(most) <= width:
        return most
    for _ in range(CELL["halvings"]):
        middle = (low + high) / 2
        low, high = (middle, high) if whole(middle) <= width else (low, middle)
    return high


def cell_size(scene: Scene, rows: Rows, width: float) -> float:
    """Returns the cell size in pixels for a scene without a narrow layout. With this size, the first row has as many panels side
    by side as stay legible. If slightly smaller cells keep another row in one line, cells are that small."""
    cell = float(scene.max_cell)
    legible = min(scene.min_cell, scene.max_cell) * CELL["legible"]
    fitting = lambda line: largest_cell([line], PANEL["between"], width, scene.max_cell)  # noqa: E731
    for place, row in enumerate(rows):
        fit = 0.0
        for count in range(len(row) if place == 0 else 1, 0, -1):
            fit = min(fitting(row[i : i + count]) for i in range(0, len(row), count))
            if fit >= legible:
                break
        cell = min(cell, fit)
    for row in rows[1:]:
        whole = fitting(row)
        cell = min(cell, whole) if whole >= cell * CELL["spares_a_line"] else cell
    return cell


def extra_space(columns: Sequence[float], apart: float, width: float) -> float:
    """Returns the pixels (at most PANEL["extra"]) to add to each gap of a line so that the line fills more of `width`."""
    gaps = len(columns) - 1
    return min(PANEL["extra"], max(0.0, width - sum(columns) - apart * gaps) / gaps) if gaps else PANEL["extra"]


def text_width(text: Text, face: str) -> float:
    return width_of(text.text, text.size, face, text.role == "strong")


def left_of(text: Text, x: float, wide: float) -> float:
    return x - {"start": 0.0, "middle": wide / 2, "end": wide}[text.anchor]


def on_page(text: Text, x: float, width: float, face: str) -> float:
    """Returns the x nearest to `x` at which a label can be anchored so that all of it is on a page of `width` pixels."""
    wide = text_width(text, face)
    before = x - left_of(text, x, wide)
    return max(before, min(x, width - wide + before))


def side_by_side(texts: Sequence[Text], cell: float) -> list[list[Text]]:
    """Groups the labels of a panel into lines of text, from top to bottom. Labels of nearly the same height are in one line."""
    groups: list[list[Text]] = []
    for text in sorted(texts, key=lambda text: text.y.at(cell)):
        if groups and text.y.at(cell) - groups[-1][-1].y.at(cell) < LAYOUT["words"]["same_line"] * text.size:
            groups[-1].append(text)
        else:
            groups.append([text])
    return groups


def room_for_words(panel: Panel, face: str, most: float, small: float) -> Panel:
    """Returns the panel with a least width at which its labels do not overlap. `most`: largest such width in pixels. `small`:
    pixels of a small cell. Labels that fit with small cells also fit with larger ones."""
    sums = [sum(text_width(text, face) + APART for text in group) - APART for group in side_by_side(panel.texts, small)]
    return replace(panel, least_px=min(max([panel.least_px, *sums]), most))


def labels(panel: Panel, left: float, top: float, frame: Rect, cell: float, face: str) -> Iterator[tuple[Text, float, float]]:
    """Yields each label of a panel with its place in pixels. Labels that leave the frame or touch are moved sideways."""
    moved = {}
    for group in side_by_side(panel.texts, cell):
        wanted = ((left_of(t, left + t.x.at(cell), wide := text_width(t, face)), wide, t) for t in group)
        spans = sorted(wanted, key=lambda span: span[0])
        starts, least, most = [], frame.x, frame.x + frame.w
        for start, wide, _ in spans:
            starts.append(max(start, least))
            least = starts[-1] + wide + APART
        for i in range(len(spans) - 1, -1, -1):
            starts[i] = min(starts[i], most - spans[i][1])
            most = starts[i] - APART
        moved |= {text: now - start for now, (start, _, text) in zip(starts, spans, strict=True)}
    for text in panel.texts:
        yield text, left + text.x.at(cell) + moved[text], top + text.y.at(cell)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of panels side by side, in pixels. `columns` has the columns' widths, `top` is the upper edge, `tall` the height,
    and `apart` the gap. `above` has each line of the caption with its distance from the top of the page."""

    panels: tuple[Panel, ...]
    columns: tuple[float, ...]
    above: tuple[tuple[str, float], ...]
    top: float
    tall: float
    apart: float


def arranged(scene: Scene, width: float, face: str) -> tuple[float, list[Line], float, Panel | None, bool]:
    """Arranges the panels of a scene in lines. If `scene.rows` do not fit with cells of `min_cell`, `scene.narrow` replaces them.
    Returns the cell size, the lines, the height, the panel at the left, and whether `scene.narrow` is used."""
    inner, is_table = width - 2 * PAGE["edge"], bool(scene.narrow)
    small = max(SMALL_CELL, scene.min_cell) if is_table else SMALL_CELL
    roomy = lambda rows: [[room_for_words(panel, face, inner, small) for panel in row] for row in rows]  # noqa: E731
    rows, apart, below = roomy(scene.rows), PANEL["columns" if is_table else "between"], PANEL["table" if is_table else "line"]
    beside = room_for_words(scene.beside, face, inner, small) if scene.beside else None
    cell = largest_cell(rows, apart, inner, scene.max_cell, beside) if is_table else cell_size(scene, rows, inner)
    too_wide = table_width(rows, apart, cell) + beside_width(beside, cell) > inner + 0.5 if is_table else False
    if is_narrow := is_table and (cell < scene.min_cell or too_wide):
        rows, apart, below, beside = roomy(scene.narrow), PANEL["narrow"], PANEL["narrow"], None
        cell = largest_cell(rows, apart, inner, scene.max_cell)
    cell = int(cell * 2 + 0.02) / 2 if cell > CELL["halves_above"] else cell
    lines, y, gap = [], float(PAGE["edge"]), 0.0
    for number, row in enumerate(rows):
        above = []
        if caption := scene.captions[number] if scene.captions else "":
            for part in wrap(caption, inner, CAPTION["size"], face):
                above.append((part, y + CAPTION["baseline"]))
                y += CAPTION["line"]
            y += CAPTION["below"]
        broken = [row] if is_table else in_lines(row, partial(panel_width, cell=cell), inner + 0.5, apart)
        columns = [columns_of(rows if is_table else [line], cell) for line in broken]
        spare = inner - beside_width(beside, cell)
        extra = min(extra_space(each, apart, spare) for each in columns)  # one for all lines, so that panels form columns
        for line, wide in zip(broken, columns, strict=True):
            tall = max(panel.height.at(cell) for panel in line)
            lines.append(Line(tuple(line), wide, tuple(above), y, tall, apart + extra))
            gap = PANEL["heading"] if is_table and len(line) < len(wide) else below
            y, above = y + tall + gap, []
    high = max(y - gap, PAGE["edge"] + beside.height.at(cell) if beside else 0)
    return cell, lines, high + PAGE["foot"], beside, is_narrow


def linked(links: Sequence[Link], frames: Sequence[tuple[Panel, Rect]]) -> Iterator[PlacedLink]:
    """Yields the text, the upper end and the lower end of each link between panels in `frames`. A link goes from the lower edge
    of the first panel to the upper edge of the second."""
    places = {panel.id: rect for panel, rect in frames}
    for link in links:
        if link.first in places:
            one, other = places[link.first], places[link.second]
            x = min(one.x + one.w / 2, other.x + other.w / 2)
            yield link.text, (x, one.y + one.h), (x, other.y)


def place(scene: Scene, width: float, face: str = "sans") -> Placed:
    """Places a scene on a page of `width` pixels. `face` is the font of its labels."""
    cell, lines, height, beside, is_narrow = arranged(scene, width, face)
    outset = PANEL["narrow" if is_narrow else "columns"] / 2 - 1 if scene.narrow else 0
    # Whole pixels, so that equal matrices in two panels cover equally many of them.
    whole = lambda pixels: math.floor(pixels + 0.5)  # noqa: E731
    frames, blocks, texts, curves = [], [], [], []
    if beside:
        lines = [Line((beside,), (panel_width(beside, cell),), (), float(PAGE["edge"]), beside.height.at(cell), 0), *lines]
    for line in lines:
        edge = float(PAGE["edge"])
        x = edge + (beside_width(beside, cell) if line.panels[0] is not beside else 0)
        texts += [(Text(part, Length(), Length(), CAPTION["size"], "ink", "start"), edge, y) for part, y in line.above]
        for panel, column in zip(line.panels, line.columns, strict=False):
            wide, high = panel_width(panel, cell), panel.height.at(cell)
            spare = 0 if panel is beside else (wide - panel.width.at(cell)) / 2
            left, top = whole(x) + whole(spare), line.top + (line.tall - high if panel.low else 0)
            out = outset if panel.go else 0
            frame = Rect(whole(x), top, wide, high)
            out_left, out_right = max(frame.x - out, 1), min(frame.x + wide + out, width - 1)
            frames.append((panel, replace(frame, x=out_left, w=out_right - out_left) if out else frame))
            blocks += [(b, Rect(left + b.x.at(cell), top + b.y.at(cell), b.w * cell, b.h * cell)) for b in panel.blocks]
            texts += labels(panel, left, top, frame, cell, face)
            curves += [(c, tuple((left + x.at(cell), top + y.at(cell)) for x, y in c.points)) for c in panel.curves]
            x += column + line.apart
    links = () if is_narrow else tuple(linked(scene.links, frames))
    return Placed(cell, width, height, tuple(frames), tuple(blocks), tuple(texts), tuple(curves), links)


def along(points: Sequence[Point], t: float) -> Point:
    """Returns the point at the fraction `t` of a curve. Two points make a straight line, four points a cubic Bézier curve."""
    if len(points) == 2:
        shares: tuple[float, ...] = (1 - t, t)
    else:
        shares = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
    x, y = (sum(share * point[side] for share, point in zip(shares, points, strict=True)) for side in (0, 1))
    return x, y


def cell_sides(block: Block, rect: Rect) -> tuple[float, float]:
    return rect.w / block.cols, rect.h / block.rows


def cell_gap(wide: float, high: float) -> float:
    """Returns the gap between two cells in pixels. Small cells have no gap, because the gap would hide them."""
    return CELL["gap"] if min(wide, high) >= CELL["gap_from"] else 0


def scale_ends(scale: str, top: float) -> tuple[str, str]:
    """Returns the labels at the lower and the upper end of a colour scale. `top` is the upper end of a signed scale."""
    return ("0", "1") if scale == "share" else (f"−{scale_end(top)}", f"+{scale_end(top)}")


def in_lines(items: Iterable[T], wide: Callable[[T], float], width: float, apart: float) -> list[list[T]]:
    """Breaks items into lines of at most `width` pixels, with gaps of `apart` pixels. A wider item has a line of its own."""
    lines: list[list[T]] = []
    for item in items:
        if lines and sum(wide(other) + apart for other in lines[-1]) + wide(item) <= width:
            lines[-1].append(item)
        else:
            lines.append([item])
    return lines


def lines_of(block: Block, rect: Rect) -> list[Rect]:
    """Returns the lines of a block as thin rectangles: its outline, its cuts, and the lines between heads of a sheet. The lines
    take no room from the cells, so a matrix covers the same pixels whether it is cut or whole."""
    thick, gap = EDGE["outline"], cell_gap(*cell_sides(block, rect))
    top, right, bottom, left = block.edges
    x, y = rect.x - (thick if left == "o" else gap), rect.y - (thick if top == "o" else gap)
    wide = rect.x + max(rect.w, 1) - gap + (thick if right == "o" else 0) - x
    tall = rect.y + max(rect.h, 1) - gap + (thick if bottom == "o" else 0) - y
    across, down = (min(EDGE["cut"], length * EDGE["share"]) for length in (rect.w, rect.h))
    lines = {
        "top o": Rect(x, y, wide, thick),
        "right o": Rect(x + wide - thick, y, thick, tall),
        "bottom o": Rect(x, y + tall - thick, wide, thick),
        "left o": Rect(x, y, thick, tall),
        "top c": Rect(x, rect.y - (gap + down) / 2, wide, down),
        "left c": Rect(rect.x - (gap + across) / 2, y, across, tall),
    }
    sides = {f"top {top}", f"right {right}", f"bottom {bottom}", f"left {left}"}
    bands = [piece for piece in bands_of(block, rect)[1:] if piece.w >= TINT["cut_from"]]
    between = [Rect(piece.x - (gap + 1) / 2, y, 1, tall) for piece in bands]
    return [line for side, line in lines.items() if side in sides] + between


def bands_of(block: Block, rect: Rect) -> list[Rect]:
    """Returns the rectangle of each head's slice of a sheet (a block with `bands`). Returns an empty list for any other block."""
    wide = rect.w / max(block.bands, 1)
    return [Rect(rect.x + head * wide, rect.y, wide, rect.h) for head in range(block.bands)]


def strip_of(block: Block, rect: Rect) -> Rect | None:
    """Returns the rectangle of the strip in a head's colour, above a block or at its left. Returns None for a block without a
    strip. If there is room, the strips of neighbours have a gap between them."""
    if block.hue is None or not block.strip:
        return None
    thick, gap = EDGE["outline"], cell_gap(*cell_sides(block, rect))
    before, after = (block.edges[3], block.edges[1]) if block.strip == "top" else (block.edges[0], block.edges[2])
    start, length = (rect.x, max(rect.w, 1)) if block.strip == "top" else (rect.y, max(rect.h, 1))
    apart = 0 if length < STRIP["tight_below"] else STRIP["apart"]
    low = start - (thick if before == "o" else (gap - apart) / 2)
    high = start + length - gap + (thick if after == "o" else (gap - apart) / 2)
    if block.strip == "top":
        return Rect(low, rect.y - STRIP["off"], high - low, STRIP["thick"])
    return Rect(rect.x - STRIP["off"], low, STRIP["thick"], high - low)


def tokens(block: Block, rect: Rect) -> Iterator[Token]:
    """Yields the labels of a block's rows and of the column `block.hit`. If several rows have labels but are too low for them,
    the rows' labels are left out."""
    wide, high = cell_sides(block, rect)
    off = TOKEN["beside_strip" if block.strip == "left" and block.hue is not None else "beside"]
    if sum(map(bool, block.row_labels)) == 1 or high >= TOKEN["cell_from"]:
        for i, label in enumerate(block.row_labels):
            yield Token(label, rect.x - off, rect.y + (i + 0.5) * high, TOKEN["size"], "end")
    if block.hit is not None:
        x, y = rect.x + (block.hit + 0.5) * wide, rect.y + rect.h + off + 2
        yield Token(block.col_labels[block.hit], x, y, TOKEN["size"], "middle")


def legible(placed: Placed, scene: Scene, face: str, least: float) -> bool:
    """Returns whether a placed scene is legible. Row labels must have `least` pixels, and no labels may overlap. Labels of heads
    must be near their intended places, and no attention map may be small."""
    for block, rect in placed.blocks:
        if sum(token.size >= least - 0.01 for token in tokens(block, rect)) < len(block.row_labels):
            return False
    return _stand(placed, face) and _apart(placed, face) and _read(placed, scene)


#: Least pixels of the longer side of an attention map, and most pixels between a head's label and its place.
LEAST_MAP, ASIDE = 32, 12


def _stand(placed: Placed, face: str) -> bool:
    """Returns whether each head's label is near its intended place: at most ASIDE pixels away, or half its width if more."""
    for (panel, frame), texts in _by_panel(placed):
        left = frame.x + round((panel_width(panel, placed.cell) - panel.width.at(placed.cell)) / 2)
        for text, x, _ in texts:
            wide = text_width(text, face)
            if text.hue is not None and abs(x - left - text.x.at(placed.cell)) > max(ASIDE, wide / 2):
                return False
    return True


def _apart(placed: Placed, face: str) -> bool:
    """Returns whether no two labels overlap. A label reaches from 0.7 of its font size above the baseline to 0.2 below."""
    boxes = []
    for text, x, y in placed.texts:
        wide = text_width(text, face)
        left = left_of(text, on_page(text, x, placed.width, face), wide)
        boxes.append((left, y - 0.7 * text.size, left + wide, y + 0.2 * text.size))
    return not any(a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3] for a, b in combinations(boxes, 2))


def _by_panel(placed: Placed) -> Iterator[tuple[tuple[Panel, Rect], Sequence[tuple[Text, float, float]]]]:
    own = [one for one in placed.texts if one[0].x != Length() or one[0].size != CAPTION["size"]]
    for panel, frame in placed.frames:
        yield (panel, frame), [one for one in own if one[0] in panel.texts and frame.x - 1 <= one[1] <= frame.x + frame.w + 1]


def _read(placed: Placed, scene: Scene) -> bool:
    maps = [
        max(rect.w, rect.h)
        for block, rect in placed.blocks
        if block.grid and min(block.rows, block.cols) > 1 and scene.grids[block.grid].scale in ("score", "share")
    ]
    return min(maps, default=LEAST_MAP) >= LEAST_MAP
