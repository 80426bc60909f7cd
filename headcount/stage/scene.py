"""A picture as data: panels of blocks with axes, cells, labels and places. The stage draws it, and files have it as SVG.

A length is a pair of cells and pixels. One cell size is used for the whole scene (area means parameters), while gaps and type
keep their size on paper.
"""

from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from headcount.names import LABELS


@dataclass(frozen=True, slots=True)
class Length:
    """A length of `cells` times the scene's cell size, plus `px` pixels."""

    cells: float = 0.0
    px: float = 0.0

    def __add__(self, other: "Length") -> "Length":
        return Length(self.cells + other.cells, self.px + other.px)

    def at(self, cell: float) -> float:
        return self.cells * cell + self.px

    @property
    def half(self) -> "Length":
        return Length(self.cells / 2, self.px / 2)


def longest(lengths: list[Length], cell: float = 8.0) -> Length:
    """Finds the longest of these lengths at a usual cell size."""
    return max(lengths, key=lambda length: length.at(cell), default=Length())


@dataclass(frozen=True, slots=True)
class Grid:
    """Values of one matrix, two-dimensional float32; NaN is a masked cell. `scale` names the kind of numbers. "weight" (weights
    and biases), "input" (of a product) and "signed" (all others) are centred on 0; "share" (attention weights) runs from 0 to 1.

    `pool`: each value averages this many numbers on a side (1: every number has its own cell).
    """

    values: np.ndarray
    scale: str = "signed"
    pool: int = 1


@dataclass(frozen=True, slots=True)
class LitPart:
    """A part that lights up with a cell: a row, column or cell of another block, at the cell's row ("r") or column ("c")."""

    block: str
    part: str
    by: str = "r"


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle of one grid: `rows` rows from `row`, `cols` columns from `col`, drawn at x, y, `width` × `height` cells.

    `name` and `head` identify the numbers ("q", head 2, 0-based), so that a cell has an address. `copy` tells copies apart;
    `grid` None draws the shape without values; `turned`: drawn transposed. `edges`: its sides from the top clockwise, each an
    outline (o), a cut through a matrix (c) or none (-) if the next block draws it. `warn`: belongs to no head, hatched in the
    colour of warnings. `bands`: a sheet of this many equal slices, one per head from `hue` on, each in its head's tint. Numbers
    are shades of the tint, faint for heads in `pale` (counted from the first). A faded block of no head without values is a
    ghost: empty room. `calm`: on screen its numbers are shades of its head's tint (grey without a head). Only the row or column
    that a chosen cell comes from has its own colours. `pale`: rows of weights without an answer, a third as strong (Theme.pale).
    `hit`: the column with its word below; the pointer shows the others. `first`: for one query of its head's array, which query
    (0-based). `look`: "plain", numbers without a ground, or "bar", a weight's bar with the weight at its right.
    """

    id: str
    grid: str | None
    x: Length
    y: Length
    rows: int
    cols: int
    row: int = 0
    col: int = 0
    width: float | None = None
    height: float | None = None
    name: str = ""
    head: int | None = None
    hue: int | None = None
    strip: str | None = None
    edges: str = "oooo"
    copy: int = 0
    faded: bool = False
    warn: bool = False
    turned: bool = False
    bands: int = 0
    calm: bool = False
    pale: tuple[int, ...] = ()
    first: int = 0
    look: str = ""
    sources: tuple[LitPart, ...] = ()
    row_labels: tuple[str, ...] = ()
    col_labels: tuple[str, ...] = ()
    hit: int | None = None

    @property
    def title(self) -> str:
        """Name of the numbers, with their head: "W_Q of head 3"."""
        return LABELS.get(self.name, self.name) + ("" if self.head is None else f" of head {self.head + 1}")

    @property
    def w(self) -> float:
        return self.cols if self.width is None else self.width

    @property
    def h(self) -> float:
        return self.rows if self.height is None else self.height


@dataclass(frozen=True, slots=True)
class Text:
    """A label; `_{…}` is a subscript, `^{…}` a superscript. `anchor`: start, middle, end. `role`: ink, muted, strong, warn.
    `mark`: "frame" around it, or "dots" below. `press`: what a click on it chooses."""

    text: str
    x: Length
    y: Length
    size: int = 13
    role: str = "ink"
    anchor: str = "middle"
    hue: int | None = None
    mark: str = ""
    press: str | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """A line, `thick` pixels, over blocks and under words. `points` are the x and y of its two ends, or of a cubic Bézier curve's
    four points. It has the hue of a head (0-based), ink (None) or the ground (-1); `faded`: pale. `label` is in a ring, at the
    fraction `along`. `dot`: at its start."""

    points: tuple[tuple[Length, Length], ...]
    thick: float
    hue: int | None = None
    label: str = ""
    along: float = 0.5
    dot: bool = False
    faded: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """One group of blocks, in its own coordinates. `go`: what a click on it chooses. `on`: the present choice.

    Cells glide between panels of one `zone` (by default the panel itself). `low`: at the bottom of its line. `least_px`: room for
    its words.
    """

    id: str
    width: Length
    height: Length
    blocks: tuple[Block, ...]
    texts: tuple[Text, ...] = ()
    curves: tuple[Curve, ...] = ()
    on: bool = False
    go: str | None = None
    zone: str = ""
    low: bool = False
    least_px: float = 0.0

    def with_numbers_of(self, grids: Container[str]) -> "Panel":
        """Gives the panel with outlines for numbers that none of these grids has."""
        return replace(
            self,
            blocks=tuple(
                block if block.grid is None or block.grid in grids else replace(block, grid=None, row_labels=(), hit=None)
                for block in self.blocks
            ),
        )


@dataclass(frozen=True, slots=True)
class Link:
    """A line from one panel (its id) to another below it, with words on it; a narrow page has none."""

    first: str
    second: str
    text: str


@dataclass(frozen=True, slots=True)
class Scene:
    """Rows of panels over shared grids. `tops` has the value at the end of each scale, one for all that are compared.

    `named` gives a scale's name here, if its kind's name says too little; "" if the page says it. `alt` describes the picture in
    words, from the same numbers. `captions`: a line above each row, "" for none. With `narrow` the scene is a table, its panels
    in columns. Its rows are `narrow` if the page is too narrow for the words of `rows`. Only the chosen panel of a table has a
    frame; a panel alone in its row comes before all columns. `beside`: a panel left of all `rows`. `tables`: numbers that are in
    no grid (headcount.stage.numbers.Table). `links` join panels of a table. A block without a grid of its name is an outline. So
    is a matrix whose cells would be means, because means of weights are noise; maps keep theirs.
    """

    rows: tuple[tuple[Panel, ...], ...]
    grids: Mapping[str, Grid]
    alt: str
    tops: Mapping[str, float] = field(default_factory=dict)
    max_cell: int = 12
    min_cell: float = 2.5
    captions: tuple[str, ...] = ()
    narrow: tuple[tuple[Panel, ...], ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    beside: Panel | None = None
    tables: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        grids = {key: grid for key, grid in self.grids.items() if grid.pool == 1 or grid.scale in ("share", "score")}
        for name in ("rows", "narrow"):
            rows: tuple[tuple[Panel, ...], ...] = getattr(self, name)
            if not {block.grid for row in rows for panel in row for block in panel.blocks} <= {None, *grids}:
                object.__setattr__(self, name, tuple(tuple(panel.with_numbers_of(grids) for panel in row) for row in rows))
        object.__setattr__(self, "grids", grids)

    @property
    def panels(self) -> tuple[Panel, ...]:
        return (*((self.beside,) if self.beside else ()), *(panel for row in self.rows for panel in row))

    @property
    def blocks(self) -> tuple[Block, ...]:
        return tuple(block for panel in self.panels for block in panel.blocks)

    @property
    def scales(self) -> tuple[str, ...]:
        """Lists the scales in whose colours numbers are drawn; sheets have tints, and lines of numbers have ink."""
        sheets = {block.grid for block in self.blocks if block.bands or block.look}
        return tuple(dict.fromkeys(grid.scale for name, grid in self.grids.items() if name not in sheets))

    def end_of(self, scale: str) -> float:
        """The value at the end of a scale."""
        return self.tops.get(scale, 1.0) or 1.0


def top_of(*arrays: np.ndarray) -> float:
    """Largest absolute finite value of all compared arrays: the end of their common scale."""
    tops = [np.abs(a[np.isfinite(a)]).max(initial=0.0) for a in arrays if a.size]
    return float(max(tops, default=1.0)) or 1.0


def tops_of(grids: Mapping[str, Grid]) -> dict[str, float]:
    """Gives one end for all weights and biases of a picture, and one for all its other signed numbers."""
    return {kind: top_of(*(g.values for g in grids.values() if g.scale == kind)) for kind in ("weight", "signed")}


def pooled(values: np.ndarray, pool: int) -> np.ndarray:
    """Means of the finite numbers in each square of pool × pool, smaller at edges. NaN if there are none: a masked cell is
    hatched, never 0."""
    if pool == 1:
        return values
    rows, columns = (np.arange(0, length, pool) for length in values.shape)
    seen = np.isfinite(values).astype(np.float32)
    sums, counts = (
        np.add.reduceat(np.add.reduceat(part, rows, axis=0), columns, axis=1) for part in (np.where(seen, values, 0), seen)
    )
    with np.errstate(invalid="ignore"):
        return (sums / counts).astype(np.float32)


#: Whether a picture is made for its numbers alone (`whole_numbers`).
_WHOLE: ContextVar[bool] = ContextVar("whole", default=False)


@contextmanager
def whole_numbers() -> Iterator[None]:
    """Makes pictures inside the block hold every number of their matrices, without means, for files of numbers."""
    before = _WHOLE.set(True)
    try:
        yield
    finally:
        _WHOLE.reset(before)


def for_numbers_alone() -> bool:
    """Whether this picture is made inside `whole_numbers`."""
    return _WHOLE.get()


#: The most cells on a side of a matrix that is drawn cell by cell; a map with more numbers is averaged to no fewer.
MAX_CELLS = 64


def pool_for(longest_side: int, most: int = MAX_CELLS) -> int:
    """Numbers on a side of one cell, a power of two, so that at most `most` cells are drawn."""
    pool = 1
    while longest_side / pool > most and not for_numbers_alone():
        pool *= 2
    return pool


def pool_for_map(rows: int, columns: int) -> int:
    """Numbers on a side of one cell of a map, which is never averaged to fewer than MAX_CELLS on a side."""
    return 1 if for_numbers_alone() else max(min(rows, columns) // MAX_CELLS, 1)
