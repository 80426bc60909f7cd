"""The projections of one module at one scale, before and after a move of the heads. Area means weights."""

from dataclasses import dataclass

from components.figures.chart import bare, hidden, note
from components.figures.theme import CLEAR, EITHER, GHOST
from mha.names import counted
from mha.published.attention import Attention
from mha.published.conventions import changes

#: More cuts than these would be a grey wash.
MOST_CUTS = 128
HUES = {"stays": EITHER[3], "grows": EITHER[1], "shrinks": EITHER[0]}
#: Pixels on paper that is WIDE wide: room for a name and its size below each matrix, between two, above and below a row.
WIDE, LABEL, GAP, HEAD, FOOT = 460, 84, 12, 26, 54


@dataclass(frozen=True, slots=True)
class Shape:
    """One matrix: size (rows × columns) before and now, and into how many heads it is cut; W_O `across`."""

    name: str
    then: tuple[int, int]
    now: tuple[int, int]
    verdict: str
    counts: tuple[int, int]
    cuts: int
    across: bool

    @property
    def width(self) -> int:
        return max(self.then[1], self.now[1])

    @property
    def height(self) -> int:
        return max(self.then[0], self.now[0])


@dataclass(frozen=True, slots=True)
class Row:
    """The matrices of one module, side by side, under a label."""

    label: str
    shapes: tuple[Shape, ...]


def rows_of(label: str, then: Attention, now: Attention) -> list[Row]:
    """One module's matrices; `then` and `now` are of one model. Those of latent attention in two rows: they are long."""
    h, kv = now.heads, now.kv_heads
    pieces = {"W_Q": h, "W_UQ": h, "W_UKV": h, "W_K": kv, "W_V": kv, "W_O": h}
    shapes = tuple(
        Shape(c.name, c.then, c.now, c.verdict, c.counts, pieces.get(c.name, 1), c.name == "W_O") for c in changes(then, now)
    )
    return [Row(label, shapes[:-2]), Row("", shapes[-2:])] if now.latent else [Row(label, shapes)]


def alt(rows: list[Row]) -> str:
    """Every matrix with its size and what became of it."""
    sentences = []
    for row in rows:
        parts = [f"{s.name} {s.now[0]:,} × {s.now[1]:,}" + ("" if s.then == s.now else f", {s.verdict}") for s in row.shapes]
        sentences.append((f"{row.label}: " if row.label else "") + "; ".join(parts) + ".")
    return "Weight matrices at one scale. " + " ".join(sentences)


def scale(rows: list[Row], high: float) -> float:
    """Pixels for one weight's side, the same for all: every row fits in WIDE, all rows one above the other in `high`."""
    low, top = 0.0, high / sum(max(s.height for s in row.shapes) for row in rows)
    for _ in range(40):
        middle = (low + top) / 2
        widest = max(sum(max(s.width * middle, LABEL) + GAP for s in row.shapes) - GAP for row in rows)
        low, top = (middle, top) if widest <= WIDE else (low, middle)
    return low


def draw(rows: list[Row], high: int, verdicts: bool = True) -> dict:
    """Rows of rectangles, `high` pixels for the rectangles; dashed where a matrix was larger or smaller before."""
    unit = scale(rows, high)
    shapes, notes, points, y = [], [], [], 0.0
    lines: tuple[list, list] = ([], [])
    for row in rows:
        if row.label:
            notes.append(note(f"<b>{row.label}</b>", 0, y, xanchor="left", yanchor="top"))
            y -= HEAD
        tallest = max(s.height for s in row.shapes) * unit
        x = 0.0
        for s in row.shapes:
            room = max(s.width * unit, LABEL)
            left = x + (room - s.width * unit) / 2
            _rectangles(shapes, s, left, y, unit)
            _cut(lines, s, left, y, unit)
            times = "" if s.then == s.now else f" {s.counts[1] / s.counts[0]:.3g}×"
            under = f"<br>{s.verdict}{times}" if verdicts else ""
            text = f"<b>{_spelt(s.name)}</b><br>{s.now[0]:,}×{s.now[1]:,}{under}"
            notes.append(note(text, x + room / 2, y - tallest - 2, xanchor="center", yanchor="top", size=12))
            hover = f"{_spelt(s.name)}: {counted(s.counts[1], 'parameter')}"
            points.append((left + s.now[1] * unit / 2, y - s.now[0] * unit / 2, hover))
            x += room + GAP
        y -= tallest + FOOT + (8 if verdicts else -6)
    return {
        "data": [
            {"type": "scatter", "mode": "lines", "x": lines[0], "y": lines[1], "hoverinfo": "skip",
             "line": {"width": 1, "color": "rgba(140, 140, 140, 0.55)"}},
            {"type": "scatter", "mode": "markers", "x": [p[0] for p in points], "y": [p[1] for p in points],
             "text": [p[2] for p in points], "hovertemplate": "%{text}<extra></extra>", "marker": {"size": 26, "color": CLEAR}},
        ],
        "layout": bare(
            round(16 - y), shapes=shapes, annotations=notes, xaxis=hidden(range=[-4, WIDE + 4], constrain="domain"),
            yaxis=hidden(range=[y, 4], scaleanchor="x", constrain="domain", constraintoward="top"),
            meta={"tables": [table(rows)]},
        ),
    }  # fmt: skip


def table(rows: list[Row]) -> dict:
    """The numbers drawn, to be attached (components/figures/numbers.py): a line for each matrix, with its size before where any
    was moved."""
    moved = any(s.then != s.now for row in rows for s in row.shapes)
    before = ("rows before", "columns before") if moved else ()
    heads = ("matrix", "rows", "columns", "parameters", "cut into", *before)
    labels = [row.label for row in rows]
    named = [next((label for label in reversed(labels[: i + 1]) if label), "") for i in range(len(rows))]
    lines = tuple(
        (f"{label}: {s.name}" if label else s.name, *s.now, s.counts[1], s.cuts, *(s.then if moved else ()))
        for label, row in zip(named, rows, strict=True)
        for s in row.shapes
    )
    return {"title": "Weight matrices", "heads": heads, "rows": lines}


def _spelt(name: str) -> str:
    letter, index = name.split("_")
    return f"{letter}<sub>{index}</sub>"


def _rectangles(shapes: list[dict], s: Shape, left: float, top: float, unit: float) -> None:
    def box(size: tuple[int, int], **more: object) -> dict:
        ends = {"x1": left + size[1] * unit, "y1": top - size[0] * unit}
        return {"type": "rect", "x0": left, "y0": top, "layer": "below", **ends, **more}

    hue = HUES[s.verdict]
    shapes.append(box(s.now, fillcolor=hue, opacity=0.38, line={"width": 0}))
    shapes.append(box(s.now, fillcolor=GHOST, line={"width": 1.6, "color": hue}))
    if s.then != s.now:
        shapes.append(box(s.then, line={"width": 1.4, "color": EITHER[3], "dash": "dash"}))


def _cut(lines: tuple[list, list], s: Shape, left: float, top: float, unit: float) -> None:
    """Where one head ends and the next begins; W_O is cut across."""
    high, wide = s.now[0] * unit, s.now[1] * unit
    if not 1 < s.cuts <= MOST_CUTS or min(high, wide) < 2:
        return
    for piece in range(1, s.cuts):
        share = piece / s.cuts
        lines[0].extend((*((left, left + wide) if s.across else (left + share * wide,) * 2), None))
        lines[1].extend((*((top - share * high,) * 2 if s.across else (top, top - high)), None))
