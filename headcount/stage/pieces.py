"""Matrices as blocks: whole, cut into upright pieces (columns per head) or into lying ones (rows per head)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.stage.scene import Block, Grid, Length, Panel, Scene, Source, Text, longest, pooled

Sources = Callable[[int], tuple[Source, ...]]

#: The largest cell of a product that stands alone, in pixels.
MAX_CELL = 40
#: The room left of its input, at least: above that the page has the arithmetic of a cell.
ARITHMETIC = Length(0, 60)
#: Room for the name of a matrix at its right.
BESIDE_IT = Length(0, 34)


def alone(
    panel: Panel, grids: Mapping[str, Grid], alt: str, tops: Mapping[str, float], *above: Panel, **more: Any
) -> Scene:  # fmt: skip
    """A product that stands alone on its page, its numbers calm, or below one more panel. `more`: what else a Scene has."""
    calm = replace(panel, blocks=tuple(replace(block, calm=True) for block in panel.blocks))
    rows = tuple((one,) for one in (*above, calm))
    return Scene(rows, grids, alt, tops, max_cell=MAX_CELL, min_cell=4, **more)


def cells(numbers: int, pool: int) -> int:
    """How many cells in a row or column stand for that many numbers."""
    return -(-numbers // pool)


#: The longest side of a matrix, in cells of the usual size: a longer one has thinner cells.
MAX_SIDE = 128


def side(numbers: int, pool: int) -> float:
    """A matrix's side in cells; at least one, so that a short sequence stays visible beside large matrices."""
    return min(max(numbers / pool, 1.0), MAX_SIDE)


def matrix(
    id: str, grid: str | None, x: Length, y: Length, rows: int, columns: int, pool: int = 1,
    *, width: float | None = None, height: float | None = None, **more: Any,
) -> Block:  # fmt: skip
    """A block of `rows` × `columns` numbers, `pool` of them on each side of a cell. `more`: what else a Block has."""
    wide, tall = side(columns, pool) if width is None else width, side(rows, pool) if height is None else height
    return Block(id, grid, x, y, cells(rows, pool), cells(columns, pool), width=wide, height=tall, **more)


def map_of(
    id: str, x: Length, y: Length, rows: int, columns: int, head: int | None, pool: int = 1, **more: Any
) -> Block:  # fmt: skip
    """A head's map, wherever it stands: a row for each query, a column for each key, a strip in the head's hue (None: of no
    head). `more`: what else a Block has; its `pale` rows are a third as strong, its `hit` is the column with a word."""
    return matrix(id, id, x, y, rows, columns, pool, head=head, hue=head, strip=None if head is None else "top", **more)


#: Pixels that a token takes: for a letter, and at most (the drawers squeeze longer ones).
LETTER, MAX_TOKEN_WIDTH = 7, 78


def token_room(words: tuple[str, ...]) -> float:
    """Pixels that the longest of some tokens takes."""
    return min(max((LETTER * len(word) for word in words), default=0), MAX_TOKEN_WIDTH)


def beside(words: tuple[str, ...]) -> Length:
    """Room left of a block for its rows' tokens."""
    return Length(0, token_room(words) + 12 if words else 0)


def beside_input(words: tuple[str, ...]) -> Length:
    """Room left of a product's input."""
    return longest([beside(words), ARITHMETIC], MAX_CELL)


def edges(piece: int, pieces: int, turned: bool = False, cut: str = "c") -> str:
    """A piece's `edges` (scene.py: Block) in a matrix of so many upright pieces, or `turned`, of lying ones: one outline around
    all, and where two meet a cut, or with `cut` "-" nothing."""
    before, after = "o" if piece == 0 else cut, "o" if piece == pieces - 1 else "-"
    return f"{before}o{after}o" if turned else f"o{after}o{before}"


#: More pieces than these are thinner than a pixel: the matrix is not cut, and in no head's colour.
MAX_PIECES = 128


def upright(
    name: str, grid: str | None, x: Length, y: Length, *, heads: int, rows: int, size: int, pool: int = 1, cut: str = "c",
    sources: Sources | None = None, height: float | None = None, off: int | None = None, strip: str | None = "top",
    words: tuple[str, ...] = (),
) -> list[Block]:  # fmt: skip
    """`heads` blocks of `size` columns side by side; block ids are name-0, name-1, … The head `off` is faded. `cut`: "c", or "-"
    where no lines part them. `words`: beside the rows of the first."""
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
    """`heads` blocks of `size` rows below each other. The head `off` is faded."""
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


#: More heads than these side by side have no numbers above them; the word "head" stands with the first of so many.
MAX_LABELS, MAX_WORDS = 8, 4


def heads_above(x: Length, y: Length, heads: int, size: int, pool: int) -> tuple[Text, ...]:
    """Writes the number of each head above its piece, the first with its word where there is room."""
    shown = range(heads) if heads <= MAX_LABELS else ()
    middle, first = spread(1, size, pool).half, "head 1" if heads <= MAX_WORDS else "1"
    return tuple(Text(str(i + 1) if i else first, x + spread(i, size, pool) + middle, y, 14, "strong", hue=i) for i in shown)


def at_right(name: str, end: Length, y: Length, plus: Length | None = None) -> tuple[Text, ...]:
    """Writes the name of a matrix at its right `end`; of a bias, which begins at `plus`, smaller, and a plus sign before it."""
    if plus is None:
        return (Text(name, end + Length(0, 8), y, 16, "strong", "start"),)
    return Text("+", plus + Length(0, -12), y, 16, "ink"), Text(name, end + Length(0, 8), y, 14, "ink", "start")


def grid_of(values: np.ndarray, scale: str, pool: int = 1) -> Grid:
    """A matrix, all axes but the first as columns, or a bias as one row; a cell is the mean of `pool` numbers on a side."""
    return Grid(pooled(values.reshape(len(values) if values.ndim > 1 else 1, -1), pool), scale, pool)


def product(row: str, column: str, *added: str) -> tuple[Source, ...]:
    """What lights up for a cell of a product: its row of one block, its column of another, and of biases what is added to it."""
    return Source(row, "row", "r"), Source(column, "col", "c"), *(Source(bias, "col", "c") for bias in added)


def spread(heads: int, size: int, pool: int = 1) -> Length:
    """How wide `heads` upright blocks are together (or how tall lying ones)."""
    return Length(heads * size / pool)
