"""Matrices as blocks: whole, cut into upright pieces (columns per head) or into lying ones (rows per head)."""

from collections.abc import Callable

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
    strip: str = "top",
) -> list[Block]:
    """`heads` blocks of `size` columns side by side; block ids are name-0, name-1, …"""
    gap = gap_px(heads) if gap is None else gap
    cols = cells(size, pool)
    return [
        Block(
            f"{name}-{head}",
            grid,
            x + Length(head * size / pool, head * gap),
            y,
            cells(rows, pool),
            cols,
            c0=head * cols,
            width=size / pool,
            height=rows / pool if height is None else height,
            name=name,
            head=head,
            hue=head,
            strip=strip,
            sources=sources(head),
            faded=head in faded,
        )
        for head in range(heads)
    ]


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
    gap: float | None = None,
    faded: frozenset[int] = frozenset(),
) -> list[Block]:
    """`heads` blocks of `size` rows below each other."""
    gap = gap_px(heads) if gap is None else gap
    rows = cells(size, pool)
    return [
        Block(
            f"{name}-{head}",
            grid,
            x,
            y + Length(head * size / pool, head * gap),
            rows,
            cells(columns, pool),
            r0=head * rows,
            width=columns / pool,
            height=size / pool,
            name=name,
            head=head,
            hue=head,
            strip="left",
            faded=head in faded,
        )
        for head in range(heads)
    ]


def bias_grid(values: np.ndarray, pool: int, heads: int = 1) -> Grid:
    """A bias as one row, on the scale of the kernels; means are taken within a head."""
    return Grid(pooled(values.reshape(1, -1), pool, heads), "weight", pool, flat=True)


def spread(heads: int, size: int, pool: int = 1, gap: float | None = None) -> Length:
    """How wide `heads` upright blocks are, gaps included (or how tall lying ones)."""
    return Length(heads * size / pool, (heads - 1) * (gap_px(heads) if gap is None else gap))
