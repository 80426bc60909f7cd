"""Matrices as blocks: whole, or cut into slices, upright (columns per head) or lying (rows per head)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.stage.scene import Block, Grid, Length, LitPart, Panel, Scene, Text, longest, pooled

Sources = Callable[[int], tuple[LitPart, ...]]

#: The largest cell of a product that is alone on its page, in pixels.
MAX_CELL = 40
#: The least room left of its input: the arithmetic of a cell is above it on the page.
ARITHMETIC = Length(0, 60)
#: Room for the name of a matrix at its right.
BESIDE_IT = Length(0, 34)


def alone(
    panel: Panel, grids: Mapping[str, Grid], alt: str, tops: Mapping[str, float], *above: Panel, **more: Any
) -> Scene:  # fmt: skip
    """Makes a scene of a product, alone or below one more panel, calm up to the layer's output. `more` has further fields of
    Scene."""
    calm = replace(panel, blocks=tuple(replace(block, calm=block.name != "output") for block in panel.blocks))
    rows = tuple((one,) for one in (*above, calm))
    return Scene(rows, grids, alt, tops, max_cell=MAX_CELL, min_cell=4, **more)


def cells(numbers: int, pool: int) -> int:
    """Counts the cells in a row or column for that many numbers."""
    return -(-numbers // pool)


#: The longest side of a matrix, in cells of the usual size: a longer one has thinner cells.
MAX_SIDE = 128


def side(numbers: int, pool: int) -> float:
    """Side of a matrix in cells; at least one, so that a short sequence stays visible beside large matrices."""
    return min(max(numbers / pool, 1.0), MAX_SIDE)


def matrix(
    id: str, grid: str | None, x: Length, y: Length, rows: int, columns: int, pool: int = 1,
    *, width: float | None = None, height: float | None = None, **more: Any,
) -> Block:  # fmt: skip
    """Makes a block of `rows` × `columns` numbers, `pool` of them on each side of a cell. `more` has further fields of Block."""
    wide, tall = side(columns, pool) if width is None else width, side(rows, pool) if height is None else height
    return Block(id, grid, x, y, cells(rows, pool), cells(columns, pool), width=wide, height=tall, **more)


def map_of(
    id: str, x: Length, y: Length, rows: int, columns: int, head: int | None, pool: int = 1, **more: Any
) -> Block:  # fmt: skip
    """Makes a head's map: a row for each query, a column for each key, a strip in the head's hue (None: no head). `more` has
    further fields of Block: its `pale` rows are a third as strong, its `hit` is the column with a word."""
    return matrix(id, id, x, y, rows, columns, pool, head=head, hue=head, strip=None if head is None else "top", **more)


#: Pixels of a token: per letter, and at most (longer ones are squeezed).
LETTER, MAX_TOKEN_WIDTH = 7, 78


def token_room(words: tuple[str, ...]) -> float:
    """Width of the longest token in pixels."""
    return min(max((LETTER * len(word) for word in words), default=0), MAX_TOKEN_WIDTH)


def beside(words: tuple[str, ...]) -> Length:
    """Room left of a block for its rows' tokens."""
    return Length(0, token_room(words) + 12 if words else 0)


def beside_input(words: tuple[str, ...]) -> Length:
    """Room left of a product's input."""
    return longest([beside(words), ARITHMETIC], MAX_CELL)


def edges(piece: int, pieces: int, turned: bool = False, cut: str = "c") -> str:
    """Gives a slice's `edges` (scene.py: Block) in a matrix of `pieces` upright slices, or lying ones if `turned`. All have one
    outline; two neighbours have a cut, or nothing with `cut` "-"."""
    before, after = "o" if piece == 0 else cut, "o" if piece == pieces - 1 else "-"
    return f"{before}o{after}o" if turned else f"o{after}o{before}"


#: More slices than these are thinner than a pixel: the matrix is not cut and has no head's colour.
MAX_PIECES = 128


def upright(
    name: str, grid: str | None, x: Length, y: Length, *, heads: int, rows: int, size: int, pool: int = 1, cut: str = "c",
    sources: Sources | None = None, height: float | None = None, off: int | None = None, strip: str | None = "top",
    words: tuple[str, ...] = (),
) -> list[Block]:  # fmt: skip
    """Makes `heads` blocks of `size` columns side by side, with ids name-0, name-1, … The head `off` is faded. `cut` is "c", or
    "-" for no lines. `words` are at the rows of the first."""
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
    """Makes `heads` blocks of `size` rows below each other. The head `off` is faded."""
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


#: More heads than these side by side have no numbers above them; of this many the first has the word "head".
MAX_LABELS, MAX_WORDS = 8, 4


def heads_above(x: Length, y: Length, heads: int, size: int, pool: int) -> tuple[Text, ...]:
    """Writes the number of each head above its slice, the first with the word "head" if there is room."""
    shown = range(heads) if heads <= MAX_LABELS else ()
    middle, first = spread(1, size, pool).half, "head 1" if heads <= MAX_WORDS else "1"
    return tuple(Text(str(i + 1) if i else first, x + spread(i, size, pool) + middle, y, 14, "strong", hue=i) for i in shown)


def at_right(name: str, end: Length, y: Length, plus: Length | None = None) -> tuple[Text, ...]:
    """Writes the name of a matrix at its right `end`. A bias, which begins at `plus`, has a smaller name and a plus sign."""
    if plus is None:
        return (Text(name, end + Length(0, 8), y, 16, "strong", "start"),)
    return Text("+", plus + Length(0, -12), y, 16, "ink"), Text(name, end + Length(0, 8), y, 14, "ink", "start")


def grid_of(values: np.ndarray, scale: str, pool: int = 1) -> Grid:
    """Makes a grid of a matrix, all axes but the first as columns, or of a bias as one row. `pool`: numbers on a cell's side."""
    return Grid(pooled(values.reshape(len(values) if values.ndim > 1 else 1, -1), pool), scale, pool)


def product(row: str, column: str, *added: str) -> tuple[LitPart, ...]:
    """Lists the sources of a cell of a product: its row of one block, its column of another, and an added bias."""
    return LitPart(row, "row", "r"), LitPart(column, "col", "c"), *(LitPart(bias, "col", "c") for bias in added)


def spread(heads: int, size: int, pool: int = 1) -> Length:
    """Width of `heads` upright blocks together (or height of lying ones)."""
    return Length(heads * size / pool)
