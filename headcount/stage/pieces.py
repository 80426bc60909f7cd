"""Makers of blocks for a matrix, whole or cut into one slice per head. An upright slice has columns, a lying slice has rows."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.stage.scene import Block, Grid, Length, LitPart, Panel, Scene, Text, longest, pooled

Sources = Callable[[int], tuple[LitPart, ...]]

#: Pixels of the largest cell if a picture has only one product.
MAX_CELL = 40
#: Least room at the left of a product's input. The arithmetic of a cell is written there, above the input.
ARITHMETIC = Length(0, 60)
#: Room for the name of a matrix at its right.
BESIDE_IT = Length(0, 34)


def alone(
    panel: Panel, grids: Mapping[str, Grid], alt: str, tops: Mapping[str, float], *above: Panel, **more: Any
) -> Scene:  # fmt: skip
    """Makes a scene of one product of matrices, with the panels `above` over it. All matrices except the output show only the
    head's colour until a chosen cell highlights them. `more` has further fields of Scene."""
    calm = replace(panel, blocks=tuple(replace(block, calm=block.name != "output") for block in panel.blocks))
    rows = tuple((one,) for one in (*above, calm))
    return Scene(rows, grids, alt, tops, max_cell=MAX_CELL, min_cell=4, **more)


def cells(numbers: int, pool: int) -> int:
    return -(-numbers // pool)


#: The longest side of a matrix in lengths of a cell. A matrix with more cells has thinner ones.
MAX_SIDE = 128


def side(numbers: int, pool: int) -> float:
    """Returns the length of a matrix's side in cells: at most MAX_SIDE, and at least 1, so that short sequences stay visible."""
    return min(max(numbers / pool, 1.0), MAX_SIDE)


def matrix(
    id: str, grid: str | None, x: Length, y: Length, rows: int, columns: int, pool: int = 1,
    *, width: float | None = None, height: float | None = None, **more: Any,
) -> Block:  # fmt: skip
    """Makes the block of a matrix of `rows` × `columns` numbers, `pool` × `pool` in a cell. `more`: further fields of Block."""
    wide, tall = side(columns, pool) if width is None else width, side(rows, pool) if height is None else height
    return Block(id, grid, x, y, cells(rows, pool), cells(columns, pool), width=wide, height=tall, **more)


def map_of(
    id: str, x: Length, y: Length, rows: int, columns: int, head: int | None, pool: int = 1, **more: Any
) -> Block:  # fmt: skip
    """Makes the block of an attention map. `head`, if given, adds a strip in its colour. `more`: further fields of Block."""
    return matrix(id, id, x, y, rows, columns, pool, head=head, hue=head, strip=None if head is None else "top", **more)


#: Pixels of a letter of a label, and of the widest label. Longer labels are squeezed.
LETTER, MAX_TOKEN_WIDTH = 7, 78


def token_room(words: tuple[str, ...]) -> float:
    """Returns the pixels that the longest of these labels needs, at most MAX_TOKEN_WIDTH."""
    return min(max((LETTER * len(word) for word in words), default=0), MAX_TOKEN_WIDTH)


def beside(words: tuple[str, ...]) -> Length:
    return Length(0, token_room(words) + 12 if words else 0)


def beside_input(words: tuple[str, ...]) -> Length:
    """Returns the room at the left of a product's input. Labels of rows and the arithmetic of a cell fit in it."""
    return longest([beside(words), ARITHMETIC], MAX_CELL)


def edges(piece: int, pieces: int, turned: bool = False, cut: str = "c") -> str:
    """Returns `Block.edges` for the slice `piece` (0-based) of a matrix with `pieces` slices. Slices are side by side, or below
    each other if `turned`. `cut` is the line between neighbours: "c", or "-" for none."""
    before, after = "o" if piece == 0 else cut, "o" if piece == pieces - 1 else "-"
    return f"{before}o{after}o" if turned else f"o{after}o{before}"


#: Most slices of a matrix. With more, slices would be thinner than a pixel, so the matrix is drawn whole.
MAX_PIECES = 128


def upright(
    name: str, grid: str | None, x: Length, y: Length, *, heads: int, rows: int, size: int, pool: int = 1, cut: str = "c",
    sources: Sources | None = None, height: float | None = None, off: int | None = None, strip: str | None = "top",
    words: tuple[str, ...] = (),
) -> list[Block]:  # fmt: skip
    """Makes a block of `size` columns for each head, with the ids name-0, name-1, …. More than MAX_PIECES heads have one block in
    all. The head `off` (0-based) is faint. `cut` is "c" or "-": with or without lines between heads. `words` label the rows."""
    tall = rows / pool if height is None else height
    if heads > MAX_PIECES:
        wide = spread(heads, size, pool).cells
        return [matrix(f"{name}-0", grid, x, y, rows, heads * size, pool, width=wide, height=tall, name=name, row_labels=words)]
    return [
        matrix(
            f"{name}-{head}", grid, x + spread(head, size, pool), y, rows, size, pool, width=size / pool, height=tall,
            col=head * cells(size, pool), name=name, head=head, hue=head, strip=strip, edges=edges(head, heads, cut=cut),
            faded=head == off, sources=sources(head) if sources else (), row_labels=() if head else words,
        )
        for head in range(heads)
    ]  # fmt: skip


def lying(
    name: str, grid: str | None, x: Length, y: Length, *, heads: int, size: int, columns: int, pool: int = 1,
    off: int | None = None,
) -> list[Block]:  # fmt: skip
    """Makes a block of `size` rows for each head, one block below the other. More than MAX_PIECES heads have one block in all.
    The head `off` (0-based) is faint."""
    if heads > MAX_PIECES:
        high = spread(heads, size, pool).cells
        return [matrix(f"{name}-0", grid, x, y, heads * size, columns, pool, width=columns / pool, height=high, name=name)]
    return [
        matrix(
            f"{name}-{head}", grid, x, y + spread(head, size, pool), size, columns, pool, width=columns / pool,
            height=size / pool, row=head * cells(size, pool), name=name, head=head, hue=head, strip="left",
            edges=edges(head, heads, turned=True), faded=head == off,
        )
        for head in range(heads)
    ]  # fmt: skip


#: Most heads with numbers above their slices, and most heads for which the first number also has the word "head".
MAX_LABELS, MAX_WORDS = 8, 4


def heads_above(x: Length, y: Length, heads: int, size: int, pool: int) -> tuple[Text, ...]:
    """Makes labels with the number of each head above its slice. Up to MAX_WORDS heads are labelled "head 1", "2", …, and up to
    MAX_LABELS heads "1", "2", …. More heads have no labels."""
    shown = range(heads) if heads <= MAX_LABELS else ()
    middle, first = spread(1, size, pool).half, "head 1" if heads <= MAX_WORDS else "1"
    return tuple(Text(str(i + 1) if i else first, x + spread(i, size, pool) + middle, y, 14, "strong", hue=i) for i in shown)


def at_right(name: str, end: Length, y: Length, plus: Length | None = None) -> tuple[Text, ...]:
    """Makes the label at the right of a matrix whose right edge is `end`. A bias begins at `plus`, after a plus sign."""
    if plus is None:
        return (Text(name, end + Length(0, 8), y, 16, "strong", "start"),)
    return Text("+", plus + Length(0, -12), y, 16, "ink"), Text(name, end + Length(0, 8), y, 14, "ink", "start")


def grid_of(values: np.ndarray, scale: str, pool: int = 1) -> Grid:
    """Makes a grid. Axes after the first become columns, a single axis becomes one row. A cell is the mean of `pool` × `pool`."""
    return Grid(pooled(values.reshape(len(values) if values.ndim > 1 else 1, -1), pool), scale, pool)


def product(row: str, column: str, *added: str) -> tuple[LitPart, ...]:
    """Returns what a product's chosen cell highlights: its row in the block `row`, its column in `column` and each of `added`."""
    return LitPart(row, "row", "r"), LitPart(column, "col", "c"), *(LitPart(bias, "col", "c") for bias in added)


def spread(heads: int, size: int, pool: int = 1) -> Length:
    """Returns the width of `heads` upright slices together, which is also the height of `heads` lying slices."""
    return Length(heads * size / pool)
