"""A plain Plotly figure as vectors, drawn here: axes, lines, markers, bars, maps of cells, words. No browser is needed.

It draws what the charts of this app are made of (tests/figures/test_plot.py lists it), at the size that is asked for and in the
colours of the figure and an Ink. All is rect, path, circle and text, so that TikZ takes it, too.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import pairwise
from typing import Any

import numpy as np

from components.figures import layout, svg
from components.figures.layout import Rect
from components.figures.numbers import matrix_of
from components.figures.svg import Ink, px
from components.figures.text import compact, width_of

#: Type in pixels: ticks and all else, titles of axes; between words and what they name; between two items of the legend.
TYPE, AXIS, PAD, APART = 13.0, 14.0, 7.0, 22.0
#: Pixels of an axis for each tick at most; a sample in the legend; the space around points, as a share of the axis.
TICK_EACH, SAMPLE, AROUND = {"x": 45.0, "y": 28.0}, 26.0, 0.06
#: Beside a map, pixels for its colours and their numbers; how many stripes of colour.
SCALE, STRIPES = 62.0, 24
#: Steps between ticks, times a power of ten.
NICE = (1.0, 2.0, 5.0, 10.0)
#: Strokes and gaps of a dashed line, in its widths.
DASHES = {"solid": (), "dash": (3.0, 3.0), "dot": (1.0, 1.6), "dashdot": (3.0, 2.0, 1.0, 2.0), "longdash": (6.0, 3.0),
          "longdashdot": (6.0, 2.0, 1.0, 2.0)}  # fmt: skip
#: Distance of a bar's hatching, and the width of its strokes, in pixels.
HATCHED, STROKE = 6.0, 0.7
#: Patterns of two directions.
CROSSED = {"x": "/\\", "+": "-|"}


@dataclass
class Axis:
    """`low`, `high`: the ends in its own numbers (places of categories, powers of ten); `start`, `end`: their pixels."""

    name: str
    spec: Mapping[str, Any]
    kind: str = "linear"
    categories: list[str] = field(default_factory=list)
    low: float = 0.0
    high: float = 1.0
    start: float = 0.0
    end: float = 1.0

    @property
    def letter(self) -> str:
        return self.name[0]

    @property
    def shown(self) -> bool:
        return bool(self.spec.get("visible", True))

    @property
    def labelled(self) -> bool:
        return self.shown and bool(self.spec.get("showticklabels", True))

    def number(self, value: Any) -> float:
        """A value as the axis counts; NaN where there is none."""
        if self.kind == "category" and not isinstance(value, (int, float, np.number)):
            return float(self.categories.index(str(value)))
        if value is None:
            return math.nan
        return math.log10(value) if self.kind == "log" else float(value)

    def at(self, value: Any) -> float:
        return self.pixel(self.number(value))

    def pixel(self, number: float) -> float:
        return self.start + (number - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[tuple[float, str]]:
        """Places, in the axis' numbers, and their labels, within its ends."""
        if "tickvals" in self.spec:
            values = self.spec["tickvals"]
            words = self.spec.get("ticktext") or [self.label(value) for value in values]
            found = [(self.number(value), str(word)) for value, word in zip(values, words, strict=True)]
        elif self.kind == "category":
            found = [(float(place), word) for place, word in enumerate(self.categories)]
        elif self.kind == "log":
            powers = range(math.ceil(min(self.low, self.high) - 1e-9), math.floor(max(self.low, self.high) + 1e-9) + 1)
            found = [(float(power), self.label(10.0**power)) for power in powers]
        else:
            step = self.step()
            first = math.ceil(min(self.low, self.high) / step - 1e-9)
            last = math.floor(max(self.low, self.high) / step + 1e-9)
            found = [(place * step, self.label(place * step, step)) for place in range(first, last + 1)]
        least, most = sorted((self.low, self.high))
        off = 1e-6 * (most - least)
        return [(at, word) for at, word in found if least - off <= at <= most + off]

    def step(self) -> float:
        """Between two ticks: as many as have room, but at least two."""
        most = self.spec.get("nticks") or max(int(abs(self.end - self.start) / TICK_EACH[self.letter]), 2)
        low, high = sorted((self.low, self.high))
        least = (high - low) / most
        power = 10.0 ** math.floor(math.log10(least))
        place = next(place for place, nice in enumerate(NICE) if nice * power >= least * (1 - 1e-9))
        while place > 0 and math.floor(high / (NICE[place] * power)) <= math.ceil(low / (NICE[place] * power)):
            place -= 1
        return NICE[place] * power

    def label(self, value: float, step: float = 0.0) -> str:
        """As d3 writes it: "," thousands, ".0%" shares, ".1f" digits; without a format as many digits as a step needs."""
        form = self.spec.get("tickformat", "")
        if form and form != ",":
            return format(value, form).replace("-", "−")
        if not form and max(step, 0 if step else value) >= 1e4:
            return compact(value) if value else "0"
        digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step else 0
        return f"{value:,.{digits}f}".replace("-", "−")


@dataclass(frozen=True)
class Place:
    """Where a chart stands: the outer box, and the inner one that axes' domains divide."""

    width: float
    height: float
    inner: Rect


def draw(figure: Mapping[str, Any], width: float, height: float, ink: Ink) -> str:
    """The content of an <svg> of `width` × `height` pixels."""
    axes = _axes(figure)
    lines = _legend(figure, ink, width)
    inner = _inner(figure, axes, width, height, len(lines), ink)
    for axis in axes.values():
        _stretch(axis, inner)
    _hold_scales(axes)
    parts = [*_shapes(figure, axes, inner, ink, "below"), *_grid(axes, figure, ink)]
    bars = list(_bars(figure, axes))
    for number, trace in enumerate(figure["data"]):
        kind, pair = trace.get("type", "scatter"), _pair(trace, axes)
        body = ""
        if kind == "heatmap":
            body = "".join(_cells(trace, *pair, ink)) + ("".join(_scale(trace, inner, ink)) if _has_scale(trace) else "")
        elif kind == "bar":
            body = "".join(_bar(trace, [rect for n, rect in bars if n == number], ink))
        else:
            body = "".join(_points(trace, *pair, ink))
        seen = trace.get("opacity")
        parts.append(body if seen in (None, 1) else f'<g opacity="{px(seen)}">{body}</g>')
    parts += [*_shapes(figure, axes, inner, ink, "above"), *_labels(axes, inner, ink), *_notes(figure, axes, inner, ink)]
    left = min(inner.x, max(width - max((wide for _, wide in lines), default=0.0), 0.0))
    for place, (line, _) in enumerate(lines):
        parts.append(f'<g transform="translate({px(left)} {px(TYPE * (1 + place * 1.5))})">{line}</g>')
    return "\n".join(part for part in parts if part)


def label(text: str) -> tuple[list[str], bool]:
    """Plotly's markup as lines in the language of labels (text.pieces), and whether they are bold."""
    bold = "<b>" in text
    spelt = re.sub(r"<su([bp])>(.*?)</su[bp]>", lambda m: f"{'_' if m[1] == 'b' else '^'}{{{m[2]}}}", text)
    return [unescape(re.sub(r"<[^>]*>", "", line)) for line in re.split(r"<br ?/?>", spelt)], bold


def _pair(trace: Mapping[str, Any], axes: Mapping[str, Axis]) -> tuple[Axis, Axis]:
    return axes[trace.get("xaxis", "x")], axes[trace.get("yaxis", "y")]


def _listed(value: Any, count: int) -> list[Any]:
    """A value for each of so many points."""
    return list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value] * count


def _axes(figure: Mapping[str, Any]) -> dict[str, Axis]:
    """All axes of the traces, with their kinds and ends."""
    names = {trace.get(f"{letter}axis", letter) for trace in figure["data"] for letter in "xy"}
    drawn = figure["layout"]
    found = {name: Axis(name, drawn.get(f"{name[0]}axis{name[1:]}", {})) for name in sorted(names)}
    for axis in found.values():
        values = [(trace, value) for trace in figure["data"] if trace.get(f"{axis.letter}axis", axis.letter) == axis.name
                  for value in _values(trace, axis.letter) if value is not None]  # fmt: skip
        words = any(isinstance(value, str) for _, value in values)
        axis.kind = axis.spec.get("type") or ("category" if words else "linear")
        if axis.kind == "category":
            first = axis.spec.get("categoryarray", ())
            axis.categories = list(dict.fromkeys(str(value) for value in (*first, *(value for _, value in values))))
    for axis in found.values():
        first = axis.spec.get("matches", axis.name)
        shared = {other.name for other in found.values() if other.spec.get("matches", other.name) == first}
        axis.low, axis.high = _ends(figure, axis, shared)
    return found


def _values(trace: Mapping[str, Any], letter: str) -> list[Any]:
    """What a trace has along an axis; of a map without names, the places of its cells."""
    if letter in trace:
        return list(trace[letter])
    if "z" in trace:
        return list(range(matrix_of(trace["z"]).shape[letter == "x"]))
    other = list(trace["y" if letter == "x" else "x"])
    return list(range(len(other)))


def _ends(figure: Mapping[str, Any], axis: Axis, shared: set[str]) -> tuple[float, float]:
    if "range" in axis.spec:
        low, high = axis.spec["range"]
        return float(low), float(high)
    numbers, bars, margin = [], False, False
    for trace in figure["data"]:
        if trace.get(f"{axis.letter}axis", axis.letter) not in shared:
            continue
        kind = trace.get("type", "scatter")
        found = [axis.number(value) for value in _values(trace, axis.letter)]
        along = (axis.letter == "y") == (trace.get("orientation") == "h")  # where its bars stand side by side
        if kind == "bar" and not along:
            base = _listed(trace.get("base", 0), len(found))
            found = [start + length for start, length in zip(base, found, strict=True)] + [0.0]
        if "error_y" in trace and axis.letter == "y":
            ends = zip(_values(trace, "y"), (off or 0.0 for off in trace["error_y"]["array"]), strict=True)
            found += [axis.number(end) for value, off in ends for end in (value - off, value + off)]
        bars = bars or kind == "heatmap" or (kind == "bar" and along)
        margin = margin or kind == "scatter"
        numbers += [number for number in found if math.isfinite(number)]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    if bars:
        low, high = low - 0.5, high + 0.5
    elif axis.kind == "category":
        low, high = low - 0.3, high + 0.3
    else:
        room = AROUND * (high - low or abs(high) or 1.0)
        low, high = (low - room if margin else low), high + room
        if axis.spec.get("rangemode") == "tozero" and axis.kind == "linear":
            low = min(low + room, 0.0) if low < 0 and min(numbers, default=0.0) < 0 else 0.0
    return (high, low) if axis.spec.get("autorange") == "reversed" else (low, high)


def _title(axis: Axis) -> str:
    title = axis.spec.get("title", "")
    return (title.get("text", "") if isinstance(title, Mapping) else str(title)) if axis.shown else ""


def _type(axis: Axis) -> float:
    return float(axis.spec.get("tickfont", {}).get("size", TYPE))


def _inner(figure: Mapping[str, Any], axes: Mapping[str, Axis], width: float, height: float, lines: int, ink: Ink) -> Rect:
    """The box that the axes divide: what the words at its sides leave."""
    bare = not any(axis.shown for axis in axes.values())
    asked = figure["layout"].get("margin", {})
    notes = [one for one in figure["layout"].get("annotations", ()) if one.get("yref") == "paper"]
    top = (lines * TYPE * 1.5 + 12 if lines else 0) + (24 if any(one["y"] >= 1 for one in notes) else 0)
    bottom = 28.0 if any(one["y"] < 0 for one in notes) else 0.0
    left = right = 0.0
    for axis in axes.values():
        low, _ = axis.spec.get("domain", (0, 1))
        if axis.letter == "x":
            ticks = _type(axis) * 1.6 if axis.labelled else 0
            bottom = max(bottom, (ticks + (AXIS * 1.7 if _title(axis) else 4)) if axis.shown else 0)
        elif low == 0 or axis.labelled:
            axis.start, axis.end = height * 0.8, 0.0  # only to know which ticks there are
            words = [width_of(*_plain(word), _type(axis), ink.face) for _, word in axis.ticks()] if axis.labelled else []
            across = axes.get(axis.spec.get("anchor", "x"), None)
            outer = across is None or across.spec.get("domain", (0, 1))[0] <= 0.05
            left = max(left, (max(words, default=0) + PAD + (AXIS * 1.6 if _title(axis) else 0)) if outer else 0)
    if any(axis.labelled and axis.letter == "x" for axis in axes.values()):
        right = 10.0
    right += SCALE if any(_has_scale(trace) for trace in figure["data"]) else 0
    least = 4.0 if bare else 10.0
    top = max(top, least if not lines else 0, asked.get("t", 0) if notes else 0)
    return Rect(left, top, max(width - left - right, 20), max(height - top - max(bottom, 4.0), 20))


def _plain(word: str) -> tuple[str]:
    return (label(word)[0][0],)


def _stretch(axis: Axis, inner: Rect) -> None:
    low, high = axis.spec.get("domain", (0, 1))
    if axis.letter == "x":
        axis.start, axis.end = inner.x + low * inner.w, inner.x + high * inner.w
    else:
        axis.start, axis.end = inner.y + (1 - low) * inner.h, inner.y + (1 - high) * inner.h


def _hold_scales(axes: Mapping[str, Axis]) -> None:
    """Where one axis is to have the other's scale, the longer of the two is shortened about its middle."""
    for axis in axes.values():
        other = axes.get(axis.spec.get("scaleanchor", ""))
        if other is None:
            continue
        scales = [abs((one.end - one.start) / (one.high - one.low)) for one in (axis, other)]
        for one, scale in zip((axis, other), scales, strict=True):
            middle, half = (one.start + one.end) / 2, (one.end - one.start) / 2 * min(scales) / scale
            one.start, one.end = middle - half, middle + half


def _anchored(axis: Axis, axes: Mapping[str, Axis]) -> Axis | None:
    """The axis across, at whose start this one's ticks stand."""
    number = axis.name[1:]
    other = "y" if axis.letter == "x" else "x"
    return axes.get(axis.spec.get("anchor", other + number), axes.get(other))


def _grid(axes: Mapping[str, Axis], figure: Mapping[str, Any], ink: Ink) -> Iterator[str]:
    """A line at every tick, but none along bars or cells; a darker one at 0."""
    for axis in axes.values():
        across = _anchored(axis, axes)
        beside = [trace for trace in figure["data"] if trace.get(f"{axis.letter}axis", axis.letter) == axis.name]
        solid = any(trace.get("type") == "heatmap" or (
            trace.get("type") == "bar" and (axis.letter == "y") == (trace.get("orientation") == "h")) for trace in beside)
        if not axis.shown or across is None or solid or not axis.spec.get("showgrid", True):
            continue
        for number, _ in axis.ticks():
            at, ends = axis.pixel(number), sorted((across.start, across.end))
            path = f"M{px(at)} {px(ends[0])}L{px(at)} {px(ends[1])}" if axis.letter == "x" else \
                f"M{px(ends[0])} {px(at)}L{px(ends[1])} {px(at)}"  # fmt: skip
            dark = number == 0 and axis.kind == "linear"
            stroke = ink.theme.muted if dark else ink.theme.line
            yield f'<path d="{path}" fill="none" stroke="{stroke}" stroke-width="{1 if dark else 0.8}"/>'


def _labels(axes: Mapping[str, Axis], inner: Rect, ink: Ink) -> Iterator[str]:
    """The ticks' words and the axes' titles."""
    for axis in axes.values():
        across = _anchored(axis, axes)
        if not axis.shown or across is None:
            continue
        size, foot = _type(axis), max(across.start, across.end) if axis.letter == "x" else min(across.start, across.end)
        for number, word in _with_room(axis, ink) if axis.labelled else ():
            at, text = axis.pixel(number), _plain(word)[0]
            if axis.letter == "x":
                yield svg.line(text, at, foot + PAD + size * 0.75, size, ink, fill=ink.theme.muted, anchor="middle")
            else:
                yield svg.line(text, foot - PAD, at + size * 0.35, size, ink, fill=ink.theme.muted, anchor="end")
        middle, (text,) = (axis.start + axis.end) / 2, _plain(_title(axis))
        if text and axis.letter == "x":
            y = foot + (size * 1.6 if axis.labelled else 0) + AXIS * 1.25
            yield svg.line(text, middle, y, AXIS, ink, fill=ink.theme.muted, anchor="middle")
        elif text:
            x = AXIS * 0.95
            more = f' transform="rotate(-90 {px(x)} {px(middle)})"'
            yield svg.line(text, x, middle, AXIS, ink, fill=ink.theme.muted, anchor="middle", more=more)


def _with_room(axis: Axis, ink: Ink) -> list[tuple[float, str]]:
    """The ticks, every second or third of them where words would lie on each other."""
    ticks, size = axis.ticks(), _type(axis)
    for every in range(1, len(ticks) + 1):
        some = ticks[::every]
        if axis.letter == "x":
            spans = [(axis.pixel(at), width_of(_plain(word)[0], size, ink.face) / 2 + 3) for at, word in some]
        else:
            spans = [(axis.pixel(at), size * 0.5) for at, _ in some]
        pairs = pairwise(sorted(spans))
        if all(a + wide <= b - other for (a, wide), (b, other) in pairs):
            return some
    return ticks[:1]


def _shapes(figure: Mapping[str, Any], axes: Mapping[str, Axis], inner: Rect, ink: Ink, layer: str) -> Iterator[str]:
    for shape in figure["layout"].get("shapes", ()):
        if shape.get("layer", "above") != layer:
            continue
        xs = [_reached(shape[key], shape.get("xref", "x"), axes, inner, "x") for key in ("x0", "x1")]
        ys = [_reached(shape[key], shape.get("yref", "y"), axes, inner, "y") for key in ("y0", "y1")]
        line = shape.get("line", {})
        stroke = _stroke(line.get("color", ink.theme.ink), float(line.get("width", 2)))
        seen = f' opacity="{px(shape["opacity"])}"' if shape.get("opacity", 1) != 1 else ""
        if shape.get("type") == "line":
            path = _dashed([(xs[0], ys[0]), (xs[1], ys[1])], line.get("dash", "solid"), float(line.get("width", 2)))
            yield f'<path d="{path}" fill="none"{stroke}{seen}/>'
        else:
            box = Rect(min(xs), min(ys), abs(xs[1] - xs[0]), abs(ys[1] - ys[0]))
            yield f'<rect {svg.place(box)}{_fill(shape.get("fillcolor", "none"))}{stroke}{seen}/>'


def _reached(value: Any, ref: str, axes: Mapping[str, Axis], inner: Rect, letter: str) -> float:
    if ref == "paper":
        return inner.x + value * inner.w if letter == "x" else inner.y + (1 - value) * inner.h
    return axes[ref].at(value)


def _notes(figure: Mapping[str, Any], axes: Mapping[str, Axis], inner: Rect, ink: Ink) -> Iterator[str]:
    for one in figure["layout"].get("annotations", ()):
        x = _reached(one["x"], one.get("xref", "x"), axes, inner, "x")
        y = _reached(one["y"], one.get("yref", "y"), axes, inner, "y")
        if one.get("yref") == "paper":
            y = max(min(y, inner.y + inner.h + 8), inner.y - 10)  # just outside, however high the chart is
        lines, bold = label(one["text"])
        size = float(one.get("font", {}).get("size", TYPE))
        high = size * 1.25 * len(lines)
        up = {"top": 0.0, "middle": 0.5, "bottom": 1.0}[_upright(one)]
        side = {"left": "start", "center": "middle", "right": "end"}[_sideways(one)]
        fill = one.get("font", {}).get("color", ink.theme.ink)
        for place, text in enumerate(lines):
            base = y - up * high + (place + 0.8) * size * 1.25
            strong = bold and (place == 0 or "<b>" in one["text"].split("<br>")[min(place, one["text"].count("<br>"))])
            yield svg.line(text, x, base, size, ink, fill=_colour(fill)[0], anchor=side, bold=strong)


def _sideways(note: Mapping[str, Any]) -> str:
    """Plotly's "auto": by the third of the paper in which it is; in data, the middle."""
    if note.get("xanchor", "auto") != "auto":
        return note["xanchor"]
    return "center" if note.get("xref") != "paper" or 1 / 3 < note["x"] < 2 / 3 else "left" if note["x"] <= 1 / 3 else "right"


def _upright(note: Mapping[str, Any]) -> str:
    """As `_sideways`; above and below the paper, away from it."""
    if note.get("yref") == "paper" and not 0 <= note["y"] <= 1:
        return "bottom" if note["y"] > 1 else "top"
    if note.get("yanchor", "auto") != "auto":
        return note["yanchor"]
    return "middle" if note.get("yref") != "paper" or 1 / 3 < note["y"] < 2 / 3 else "bottom" if note["y"] <= 1 / 3 else "top"


def _colour(colour: str) -> tuple[str, float]:
    """As six digits, and how solid it is."""
    if found := re.fullmatch(r"rgba?\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*([\d.]+)\s*)?\)", colour):
        return "#{:02x}{:02x}{:02x}".format(*(int(part) for part in found.groups()[:3])), float(found[4] or 1)
    return colour, 1.0


def _fill(colour: str, seen: float = 1.0) -> str:
    code, solid = _colour(colour)
    if code == "none" or solid * seen == 0:
        return ' fill="none"'
    clear = "" if solid * seen == 1 else f' fill-opacity="{px(solid * seen)}"'
    return f' fill="{code}"{clear}'


def _stroke(colour: str, width: float) -> str:
    code, solid = _colour(colour)
    if not width or not solid:
        return ""
    clear = "" if solid == 1 else f' stroke-opacity="{px(solid)}"'
    return f' stroke="{code}" stroke-width="{px(width)}"{clear}'


def _dashed(points: Sequence[tuple[float, float]], dash: str, width: float) -> str:
    """A path through the points (NaN: a gap). Dashes are strokes of their own: every program draws them alike."""
    pattern = [part * width for part in DASHES.get(dash, ())]
    runs: list[list[tuple[float, float]]] = [[]]
    for x, y in points:
        if math.isfinite(x) and math.isfinite(y):
            runs[-1].append((x, y))
        elif runs[-1]:
            runs.append([])
    path = lambda run: f"M{' L'.join(f'{px(x)} {px(y)}' for x, y in run)}"  # noqa: E731
    if not pattern:
        return "".join(path(run) for run in runs if len(run) > 1)
    return "".join(path(part) for run in runs for part in _strokes_along(run, pattern))


def _strokes_along(run: Sequence[tuple[float, float]], pattern: Sequence[float]) -> Iterator[list[tuple[float, float]]]:
    place, left, stroke = 0, pattern[0], run[:1] and [run[0]]
    for (x0, y0), (x1, y1) in pairwise(run):
        long, gone = math.hypot(x1 - x0, y1 - y0), 0.0
        while long - gone > left:
            gone += left
            here = (x0 + (x1 - x0) * gone / long, y0 + (y1 - y0) * gone / long)
            if place % 2 == 0:
                yield [*stroke, here]
            stroke, place = [here], place + 1
            left = pattern[place % len(pattern)]
        left -= long - gone
        stroke = [*stroke, (x1, y1)] if place % 2 == 0 else stroke
    if place % 2 == 0 and len(stroke) > 1:
        yield list(stroke)


def _points(trace: Mapping[str, Any], across: Axis, up: Axis, ink: Ink) -> Iterator[str]:
    """Lines, deviations, markers and words of a trace, from back to front."""
    mode = trace.get("mode", "lines+markers")
    points = [(across.at(x), up.at(y)) for x, y in zip(_values(trace, "x"), _values(trace, "y"), strict=True)]
    line = trace.get("line", {})
    colour = line.get("color") or trace.get("marker", {}).get("color") or ink.theme.ink
    if "lines" in mode:
        width = float(line.get("width", 2))
        path = _dashed(points, line.get("dash", "solid"), width)
        joined = ' stroke-linejoin="round"'
        yield f'<path d="{path}" fill="none"{_stroke(colour, width)}{joined}/>' if path else ""
    if "error_y" in trace:
        error = trace["error_y"]
        half, path = float(error.get("width", 4)), []
        for (x, y), value, off in zip(points, _values(trace, "y"), error["array"], strict=True):
            if off and math.isfinite(y):
                high, low = up.at(value + off), up.at(value - off)
                path += [f"M{px(x)} {px(low)}L{px(x)} {px(high)}"]
                path += [f"M{px(x - half)} {px(end)}L{px(x + half)} {px(end)}" for end in (low, high)]
        yield f'<path d="{"".join(path)}" fill="none"{_stroke(colour, float(error.get("thickness", 2)))}/>' if path else ""
    if "markers" in mode:
        marker = trace.get("marker", {})
        names = ("color", "size", "symbol")
        usual = dict(zip(names, (colour, 6, "circle"), strict=True))
        each = zip(*(_listed(marker.get(name, usual[name]), len(points)) for name in names), strict=True)
        edge = marker.get("line", {})
        for (x, y), (fill, size, symbol) in zip(points, each, strict=True):
            if math.isfinite(x) and math.isfinite(y):
                yield _marker(x, y, float(size), symbol, fill, edge, float(marker.get("opacity", 1)))
    if "text" in mode:
        font = trace.get("textfont", {})
        size = float(font.get("size", TYPE)) if not isinstance(font.get("size"), (list, tuple)) else TYPE
        reach = float(_listed(trace.get("marker", {}).get("size", 0), 1)[0]) / 2 if "markers" in mode else 0.0
        texts, places = (_listed(trace.get(key, ""), len(points)) for key in ("text", "textposition"))
        for (x, y), text, place in zip(points, texts, places, strict=True):
            if text and math.isfinite(x) and math.isfinite(y):
                yield _beside(text, x, y, size, place or "middle center", reach + 3, ink)


def _beside(text: str, x: float, y: float, size: float, place: str, off: float, ink: Ink, fill: str = "") -> str:
    down, side = [*place.split(), "center"][:2]
    y += {"top": -off, "middle": size * 0.35, "bottom": off + size * 0.75}[down]
    x += {"left": -off, "right": off}.get(side, 0)
    (words, *_), bold = label(str(text))
    anchor = {"left": "end", "right": "start"}.get(side, "middle")
    return svg.line(words, x, y, size, ink, fill=fill or ink.theme.ink, anchor=anchor, bold=bold)


def _marker(x: float, y: float, size: float, symbol: str, fill: str, edge: Mapping[str, Any], seen: float) -> str:
    half, width = size / 2, float(_listed(edge.get("width", 0), 1)[0])
    stroke = _stroke(str(_listed(edge.get("color", fill), 1)[0]), width)
    name, paint = symbol.removesuffix("-open"), _fill(fill, seen)
    if symbol.endswith("-open"):
        paint, stroke = ' fill="none"', _stroke(fill, width or 1.5)
    if not stroke and paint == ' fill="none"':
        return ""
    if name == "circle":
        return f'<circle cx="{px(x)}" cy="{px(y)}" r="{px(half)}"{paint}{stroke}/>'
    return f'<path d="{_outline(name, x, y, half)}"{paint}{stroke}/>'


def _outline(name: str, x: float, y: float, half: float) -> str:
    """A symbol about a point, as large as Plotly's."""
    arm = half * 0.4
    corners = {
        "square": [(-half, -half), (half, -half), (half, half), (-half, half)],
        "diamond": [(0, -1.3 * half), (1.3 * half, 0), (0, 1.3 * half), (-1.3 * half, 0)],
        "triangle-up": [(0, -1.15 * half), (half, 0.6 * half), (-half, 0.6 * half)],
        "cross": [(-arm, -half), (arm, -half), (arm, -arm), (half, -arm), (half, arm), (arm, arm), (arm, half), (-arm, half),
                  (-arm, arm), (-half, arm), (-half, -arm), (-arm, -arm)],
    }  # fmt: skip
    if name == "x":
        turn = math.sqrt(0.5)
        points = [((a - b) * turn, (a + b) * turn) for a, b in corners["cross"]]
    else:
        points = corners[name]
    return f"M{' L'.join(f'{px(x + a)} {px(y + b)}' for a, b in points)}z"


def _bars(figure: Mapping[str, Any], axes: Mapping[str, Axis]) -> Iterator[tuple[int, Rect]]:
    """(trace, rectangle) for every bar, in order."""
    chart = figure["layout"]
    gap, mode = float(chart.get("bargap", 0.2)), chart.get("barmode", "group")
    traces = [(n, trace) for n, trace in enumerate(figure["data"]) if trace.get("type") == "bar"]
    piled: dict[tuple[str, float], float] = {}
    for number, trace in traces:
        side = [n for n, other in traces if (other.get("xaxis"), other.get("yaxis")) == (trace.get("xaxis"), trace.get("yaxis"))]
        across, up = _pair(trace, axes)
        lies = trace.get("orientation") == "h"
        along, grows = (up, across) if lies else (across, up)
        places, values = _values(trace, along.letter), _values(trace, grows.letter)
        share = 1 - gap
        wide, first = (share / len(side), -share / 2 + side.index(number) * share / len(side)) if mode == "group" else \
            (share, -share / 2)  # fmt: skip
        widths = _listed(trace.get("width", wide), len(places))
        bases = _listed(trace.get("base", 0), len(places))
        for place, value, each, base in zip(places, values, widths, bases, strict=True):
            middle = along.number(place)
            if mode == "stack" and "base" not in trace:
                base = piled.get((along.name, middle), 0.0)
                piled[along.name, middle] = base + value
            start = middle + (first if "width" not in trace or mode == "group" else -each / 2)
            ends = along.pixel(start), along.pixel(start + each)
            reach = grows.pixel(float(base)), grows.pixel(float(base) + float(value))
            one, two = (reach, ends) if lies else (ends, reach)
            yield number, Rect(min(one), min(two), abs(one[1] - one[0]), abs(two[1] - two[0]))


def _bar(trace: Mapping[str, Any], rects: Sequence[Rect], ink: Ink) -> Iterator[str]:
    marker = trace.get("marker", {})
    colours = _listed(marker.get("color", ink.theme.ink), len(rects))
    texts = _listed(trace.get("text") if trace.get("text") is not None else "", len(rects))
    edge, pattern, seen = marker.get("line", {}), marker.get("pattern", {}), float(marker.get("opacity", 1))
    widths = _listed(edge.get("width", 0), len(rects))
    for rect, colour, text, width in zip(rects, colours, texts, widths, strict=True):
        stroke = _stroke(str(edge.get("color", ink.theme.ink)), float(width))
        yield f'<rect {svg.place(rect)}{_fill(colour, seen)}{stroke}/>'
        lines = hatching(rect, str(pattern.get("shape", "")))
        if lines:
            dark = _colour(colour)[0] in ("#000000", "#1a1a1a")
            yield f'<path d="{lines}" fill="none" stroke="{"#ffffff" if dark else "#000000"}" stroke-width="{STROKE}"/>'
        if text:
            yield _on_bar(str(text), rect, trace, colour, ink)


def _on_bar(text: str, rect: Rect, trace: Mapping[str, Any], colour: str, ink: Ink) -> str:
    """Inside where it fits and the trace does not say otherwise, else beyond the bar's end."""
    size, lies = float(trace.get("textfont", {}).get("size", TYPE)), trace.get("orientation") == "h"
    (words, *_), _ = label(text)
    wide = width_of(words, size, ink.face) + 6
    fits = wide <= rect.w and size * 1.3 <= rect.h
    position = trace.get("textposition", "auto")
    middle = rect.y + rect.h / 2
    if position == "none" or (position == "inside" and not fits):
        return ""
    if fits and position != "outside":
        code, solid = _colour(colour)
        light = np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) * solid + 255 * (1 - solid)
        fill = svg.number_ink(light)
        y = middle if lies or trace.get("insidetextanchor") == "middle" else rect.y + size * 0.9
        return _beside(text, rect.x + rect.w / 2, y, size, "middle center", 0, ink, fill)
    if lies:
        return _beside(text, rect.x + rect.w, middle, size, "middle right", 5, ink)
    return _beside(text, rect.x + rect.w / 2, rect.y, size, "top center", 4, ink)


def hatching(rect: Rect, shape: str) -> str:
    """Strokes that end at the rectangle's edges, by Plotly's name of the pattern."""
    return "".join(_hatched(rect, one) for one in CROSSED.get(shape, shape))


def _hatched(rect: Rect, stroke: str) -> str:
    """Strokes of one direction; "" where it is none of Plotly's."""
    if stroke in ("/", "\\"):
        return svg.hatch(rect.x, rect.y, rect.w, rect.h, HATCHED, HATCHED / 2, falls=stroke == "\\")
    if stroke == "-":
        return "".join(f"M{px(rect.x)} {px(rect.y + at)}h{px(rect.w)}" for at in _steps(rect.h))
    if stroke == "|":
        return "".join(f"M{px(rect.x + at)} {px(rect.y)}v{px(rect.h)}" for at in _steps(rect.w))
    if stroke == ".":
        return "".join(f"M{px(rect.x + x - 0.6)} {px(rect.y + y)}h1.2" for y in _steps(rect.h) for x in _steps(rect.w))
    return ""


def _steps(side: float) -> Iterator[float]:
    return (HATCHED / 2 + HATCHED * place for place in range(math.ceil(max(side - HATCHED / 2, 0) / HATCHED)))


def _cells(trace: Mapping[str, Any], across: Axis, up: Axis, ink: Ink) -> Iterator[str]:
    """A rectangle for every cell that has a number; in print a bar where it is negative."""
    z = matrix_of(trace["z"])
    edges = [_edges(axis, _values(trace, axis.letter), count) for axis, count in ((across, z.shape[1]), (up, z.shape[0]))]
    low, high = _range(trace)
    bars: dict[str, list[str]] = {"#000000": [], "#ffffff": []}
    words, size = [], float(trace.get("textfont", {}).get("size", 12))
    texts = trace.get("text")
    for (r, c), value in np.ndenumerate(z):
        if np.isnan(value):
            continue
        code, solid = _mixed(trace, (value - low) / (high - low or 1.0))
        x, y = edges[0][c], edges[1][r]
        wide, tall = x[1] - x[0], y[1] - y[0]
        apart = min(wide, tall) >= 5
        gx, gy = (min(float(trace.get(gap, 0)), wide * 0.3) if apart else 0.0 for gap in ("xgap", "ygap"))
        box = Rect(x[0] + gx / 2, y[0] + gy / 2, wide - gx, tall - gy)
        yield f'<rect {svg.place(box)}{_fill(_spelt(code), solid)}/>'
        on = svg.number_ink(np.array(code) * solid + 255 * (1 - solid))
        if texts is not None and texts[r][c] not in (None, ""):
            said = str(texts[r][c])
            if width_of(said, size, ink.face) < wide and size < tall:
                words.append(_beside(said, sum(x) / 2, sum(y) / 2, size, "middle center", 0, ink, on))
        elif value < 0 and svg.has_bars("signed", ink.theme):
            bars[on].append(f"M{px(x[0] + wide * 0.2)} {px(sum(y) / 2)}h{px(wide * 0.6)}")
    high_each = min((min(b - a for a, b in side) for side in edges if side), default=0.0)
    yield from svg.strokes(bars, svg.bar_height(high_each))
    yield from words


def _range(trace: Mapping[str, Any]) -> tuple[float, float]:
    z = matrix_of(trace["z"])
    return float(trace.get("zmin", np.nanmin(z))), float(trace.get("zmax", np.nanmax(z)))


def _mixed(trace: Mapping[str, Any], share: float) -> tuple[list[float], float]:
    """Red, green and blue from 0 to 255 at a place of the trace's scale, and how solid it is there."""
    stops = [(float(at), *_colour(str(colour))) for at, colour in trace["colorscale"]]
    parts = [[int(code[i : i + 2], 16) for i in (1, 3, 5)] + [solid] for _, code, solid in stops]
    *code, solid = (float(np.interp(share, [at for at, *_ in stops], part)) for part in zip(*parts, strict=True))
    return code, round(solid, 3)


def _spelt(code: Sequence[float]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*(round(part) for part in code))


def _has_scale(trace: Mapping[str, Any]) -> bool:
    return trace.get("type") == "heatmap" and bool(trace.get("showscale", True))


def _scale(trace: Mapping[str, Any], inner: Rect, ink: Ink) -> Iterator[str]:
    """The trace's colours beside its cells, with their ends and the middle in numbers."""
    low, high = _range(trace)
    left, each = inner.x + inner.w + 12, inner.h / STRIPES
    for place in range(STRIPES):
        code, solid = _mixed(trace, 1 - (place + 0.5) / STRIPES)
        yield f'<rect {svg.place(Rect(left, inner.y + place * each, 10, each))}{_fill(_spelt(code), solid)}/>'
    form = {"tickformat": trace.get("colorbar", {}).get("tickformat", "")}
    for share in (0, 0.5, 1):
        word = Axis("y", form).label(low + share * (high - low), (high - low) / 10)
        y = inner.y + (1 - share) * inner.h + TYPE * 0.35
        yield svg.line(word, left + 16, y, TYPE, ink, fill=ink.theme.muted)


def _edges(axis: Axis, values: Sequence[Any], count: int) -> list[tuple[float, float]]:
    """Where the cells along an axis begin and end, in pixels, the smaller one first; `values`: their middles, or all edges."""
    numbers = [axis.number(value) for value in values]
    if len(numbers) == count:
        ends = [(n - 0.5, n + 0.5) for n in numbers] if count == 1 else [
            (n - abs(numbers[1] - numbers[0]) / 2, n + abs(numbers[1] - numbers[0]) / 2) for n in numbers]  # fmt: skip
    else:
        ends = list(pairwise(numbers))
    pixels = [(axis.pixel(low), axis.pixel(high)) for low, high in ends]
    return [(min(pair), max(pair)) for pair in pixels]


def _legend(figure: Mapping[str, Any], ink: Ink, width: float) -> list[tuple[str, float]]:
    """Its lines, each from x = 0 with its words on y = 0, and how wide each is."""
    named = [trace for trace in figure["data"] if trace.get("name")]
    several = len(named) > 1
    shown = [trace for trace in named if trace.get("showlegend", several) and trace.get("type") != "heatmap"]
    if not figure["layout"].get("showlegend", True) or not shown or (len(shown) == 1 and "showlegend" not in shown[0]):
        return []
    items = []
    for trace in shown:
        (words, *_), _ = label(str(trace["name"]))
        wide = SAMPLE + 6 + width_of(words, TYPE, ink.face)
        items.append((_sample(trace, ink) + svg.line(words, SAMPLE + 6, 0, TYPE, ink, fill=ink.theme.ink), wide))
    drawn = []
    for line in layout.in_lines(items, lambda item: item[1], width, APART):
        x, parts = 0.0, []
        for item, wide in line:
            parts.append(f'<g transform="translate({px(x)} 0)">{item}</g>')
            x += wide + APART
        drawn.append(("".join(parts), x - APART))
    return drawn


def _sample(trace: Mapping[str, Any], ink: Ink) -> str:
    """What stands before a name: the trace's line and symbol, or a piece of its bars."""
    y, middle = -TYPE * 0.33, SAMPLE / 2
    if trace.get("type") == "bar":
        one = {**trace, "text": None, "marker": {**trace.get("marker", {}), "color": _listed(
            trace.get("marker", {}).get("color", ink.theme.ink), 1)[0]}}
        return "".join(_bar(one, [Rect(middle - 6, y - 6, 12, 12)], ink))
    marker, mode, line = trace.get("marker", {}), trace.get("mode", "lines"), trace.get("line", {})
    colour, parts = line.get("color") or _listed(marker.get("color"), 1)[0] or ink.theme.ink, ""
    if "lines" in mode:
        width = float(line.get("width", 2))
        path = _dashed([(0, y), (SAMPLE, y)], line.get("dash", "solid"), width)
        parts = f'<path d="{path}" fill="none"{_stroke(colour, width)}/>'
    if "markers" in mode:
        size = min(float(_listed(marker.get("size", 6), 1)[0]), 12.0)
        fill, symbol = (_listed(marker.get(key, usual), 1)[0] for key, usual in (("color", colour), ("symbol", "circle")))
        edge = {**marker.get("line", {}), "width": min(float(marker.get("line", {}).get("width", 0)), 2.0)}
        parts += _marker(middle, y, size, str(symbol), str(fill), edge, float(marker.get("opacity", 1)))
    return parts


