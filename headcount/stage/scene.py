"""Scenes: pictures as plain data. A scene has panels, and a panel has blocks (rectangles of cells), labels and curves. The stage
(assets/stage) draws a scene in the browser, headcount/stage/svg.py in files. Cells have one size, but a block may set its own."""

from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from headcount.names import LABELS


@dataclass(frozen=True, slots=True)
class Length:
    """A length: `cells` times the size of the scene's cells, plus `px` pixels."""

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
    """Returns the longest of these lengths if cells have `cell` pixels. Returns a length of 0 for an empty list."""
    return max(lengths, key=lambda length: length.at(cell), default=Length())


@dataclass(frozen=True, slots=True)
class Grid:
    """The values of one matrix: two-dimensional float32, with NaN for a masked cell. `scale` names the colour scale. The scale
    "share" (attention weights) goes from 0 to 1. The scales "weight" (weights and biases), "input" (of a product), "score" and
    "signed" (all others) are centred at 0. A value is the mean of `pool` × `pool` numbers of the layer (fewer at the edges)."""

    values: np.ndarray
    scale: str = "signed"
    pool: int = 1


@dataclass(frozen=True, slots=True)
class LitPart:
    """A part of the block `block` that is highlighted with a chosen cell. `part` is "row", "col" or "cell" (at the same row and
    column). A highlighted row or column has the index of the chosen cell's row (if `by` is "r") or column ("c")."""

    block: str
    part: str
    by: str = "r"


@dataclass(frozen=True, slots=True)
class Block:
    """A rectangle of cells of a grid. Indices of rows, columns and heads count from 0.
    - `grid`: the grid's name. None makes an outline without values.
    - `x`, `y`: the upper left corner in the panel.
    - `rows`, `cols`: the number of rows from `row` on, and of columns from `col` on.
    - `width`, `height`: the size in lengths of a cell, by default one for each column and row.
    - `name`, `head`: which numbers these are. `copy` distinguishes blocks of the same numbers.
    - `hue`: the head whose colour the block has. `strip`: the side with a strip of this colour, "top" or "left".
    - `edges`: a letter for each side, clockwise from the top: o (outline), c (a cut through a matrix) or - (nothing).
    - `faded`: whether the block is drawn faintly.
    - `warn`: whether an outline is hatched in the colour of warnings.
    - `turned`: whether the values are transposed.
    - `bands`: the number of equal slices of a sheet, one per head from `hue` on. Cells are shades of the head's colour.
    - `calm`: whether the head's colour replaces values until a chosen cell highlights them.
    - `pale`: faint heads of a sheet (counted from its first head), or faint rows of an attention map.
    - `first`: the query of a block that has only one query.
    - `look`: "plain" for numbers without colour, or "bar" for attention weights with bars.
    - `sources`: what a chosen cell of the block highlights.
    - `hit`: the only column whose label is drawn, below the block."""

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
        """The name of the numbers and their head, such as "W_Q of head 3"."""
        return LABELS.get(self.name, self.name) + ("" if self.head is None else f" of head {self.head + 1}")

    @property
    def w(self) -> float:
        return self.cols if self.width is None else self.width

    @property
    def h(self) -> float:
        return self.rows if self.height is None else self.height


@dataclass(frozen=True, slots=True)
class Text:
    """A label. `_{…}` is a subscript and `^{…}` a superscript. `anchor` is start, middle or end. `role` is ink, muted, strong or
    warn. `hue` is the head (0-based) whose colour the label has. `mark`: a "frame", or "dots" below. A click chooses `press`."""

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
    """A line of `thick` pixels, drawn over blocks and under labels. `points` are two ends, or the four points of a cubic Bézier
    curve. `hue` is a head (0-based), None for ink, or -1 for the colour of raised surfaces. `label` is in a ring at the fraction
    `along` of the curve. `dot` marks the start, and `faded` draws the curve faintly."""

    points: tuple[tuple[Length, Length], ...]
    thick: float
    hue: int | None = None
    label: str = ""
    along: float = 0.5
    dot: bool = False
    faded: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """A group of blocks, labels and curves. Their places count from the panel's upper left corner. A click on the panel chooses
    `go`, and `on` marks the panel as chosen. Animations move cells between panels of one `zone` (by default, each panel has its
    own). A `low` panel is at the bottom of its line. `least_px` is the panel's least width in pixels."""

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
        """Returns the panel with only the numbers that are in `grids`. Blocks of other grids become outlines."""
        outline = {"grid": None, "row_labels": (), "hit": None}
        blocks = (one if one.grid is None or one.grid in grids else replace(one, **outline) for one in self.blocks)
        return replace(self, blocks=tuple(blocks))


@dataclass(frozen=True, slots=True)
class Link:
    """A labelled line from the panel with the id `first` to the panel `second` below it. A narrow page shows no links."""

    first: str
    second: str
    text: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture: `rows` of panels that show `grids` of values. A block without values is an outline. A matrix whose cells would
    be means is also an outline, because means of most numbers say nothing. Only attention weights and scores are drawn as means.
    - `tops`: the value at the end of each colour scale. `named`: new names of scales in the legend ("": none on a page).
    - `alt`: the picture in words. `captions`: a text above each row, or "".
    - `narrow`: the rows for a page too narrow for `rows`. If given, the scene is a table; a panel alone in its row is a heading.
    - `links`: lines between panels of a table. `beside`: a panel at the left of all `rows`.
    - `tables`: numbers that are in no grid (headcount.stage.numbers.Table)."""

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
        """The colour scales that the legend shows. Sheets and blocks with a `look` need none."""
        sheets = {block.grid for block in self.blocks if block.bands or block.look}
        return tuple(dict.fromkeys(grid.scale for name, grid in self.grids.items() if name not in sheets))

    def end_of(self, scale: str) -> float:
        return self.tops.get(scale, 1.0) or 1.0


def top_of(*arrays: np.ndarray) -> float:
    """Returns the end of a colour scale for these arrays: their largest finite absolute value, or 1 if that is 0 or missing."""
    tops = [np.abs(a[np.isfinite(a)]).max(initial=0.0) for a in arrays if a.size]
    return float(max(tops, default=1.0)) or 1.0


def tops_of(grids: Mapping[str, Grid]) -> dict[str, float]:
    """Returns the ends of the colour scales "weight" and "signed": the largest absolute values of their `grids`."""
    return {kind: top_of(*(g.values for g in grids.values() if g.scale == kind)) for kind in ("weight", "signed")}


def pooled(values: np.ndarray, pool: int) -> np.ndarray:
    """Returns the mean of each square of `pool` × `pool` numbers (fewer at the edges). Only finite numbers count. A square
    without finite numbers becomes NaN. With `pool` 1, returns `values` themselves."""
    if pool == 1:
        return values
    rows, columns = (np.arange(0, length, pool) for length in values.shape)
    seen = np.isfinite(values).astype(np.float32)
    sums, counts = (
        np.add.reduceat(np.add.reduceat(part, rows, axis=0), columns, axis=1) for part in (np.where(seen, values, 0), seen)
    )
    with np.errstate(invalid="ignore"):
        return (sums / counts).astype(np.float32)


#: Whether pictures are being made for a file of numbers (see `whole_numbers`).
_WHOLE: ContextVar[bool] = ContextVar("whole", default=False)


@contextmanager
def whole_numbers() -> Iterator[None]:
    """Context manager for files of numbers. Pictures that are made inside keep every number of a matrix instead of means."""
    before = _WHOLE.set(True)
    try:
        yield
    finally:
        _WHOLE.reset(before)


def for_numbers_alone() -> bool:
    """Returns whether the code runs inside `whole_numbers`."""
    return _WHOLE.get()


#: Most rows or columns of a matrix that is drawn number by number, and the fewest of an averaged attention map.
MAX_CELLS = 64


def pool_for(longest_side: int, most: int = MAX_CELLS) -> int:
    """Returns how many numbers a cell has per side: the smallest power of 2 with which the longest side has at most `most` cells.
    Inside the context `whole_numbers`, it is always 1."""
    pool = 1
    while longest_side / pool > most and not for_numbers_alone():
        pool *= 2
    return pool


def pool_for_map(rows: int, columns: int) -> int:
    """Returns how many numbers a cell of an attention map has per side. A map of means has at least MAX_CELLS cells per side."""
    return 1 if for_numbers_alone() else max(min(rows, columns) // MAX_CELLS, 1)
