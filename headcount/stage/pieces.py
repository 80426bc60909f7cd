"""Matrices as blocks: whole, or cut into the slices of heads, upright (a head has columns) or lying (a head has rows)."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.stage.scene import Block, Grid, Length, LitPart, Panel, Scene, Text, longest, pooled

Sources = Callable[[int], tuple[LitPart, ...]]

#: Pixels of the largest cell of a product that is alone on its page.
MAX_CELL = 40
#: Least room for a product's input at the left: the arithmetic of a cell is written above it.
ARITHMETIC = Length(0, 60)
#: Room for the name of a matrix at its right.
BESIDE_IT = Length(0, 34)


def alone(
    panel: Panel, grids: Mapping[str, Grid], alt: str, tops: Mapping[str, float], *above: Panel, **more: Any
) -> Scene:  # fmt: skip
    """Makes a scene of a product, alone or below one more panel. All its blocks but the output are calm. `more` has further
    fields of Scene."""
    calm = replace(panel, blocks=tuple(replace(block, calm=block.name != "output") for block in panel.blocks))
    rows = tuple((one,) for one in (*above, calm))
    return Scene(rows, grids, alt, tops, max_cell=MAX_CELL, min_cell=4, **more)


def cells(numbers: int, pool: int) -> int:
    """Returns the number of cells for this many numbers, `pool` of them in a cell."""
    return -(-numbers // pool)


#: The longest side of a matrix in cells of the scene. A matrix with more numbers has thinner cells.
MAX_SIDE = 128


def side(numbers: int, pool: int) -> float:
    """Returns a matrix's side in cells; at least one, so that a short sequence stays visible beside large matrices."""
    return min(max(numbers / pool, 1.0), MAX_SIDE)


def matrix(
    id: str, grid: str | None, x: Length, y: Length, rows: int, columns: int, pool: int = 1,
    *, width: float | None = None, height: float | None = None, **more: Any,
) -> Block:  # fmt: skip
    """Makes a block of `rows` × `columns` numbers, `pool` × `pool` of them in a cell. `more` are further fields of Block."""
    wide, tall = side(columns, pool) if width is None else width, side(rows, pool) if height is None else height
    return Block(id, grid, x, y, cells(rows, pool), cells(columns, pool), width=wide, height=tall, **more)


def map_of(
    id: str, x: Length, y: Length, rows: int, columns: int, head: int | None, pool: int = 1, **more: Any
) -> Block:  # fmt: skip
    """Makes the block of an attention map: a row for each query, a column for each key, and a strip in the head's colour. `head`
    None means no head. `more` has further fields of Block."""
    return matrix(id, id, x, y, rows, columns, pool, head=head, hue=head, strip=None if head is None else "top", **more)


#: Pixels of a letter of a label, and of the widest label. A longer label is squeezed.
LETTER, MAX_TOKEN_WIDTH = 7, 78


def token_room(words: tuple[str, ...]) -> float:
    """Returns the pixels that the longest of these labels needs."""
    return min(max((LETTER * len(word) for word in words), default=0), MAX_TOKEN_WIDTH)


def beside(words: tuple[str, ...]) -> Length:
    """Returns the room left of a block for the labels of its rows."""
    return Length(0, token_room(words) + 12 if words else 0)


def beside_input(words: tuple[str, ...]) -> Length:
    """Returns the width that is reserved to the left of a product's input."""
    return longest([beside(words), ARITHMETIC], MAX_CELL)


def edges(piece: int, pieces: int, turned: bool = False, cut: str = "c") -> str:
    """Returns the field `edges` of a Block for slice number `piece` of `pieces`, upright or, if `turned`, lying. All slices have
    one outline together. Between two neighbours is a cut, or nothing if `cut` is "-"."""
    before, after = "o" if piece == 0 else cut, "o" if piece == pieces - 1 else "-"
    return f"{before}o{after}o" if turned else f"o{after}o{before}"


#: Most slices of a matrix. A matrix with more is not cut, because slices would be thinner than a pixel.
MAX_PIECES = 128


def upright(
    name: str, grid: str | None, x: Length, y: Length, *, heads: int, rows: int, size: int, pool: int = 1, cut: str = "c",
    sources: Sources | None = None, height: float | None = None, off: int | None = None, strip: str | None = "top",
    words: tuple[str, ...] = (),
) -> list[Block]:  # fmt: skip
    """Makes a block of `size` columns for each head, side by side, with ids name-0, name-1, … The head `off` is faded. With `cut`
    "-" there are no lines between them. `words` label the rows of the first."""
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
    """Makes a block of `size` rows for each head, one below the other. The head `off` is faded."""
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


#: Most heads that have numbers above them; most heads of which the first also has the word "head".
MAX_LABELS, MAX_WORDS = 8, 4


def heads_above(x: Length, y: Length, heads: int, size: int, pool: int) -> tuple[Text, ...]:
    """Writes the number of each head above its slice, the first one with the word "head" if there is room."""
    shown = range(heads) if heads <= MAX_LABELS else ()
    middle, first = spread(1, size, pool).half, "head 1" if heads <= MAX_WORDS else "1"
    return tuple(Text(str(i + 1) if i else first, x + spread(i, size, pool) + middle, y, 14, "strong", hue=i) for i in shown)


def at_right(name: str, end: Length, y: Length, plus: Length | None = None) -> tuple[Text, ...]:
    """Writes a matrix's name right of its `end`. A bias has a smaller name, and a plus sign left of where it begins (`plus`)."""
    if plus is None:
        return (Text(name, end + Length(0, 8), y, 16, "strong", "start"),)
    return Text("+", plus + Length(0, -12), y, 16, "ink"), Text(name, end + Length(0, 8), y, 14, "ink", "start")


def grid_of(values: np.ndarray, scale: str, pool: int = 1) -> Grid:
    """Makes the grid of a matrix, whose axes except the first become columns, or of a bias as one row. A cell is the mean of
    `pool` × `pool` numbers."""
    return Grid(pooled(values.reshape(len(values) if values.ndim > 1 else 1, -1), pool), scale, pool)


def product(row: str, column: str, *added: str) -> tuple[LitPart, ...]:
    """Lists the sources of a cell of a product: its row of one block, its column of another, and an added bias."""
    return LitPart(row, "row", "r"), LitPart(column, "col", "c"), *(LitPart(bias, "col", "c") for bias in added)


def spread(heads: int, size: int, pool: int = 1) -> Length:
    """Returns the width of `heads` upright blocks together, or the height of lying ones."""
    return Length(heads * size / pool)
