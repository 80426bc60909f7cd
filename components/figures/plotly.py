"""A scene as one Plotly figure: all that the stage shows at rest, in the same places; a cell's arithmetic as hover text.

Few traces, whatever the number of heads: a heatmap for each matrix by name and row of panels, one trace of words and numbers,
one of cells that can be chosen. Frames, strips and hatching are one shape for each colour.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from components.figures import layout
from components.figures.layout import CELL, TOKEN, Placed, Rect, place
from components.figures.scene import Block, Panel, Scene, Text
from components.figures.svg import STROKES, colours_of, hatch, number_ink, px, values_of
from components.figures.text import pieces, two_decimals, width_of
from components.figures.theme import CLEAR, LIGHT, NO_GROUND, Theme, head_colour, stops, text_colour
from mha.explain import CHOSEN, Cell
from mha.names import LABELS, decimals

#: Most cells that a click can choose, and most that have their arithmetic as hover text: more would make the page slow.
MOST_CHOSEN, MOST_IN_SHORT = 64 * 64, 1024
#: Strokes of a figure's hatching: where there are more masked cells the strokes stand farther apart.
MOST_STROKES = 6000
#: Pixels: a line of the legend, between two scales, a scale's strip, and between its parts.
LEGEND, SCALES_APART, STRIP, STRIP_HIGH, PARTS_APART = 22, 26, 84, 9, 7
#: Narrower, a finger that moves over the picture scrolls the page.
NARROW = 640
#: A cell's arithmetic in a few words, or None where there is nothing to add to its value.
InShort = Callable[[Cell], str | None]


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of type at a place: `x` by its anchor, `y` its middle."""

    text: str
    x: float
    y: float
    size: float
    colour: str
    anchor: str = "middle"
    bold: bool = False


def draw(
    scene: Scene, width: float = 940, theme: Theme = LIGHT, in_short: InShort | None = None, chosen: Cell | None = None
) -> dict:
    """A plain figure, `width` pixels wide. `chosen`: a cell to mark, with what it comes from."""
    placed = place(scene, width)
    rows = rows_of(scene, placed)
    words = [label(text, x, y, placed.width, theme) for text, x, y in placed.texts]
    for block, rect in placed.blocks:
        if block.grid:
            words += numbers(block, rect, scene, theme)
        words += row_labels(block, rect, theme)
    strips, named, high = legend(scene, placed, theme)
    words += named
    height, axis = placed.height + high, {"visible": False, "fixedrange": width < NARROW}
    return {
        "data": [*heatmaps(scene, rows, theme), *strips, typed(words), *choosable(scene, placed, in_short)],
        "layout": {
            "width": width,
            "height": height,
            "margin": {"l": 0, "r": 0, "t": 0, "b": 0, "pad": 0},
            "xaxis": {"range": [0, width], **axis},
            "yaxis": {"range": [height, 0], **axis},
            "shapes": [*frames(placed, theme), *masked(scene, placed, theme), *marks(scene, placed, chosen, theme)],
            "annotations": column_labels(placed, theme),
            **NO_GROUND,
            "hovermode": "closest",
            "hoverdistance": 2,
            "dragmode": False if width < NARROW else "zoom",
            "showlegend": False,
        },
    }


def rows_of(scene: Scene, placed: Placed) -> list[list[tuple[Block, Rect]]]:
    """The placed blocks by row of panels: a row's cells share edges, so that one heatmap holds many matrices."""
    rest, rows = list(placed.blocks), []
    for row in scene.rows:
        count = sum(len(panel.blocks) for panel in row)
        rows.append(rest[:count])
        rest = rest[count:]
    return rows


def heatmaps(scene: Scene, rows: Sequence[Sequence[tuple[Block, Rect]]], theme: Theme) -> Iterator[dict]:
    """One for each matrix by name and row of panels, however many heads and copies it is drawn for."""
    for row in rows:
        groups: dict[tuple, list[tuple[Block, Rect]]] = defaultdict(list)
        for block, rect in row:
            if block.grid:
                grid = scene.grids[block.grid]
                key = (grid.scale, grid.pool, block.name, block.head is None, block.faded, block.turned)
                groups[key].append((block, rect))
        for blocks in groups.values():
            yield heatmap(scene, blocks, theme)


def heatmap(scene: Scene, blocks: Sequence[tuple[Block, Rect]], theme: Theme) -> dict:
    """Many matrices as one: the edges of all cells across and down, and nothing (NaN) where no matrix is."""
    first, grid = blocks[0][0], scene.grid_of(blocks[0][0])
    across = [np.linspace(rect.x, rect.x + rect.w, block.cols + 1).round(2) for block, rect in blocks]
    down = [np.linspace(rect.y, rect.y + rect.h, block.rows + 1).round(2) for block, rect in blocks]
    xs, ys = np.unique(np.concatenate(across)), np.unique(np.concatenate(down))
    z = np.full((len(ys) - 1, len(xs) - 1), np.nan, np.float32)
    names = np.zeros((*z.shape, 3), np.int16)  # row, column and head, counted from 1
    for (block, _), x, y in zip(blocks, across, down, strict=True):
        values = values_of(block, scene.grid_of(block))
        wide, high = (np.repeat(np.arange(len(a) - 1), np.diff(np.searchsorted(b, a))) for a, b in ((x, xs), (y, ys)))
        spot = np.ix_(np.searchsorted(ys, y[0]) + np.arange(len(high)), np.searchsorted(xs, x[0]) + np.arange(len(wide)))
        z[spot] = values[np.ix_(high, wide)]
        first_row, first_col = (0, 0) if block.head is not None else (block.row, block.col)
        row, col = np.meshgrid(high + first_row + 1, wide + first_col + 1, indexing="ij")
        names[spot] = np.stack([col, row, row] if block.turned else [row, col, col], axis=-1)
        names[(*spot, 2)] = (block.head or 0) + 1
    gap = min(layout.cell_gap(*layout.cell_sides(block, rect)) for block, rect in blocks)
    name = escape(LABELS.get(first.name, first.name)) + ("" if first.head is None else " of head %{customdata[2]}")
    place = ", row %{customdata[0]}, column %{customdata[1]}" if grid.pool == 1 else f": mean of {grid.square}"
    return {
        "type": "heatmap", "name": LABELS.get(first.name, first.name), "x": xs, "y": ys, "z": z, "customdata": names,
        **colours(grid.scale, scene.end_of(grid.scale), theme), "xgap": gap, "ygap": gap, "opacity": opacity(first),
        "hoverongaps": False, "hovertemplate": f"{name}{place} = %{{z:.3f}}<extra></extra>",
    }  # fmt: skip


def colours(scale: str, top: float, theme: Theme) -> dict:
    """A heatmap's colours for numbers of a scale (scene.py: Grid) that ends at `top`."""
    low, hues = (0, theme.share) if scale == "share" else (-top, theme.signed)
    return {"zmin": low, "zmax": top, "colorscale": stops(hues), "showscale": False}


def opacity(block: Block) -> float:
    return CELL["faded"] if block.faded else 1


def label(text: Text, x: float, y: float, width: float, theme: Theme) -> Word:
    """A scene's label in its role and hue, kept on the page as on the stage. `y`: its base line."""
    bold, colour = text.role == "strong", text_colour(theme, text.role, text.hue)
    x = layout.on_page(text, x, width, "sans")
    return Word(markup(text.text), x, y - text.size * 0.35, text.size, colour, text.anchor, bold)


def markup(text: str) -> str:
    """Lowered and raised parts as Plotly writes them; nothing else in a label is markup."""
    tags = {"_": "sub", "^": "sup"}
    return "".join(f"<{tags[how]}>{escape(part)}</{tags[how]}>" if how else escape(part) for part, how in pieces(text))


def numbers(block: Block, rect: Rect, scene: Scene, theme: Theme) -> list[Word]:
    """The cells' numbers, where the stage writes them."""
    grid = scene.grid_of(block)
    if not layout.is_written(block, rect, grid):
        return []
    values = values_of(block, grid)
    wide, high = layout.cell_sides(block, rect)
    rgb = colours_of(values, grid.scale, scene.end_of(grid.scale), theme)
    size = round(layout.number_size(wide), 2)
    words = []
    for (r, c), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        x, y = rect.x + (c + 0.5) * wide, rect.y + (r + 0.5) * high
        words.append(Word(two_decimals(value), x, y, size, faint(number_ink(rgb[r, c]), block)))
    return words


def faint(colour: str, block: Block) -> str:
    """The colour as the block's opacity leaves it."""
    if not block.faded:
        return colour
    return "rgba({},{},{},{})".format(*(int(colour[i : i + 2], 16) for i in (1, 3, 5)), CELL["faded"])


def row_labels(block: Block, rect: Rect, theme: Theme) -> list[Word]:
    """Tokens beside their rows, where rows are high enough."""
    colour = faint(theme.muted, block)
    return [Word(escape(t.text), t.x, t.y, t.size, colour, t.anchor) for t in layout.tokens(block, rect) if t.anchor == "end"]


def column_labels(placed: Placed, theme: Theme) -> list[dict]:
    """Tokens above their columns, slanted where these are narrow."""
    turn, labels = math.radians(TOKEN["turn"]), []
    for block, rect in placed.blocks:
        for token in layout.tokens(block, rect):
            if token.anchor == "end":
                continue
            half = width_of(token.text, token.size) / 2 if token.slanted else 0  # Plotly turns a label about its middle
            labels.append({
                "text": escape(token.text), "showarrow": False, "textangle": -TOKEN["turn"] if token.slanted else 0,
                "x": token.x + half * math.cos(turn), "y": token.y - half * math.sin(turn),
                "xanchor": "center", "yanchor": "middle", "font": {"size": token.size, "color": faint(theme.muted, block)},
            })  # fmt: skip
    return labels


def typed(words: Sequence[Word]) -> dict:
    """All type as one trace."""
    sides = {"start": "middle right", "middle": "middle center", "end": "middle left"}
    weights = [600 if word.bold else 400 for word in words]
    return {
        "type": "scatter", "mode": "text", "name": "words",
        "x": [round(word.x, 2) for word in words], "y": [round(word.y, 2) for word in words],
        "text": [word.text for word in words], "textposition": [sides[word.anchor] for word in words],
        "textfont": {"size": [word.size for word in words], "color": [word.colour for word in words], "weight": weights},
        "hoverinfo": "skip",
    }  # fmt: skip


def frames(placed: Placed, theme: Theme) -> list[dict]:
    """Panels that can be chosen and blocks, with the strips of heads: one shape for each colour."""
    fills: dict[tuple[str, float], list[str]] = defaultdict(list)
    shapes = [panel_frame(panel, rect, theme) for panel, rect in placed.frames if panel.go]
    for block, rect in placed.blocks:
        hue = None if block.hue is None else head_colour(theme, block.hue)
        seen = float(opacity(block))
        if not block.grid:
            colour = theme.warn if block.warn else hue or theme.muted
            fills[colour, CELL["empty"] * seen].append(box(rect.x, rect.y, max(rect.w, 1), max(rect.h, 1)))
        fills[theme.ink, seen] += [box(line.x, line.y, line.w, line.h) for line in layout.lines_of(block, rect)]
        if hue and (strip := layout.strip_of(block, rect)):
            fills[hue, seen].append(box(strip.x, strip.y, strip.w, strip.h))
    shapes += [drawing(paths, CLEAR, 0, seen, fill=colour) for (colour, seen), paths in fills.items()]
    return shapes


def drawing(paths: Sequence[str], colour: str, width: float, opacity: float = 1, fill: str = CLEAR, layer: str = "above") -> dict:
    line = {"color": colour, "width": width}
    # nonzero: where an outline's sides cross, the corner is filled, too
    more = {"fillcolor": fill, "fillrule": "nonzero", "opacity": opacity, "layer": layer}
    return {"type": "path", "path": "".join(paths), "line": line, **more}


def box(x: float, y: float, w: float, h: float) -> str:
    return f"M{px(x)},{px(y)}H{px(x + w)}V{px(y + h)}H{px(x)}Z"


def panel_frame(panel: Panel, rect: Rect, theme: Theme, radius: float = 10) -> dict:
    """Rounded, as on the stage; the present choice is lifted."""
    x, y, right, low = (px(v) for v in (rect.x + 0.5, rect.y + 0.5, rect.x + rect.w - 0.5, rect.y + rect.h - 0.5))
    left_in, top_in = px(rect.x + 0.5 + radius), px(rect.y + 0.5 + radius)
    right_in, low_in = px(rect.x + rect.w - 0.5 - radius), px(rect.y + rect.h - 0.5 - radius)
    path = (
        f"M{left_in},{y}H{right_in}Q{right},{y} {right},{top_in}V{low_in}Q{right},{low} {right_in},{low}"
        f"H{left_in}Q{x},{low} {x},{low_in}V{top_in}Q{x},{y} {left_in},{y}Z"
    )
    colour, width, fill = (theme.ink, 2, theme.lift) if panel.on else (theme.line, 1, CLEAR)
    return drawing([path], colour, width, fill=fill, layer="below")


def masked(scene: Scene, placed: Placed, theme: Theme) -> list[dict]:
    """A masked cell is hatched: it is no number, not even 0. So are columns that are left over."""
    places: dict[float, list[tuple[float, float, float, float]]] = defaultdict(list)
    for block, rect in placed.blocks:
        if not block.grid:
            continue
        wide, high = layout.cell_sides(block, rect)
        for r, c in np.argwhere(np.isnan(values_of(block, scene.grid_of(block)))):
            places[opacity(block)].append((rect.x + c * wide, rect.y + r * high, wide - 1, high - 1))
    left_over = [hatch(rect.x, rect.y, rect.w, rect.h) for block, rect in placed.blocks if block.warn]
    shapes, least = [hatching(left_over, theme.warn)] if left_over else [], CELL["drawn_least"]
    for seen, cells in places.items():
        every = -(-sum(int((w + h) / STROKES) + 1 for _, _, w, h in cells) // MOST_STROKES)
        strokes = [hatch(x, y, max(w, least), max(h, least)) for x, y, w, h in cells[::every]]
        shapes.append(hatching(strokes, theme.muted, seen))
    return shapes


def hatching(strokes: Sequence[str], colour: str, opacity: float = 1) -> dict:
    return drawing([s.replace("M", " M").replace("L", " L") for s in strokes], colour, 0.7, opacity)


def legend(scene: Scene, placed: Placed, theme: Theme) -> tuple[list[dict], list[Word], float]:
    """What the colours mean, below the picture at the right: strips, words, and how high it is."""
    items = []
    for scale in dict.fromkeys(grid.scale for grid in scene.grids.values()):
        top = scene.end_of(scale)
        square = layout.square(scene, scale)
        low, high = layout.scale_ends(scale, top)
        parts = [layout.SCALE_NAMES[scale], low, None, high]
        if square:
            parts.append(f"each cell shows the mean of {square}")
        wide = [STRIP if part is None else width_of(part, 12) for part in parts]
        items.append((scale, top, parts, wide, sum(wide) + PARTS_APART * (len(parts) - 1)))
    lines = layout.in_lines(items, lambda item: item[-1], placed.width, SCALES_APART)
    traces, words = [], []
    for number, line in enumerate(lines):
        y = placed.height + LEGEND * (number + 0.5)
        x = placed.width - sum(item[-1] + SCALES_APART for item in line) + SCALES_APART
        for scale, top, parts, wide, _ in line:
            for part, size in zip(parts, wide, strict=True):
                if part is None:
                    traces.append(strip(scale, top, x, y, theme))
                else:
                    words.append(Word(escape(part), x + size / 2, y, 12, theme.ink))
                x += size + PARTS_APART
            x += SCALES_APART - PARTS_APART
    return traces, words, LEGEND * len(lines)


def strip(scale: str, top: float, x: float, y: float, theme: Theme) -> dict:
    """One scale from end to end."""
    low, count = 0 if scale == "share" else -top, STRIP // 2
    return {
        "type": "heatmap", "name": f"scale of {layout.SCALE_NAMES[scale]}", "x": np.linspace(x, x + STRIP, count + 1),
        "y": [y - STRIP_HIGH / 2, y + STRIP_HIGH / 2], "z": np.linspace(low, top, count)[None, :],
        **colours(scale, top, theme), "hoverinfo": "skip",
    }  # fmt: skip


def choosable_blocks(scene: Scene) -> list[Block]:
    """Blocks of computed cells, each cell a single number and not a mean."""
    return [block for block in scene.blocks if block.grid and block.name in CHOSEN and scene.grids[block.grid].pool == 1]


def cells_to_choose(scene: Scene) -> list[Block]:
    """Blocks whose cells a click can choose: the same as on the stage, unless they are too many for Plotly."""
    blocks = choosable_blocks(scene)
    return blocks if sum(block.rows * block.cols for block in blocks) <= MOST_CHOSEN else []


def choosing(scene: Scene) -> str:
    """How its cells are chosen: "click" (with arithmetic as hover text), "choose" (a click without it) or "type" (an address)."""
    count = sum(block.rows * block.cols for block in cells_to_choose(scene))
    return "type" if not count else "click" if count <= MOST_IN_SHORT else "choose"


def choosable(scene: Scene, placed: Placed, in_short: InShort | None) -> list[dict]:
    """Invisible marks: Plotly's heatmaps do not answer a click. Each carries what it chooses: a cell's address, or a panel's
    choice after "go:"."""
    wanted = {id(block) for block in cells_to_choose(scene)}
    if not wanted:
        return []
    shown = choosing(scene) == "click"
    go = {id(block): panel.go for panel in scene.panels for block in panel.blocks}
    xs, ys, sizes, chosen, texts = [], [], [], [], []
    for block, rect in placed.blocks:
        if id(block) not in wanted:
            continue
        wide, high = layout.cell_sides(block, rect)
        values = values_of(block, scene.grid_of(block))
        for (r, c), value in np.ndenumerate(values):
            cell = cell_at(block, int(r), int(c))
            xs.append(round(rect.x + (c + 0.5) * wide, 2))
            ys.append(round(rect.y + (r + 0.5) * high, 2))
            sizes.append(round(1.4 * min(wide, high), 1))
            chosen.append(f"go:{go[id(block)]}" if go[id(block)] else cell.address)
            texts.append(about(block, cell, float(value), in_short if shown else None))
    return [{
        "type": "scatter", "mode": "markers", "name": "cells", "x": xs, "y": ys, "customdata": chosen, "hovertext": texts,
        "hovertemplate": "%{hovertext}<extra></extra>", "marker": {"size": sizes, "opacity": 0},
        "selected": {"marker": {"opacity": 0}}, "unselected": {"marker": {"opacity": 0}},
    }]  # fmt: skip


def cell_at(block: Block, r: int, c: int) -> Cell:
    """The number at the block's row and column: within its head's matrix, the other way round where it is drawn transposed."""
    row, col = (r, c) if block.head is not None else (block.row + r, block.col + c)
    return Cell(block.name, *((col, row) if block.turned else (row, col)), block.head)


def about(block: Block, cell: Cell, value: float, in_short: InShort | None) -> str:
    """The cell's name, value and, in short, its arithmetic."""
    shown = "masked" if np.isnan(value) else decimals(value, 3)
    more = in_short(cell) if in_short is not None else None
    return escape(f"{block.title}, row {cell.row + 1}, column {cell.col + 1} = {shown}" + (f" = {more}" if more else ""))


def marks(scene: Scene, placed: Placed, chosen: Cell | None, theme: Theme) -> list[dict]:
    """Rings around the chosen cell and around what it comes from, as on the stage."""
    if chosen is None:
        return []
    zones = {id(block): panel.zone or panel.id for panel in scene.panels for block in panel.blocks}
    around, on = [], []
    for block, rect in placed.blocks:
        if not block.grid or scene.grids[block.grid].pool > 1 or (block.name, block.head) != (chosen.name, chosen.head):
            continue
        row, col = (chosen.col, chosen.row) if block.turned else (chosen.row, chosen.col)
        if block.head is None:
            row, col = row - block.row, col - block.col
        if not (0 <= row < block.rows and 0 <= col < block.cols):
            continue
        on.append(ring(block, rect, row, col, 1, 1))
        for other, spot in placed.blocks:
            if other is block:
                continue
            i, j = block.row + row - other.row, block.col + col - other.col
            if other.grid == block.grid and not block.sources and 0 <= i < other.rows and 0 <= j < other.cols:
                around.append(ring(other, spot, i, j, 1, 1))
            for source in block.sources:
                if source.block == other.id and zones[id(other)] == zones[id(block)]:
                    at = row if source.by == "r" else col
                    box_of = {"row": (at, 0, 1, other.cols), "col": (0, at, other.rows, 1), "cell": (row, col, 1, 1)}
                    around.append(ring(other, spot, *box_of[source.part]))
    shapes = [drawing(around, theme.ink, 2)] if around else []
    return [*shapes, drawing(on, theme.ink, 4), drawing(on, theme.lift, 1.5)] if on else shapes


def ring(block: Block, rect: Rect, row: int, col: int, rows: int, cols: int) -> str:
    wide, high = layout.cell_sides(block, rect)
    return box(rect.x + col * wide - 1, rect.y + row * high - 1, cols * wide + 1, rows * high + 1)
