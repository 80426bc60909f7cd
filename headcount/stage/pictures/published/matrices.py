"""The projections of one module at one scale, before and after a move of the heads. Area means weights."""

from dataclasses import dataclass

from headcount.models.attention import Attention
from headcount.models.real_class import Counted
from headcount.names import counted
from headcount.stage.diagram import Arrow, Box, Diagram, Shape, word
from headcount.stage.layout import Rect
from headcount.stage.numbers import Table

#: Cuts that are closer than so many pixels would be a grey wash.
CLOSEST_CUTS = 2.5
#: Pixels: the whole width, the height of the rectangles; room for a name and its size below each matrix, between two; a label's
#: line, a word's, and their type.
WIDE, HIGH, LABEL, GAP, HEAD, LINE, TYPE = 360, 150, 86, 5, 24, 17, 14


@dataclass(frozen=True, slots=True)
class Matrix:
    """One matrix: size (rows × columns) before and now, its numbers, and into how many heads it is cut (0: not known); W_O
    `across`."""

    name: str
    then: tuple[int, int]
    now: tuple[int, int]
    counts: tuple[int, int]
    cuts: int
    across: bool

    @property
    def verdict(self) -> str:
        before, after = self.counts
        return "stays" if before == after else "grows" if after > before else "shrinks"

    @property
    def width(self) -> int:
        return max(self.then[1], self.now[1])

    @property
    def height(self) -> int:
        return max(self.then[0], self.now[0])


#: Kinds of attention modules of one class that are drawn; its ledger has them all.
MOST_KINDS = 2
Rows = list[tuple[Matrix, ...]]


def rows_of(then: Attention, now: Attention) -> Rows:
    """One module's matrices, side by side; `then` and `now` are of one model. Those of latent attention in two rows: they are
    long."""
    h, kv = now.heads, now.kv_heads
    pieces = {"W_Q": h, "W_UQ": h, "W_UKV": h, "W_K": kv, "W_V": kv, "W_O": h}
    shapes = tuple(
        Matrix(a.name, (a.rows, a.cols), (b.rows, b.cols), (a.count, b.count), pieces.get(a.name, 1), a.name == "W_O")
        for a, b in zip(then.matrices(), now.matrices(), strict=True)
    )
    return [shapes[:-2], shapes[-2:]] if now.latent else [shapes]


def rows_of_class(then: Counted, now: Counted) -> Rows:
    """The matrices of a class's two most frequent attention modules, a row for each, with the names that the class has."""
    before = [{name: (rows, cols, rows * cols + bias) for name, rows, cols, bias in weights} for _, weights in then.modules]
    found: Rows = []
    for number, (_, weights) in enumerate(now.modules[:MOST_KINDS]):
        old = before[number] if number < len(before) else {}
        sizes = ((name, (rows, cols), rows * cols + bias) for name, rows, cols, bias in weights)
        shapes = ((name, size, count, old.get(name, (*size, count))) for name, size, count in sizes)
        found.append(tuple(Matrix(name, was[:2], size, (was[2], count), 0, False) for name, size, count, was in shapes))
    return found


def scale(rows: Rows) -> float:
    """Pixels for one weight's side, the same for all: every row fits in WIDE, all rows one above the other in HIGH."""
    low, top = 0.0, HIGH / sum(max(s.height for s in row) for row in rows)
    for _ in range(40):
        middle = (low + top) / 2
        widest = max(sum(max(s.width * middle, LABEL) + GAP for s in row) - GAP for row in rows)
        low, top = (middle, top) if widest <= WIDE else (low, middle)
    return low


def draw(label: str, rows: Rows) -> Diagram:
    """Rows of rectangles; dashed where a matrix was larger or smaller before."""
    moved = any(s.then != s.now for row in rows for s in row)
    unit, y = scale(rows), float(HEAD)
    drawn: list[Shape] = [word(label, 0, TYPE, TYPE, "strong", "start")]
    for row in rows:
        x, under = 0.0, y + max(s.height for s in row) * unit + LINE
        for s in row:
            room = max(s.width * unit, LABEL)
            left = x + (room - s.width * unit) / 2
            now_drawn, then_drawn = (Rect(left, y, columns * unit, height * unit) for height, columns in (s.now, s.then))
            drawn.append(Box(now_drawn, radius=0, title=f"{s.name}: {counted(s.counts[1], 'parameter')}"))
            drawn += [Box(then_drawn, "before", radius=0)] if s.then != s.now else []
            drawn += _cuts(s, now_drawn)
            times = "" if s.then == s.now else f" {s.counts[1] / s.counts[0]:.3g}×"
            name = f"W_{{{s.name[2:]}}}" if s.name.startswith("W_") else s.name
            said = (name, f"{s.now[0]:,}×{s.now[1]:,}", *((f"{s.verdict}{times}",) if moved else ()))
            for place, text in enumerate(said):
                drawn.append(word(text, x + room / 2, under + place * LINE, TYPE, "ink" if place else "strong"))
            x += room + GAP
        y = under + 3 * LINE
    each = [f"{s.name} {s.now[0]:,} × {s.now[1]:,}" + ("" if s.then == s.now else f", {s.verdict}") for row in rows for s in row]
    alt = f"Weight matrices at one scale. {label}: {'; '.join(each)}."
    return Diagram(WIDE, y - LINE + 6, drawn, alt, (table(rows),))


def table(rows: Rows) -> Table:
    """A line for each matrix, with its size before where any was moved."""
    shapes = [s for row in rows for s in row]
    moved, cut = any(s.then != s.now for s in shapes), all(s.cuts for s in shapes)
    more = (*(("cut into",) if cut else ()), *(("rows before", "columns before") if moved else ()))
    heads = ("matrix", "rows", "columns", "parameters", *more)
    lines = ((s.name, *s.now, s.counts[1], *((s.cuts,) if cut else ()), *(s.then if moved else ())) for s in shapes)
    return Table("Weight matrices", heads, tuple(lines))


def _cuts(s: Matrix, drawn: Rect) -> list[Arrow]:
    """Where one head ends and the next begins; W_O is cut across."""
    if (drawn.h if s.across else drawn.w) < s.cuts * CLOSEST_CUTS:
        return []
    shares = [piece / s.cuts for piece in range(1, s.cuts)]
    if s.across:
        ends = [((drawn.x, y), (drawn.x + drawn.w, y)) for y in (drawn.y + share * drawn.h for share in shares)]
    else:
        ends = [((x, drawn.y), (x, drawn.y + drawn.h)) for x in (drawn.x + share * drawn.w for share in shares)]
    return [Arrow(points, plain=True, thin=True) for points in ends]
