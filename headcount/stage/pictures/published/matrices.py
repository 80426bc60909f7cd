"""Diagram that compares the weight matrices of attention modules. Equal areas have equal numbers of weights."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.models.attention import Attention
from headcount.names import counted
from headcount.stage.diagram import Box, Diagram, Shape, word
from headcount.stage.layout import Rect
from headcount.stage.numbers import Table
from headcount.stage.text import width_of

#: A matrix is drawn without slices if they would be thinner than THINNEST pixels or more than MAX_PIECES.
THINNEST, MAX_PIECES = 1.2, 64
#: Most matrices whose words have room in a line.
IN_LINE = 4
#: Pixels. WIDE, HIGH: all matrices of a module. LABEL: room for words below a matrix. GAP: between two matrices. LINE, TYPE: a
#: line of words and its letters. LARGE: letters of a count. HEAD: from a module's label to its matrices. APART: between modules.
WIDE, HIGH, LABEL, GAP, LINE, TYPE, LARGE, HEAD, APART = 400, 100, 94, 6, 17, 14, 28, 30, 26


@dataclass(frozen=True, slots=True)
class DrawnMatrix:
    """A matrix of `rows` × `columns` in `cuts` slices: cut by rows if `across`, else by columns. `count` includes the bias."""

    name: str
    rows: int
    columns: int
    count: int
    cuts: int
    across: bool


@dataclass(frozen=True, slots=True)
class Module:
    """The attention of a model. `count` counts the parameters named in `what`. `lines` has one attention module's matrices."""

    label: str
    note: str
    count: int
    what: str
    lines: tuple[tuple[DrawnMatrix, ...], ...]


def lines_of(attention: Attention) -> tuple[tuple[DrawnMatrix, ...], ...]:
    """Returns the matrices of one attention module, arranged in lines. Latent attention, and any module with more than IN_LINE
    matrices, has two lines. All other modules have one line."""
    h, kv = attention.heads, attention.kv_heads
    pieces = {"W_Q": h, "W_UQ": h, "W_UKV": h, "W_K": kv, "W_V": kv, "W_O": h}
    shapes = tuple(
        DrawnMatrix(m.name, m.rows, m.cols, m.count, pieces.get(m.name, 1), m.name == "W_O") for m in attention.matrices()
    )  # fmt: skip
    return (shapes[:-2], shapes[-2:]) if attention.latent or len(shapes) > IN_LINE else (shapes,)


def scale(modules: Sequence[Module]) -> float:
    """Returns the largest number of pixels per row or column with which the lines fit WIDE and the modules fit HIGH."""
    lines = [line for module in modules for line in module.lines]
    low, top = 0.0, HIGH / max(sum(max(s.rows for s in line) for line in module.lines) for module in modules)
    for _ in range(40):
        middle = (low + top) / 2
        widest = max(sum(max(s.columns * middle, LABEL) + GAP for s in line) - GAP for line in lines)
        low, top = (middle, top) if widest <= WIDE else (low, middle)
    return low


def draw(modules: Sequence[Module]) -> Diagram:
    """Draws the modules below each other. Each module has a heading, its matrices cut into slices, and its parameter count."""
    unit, y, drawn = scale(modules), float(TYPE), list[Shape]()
    for module in modules:
        label = word(module.label, 0, y, TYPE + 2, "strong", "start")
        drawn += [label, word(module.note, 0, y + LINE + 2, TYPE, "muted", "start")]
        y += HEAD
        for line in module.lines:
            x, under = 0.0, y + max(s.rows for s in line) * unit + LINE
            for s in line:
                room = max(s.columns * unit, LABEL)
                drawn += _cut(s, Rect(x + (room - s.columns * unit) / 2, y, s.columns * unit, s.rows * unit))
                name = f"W_{{{s.name[2:]}}}" if s.name.startswith("W_") else s.name
                drawn.append(word(name, x + room / 2, under, TYPE, "strong"))
                drawn.append(word(f"{s.rows:,}×{s.columns:,}", x + room / 2, under + LINE, TYPE, "muted"))
                x += room + GAP
            y = under + 2 * LINE
        y += LARGE - 8
        number = f"{module.count:,}"
        drawn.append(word(number, 0, y, LARGE, "strong", "start"))
        drawn.append(word(module.what, width_of(number, LARGE, "sans", True) + 12, y, TYPE, "muted", "start"))
        y += APART + TYPE
    alt = " ".join(
        f"{module.label}, {module.note}, with {module.count:,} {module.what}. One module has "
        + ", ".join(f"{s.name} {s.rows:,} × {s.columns:,}" for line in module.lines for s in line) + "."
        for module in modules
    )  # fmt: skip
    alt = f"The weight matrices of attention are drawn to one scale. {alt}"
    return Diagram(WIDE, y - APART - TYPE + 8, drawn, alt, (table(modules),))


def table(modules: Sequence[Module]) -> Table:
    heads = ("heads", "matrix", "rows", "columns", "parameters", "cut into")
    rows = ((m.label, s.name, s.rows, s.columns, s.count, s.cuts) for m in modules for line in m.lines for s in line)
    return Table("Weight matrices", heads, tuple(rows))


def _cut(s: DrawnMatrix, place: Rect) -> list[Box]:
    whole = Box(place, "panel", radius=0, title=f"{s.name}: {counted(s.count, 'parameter')}")
    long = place.h if s.across else place.w
    if not 1 < s.cuts <= MAX_PIECES or long < s.cuts * THINNEST:
        return [whole]
    each = long / s.cuts
    pieces = (
        Rect(place.x, place.y + n * each, place.w, each) if s.across else Rect(place.x + n * each, place.y, each, place.h)
        for n in range(s.cuts)
    )
    return [whole, *(Box(piece, "hue", n, 0) for n, piece in enumerate(pieces)), Box(place, "cut", radius=0)]
