"""One Plotly figure with the attention maps of a layer. If a query is explained beside the figure, up to eight maps have equal
sizes. Nine to sixteen maps are thumbnails below the chosen head's map. Of more maps, the figure has only the chosen head's."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.plots import heatmaps
from headcount.plots.heatmaps import LEAST, LETTER, Matrix, word_at, worded
from headcount.reading import GREY_ROWS
from headcount.stage.layout import Rect
from headcount.stage.theme import LIGHT, stops

#: Most maps of equal size, most thumbnails, thumbnails in a line, and most maps in a line.
MAX_LARGE, MAX_SMALL, LINE_OF_SMALL, MAX_LINE = 8, 16, 8, 8
#: Most cells of a map whose hover texts contain words.
MAX_HOVER = 400
#: Least attention weight of a key that is labelled below the framed row.
SEEN = 0.1
#: Pixels. ABOVE: room for a map's title and strip. NUMBER: for a thumbnail's number. BELOW: for labels of columns. GAP: between
#: maps. SCALE: height of the colour scale. SCALE_AT: its left end. HIGH: height of all maps. ALONE: height of the large map above
#: thumbnails. TITLED: narrowest map with a title. RIGHT: room for half a label.
ABOVE, NUMBER, BELOW, GAP, SCALE, SCALE_AT, HIGH, ALONE, TITLED, RIGHT = 28, 27, 20, 24, 26, 74, 462, 290, 64, 12


def title_of(head: int, name: str = "") -> str:
    """Returns the title of the map of a head (0-based), such as "1 who". Without a name, the title is "head 1"."""
    return f"{head + 1} {name}" if name else f"head {head + 1}"


def figure(
    matrices: Sequence[Matrix], width: int, title: str, high: float = 0.0, open_at: int | None = None, heads: int = 0
) -> dict[str, Any]:
    """Draws a figure of attention maps. `width` is in pixels, and `high` is the largest height of a file. `open_at` is the index
    of the map whose row is explained beside the figure. Among several maps, it has a frame. `heads` counts the layer's heads."""
    small = open_at is not None and len(matrices) > MAX_LARGE
    large = [matrices[open_at or 0]] if small else list(matrices)
    rows, columns = large[0].values.shape
    left = max(heatmaps.room_of(large[0].rows) if worded(large[0].rows) else 0, 18) + 12
    inner = width - left - RIGHT
    most = ALONE if small and len(matrices) <= MAX_SMALL else high - SCALE if high else HIGH
    line, cell = _in_line(len(large), rows, columns, inner, most)
    wide, tall = cell * columns, cell * rows
    places = [Rect(i % line * (wide + GAP), i // line * (tall + ABOVE + BELOW), wide, tall) for i in range(len(large))]
    if small and len(matrices) <= MAX_SMALL:
        tiny = (inner - GAP / 2 * (LINE_OF_SMALL - 1)) / LINE_OF_SMALL
        low, pitch = tall + BELOW + NUMBER, tiny * rows / columns + NUMBER
        places += [
            Rect(i % LINE_OF_SMALL * (tiny + GAP / 2), low + i // LINE_OF_SMALL * pitch, tiny, tiny * rows / columns)
            for i in range(len(matrices))
        ]
        bare = {"subtitle": "", "ticks": "none", "framed": None, "chosen": None}
        large += [replace(one, title=str(i + 1), **bare) for i, one in enumerate(matrices)]
    area = Rect(0, 0, inner, max(place.y + place.h for place in places))
    axes, data, greyed, shapes, notes = {}, [], [], [], []
    forms = [[(one.subtitle, one.subtitle.rpartition(" → ")[2], "")[form] for one in large] for form in range(3)]
    room = [_room(one, place.w) for one, place in zip(large, places, strict=True)]
    said = next(form for form in forms if all(len(text) <= most for text, most in zip(form, room, strict=True) if text))
    for number, (matrix, place) in enumerate(zip(large, places, strict=True)):
        x, y = (f"{axis}{number + 1}" if number else axis for axis in "xy")
        axes[f"xaxis{x[1:]}"], axes[f"yaxis{y[1:]}"] = _axes(matrix, place, area, x, y, number % line == 0, cell)
        data.append(_worded(matrix, heatmaps.trace_of(matrix, x, y), open_at is not None))
        if small and number == 0 and len(large) > 1:
            data[-1]["meta"]["again"] = True
        look = {"coloraxis": "coloraxis2", "xgap": 0, "ygap": 0}
        greyed += [heatmaps.over(data[-1], matrix.pale, **look)] if matrix.pale else []
        shapes += heatmaps.shapes_of(matrix, x, y)
        notes += _titles(matrix, x, y, place.w, said[number])
        if open_at is not None and matrix.head == matrices[open_at].head and len(large) > 1 and (number or not small):
            shapes += _frame(x, y, 25, 4 if small else BELOW - 1)
    bar, words = heatmaps.scale_below(
        SCALE_AT - left, inner, BELOW + 2, "weights  0", f"1    {GREY_ROWS}" if greyed and not high else "1"
    )
    shown = matrices[open_at or 0]
    row, col = shown.chosen or (shown.framed or 0, 0)
    cell_at = {"head": shown.head, "row": row, "col": col, "rows": rows, "cols": columns, "heads": heads}
    grows = wide * line + GAP * (line - 1) > 0.95 * inner
    colours = {
        "coloraxis": {"colorscale": stops(LIGHT.share), "cmin": 0, "cmax": 1, "colorbar": bar},
        "coloraxis2": {"colorscale": stops(LIGHT.pale), "cmin": 0, "cmax": 1, "showscale": False},
    }
    named = {"y": matrices[0].rows, "x": matrices[0].columns}
    meta: dict[str, Any] = {"grow": round(area.h / area.w, 4) if grows else 0, "words": named}
    if open_at is not None:
        meta |= {"beside": True, "at": cell_at if shown.pool == 1 else None}
    elif worded(large[0].rows) and cell >= LEAST:
        meta["worded"] = math.ceil(width - inner * (1 - LEAST / cell))
    margin = heatmaps.margin_of(left, RIGHT, ABOVE, BELOW + SCALE)
    look = {"width": width, "height": round(ABOVE + area.h + BELOW + SCALE), "margin": margin}
    return heatmaps.as_figure(data + greyed, title, "maps", look | colours | axes, shapes, notes + words, meta)


def _in_line(count: int, rows: int, columns: int, wide: float, high: float) -> tuple[int, float]:
    """Returns the number of maps in a line and the size of a cell in pixels. There are as few lines as leave room for words and
    titles, all about equally full. If no number of lines leaves room, cells are as large as possible."""

    def cell(line: int) -> float:
        lines = math.ceil(count / line)
        across, down = wide - GAP * (line - 1), high - lines * (ABOVE + BELOW)
        return max(min(heatmaps.MAX_CELL, across / (line * columns), down / (lines * rows)), 0.1)

    some = range(1, min(count, MAX_LINE) + 1)
    line = max((one for one in some if cell(one) >= max(LEAST, TITLED / columns)), default=max(some, key=cell))
    line = math.ceil(count / math.ceil(count / line))
    return line, cell(line)


def _worded(matrix: Matrix, trace: dict[str, Any], pairs: bool) -> dict[str, Any]:
    """Adds the map's name to its trace and, in small maps, hover texts with words. `pairs` is for maps without labels of rows."""
    rows, columns = matrix.values.shape
    number, _, name = matrix.title.partition(" ")
    trace["name"] = f"head {number}{' · ' * bool(name)}{name}" if number.isdecimal() else matrix.title
    if not matrix.rows or rows * columns > MAX_HOVER:
        return trace
    keys = [word_at(matrix.columns, col) for col in range(columns)]
    if not pairs:
        return trace | {"text": [keys] * rows, "hovertemplate": trace["hovertemplate"].replace("‘%{x}’", "‘%{text}’")}
    both = [[f"‘{word_at(matrix.rows, row)}’ → ‘{key}’" for key in keys] for row in range(rows)]
    return trace | {"text": both, "hovertemplate": re.sub("(query )?‘%{y}’ → .*‘.*’", "%{text}", trace["hovertemplate"])}


def _axes(matrix: Matrix, place: Rect, area: Rect, x: str, y: str, first: bool, cell: float) -> tuple[dict, dict]:
    rows, columns = matrix.values.shape
    hit = [] if matrix.framed is None else _hit(matrix.values[matrix.framed], matrix.columns, cell)
    named = matrix.ticks != "none"
    across = {
        "domain": heatmaps.part_of(place.x, place.w, area.w), "anchor": y, "side": "bottom",
        "range": [0.5, columns + 0.5], "tickmode": "array", "tickvals": [col + 1 for col in hit],
        "ticktext": [word_at(matrix.columns, col) for col in hit], "showticklabels": named,
    }  # fmt: skip
    down = {
        "domain": heatmaps.part_of(area.h - place.y - place.h, place.h, area.h), "anchor": x, "scaleanchor": x,
        "ticklabelstandoff": 8, "range": [rows + 0.5, 0.5], "showticklabels": named and first,
        **heatmaps.ticks_of(matrix.rows, rows, matrix.pool, place.h),
    }  # fmt: skip
    if matrix.framed is None and not matrix.columns and named:
        across |= heatmaps.ticks_of((), columns, matrix.pool, place.w / len(str(columns * matrix.pool)))
    counts = matrix.rows == tuple(map(str, range(1, rows + 1)))  # the number of labels depends on the room
    if matrix.rows and (cell < LEAST or not (counts or worded(matrix.rows))):
        shown = [] if matrix.framed is None else [matrix.framed]
        names = [word_at(matrix.rows, row) for row in shown]
        down |= {"tickmode": "array", "tickvals": [row + 1 for row in shown], "ticktext": names}
    elif matrix.framed is not None and worded(matrix.rows):
        down["ticktext"] = [f"<b>{word}</b>" if row == matrix.framed else word for row, word in enumerate(matrix.rows)]
    return heatmaps.axis_of(LEAST, **across), heatmaps.axis_of(LEAST, **down)


def _hit(row: np.ndarray, words: tuple[str, ...], cell: float) -> list[int]:
    """Lists the keys (0-based) to label in a row of weights, largest weight first. Keys whose labels overlap are left out."""
    found: list[int] = []
    for key in np.argsort(-np.nan_to_num(row), kind="stable").tolist():
        wide = lambda other, key=key: LETTER * (len(word_at(words, key)) + len(word_at(words, other))) / 2 + 4  # noqa: E731
        if np.isfinite(row[key]) and (row[key] >= SEEN or not found) and all(abs(key - one) * cell > wide(one) for one in found):
            found.append(key)
    return found


def _name(matrix: Matrix, wide: float) -> str:
    """Returns the text above a map: its title or, if the title does not fit, the head's number."""
    return matrix.title if 8 * len(matrix.title) <= wide + GAP / 2 or matrix.head is None else str(matrix.head + 1)


def _room(matrix: Matrix, wide: float) -> float:
    """Returns how many letters fit at the right of a map's title."""
    return (wide - 8 * len(_name(matrix, wide))) / 6.3


def _titles(matrix: Matrix, x: str, y: str, wide: float, said: str) -> list[dict]:
    line = {"xref": f"{x} domain", "yref": f"{y} domain", "y": 1, "yanchor": "bottom", "yshift": 6, "showarrow": False}
    colour = LIGHT.ink if matrix.hue is None else heatmaps.hue_of(matrix.hue)
    name = {"x": 0, "xanchor": "left", "text": f"<b>{_name(matrix, wide)}</b>", "font": {"size": 14, "color": colour}}
    hit = {"x": 1, "xanchor": "right", "text": said, "font": {"size": LEAST, "color": LIGHT.muted}}
    return [line | name, *([line | hit] if said else [])]


def _frame(x: str, y: str, above: float, below: float) -> list[dict]:
    """Returns the lines of a frame around a map with its title and labels. `above` and `below`: pixels from map to frame."""
    ends = {"x": ({"x0": -5, "x1": 0}, {"x0": 0, "x1": 5}), "y": ({"y0": -below, "y1": 0}, {"y0": 0, "y1": above})}
    lines = []
    for anchor, (across, down) in enumerate(((-5, -below), (5, above))):
        for axis, other, at in (("x", "y", across), ("y", "x", down)):
            still = {f"{axis}sizemode": "pixel", f"{axis}anchor": anchor, f"{axis}0": at, f"{axis}1": at}
            tails = ({f"{other}sizemode": "pixel", f"{other}anchor": end, **part} for end, part in enumerate(ends[other]))
            lines += [still | part for part in ({f"{other}0": 0, f"{other}1": 1}, *tails)]
    look = {"type": "line", "xref": f"{x} domain", "yref": f"{y} domain", "line": {"width": 2, "color": LIGHT.ink}}
    return [look | line for line in lines]
