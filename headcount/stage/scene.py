"""A picture as data: panels of blocks with axes, cells, labels and places. The stage draws it in the browser, and
headcount/stage/svg.py in files. A length is a number of cells plus a number of pixels. The whole scene has one cell size, so that
equal areas are equally many numbers, while gaps and letters keep their size."""

from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from headcount.names import LABELS


@dataclass(frozen=True, slots=True)
class Length:
    """A length: `cells` times the scene's cell size, plus `px` pixels."""

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
    """Returns the Length that is longest if cells have a usual size."""
    return max(lengths, key=lambda length: length.at(cell), default=Length())


@dataclass(frozen=True, slots=True)
class Grid:
    """The values of one matrix, two-dimensional float32; NaN is a masked cell. `scale` names the colour scale. "share" (attention
    weights) runs from 0 to 1. "weight" (weights and biases), "input" (of a product), "score" and "signed" (all others) are
    centred at 0. Each value is the mean of `pool` × `pool` numbers. With a `pool` of 1, every number has its own cell."""

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
    """A rectangle of a grid: `rows` rows from `row` and `cols` columns from `col`, drawn at x, y with `width` × `height` cells.
    With `grid` None it is an outline without values.

    `name` and `head` (0-based) identify the numbers, so that a cell has an address. `copy` distinguishes several blocks with the
    same numbers. A `turned` block is drawn transposed. `edges` has a letter for each side, clockwise from the top: an outline
    (o), a cut through a matrix (c) or nothing (-). A `warn` block belongs to no head and is hatched in the colour of warnings. A
    block with `bands` is a sheet of this many equal slices, one per head from `hue` on. Its numbers are shades of their head's
    colour, and heads in `pale` (counted from the first) are faint. In a map, `pale` has the fainter rows, without an answer. A
    `faded` block without head and values is a ghost, an empty area. A `calm` block has shades of its head's colour until a chosen
    cell lights up a row or column. The column `hit` has its word below it. `first` is the query (0-based) of a block with a
    single query. `look` is "plain" for numbers without a background, or "bar" for weights with bars.
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
        """The name of the numbers with their head: "W_Q of head 3"."""
        return LABELS.get(self.name, self.name) + ("" if self.head is None else f" of head {self.head + 1}")

    @property
    def w(self) -> float:
        return self.cols if self.width is None else self.width

    @property
    def h(self) -> float:
        return self.rows if self.height is None else self.height


@dataclass(frozen=True, slots=True)
class Text:
    """A label; `_{…}` is a subscript and `^{…}` a superscript. `anchor` is start, middle or end, and `role` is ink, muted, strong
    or warn. `mark` is a "frame" around the label, or "dots" below it. `press` is what a click on it chooses."""

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
    """A line of `thick` pixels, over blocks and under words. `points` are its two ends, or the four points of a cubic Bézier
    curve, as pairs of x and y. `hue` is a head (0-based), None for ink, or -1 for the background. A `faded` curve is pale.
    `label` is in a ring at the fraction `along`. `dot` marks its start."""

    points: tuple[tuple[Length, Length], ...]
    thick: float
    hue: int | None = None
    label: str = ""
    along: float = 0.5
    dot: bool = False
    faded: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """A group of blocks, whose places count from the panel's corner. A click on it chooses `go`, and `on` says that it is the
    present choice. Cells move between panels of one `zone` (by default the panel itself). A `low` panel is at the bottom of its
    line. `least_px` is the least width in pixels, for its words."""

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
        """Returns the panel with outlines in place of numbers that are in none of these grids."""
        return replace(
            self,
            blocks=tuple(
                block if block.grid is None or block.grid in grids else replace(block, grid=None, row_labels=(), hit=None)
                for block in self.blocks
            ),
        )


@dataclass(frozen=True, slots=True)
class Link:
    """A line from the panel with the id `first` to the panel `second` below it, with words on it. A narrow page has no links."""

    first: str
    second: str
    text: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture: rows of panels over shared grids. `tops` has the value at the end of each colour scale.

    `named` gives some scales another name in the legend, or none (""). `alt` describes the picture in words. `captions` has a
    line above each row, or "". A scene with `narrow` is a table, whose panels are in columns. On a page that is too narrow for
    their words, `narrow` replaces `rows`. In a table only the chosen panel has a frame, and a panel alone in its row is a
    heading. `links` join panels of a table. `beside` is a panel left of all `rows`. `tables` have numbers that are in no grid
    (headcount.stage.numbers.Table). A block whose grid is missing is drawn as an outline. So is a matrix whose cells would be
    means, because means of weights are noise. Attention maps keep their means.
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
        """The colour scales in which numbers are drawn; sheets and plain numbers have none."""
        sheets = {block.grid for block in self.blocks if block.bands or block.look}
        return tuple(dict.fromkeys(grid.scale for name, grid in self.grids.items() if name not in sheets))

    def end_of(self, scale: str) -> float:
        """Returns the value at the end of a colour scale."""
        return self.tops.get(scale, 1.0) or 1.0


def top_of(*arrays: np.ndarray) -> float:
    """Returns the largest absolute finite value of all these arrays: the end of their common colour scale."""
    tops = [np.abs(a[np.isfinite(a)]).max(initial=0.0) for a in arrays if a.size]
    return float(max(tops, default=1.0)) or 1.0


def tops_of(grids: Mapping[str, Grid]) -> dict[str, float]:
    """Returns the ends of two colour scales: one for all weights and biases of a picture, one for its other signed numbers."""
    return {kind: top_of(*(g.values for g in grids.values() if g.scale == kind)) for kind in ("weight", "signed")}


def pooled(values: np.ndarray, pool: int) -> np.ndarray:
    """Returns the means of the finite numbers in each square of pool × pool, which may be smaller at the edges. A square without
    finite numbers gives NaN, which is drawn as a masked cell."""
    if pool == 1:
        return values
    rows, columns = (np.arange(0, length, pool) for length in values.shape)
    seen = np.isfinite(values).astype(np.float32)
    sums, counts = (
        np.add.reduceat(np.add.reduceat(part, rows, axis=0), columns, axis=1) for part in (np.where(seen, values, 0), seen)
    )
    with np.errstate(invalid="ignore"):
        return (sums / counts).astype(np.float32)


#: Whether pictures are made for a file of numbers (`whole_numbers`).
_WHOLE: ContextVar[bool] = ContextVar("whole", default=False)


@contextmanager
def whole_numbers() -> Iterator[None]:
    """Makes pictures inside the `with` block keep every number of their matrices, without means, for files of numbers."""
    before = _WHOLE.set(True)
    try:
        yield
    finally:
        _WHOLE.reset(before)


def for_numbers_alone() -> bool:
    """Whether this picture is made inside `whole_numbers`."""
    return _WHOLE.get()


#: Most rows or columns of a matrix that is drawn number by number. A larger map is averaged to at least as many cells.
MAX_CELLS = 64


def pool_for(longest_side: int, most: int = MAX_CELLS) -> int:
    """Returns how many numbers one side of a cell stands for, a power of two, so that a side has at most `most` cells."""
    pool = 1
    while longest_side / pool > most and not for_numbers_alone():
        pool *= 2
    return pool


def pool_for_map(rows: int, columns: int) -> int:
    """Returns how many numbers one side of a map's cell stands for. A map with means has at least MAX_CELLS rows and columns."""
    return 1 if for_numbers_alone() else max(min(rows, columns) // MAX_CELLS, 1)
