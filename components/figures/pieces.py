"""Matrices as blocks: whole, cut into upright pieces (columns per head) or into lying ones (rows per head)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from components.figures.scene import Block, Grid, Length, Source, pooled

Sources = Callable[[int], tuple[Source, ...]]


def none(head: int) -> tuple[Source, ...]:
    return ()


def gap_px(num_heads: int) -> float:
    """Pixels between two heads: less where there are many."""
    return 3.0 if num_heads <= 8 else 2.0 if num_heads <= 16 else 1.0 if num_heads <= 64 else 0.0


def cells(numbers: int, pool: int) -> int:
    """How many cells stand for so many numbers in a row."""
    return -(-numbers // pool)


def side(numbers: int, pool: int) -> float:
    """A matrix's side in cells; at least one, so that a short sequence stays visible beside large matrices."""
    return max(numbers / pool, 1.0)


def matrix(
    id: str,
    grid: str | None,
    x: Length,
    y: Length,
    rows: int,
    columns: int,
    pool: int = 1,
    *,
    width: float | None = None,
    height: float | None = None,
    **more: Any,
) -> Block:
    """A block of `rows` × `columns` numbers, `pool` of them on each side of a cell. `more`: what else a Block has."""
    wide, tall = side(columns, pool) if width is None else width, side(rows, pool) if height is None else height
    return Block(id, grid, x, y, cells(rows, pool), cells(columns, pool), width=wide, height=tall, **more)


def upright(
    name: str,
    grid: str | None,
    x: Length,
    y: Length,
    *,
    heads: int,
    rows: int,
    size: int,
    pool: int = 1,
    gap: float | None = None,
    sources: Sources = none,
    height: float | None = None,
    faded: frozenset[int] = frozenset(),
    strip: str | None = "top",
) -> list[Block]:
    """`heads` blocks of `size` columns side by side; block ids are name-0, name-1, …"""
    piece = partial(matrix, width=size / pool, height=rows / pool if height is None else height, name=name, strip=strip)
    blocks = []
    for head in range(heads):
        own = {"col": head * cells(size, pool), "head": head, "hue": head, "sources": sources(head), "faded": head in faded}
        place = x + Length(head * size / pool, head * (gap_px(heads) if gap is None else gap))
        blocks.append(piece(f"{name}-{head}", grid, place, y, rows, size, pool, **own))
    return blocks


def lying(
    name: str,
    grid: str | None,
    x: Length,
    y: Length,
    *,
    heads: int,
    size: int,
    columns: int,
    pool: int = 1,
    faded: frozenset[int] = frozenset(),
) -> list[Block]:
    """`heads` blocks of `size` rows below each other."""
    piece = partial(matrix, width=columns / pool, height=size / pool, name=name, strip="left")
    blocks = []
    for head in range(heads):
        own = {"row": head * cells(size, pool), "head": head, "hue": head, "faded": head in faded}
        place = y + Length(head * size / pool, head * gap_px(heads))
        blocks.append(piece(f"{name}-{head}", grid, x, place, size, columns, pool, **own))
    return blocks


def bias_grid(values: np.ndarray, pool: int, heads: int = 1) -> Grid:
    """A bias as one row, on the scale of the kernels; means are taken within a head."""
    return Grid(pooled(values.reshape(1, -1), pool, heads), "weight", pool, flat=True)


def spread(heads: int, size: int, pool: int = 1, gap: float | None = None) -> Length:
    """How wide `heads` upright blocks are, gaps included (or how tall lying ones)."""
    return Length(heads * size / pool, (heads - 1) * (gap_px(heads) if gap is None else gap))
