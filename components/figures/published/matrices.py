"""The projections of one module at one scale: as published, and with the heads moved. Area means weights."""

from dataclasses import dataclass

from components.figures.published.look import CLEAR, GHOST, hidden, layout, note
from components.theme import EITHER
from mha.published.attention import Attention
from mha.published.conventions import changes

#: More cuts than these would be a grey wash.
MOST_CUTS = 128
HUES = {"stays": EITHER[3], "grows": EITHER[1], "shrinks": EITHER[0]}


@dataclass(frozen=True, slots=True)
class Shape:
    """One matrix: size (rows × columns) as published and now, and the lines that cut it into heads, from 0 to 1."""

    name: str
    then: tuple[int, int]
    now: tuple[int, int]
    verdict: str
    counts: tuple[int, int]
    cuts: int
    across: bool


@dataclass(frozen=True, slots=True)
class Row:
    """The matrices of one module, side by side, under a label."""

    label: str
    shapes: tuple[Shape, ...]


def row(label: str, then: Attention, now: Attention) -> Row:
    """`then` and `now` are of one model."""
    pieces = {"W_Q": now.heads, "W_UQ": now.heads, "W_UKV": now.heads, "W_K": now.kv_heads, "W_V": now.kv_heads, "W_O": now.heads}
    return Row(label, tuple(
        Shape(c.name, c.then, c.now, c.verdict, c.counts, pieces.get(c.name, 1), c.name == "W_O") for c in changes(then, now)
    ))  # fmt: skip


def alt(rows: list[Row]) -> str:
    """Every matrix with its size and what became of it."""
    said = []
    for one in rows:
        parts = [f"{s.name} {s.now[0]:,} × {s.now[1]:,}" + ("" if s.then == s.now else f", {s.verdict}") for s in one.shapes]
        said.append(f"{one.label}: " + "; ".join(parts) + ".")
    return "Weight matrices at one scale. " + " ".join(said)


def draw(rows: list[Row], verdicts: bool = True) -> dict:
    """Rows of rectangles; dashed where the published one was larger or smaller."""
    widest = max(max(s.then[1], s.now[1]) for one in rows for s in one.shapes)
    tallest = [max(max(s.then[0], s.now[0]) for s in one.shapes) for one in rows]
    gap = 0.1 * max(widest, *tallest)
    shapes, notes, points, y, right = [], [], [], 0.0, 0.0
    lines: tuple[list, list] = ([], [])
    for one, height in zip(rows, tallest, strict=True):
        x = 0.0
        if len(rows) > 1:
            notes.append(note(f"<b>{one.label}</b>", 0, y + gap * 0.2, xanchor="left", yanchor="bottom"))
            y -= gap * 0.2
        for s in one.shapes:
            room = max(s.then[1], s.now[1], 0.16 * widest, 1.1 * gap)
            left = x + (room - max(s.then[1], s.now[1])) / 2
            _rectangles(shapes, s, left, y)
            _cut(lines, s, left, y)
            under = "" if not verdicts else f"<br>{s.verdict}" + ("" if s.then == s.now else f" {s.counts[1] / s.counts[0]:.3g}×")
            text = f"<b>{_spelt(s.name)}</b><br>{s.now[0]:,} × {s.now[1]:,}{under}"
            notes.append(note(text, x + room / 2, y - height - gap * 0.15, xanchor="center", yanchor="top", size=13))
            points.append((left + s.now[1] / 2, y - s.now[0] / 2, f"{_spelt(s.name)}: {s.counts[1]:,} parameters with biases"))
            x += room + 1.4 * gap
        right = max(right, x - 1.4 * gap)
        y -= height + 1.9 * gap + (0.6 * gap if len(rows) > 1 else 0)
    return {
        "data": [
            {"type": "scatter", "mode": "lines", "x": lines[0], "y": lines[1], "hoverinfo": "skip",
             "line": {"width": 1, "color": "rgba(140, 140, 140, 0.55)"}},
            {"type": "scatter", "mode": "markers", "x": [p[0] for p in points], "y": [p[1] for p in points],
             "text": [p[2] for p in points], "hovertemplate": "%{text}<extra></extra>", "marker": {"size": 26, "color": CLEAR}},
        ],
        "layout": layout(
            300 if len(rows) == 1 else 560, shapes=shapes, annotations=notes,
            xaxis=hidden(range=[-0.02 * right, right * 1.02], constrain="domain"),
            yaxis=hidden(range=[y + 0.4 * gap, gap * (0.8 if len(rows) > 1 else 0.1)], scaleanchor="x", constrain="domain"),
        ),
    }  # fmt: skip


def _spelt(name: str) -> str:
    letter, index = name.split("_")
    return f"{letter}<sub>{index}</sub>"


def _rectangles(shapes: list[dict], s: Shape, left: float, top: float) -> None:
    box = {"type": "rect", "x0": left, "y0": top, "layer": "below"}
    hue = HUES[s.verdict]
    shapes.append({**box, "x1": left + s.now[1], "y1": top - s.now[0], "fillcolor": hue, "opacity": 0.38, "line": {"width": 0}})
    shapes.append({**box, "x1": left + s.now[1], "y1": top - s.now[0], "fillcolor": GHOST, "line": {"width": 1.6, "color": hue}})
    if s.then != s.now:
        dashed = {"width": 1.4, "color": EITHER[3], "dash": "dash"}
        shapes.append({**box, "x1": left + s.then[1], "y1": top - s.then[0], "line": dashed})


def _cut(lines: tuple[list, list], s: Shape, left: float, top: float) -> None:
    """Where one head ends and the next begins; W_O is cut across."""
    if not 1 < s.cuts <= MOST_CUTS:
        return
    for piece in range(1, s.cuts):
        share = piece / s.cuts
        along = (left, left + s.now[1]) if s.across else (left + share * s.now[1],) * 2
        down = (top - share * s.now[0],) * 2 if s.across else (top, top - s.now[0])
        lines[0].extend((*along, None))
        lines[1].extend((*down, None))
