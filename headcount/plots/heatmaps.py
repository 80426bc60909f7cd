"""Plotly figures of matrices as heatmaps, as plain dictionaries in the colours of the light theme. Each matrix is a subplot, and
matrices of one scale have one colour bar. headcount.plots.recolour.in_theme changes the theme."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from headcount.names import as_share
from headcount.stage.layout import TINT, TOKEN, Rect
from headcount.stage.text import scale_end
from headcount.stage.theme import CLEAR, LIGHT, NO_GROUND, stops

#: Pixels: largest cell, highest map, gap between maps in a line, a title's line, and room below the last row.
MAX_CELL, MAX_HIGH, GAP, LINE, FOOT = 40, 360, 28, 20, 26
#: Pixels of a letter in a tick label, of a letter in the smallest font, and of the widest word.
LETTER, SMALL, MAX_WORD = 7.2, 6.1, 96
#: Most positions that are labelled with words. More are labelled with indices.
MAX_WORDS = 13
#: Most heads with strips and lines between them. With more, each slice would be thinner than a pixel.
MAX_BANDS = 64
#: Font sizes in pixels: a title, the line below the title, tick labels, and the smallest tick labels.
TITLE, SUBTITLE, TICK, LEAST = 16, 14, 14, 12
#: Opacity of the rows that are not in `Matrix.read`.
QUIET = 0.33
#: Least height in pixels of a row that has a word.
WORD_ROW = TOKEN["cell_from"]
#: Widths in pixels on a page, on a phone and beside a picture; height beside a picture; largest ratio of a cell's sides.
WIDE, NARROW, BESIDE, BESIDE_HIGH, LONGER = 960, 350, 440, 524, 2.8
#: Least pixels of a cell in a file if rows have no words, and of a cell in an outline.
LEAST_CELL, OUTLINE_CELL = 4, 2.2


@dataclass(frozen=True, slots=True)
class Matrix:
    """One matrix of a figure, with labels and marks. Indices of rows, columns and heads count from 0.
    - `values`: floats of shape (rows, columns), with NaN for empty cells. Each is the mean of `pool` × `pool` numbers.
    - `rows`, `columns`: labels. Without labels, the figure shows indices from 1.
    - `bands`: the number of equal slices of columns, one per head (0: none).
    - `hue`: the head whose colour the title has.
    - `ticks`: which labels of rows are drawn: "all", "chosen" (that of the chosen cell) or "none".
    - `value`: a text at the right, if the figure is beside a picture. `note`: a text near an outline.
    - `hover`: Plotly's hover template.
    - `name`, `head`: the array whose cells can be clicked. With the name "", clicks do nothing.
    - `framed`, `column`, `chosen`: the row, the column and the cell (row, column) that get frames.
    - `pale`: faint rows of an attention map. `read`: in other figures, the rows that are not faint (None: all).
    - `second`: whether the matrix uses the second colour scale."""

    title: str
    values: np.ndarray
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    subtitle: str = ""
    bands: int = 0
    hue: int | None = None
    ticks: str = "all"
    value: str = ""
    hover: str = "row %{y}, column %{x}: %{z:.3f}"
    name: str = ""
    head: int | None = None
    pool: int = 1
    framed: int | None = None
    column: int | None = None
    note: str = ""
    second: bool = False
    pale: tuple[int, ...] = ()
    read: tuple[int, ...] | None = None
    chosen: tuple[int, int] | None = None

    @property
    def is_outline(self) -> bool:
        """Whether the matrix is too large for its numbers to be drawn, so that only its outline is drawn."""
        return self.pool > 1 and not np.isfinite(self.values).any()


def heatmaps(
    matrices: Sequence[Matrix],
    scales: Sequence[tuple[str, float]],
    *,
    columns: int,
    title: str,
    width: int = WIDE,
    name: str = "",
    beside: bool = False,
    high: float = 0.0,
) -> dict:
    """Draws `matrices` as a plain Plotly figure, at most `columns` in a line. Raises ValueError without matrices.
    - `scales`: one or two colour scales as (label, end); each goes from −end to +end.
    - `width`, `high`: pixels; `high` is the largest height in a file. `name`: identifies the figure, so that a zoom survives.
    - `beside`: makes one column, about as high as the picture beside it, in which cells need not be squares.
    """
    if not matrices:
        raise ValueError("a figure of heatmaps needs a matrix, got none")
    if high:
        columns = _side_by_side(matrices, columns, width, high)
    left, right = _sides(matrices, columns, width, beside)
    places, area, cell, aspect = arrange(matrices, columns, width - left - right, beside, high)
    has_words = any(m.ticks == "all" and worded(m.rows) for m in matrices)
    if has_words and cell * aspect < WORD_ROW:  # they would overlap
        bare = [replace(matrix, ticks="none") for matrix in matrices]
        return heatmaps(bare, scales, columns=columns, title=title, width=width, name=name, beside=beside, high=high)
    top_margin = places[0].y  # the room above the first line has its height in any width
    places = [replace(place, y=place.y - top_margin) for place in places]
    area = replace(area, h=area.h - top_margin)
    end, axes = max(place.x + place.w for place in places), {}
    data, read, shapes, notes = [], [], [], []
    for number, matrix in enumerate(matrices):
        x, y = (f"{axis}{number + 1}" if number else axis for axis in "xy")
        axes[f"xaxis{x[1:]}"], axes[f"yaxis{y[1:]}"] = _axes(
            matrix, places[number], area, x, y, aspect, number % columns == 0, beside
        )
        data.append(trace_of(matrix, x, y))
        if matrix.read is not None:
            data[-1]["opacity"] = QUIET
            read.append(over(data[-1], matrix.read))
        shapes += shapes_of(matrix, x, y, beside)
        notes += _titles(matrix, x, y, beside, places[number].w)
    at, colours, there = 8.0 - left, {}, not all(matrix.is_outline for matrix in matrices)
    for place, (said, top) in enumerate(scales):
        ends = f"{said}  −{scale_end(top)}", f"+{scale_end(top)}"
        first, both = (SMALL * len(re.sub("<.*?>", "", text)) for text in (ends[0], "".join(ends)))
        bar, words = scale_below(at + first + 6, area.w, 5, *ends)
        look = {"colorscale": stops(LIGHT.signed), "cmin": -top, "cmax": top, "colorbar": bar, "showscale": there}
        colours[f"coloraxis{place + 1 if place else ''}"] = look
        notes, at = notes + words * there, at + both + 84
    # grow: pixels of height per pixel of width, so that cells keep their shape. worded: the least width for the words of rows.
    meta: dict[str, Any] = {"grow": round(area.h / area.w, 4) if beside or end > 0.95 * area.w else 0}
    if beside:
        meta["beside"] = True
    elif has_words:
        meta["worded"] = math.ceil(width - (width - left - right) * (1 - WORD_ROW / cell))
    look = {"width": width, "height": round(top_margin + area.h + FOOT), "margin": margin_of(left, right, top_margin, FOOT)}
    return as_figure(data + read, title, name, look | colours | axes, shapes, notes, meta)


def margin_of(left: float, right: float, above: float, below: float) -> dict:
    """Makes the margins of a figure, in pixels. Plotly may not change these margins."""
    return {"l": left, "r": right, "t": above, "b": below, "pad": 0, "autoexpand": False}


def as_figure(data: list, title: str, name: str, look: dict, shapes: list, notes: list, meta: dict) -> dict:
    layout = {
        "title": {"text": title, "font": {"size": TITLE}}, **look, "shapes": shapes, "annotations": notes,
        "font": {"size": TICK, "color": LIGHT.ink}, **NO_GROUND, "hovermode": "closest",
        "hoverlabel": {"bgcolor": LIGHT.lift, "bordercolor": LIGHT.line, "font": {"color": LIGHT.ink, "size": TICK}},
        "dragmode": "zoom", "showlegend": False, "uirevision": name or title, "meta": meta,
    }  # fmt: skip
    return {"data": data, "layout": layout}


def axis_of(size: int, **own: Any) -> dict:
    """Makes an axis of a heatmap. `size` is the font size of its labels in pixels, and `own` has further fields."""
    common = {
        "showgrid": False, "zeroline": False, "showline": True, "mirror": True, "linecolor": LIGHT.ink, "linewidth": 1,
        "ticks": "", "constrain": "domain", "tickangle": 0, "tickfont": {"size": size, "color": LIGHT.ink},
    }  # fmt: skip
    return common | own


def _side_by_side(matrices: Sequence[Matrix], columns: int, width: int, high: float) -> int:
    """Returns the number of matrices in a line of a file. In an upright file, a line has as many as stay legible. In other files,
    the number gives the largest cells. All lines have about as many."""
    has_words = any(m.ticks == "all" and worded(m.rows) for m in matrices)
    least = WORD_ROW if has_words else OUTLINE_CELL if all(m.is_outline for m in matrices) else LEAST_CELL
    least = max(least, *((LETTER * _letters(m.title, m.subtitle) - GAP) / m.values.shape[1] for m in matrices))
    room = width - 22 - (max(room_of(m.rows) for m in matrices) if has_words else 26)
    cells = {count: arrange(matrices, count, room, high=high)[2] for count in range(1, columns + 1)}
    large = max(cells, key=lambda count: cells[count])
    columns = max((count for count in cells if cells[count] >= least), default=large) if width < high else large
    return math.ceil(len(matrices) / math.ceil(len(matrices) / columns))


def _letters(*texts: str) -> int:
    return max(len(re.sub("<.*?>", "", line)) for line in "<br>".join(texts).split("<br>"))


def scale_below(at: float, wide: float, down: float, low: str, high: str) -> tuple[dict, list[dict]]:
    """Makes a horizontal colour bar below maps, and the labels at its ends. `at`: pixels from the maps' left edge to the bar.
    `wide`: width of the maps in pixels. `down`: pixels from the maps to the labels."""
    place = {"xref": "paper", "yref": "paper", "x": at / wide, "y": 0, "yanchor": "top", "yshift": -down, "showarrow": False}
    place["font"] = {"size": LEAST, "color": LIGHT.muted}
    ends = ((low, "right", -6), (high, "left", 66))
    bar = {
        "orientation": "h", "thickness": 8, "len": 60, "lenmode": "pixels", "x": at / wide, "xanchor": "left", "xpad": 0,
        "y": 0, "yanchor": "top", "ypad": down + 7, "showticklabels": False, "ticks": "", "outlinewidth": 0,
    }  # fmt: skip
    return bar, [{**place, "text": text, "xanchor": side, "xshift": off} for text, side, off in ends]


def over(trace: dict, rows: Sequence[int], **look: Any) -> dict:
    """Makes a trace that draws `rows` of a heatmap again. `look` has other fields. The trace has no hover texts and no clicks."""
    z = np.full_like(trace["z"], np.nan)
    z[[*rows]] = trace["z"][[*rows]]
    kept = {key: trace[key] for key in ("type", "x0", "dx", "y0", "dy", "xaxis", "yaxis", "coloraxis", "xgap", "ygap")}
    return kept | {"z": z, "hoverinfo": "skip"} | look


def map_width(figure: dict) -> float | None:
    """Returns the width in pixels of a figure of heatmaps. Returns None for a chart, which fits any width."""
    return figure["layout"]["width"] if "grow" in figure["layout"].get("meta", {}) else None


def arrange(
    matrices: Sequence[Matrix], columns: int, width: float, beside: bool = False, high: float = 0.0
) -> tuple[list[Rect], Rect, float, float]:
    """Places matrices within `width` pixels, all with cells of one size. Returns their places, the whole area, the width of a
    cell, and its height divided by its width. `high` is the largest height of a file."""
    rows = [matrices[i : i + columns] for i in range(0, len(matrices), columns)]
    sides = [[matrix.values.shape for matrix in row] for row in rows]
    widest = [max(row[j][1] for row in sides if j < len(row)) for j in range(min(columns, len(matrices)))]
    tallest = [max(high for high, _ in row) for row in sides]
    cell = min(MAX_CELL, (high or MAX_HIGH) / max(tallest), (width - GAP * (len(widest) - 1)) / sum(widest))
    above = [max(_header(matrix, beside) for matrix in row) for row in rows]
    if high:
        cell = max(min(cell, (high - sum(above) - GAP / 2 * len(rows) - FOOT) / sum(tallest)), 0.1)
    aspect = (BESIDE_HIGH - sum(above)) / (cell * sum(tallest)) if beside else 1.0
    cell, aspect = cell * min(1.0, LONGER * aspect), min(max(aspect, 1 / LONGER), LONGER)
    places, y = [], 0.0
    for row, header, tall in zip(sides, above, tallest, strict=True):
        y += header
        for j, (high, wide) in enumerate(row):
            places.append(Rect(sum(widest[:j]) * cell + GAP * j, y, wide * cell, high * cell * aspect))
        y += tall * cell * aspect + (0 if beside else GAP / 2)
    return places, Rect(0, 0, width, y), cell, aspect


def _sides(matrices: Sequence[Matrix], columns: int, width: int, beside: bool) -> tuple[float, float]:
    """Returns the pixels at the left of the maps, for labels of rows, and at their right, for texts."""
    if beside:
        words = (room_of(matrix.rows) for matrix in matrices if matrix.ticks != "none")
        return 16 + max(words, default=0.0), 10 + 1.15 * LETTER * max(_letters(m.title, m.value, m.note) for m in matrices)
    words = [room_of(m.rows) if worded(m.rows) and m.ticks != "none" else 26 for m in matrices[::columns]]
    return round(max(words) + 10), 12


def worded(words: tuple[str, ...]) -> bool:
    """Returns whether labels are words (not only indices) and few enough to be drawn."""
    return 0 < len(words) <= MAX_WORDS and words != tuple(map(str, range(1, len(words) + 1)))


def word_at(words: Sequence[str], position: int) -> str:
    """Returns the word of a position (0-based). For a position without a word, returns its number, counted from 1."""
    return words[position] if position < len(words) else str(position + 1)


def room_of(words: tuple[str, ...]) -> float:
    """Returns the pixels that the longest of these words needs, at most MAX_WORD."""
    return min(max((len(word) for word in words), default=0) * LETTER, MAX_WORD)


def _header(matrix: Matrix, beside: bool) -> float:
    """Returns the pixels above a matrix for its title, its subtitle, and the names of heads or indices of columns."""
    if beside:
        return (12 if matrix.bands or matrix.subtitle else 8) + LINE * (bool(matrix.bands) + bool(matrix.subtitle))
    return LINE * (1 + bool(matrix.subtitle)) + _above(matrix) + 4


def _above(matrix: Matrix) -> float:
    return 8 + LINE if matrix.bands else 26


def _axes(matrix: Matrix, place: Rect, area: Rect, x: str, y: str, aspect: float, first: bool, beside: bool) -> tuple[dict, dict]:
    high, wide = matrix.values.shape
    across = {
        "domain": part_of(place.x, place.w, area.w), "anchor": y, "side": "top",
        "range": [0.5, wide + 0.5],
        **({"showticklabels": False} if matrix.bands or beside or matrix.is_outline else
           {**ticks_of((), wide, matrix.pool, place.w * 1.4 / len(str(wide * matrix.pool))), "ticklabelstandoff": 6}),
    }  # fmt: skip
    down = {
        "domain": part_of(area.h - place.y - place.h, place.h, area.h), "anchor": x,
        "range": [high + 0.5, 0.5], "scaleanchor": x, "scaleratio": aspect,
        **(_tick_of(matrix) if matrix.ticks == "chosen" else ticks_of(matrix.rows, high, matrix.pool, place.h)),
        "showticklabels": first and not matrix.is_outline and (matrix.ticks != "none" or not worded(matrix.rows)),
        **({"ticklabelstandoff": 6} if beside and not matrix.bands else {}),
    }  # fmt: skip
    if worded(matrix.rows) and matrix.ticks == "all":  # words below each other, as large as their rows
        down["tickfont"] = {"size": min(TICK, max(LEAST, int(place.h / high))), "color": LIGHT.ink}
    return axis_of(TICK, **across), axis_of(TICK, **down)


def part_of(start: float, size: float, whole: float) -> list[float]:
    """Returns the start and the end of a range as fractions of `whole`, limited to 0 and 1. `size` is the length of the range."""
    return [round(max(0.0, start / whole), 5), round(min(1.0, (start + size) / whole), 5)]


def ticks_of(words: tuple[str, ...], count: int, pool: int, room: float = math.inf) -> dict:
    """Makes the ticks of an axis with `count` cells: all words or, without words, at most eight indices in `room` pixels."""
    if worded(words):
        return {"tickmode": "array", "tickvals": [*range(1, count + 1)], "ticktext": [*words]}
    step = next(step for step in (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024) if count / step <= max(1, min(8, room / TICK)))
    shown = range(1, count + 1, step)
    return {"tickmode": "array", "tickvals": [*shown], "ticktext": [str((cell - 1) * pool + 1) for cell in shown]}


def _tick_of(matrix: Matrix) -> dict:
    shown = [matrix.chosen[0]] if matrix.chosen and matrix.rows else []
    return {"tickmode": "array", "tickvals": [row + 1 for row in shown], "ticktext": [matrix.rows[row] for row in shown]}


def trace_of(matrix: Matrix, x: str, y: str) -> dict:
    """Makes the Plotly trace of a matrix on the axes named `x` and `y`."""
    gap = 1 if max(matrix.values.shape) <= 32 else 0
    head = None if matrix.head is None else matrix.head + 1
    meta = {"name": matrix.name, "head": head, "bands": matrix.bands, "wide": matrix.values.shape[1]}
    return {
        "type": "heatmap", "z": np.asarray(matrix.values, np.float32), "x0": 1, "dx": 1, "y0": 1, "dy": 1, "xaxis": x, "yaxis": y,
        "coloraxis": "coloraxis2" if matrix.second else "coloraxis", "xgap": gap, "ygap": gap, "hoverongaps": False,
        "hovertemplate": f"{matrix.hover}<extra></extra>", "name": matrix.title.replace("<br>", " "),
        **({"text": [[word] * matrix.values.shape[1] for word in matrix.rows]} if "%{text}" in matrix.hover else {}),
        "meta": meta if matrix.pool == 1 and matrix.name else {"outline": True} if matrix.is_outline else {},
        **(_near_one(matrix) if matrix.name == "weights" and gap else {}),
    }  # fmt: skip


def _near_one(matrix: Matrix) -> dict:
    """Makes hover texts that do not round a weight below 1 to 1. Returns {} if the usual texts do not."""
    if not ((matrix.values < 1) & (matrix.values >= 0.9995)).any():
        return {}
    hover = matrix.hover.replace("%{z:.3f}", "%{customdata}")
    return {"customdata": [[*map(as_share, row)] for row in matrix.values.tolist()], "hovertemplate": f"{hover}<extra></extra>"}


def shapes_of(matrix: Matrix, x: str, y: str, beside: bool = False) -> list[dict]:
    """Returns the Plotly shapes of a matrix: strips in the heads' colours, lines between heads, frames, and the tints of an
    outline. Strips are above the matrix. Beside a picture, the strip of a single head is at the left."""
    high, wide = matrix.values.shape
    shapes = _tints(matrix, x, y) if matrix.is_outline else []
    hues = [*range(matrix.bands)] if matrix.bands else [] if matrix.hue is None else [matrix.hue]
    parts = len(hues) if len(hues) <= MAX_BANDS else 0
    for part, hue in enumerate(hues[:parts]):
        if beside and not matrix.bands:
            ends = {"x0": -7, "x1": -3, "xsizemode": "pixel", "xanchor": 0, "y0": 0, "y1": 1, "xref": f"{x} domain"}
        else:
            ends = {"x0": 0.5 + part * wide / parts, "x1": 0.5 + (part + 1) * wide / parts}
            ends |= {"y0": 2, "y1": 6, "ysizemode": "pixel", "yanchor": 1, "xref": x}
        shapes.append({"type": "rect", "yref": f"{y} domain", **ends, "fillcolor": hue_of(hue), "line": {"width": 0}})
    if parts > 1:
        cuts = "".join(f"M{0.5 + part * wide / parts:g} 0.5V{high + 0.5}" for part in range(1, parts))
        shapes.append({"type": "path", "xref": x, "yref": y, "path": cuts, "line": {"width": 1, "color": LIGHT.ink}})

    def cells(row: int, col: int, rows: int, cols: int, line: dict) -> dict:
        ends = {"x0": col + 0.5, "x1": col + cols + 0.5, "y0": row + 0.5, "y1": row + rows + 0.5}
        return {"type": "rect", "xref": x, "yref": y, **ends, "fillcolor": CLEAR, "line": line}

    ink = {"width": 2, "color": LIGHT.ink}
    if matrix.framed is not None:
        shapes.append(cells(matrix.framed, 0, 1, wide, ink))
    if matrix.column is not None:
        shapes.append(cells(0, matrix.column, high, 1, ink))
    if matrix.chosen is not None:
        row, col = matrix.chosen
        head = col * matrix.bands // wide if matrix.bands else matrix.hue
        shapes.append(cells(row, col, 1, 1, {"width": 3, "color": LIGHT.ink if head is None else hue_of(head)}))
    return shapes


def _tints(matrix: Matrix, x: str, y: str) -> list[dict]:
    hues, wide = [*range(matrix.bands)] or [matrix.hue], matrix.values.shape[1]
    colours = [LIGHT.muted if hue is None else hue_of(hue) for hue in hues]
    ends = [0.5 + place * wide / len(hues) for place in range(len(hues) + 1)]
    look = {"type": "rect", "xref": x, "yref": f"{y} domain", "y0": 0, "y1": 1, "opacity": TINT["even"], "layer": "below"}
    return [
        {**look, "x0": start, "x1": end, "fillcolor": colour, "line": {"width": 0}}
        for start, end, colour in zip(ends, ends[1:], colours, strict=False)
    ]


def hue_of(head: int) -> str:
    """Returns the colour of a head (0-based), dark enough for text. Colours repeat from the ninth head on."""
    return LIGHT.head_text[head % len(LIGHT.head_text)]


def _titles(matrix: Matrix, x: str, y: str, beside: bool, wide: float) -> list[dict]:
    above = _above(matrix)
    line = {
        "xref": f"{x} domain", "yref": f"{y} domain", "x": 0.5, "y": 1, "xanchor": "center", "yanchor": "bottom",
        "showarrow": False,
    }  # fmt: skip
    colour = LIGHT.ink if matrix.hue is None else hue_of(matrix.hue)
    title = {**line, "text": f"<b>{matrix.title}</b>", "font": {"size": TITLE, "color": colour}}
    if beside:
        at = {"x": 1, "xanchor": "left", "yanchor": "top", "xshift": 4}
        notes = [{**title, **at, "align": "left", "font": {"size": TICK, "color": colour}}]
        if matrix.value:
            at = {"y": 0, "yanchor": "bottom"}
            if matrix.ticks == "chosen" and matrix.chosen and 3 * matrix.chosen[0] >= len(matrix.values):
                at = {"yref": y, "y": matrix.chosen[0] + 1, "yanchor": "middle"}  # level with its cell, which has no title there
            notes.append({**notes[0], **at, "text": matrix.value})
        above = 10
    else:
        notes = [{**title, "yshift": above + LINE * bool(matrix.subtitle)}]
    if matrix.subtitle:
        at = {"x": 0, "xanchor": "left"} if beside else {}  # a narrow matrix has no room for words around its middle
        notes.append({**line, **at, "text": matrix.subtitle, "yshift": above - 2,
                      "font": {"size": SUBTITLE, "color": LIGHT.muted}})  # fmt: skip
    if matrix.note and beside:  # a matrix there may be as thin as a line, and the next one's heads have their names below it
        notes[0]["text"] += f"<br>{matrix.note}"
    elif matrix.note:
        thin = matrix.values.shape[0] < 0.2 * matrix.values.shape[1]
        middle = {"y": 0, "yanchor": "top"} if thin else {"y": 0.5, "yanchor": "middle"}
        ground = {} if thin else {"bgcolor": LIGHT.background}  # no cut runs through it
        notes.append({**line, **middle, **ground, "text": matrix.note, "font": {"size": TICK, "color": LIGHT.muted}})
    room = wide / max(matrix.bands, 1) / LETTER  # letters that a head's name may have
    for part in range(0, matrix.bands, math.ceil((1 + len(str(matrix.bands))) / room)):  # no two touch
        at = (part + 0.5) / matrix.bands
        words = f"head {part + 1}" if matrix.bands <= 4 and room > 7 else str(part + 1)
        notes.append({**line, "x": at, "text": words, "yshift": 8, "font": {"size": TICK, "color": hue_of(part)}})
    return notes
