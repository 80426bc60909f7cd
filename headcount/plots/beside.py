"""Heads' maps beside one query's row: words once at the rows, on the columns only the word that the framed row hits, one scale.

Up to eight heads are as large as all others; of more the chosen one is large, above thumbnails; of more than sixteen it is alone.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from headcount.plots.heatmaps import LEAST, MAX_CELL, Matrix, _greyed, _room, _shapes, _ticks, _trace, _words, hue_of
from headcount.reading import GREY_ROWS
from headcount.stage.layout import Rect
from headcount.stage.theme import LIGHT, NO_GROUND, stops

#: Heads that are as large as all others, and that have a thumbnail; thumbnails in a line.
MAX_LARGE, MAX_SMALL, LINE_OF_SMALL = 8, 16, 8
#: Cells of a map whose hover has words.
MAX_HOVER = 400
#: Pixels: above a map its title and strip, above a thumbnail its number, below a map its word; between two maps; the scale below,
#: and where it begins; how high all maps are together, and the large one above thumbnails.
ABOVE, NUMBER, BELOW, GAP, SCALE, SCALE_AT, HIGH, ALONE = 28, 27, 20, 24, 26, 66, 462, 290


def figure(matrices: Sequence[Matrix], open_at: int, width: int, title: str, heads: int) -> dict[str, Any]:
    """A figure of all heads' maps, that of the one at `open_at` (0-based) framed, `width` pixels wide."""
    small = len(matrices) > MAX_LARGE
    large = [matrices[open_at]] if small else list(matrices)
    rows, columns = large[0].values.shape
    words = [word for word in large[0].rows if _words(large[0].rows)]
    left = max(_room(tuple(words)), 18) + 12
    inner, line = width - left - 8, 1 if len(large) == 1 else 2 if len(large) <= 4 else 3
    lines = math.ceil(len(large) / line)
    most = (ALONE if small and len(matrices) <= MAX_SMALL else HIGH) - lines * (ABOVE + BELOW)
    cell = min(MAX_CELL, (inner - GAP * (line - 1)) / (line * columns), most / (lines * rows))
    wide, high = cell * columns, cell * rows
    places = [Rect(i % line * (wide + GAP), i // line * (high + ABOVE + BELOW), wide, high) for i in range(len(large))]
    if small and len(matrices) <= MAX_SMALL:
        tiny = (inner - GAP / 2 * (LINE_OF_SMALL - 1)) / LINE_OF_SMALL
        low, pitch = high + BELOW + NUMBER, tiny * rows / columns + NUMBER
        places += [
            Rect(i % LINE_OF_SMALL * (tiny + GAP / 2), low + i // LINE_OF_SMALL * pitch, tiny, tiny * rows / columns)
            for i in range(len(matrices))
        ]
        bare = {"subtitle": "", "ticks": "none", "framed": None, "chosen": None}
        large += [replace(one, title=str(i + 1), **bare) for i, one in enumerate(matrices)]
    area = Rect(0, 0, inner, max(place.y + place.h for place in places))
    axes, data, greyed, shapes, notes = {}, [], [], [], []
    for number, (matrix, place) in enumerate(zip(large, places, strict=True)):
        x, y = (f"{axis}{number + 1}" if number else axis for axis in "xy")
        axes[f"xaxis{x[1:]}"], axes[f"yaxis{y[1:]}"] = _axes(matrix, place, area, x, y, number % line == 0, cell)
        data.append(_worded(matrix, _trace(matrix, x, y, "share")))
        if small and number == 0 and len(large) > 1:
            data[-1]["meta"]["again"] = True
        greyed += [_greyed(matrix, data[-1])] if matrix.pale else []
        shapes += _shapes(matrix, x, y, False)
        notes += _titles(matrix, x, y, place.w)
        if matrix.head == matrices[open_at].head and len(large) > 1 and (number or not small):
            shapes += _frame(x, y, 25, 4 if small else BELOW - 1)
    paper = {"showarrow": False, "xref": "paper", "yref": "paper", "x": SCALE_AT / inner, "y": 0, "yanchor": "top"}
    for text, side, off in (("weights  0", "right", -6), (f"1    {GREY_ROWS if greyed else ''}", "left", 66)):
        notes.append(
            {
                **paper,
                "yshift": -BELOW - 2,
                "text": text,
                "xanchor": side,
                "xshift": off,
                "font": {"size": LEAST, "color": LIGHT.muted},
            }
        )
    bar = {
        "orientation": "h", "thickness": 8, "len": 60, "lenmode": "pixels", "x": SCALE_AT / inner, "xanchor": "left", "xpad": 0,
        "y": 0, "yanchor": "top", "ypad": BELOW + 9, "showticklabels": False, "ticks": "", "outlinewidth": 0,
    }  # fmt: skip
    shown = matrices[open_at]
    row, col = shown.chosen or (shown.framed or 0, 0)
    cell_at = {"head": shown.head, "row": row, "col": col, "rows": rows, "cols": columns, "heads": heads}
    grows = wide * line + GAP * (line - 1) > 0.95 * inner
    layout = {
        "title": {"text": title}, "width": width, "height": round(ABOVE + area.h + BELOW + SCALE),
        "margin": {"l": left, "r": 8, "t": ABOVE, "b": BELOW + SCALE, "pad": 0},
        "coloraxis": {"colorscale": stops(LIGHT.share), "cmin": 0, "cmax": 1, "colorbar": bar},
        "coloraxis2": {"colorscale": stops(LIGHT.pale), "cmin": 0, "cmax": 1, "showscale": False},
        **axes, "shapes": shapes, "annotations": notes, "font": {"size": LEAST, "color": LIGHT.ink}, **NO_GROUND,
        "hovermode": "closest",
        "hoverlabel": {"bgcolor": LIGHT.lift, "bordercolor": LIGHT.line, "font": {"color": LIGHT.ink, "size": 14}},
        "dragmode": "zoom", "showlegend": False, "uirevision": "maps",
        "meta": {"grow": round(area.h / area.w, 4) if grows else 0, "beside": True, "at": cell_at if shown.pool == 1 else None},
    }  # fmt: skip
    return {"data": data + greyed, "layout": layout}


def _worded(matrix: Matrix, trace: dict[str, Any]) -> dict[str, Any]:
    """A map's trace, named as in its table, whose hover has the words of both positions: few of them are ticks."""
    rows, columns = matrix.values.shape
    trace["meta"] = trace["meta"] | {"words": {"y": matrix.rows, "x": matrix.columns}}
    trace["name"] = f"head {matrix.title.replace(' ', ' · ', 1)}"
    if not matrix.rows or rows * columns > MAX_HOVER:
        return trace
    keys = [_word(matrix.columns, col) for col in range(columns)]
    pairs = [[f"‘{_word(matrix.rows, row)}’ → ‘{key}’" for key in keys] for row in range(rows)]
    return trace | {"text": pairs, "hovertemplate": re.sub("query .* → key ‘.*’", "%{text}", trace["hovertemplate"])}


def _word(words: tuple[str, ...], position: int) -> str:
    return words[position] if position < len(words) else str(position + 1)


def _axes(matrix: Matrix, place: Rect, area: Rect, x: str, y: str, first: bool, cell: float) -> tuple[dict, dict]:
    rows, columns = matrix.values.shape
    common = {
        "showgrid": False, "zeroline": False, "showline": True, "mirror": True, "linecolor": LIGHT.ink, "linewidth": 1,
        "ticks": "", "constrain": "domain", "tickangle": 0, "tickfont": {"size": LEAST, "color": LIGHT.ink},
    }  # fmt: skip
    row = [] if matrix.framed is None else matrix.values[matrix.framed]
    hit = [int(np.nanargmax(row))] if np.isfinite(row).any() else []
    named = matrix.ticks != "none"
    across = {
        "domain": [place.x / area.w, min(1.0, (place.x + place.w) / area.w)], "anchor": y, "side": "bottom",
        "range": [0.5, columns + 0.5], "tickmode": "array", "tickvals": [col + 1 for col in hit],
        "ticktext": [_word(matrix.columns, col) for col in hit], "showticklabels": named and bool(hit),
    }  # fmt: skip
    down = {
        "domain": [max(0.0, 1 - (place.y + place.h) / area.h), 1 - place.y / area.h], "anchor": x, "scaleanchor": x,
        "ticklabelstandoff": 8, "range": [rows + 0.5, 0.5], "showticklabels": named and first,
        **_ticks(matrix.rows, rows, matrix.pool, place.h),
    }  # fmt: skip
    if matrix.rows and (cell < LEAST or not _words(matrix.rows)):
        shown = [] if matrix.framed is None else [matrix.framed]
        down |= {
            "tickmode": "array",
            "tickvals": [row + 1 for row in shown],
            "ticktext": [_word(matrix.rows, row) for row in shown],
        }
    elif matrix.framed is not None and _words(matrix.rows):
        down["ticktext"] = [f"<b>{word}</b>" if row == matrix.framed else word for row, word in enumerate(matrix.rows)]
    return common | across, common | down


def _titles(matrix: Matrix, x: str, y: str, wide: float) -> list[dict]:
    """The head's number and name at the left, at the right what the framed row hits."""
    line = {"xref": f"{x} domain", "yref": f"{y} domain", "y": 1, "yanchor": "bottom", "showarrow": False}
    title = {"text": f"<b>{matrix.title}</b>", "font": {"size": 14, "color": hue_of(matrix.hue or 0)}}
    notes = [{**line, **title, "x": 0, "xanchor": "left", "yshift": 6}]
    room = (wide - 8 * len(matrix.title)) / 6.3
    said = next((text for text in (matrix.subtitle, matrix.subtitle.rpartition(" → ")[2]) if len(text) <= room), "")
    if said:
        notes.append(
            {**line, "x": 1, "xanchor": "right", "yshift": 6, "text": said, "font": {"size": LEAST, "color": LIGHT.muted}}
        )
    return notes


def _frame(x: str, y: str, above: float, below: float) -> list[dict]:
    """The frame of the head whose row is open, with its title and its word: lines that stand as far from its map at any size."""
    ends = {"x": ({"x0": -5, "x1": 0}, {"x0": 0, "x1": 5}), "y": ({"y0": -below, "y1": 0}, {"y0": 0, "y1": above})}
    lines = []
    for anchor, (across, down) in enumerate(((-5, -below), (5, above))):
        for axis, other, at in (("x", "y", across), ("y", "x", down)):
            still = {f"{axis}sizemode": "pixel", f"{axis}anchor": anchor, f"{axis}0": at, f"{axis}1": at}
            tails = ({f"{other}sizemode": "pixel", f"{other}anchor": end, **part} for end, part in enumerate(ends[other]))
            lines += [still | part for part in ({f"{other}0": 0, f"{other}1": 1}, *tails)]
    look = {"type": "line", "xref": f"{x} domain", "yref": f"{y} domain", "line": {"width": 2, "color": LIGHT.ink}}
    return [look | line for line in lines]
