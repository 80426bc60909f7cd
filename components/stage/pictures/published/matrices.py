"""The projections of one module at one scale, before and after a move of the heads. Area means weights."""

from dataclasses import dataclass

from components.stage.diagram import Arrow, Box, Diagram, word
from components.stage.layout import Rect
from components.stage.numbers import Table
from mha.models.attention import Attention
from mha.names import counted

#: Cuts that are closer than so many pixels would be a grey wash.
CLOSEST_CUTS = 2.5
#: Pixels: the whole width; room for a name and its size below each matrix, between two; a label's line, a word's, and their type.
WIDE, LABEL, GAP, HEAD, LINE, TYPE = 360, 86, 5, 24, 17, 14


@dataclass(frozen=True, slots=True)
class Shape:
    """One matrix: size (rows × columns) before and now, its numbers, and into how many heads it is cut."""

    name: str
    then: tuple[int, int]
    now: tuple[int, int]
    counts: tuple[int, int]
    cuts: int

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


#: The matrices of one module, side by side, under a label.
Row = tuple[str, tuple[Shape, ...]]


def rows_of(label: str, then: Attention, now: Attention) -> list[Row]:
    """One module's matrices; `then` and `now` are of one model. Those of latent attention in two rows: they are long."""
    h, kv = now.heads, now.kv_heads
    pieces = {"W_Q": h, "W_UQ": h, "W_UKV": h, "W_K": kv, "W_V": kv, "W_O": h}
    shapes = tuple(
        Shape(a.name, (a.rows, a.cols), (b.rows, b.cols), (a.count, b.count), pieces.get(a.name, 1))
        for a, b in zip(then.matrices(), now.matrices(), strict=True)
    )
    return [(label, shapes[:-2]), ("", shapes[-2:])] if now.latent else [(label, shapes)]


def alt(rows: list[Row]) -> str:
    """Every matrix with its size and what became of it."""
    sentences = []
    for label, shapes in rows:
        parts = [f"{s.name} {s.now[0]:,} × {s.now[1]:,}" + ("" if s.then == s.now else f", {s.verdict}") for s in shapes]
        sentences.append((f"{label}: " if label else "") + "; ".join(parts) + ".")
    return "Weight matrices at one scale. " + " ".join(sentences)


def scale(rows: list[Row], high: float) -> float:
    """Pixels for one weight's side, the same for all: every row fits in WIDE, all rows one above the other in `high`."""
    low, top = 0.0, high / sum(max(s.height for s in shapes) for _, shapes in rows)
    for _ in range(40):
        middle = (low + top) / 2
        widest = max(sum(max(s.width * middle, LABEL) + GAP for s in shapes) - GAP for _, shapes in rows)
        low, top = (middle, top) if widest <= WIDE else (low, middle)
    return low


def draw(rows: list[Row], high: int, verdicts: bool = True) -> Diagram:
    """Rows of rectangles, `high` pixels for the rectangles; dashed where a matrix was larger or smaller before."""
    unit, y = scale(rows, high), 0.0
    boxes: list[Box] = []
    lines: list[Arrow] = []
    texts = []
    for label, shapes in rows:
        if label:
            texts.append(word(label, 0, y + TYPE, TYPE, "strong", "start"))
            y += HEAD
        x, under = 0.0, y + max(s.height for s in shapes) * unit + LINE
        for s in shapes:
            room = max(s.width * unit, LABEL)
            left = x + (room - s.width * unit) / 2
            now, then = (Rect(left, y, columns * unit, height * unit) for height, columns in (s.now, s.then))
            boxes.append(Box(now, radius=0, title=f"{s.name}: {counted(s.counts[1], 'parameter')}"))
            boxes += [Box(then, "before", radius=0)] if s.then != s.now else []
            lines += _cuts(s, now)
            times = "" if s.then == s.now else f" {s.counts[1] / s.counts[0]:.3g}×"
            letter, index = s.name.split("_")
            said = (f"{letter}_{{{index}}}", f"{s.now[0]:,}×{s.now[1]:,}", *((f"{s.verdict}{times}",) if verdicts else ()))
            for place, text in enumerate(said):
                texts.append(word(text, x + room / 2, under + place * LINE, TYPE, "ink" if place else "strong"))
            x += room + GAP
        y = under + (2 + verdicts) * LINE
    return Diagram(WIDE, y - LINE + 6, tuple(boxes), tuple(lines), tuple(texts), alt(rows), (table(rows),))


def table(rows: list[Row]) -> Table:
    """A line for each matrix, with its size before where any was moved."""
    moved, lines, named = any(s.then != s.now for _, shapes in rows for s in shapes), [], ""
    for label, shapes in rows:
        named = label or named
        for s in shapes:
            name = f"{named}: {s.name}" if named else s.name
            lines.append((name, *s.now, s.counts[1], s.cuts, *(s.then if moved else ())))
    before = ("rows before", "columns before") if moved else ()
    return Table("Weight matrices", ("matrix", "rows", "columns", "parameters", "cut into", *before), tuple(lines))


def _cuts(s: Shape, drawn: Rect) -> list[Arrow]:
    """Where one head ends and the next begins; W_O is cut across."""
    across = s.name == "W_O"
    if (drawn.h if across else drawn.w) < s.cuts * CLOSEST_CUTS:
        return []
    shares = (piece / s.cuts for piece in range(1, s.cuts))
    if across:
        ends = [((drawn.x, y), (drawn.x + drawn.w, y)) for y in (drawn.y + share * drawn.h for share in shares)]
    else:
        ends = [((x, drawn.y), (x, drawn.y + drawn.h)) for x in (drawn.x + share * drawn.w for share in shares)]
    return [Arrow(points, plain=True, thin=True) for points in ends]
