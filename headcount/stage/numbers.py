"""The numbers of a picture as tables, for readers who cannot see the picture or want to compute with its numbers."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

import numpy as np

from headcount.names import LABELS
from headcount.stage.scene import Block, Grid, Scene

#: One cell of a table: a word, a number, or None for a masked number.
TableValue = str | float | int | None
TableValues = tuple[TableValue, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a picture's numbers. `heads` are the titles of the columns. `words` marks a table that has only words."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[TableValue, ...], ...]
    words: bool = False


def of_scene(scene: Scene) -> tuple[Table, ...]:
    """Returns the tables of a scene: its labels, the tables attached to the scene, and one table for each matrix."""
    labels = [[plain(text.text) for text in panel.texts] for panel in scene.panels]
    words = [(str(n + 1), " · ".join(word for word in label if re.search(r"\w", word))) for n, label in enumerate(labels)]
    drawn: dict[str, list[Block]] = {}
    for block in scene.blocks:
        drawn.setdefault(block.grid or "", []).append(block)
    written = Table("Words in the picture", ("part", "words"), tuple(row for row in words if row[1]), words=True)
    return (written, *scene.tables, *(_of_grid(scene.grids[key], blocks) for key, blocks in drawn.items() if key))


def scene_count(scene: Scene) -> int:
    """Counts the numbers in a scene's matrices without making tables."""
    return sum(scene.grids[key].values.size for key in {block.grid for block in scene.blocks} if key)


def _of_grid(grid: Grid, blocks: Sequence[Block]) -> Table:
    names, head = {LABELS.get(block.name, block.name) for block in blocks}, blocks[0].head
    of_head = f" of head {head + 1}" if head is not None and all(block.head == head for block in blocks) else ""
    turned = ", transposed" if blocks[0].turned else ""
    means = f", means of {grid.pool} × {grid.pool}" if grid.pool > 1 else ""
    masked = ", – is masked" if np.isnan(grid.values).any() else ""
    tall, wide = grid.values.shape
    title = f"{', '.join(sorted(names))}{of_head}{turned}, {tall} × {wide}{means}{masked}"
    by_side = ([getattr(block, side) for block in blocks if getattr(block, side)] for side in ("row_labels", "col_labels"))
    return _matrix(title, grid.values, *(next((words for words in found), ()) for found in by_side))


def _matrix(title: str, values: np.ndarray, rows: tuple[str, ...] = (), columns: tuple[str, ...] = ()) -> Table:
    down, across = (_places(count, words) for count, words in zip(values.shape, (rows, columns), strict=True))
    cells = (tuple(None if np.isnan(value) else float(value) for value in row) for row in values)
    return Table(title, ("row", *across), tuple((place, *row) for place, row in zip(down, cells, strict=True)))


def _places(count: int, words: tuple[str, ...]) -> list[str]:
    """Returns the names of `count` rows or columns, such as "1 she". Without exactly `count` words, names are numbers: "1"."""
    return [f"{i + 1} {words[i]}" if len(words) == count and words[i] != str(i + 1) else str(i + 1) for i in range(count)]


def of_chart(figure: dict) -> tuple[Table, ...]:
    """Returns the tables attached to a figure (in its `meta`) or, without these, tables of its traces. Each heatmap has its own
    table. Lines or bars with the same axes and places are columns of one table."""
    return attached_tables(figure) or tuple(_tables(figure["data"], figure.get("layout", {})))


def attached_tables(figure: dict) -> tuple[Table, ...]:
    return tuple(Table(**table) for table in figure.get("layout", {}).get("meta", {}).get("tables", ()))


def chart_count(figure: dict) -> int:
    """Counts the numbers of a Plotly figure, or of the tables attached to the figure (in its `meta`), without making tables."""
    if tables := attached_tables(figure):
        return sum(len(row) - 1 for table in tables for row in table.rows)
    own = (trace for trace in figure["data"] if not (_is_mark(trace) and "z" in trace))
    return sum(np.size(trace.get("z", trace.get("y", ()))) for trace in own)


def _tables(traces: Sequence[dict], layout: dict) -> Iterator[Table]:
    together: dict[tuple, list[tuple[str, Sequence[TableValue]]]] = {}
    for number, trace in enumerate(traces):
        if _is_mark(trace):
            continue
        if trace.get("type") == "heatmap":
            rows, columns = (_tick_words(layout, trace, letter) for letter in "yx")
            name, values = plain(trace.get("name", "")) or f"Matrix {number + 1}", np.array(trace["z"], dtype=float)
            yield _matrix(name, values, rows, columns)  # None in z is NaN
        else:
            across, up, name, places, values = _series(trace, layout)
            together.setdefault((across, up, places), []).append((name, values))
    for (across, up, places), series in together.items():
        rows = zip(places, *(values for _, values in series), strict=True)
        yield Table(f"{up} by {across}", (across, *(name for name, _ in series)), tuple(rows))


def _is_mark(trace: dict) -> bool:
    """Returns whether a trace has no numbers of its own, such as a highlight or a copy of another trace."""
    return trace.get("hoverinfo") == "skip" or "again" in trace.get("meta", {})


def _tick_words(layout: dict, trace: dict, letter: str) -> tuple[str, ...]:
    """Returns the labels of a trace's rows (`letter` "y") or columns ("x"). They are in the figure's `meta` or ticks."""
    if words := layout.get("meta", {}).get("words"):
        return tuple(map(unescape, words[letter]))
    axis = layout.get(trace.get(f"{letter}axis", letter).replace(letter, f"{letter}axis", 1), {})
    return tuple(unescape(word) for word in axis.get("ticktext", ()))


def _series(trace: dict, layout: dict) -> tuple[str, str, str, TableValues, TableValues]:
    """Reads a trace of lines or bars. Returns the title of the axis of places, the title of the axis of values, the trace's name,
    the places, and the values. An axis without a title gets that of the figure's first axis, else "places" or "values"."""
    sides = []
    for letter, other in (("x", "places"), ("y", "values")):
        axis = layout.get(trace.get(f"{letter}axis", letter).replace(letter, f"{letter}axis", 1), {})
        over = layout.get("meta", {}).get("over") if letter == "y" else None
        title = over or axis.get("title") or layout.get(f"{letter}axis", {}).get("title") or other
        sides.append((plain(title["text"] if isinstance(title, dict) else title), tuple(map(_entry, trace[letter]))))
    (across, places), (up, values) = reversed(sides) if trace.get("orientation") == "h" else sides
    return across, up, plain(trace.get("name", "")) or up, places, values


def _entry(value: Any) -> TableValue:
    if isinstance(value, str) or value is None:
        return value
    number = value.item() if isinstance(value, np.generic) else value
    return None if number != number else number


def plain(text: str) -> str:
    """Converts a label to plain text. "W_{Q}" and "W<sub>Q</sub>" become "W_Q", and all other tags are removed."""
    lowered = re.sub(r"([_^])\{([^}]*)\}", r"\1\2", text)
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<sub>", "_", lowered))).strip()


#: Columns of a tidy table of matrices (one row per number), and two further columns if rows or columns have words.
CELL, NAMES = ("matrix", "head", "row", "column", "value"), ("row_name", "column_name")


def tidy(figure: dict) -> Table:
    """Returns a figure's numbers as a table with one number per row. If tables are attached in `meta`, returns the first of them.
    For heatmaps, the columns are CELL, and also NAMES if rows or columns have words. For lines and bars, the columns are "series"
    and the titles of the two axes. A title that differs between traces becomes "place" or "value". Heads, rows and columns count
    from 1. `head` is None for a number that belongs to no single head. A masked weight is 0."""
    if tables := attached_tables(figure):
        return tables[0]
    own = [(n, trace) for n, trace in enumerate(figure["data"], start=1) if trace.get("hoverinfo") != "skip"]
    maps = [(n, trace) for n, trace in own if trace.get("type") == "heatmap"]
    if not maps:
        return _tidy_series([trace for _, trace in own], figure.get("layout", {}))
    rows = [cell for number, trace in maps for cell in _cells_of_heatmap(trace, number, figure["layout"])]
    heads = CELL + NAMES if any(any(cell[len(CELL) :]) for cell in rows) else CELL
    return Table("", heads, tuple(cell[: len(heads)] for cell in rows))


def rows_of(scene: Scene) -> tuple[tuple[str, ...], Iterator[tuple[TableValue, ...]]]:
    """Returns the column titles of a scene's tidy table (see `tidy`) and an iterator over its rows, which may be a million."""
    named = any(word for block in scene.blocks for word in (*block.row_labels, *block.col_labels))
    heads = CELL + NAMES if named else CELL
    every = (cell[: len(heads)] for key, name in names_of(scene).items() for cell in _cells_of_grid(scene, key, name))
    return heads, every


def names_of(scene: Scene) -> dict[str, str]:
    """Returns the name of each matrix; the keys are those of `scene.grids`. If two matrices have the same name, the part of the
    key before "/" is added where it differs: "Q (block)"."""
    whole = {key: ", ".join(sorted({LABELS.get(b.name, b.name) for b in _blocks_of(scene, key)})) for key in scene.grids}
    kinds = {(name, key.partition("/")[0]) for key, name in whole.items()}
    shared = {name for name in whole.values() if sum(name == other for other, _ in kinds) > 1}
    return {key: f"{name} ({key.partition('/')[0]})" if name in shared and "/" in key else name for key, name in whole.items()}


def values_in(scene: Scene, key: str) -> np.ndarray:
    """Returns a scene's matrix with rows and columns as in the layer. Masked weights are 0, and other masked values are −inf."""
    grid = scene.grids[key]
    values = np.where(np.isnan(grid.values), np.float32(0 if grid.scale == "share" else -np.inf), grid.values)
    return values.T if _is_turned(_blocks_of(scene, key)) else values


def _blocks_of(scene: Scene, key: str) -> list[Block]:
    return [block for block in scene.blocks if block.grid == key]


def _is_turned(blocks: Sequence[Block]) -> bool:
    return bool(blocks) and all(block.turned for block in blocks)


def _cells_of_grid(scene: Scene, key: str, name: str) -> Iterator[tuple[TableValue, ...]]:
    blocks, values = _blocks_of(scene, key), values_in(scene, key)
    tall, wide = scene.grids[key].values.shape
    heads = np.full((tall, wide), -1)  # -1: of no head, -2: of several
    row_names, column_names = [""] * tall, [""] * wide
    for block in blocks:
        part = heads[block.row : block.row + block.rows, block.col : block.col + block.cols]
        head = -1 if block.head is None else block.head
        part[...] = np.where((part == -1) | (part == head), head, -2)
        row_names[block.row : block.row + len(block.row_labels)] = block.row_labels
        column_names[block.col : block.col + len(block.col_labels)] = block.col_labels
    if _is_turned(blocks):
        heads, row_names, column_names = heads.T, column_names, row_names
    for r, (row, of_heads) in enumerate(zip(values, heads, strict=True)):  # a row at a time: there may be a million numbers
        for c, (value, head) in enumerate(zip(row.tolist(), of_heads.tolist(), strict=True)):
            yield name, head + 1 if head >= 0 else None, r + 1, c + 1, value, row_names[r], column_names[c]


def _cells_of_heatmap(trace: dict, number: int, layout: dict) -> Iterator[tuple[TableValue, ...]]:
    values, meta = of_heatmap(trace), trace.get("meta", {})
    name = LABELS.get(meta.get("name", "")) or plain(trace.get("name", "")) or f"matrix {number}"
    high, wide = values.shape
    across, down = _words_of_heatmap(trace, layout, "x", wide), _words_of_heatmap(trace, layout, "y", high)
    bands = meta.get("bands")
    for (r, c), value in np.ndenumerate(values):
        head = c * bands // wide + 1 if bands else meta.get("head")
        yield name, head, r + 1, c + 1, _entry(value), down[r], across[c]


def of_heatmap(trace: dict) -> np.ndarray:
    """Returns the numbers of a heatmap as a float array. If its `meta` names an array of the layer, NaN (masked) becomes 0."""
    values = np.array(trace["z"], dtype=float)
    return np.nan_to_num(values) if trace.get("meta", {}).get("name") else values


def _words_of_heatmap(trace: dict, layout: dict, letter: str, count: int) -> list[str]:
    """Returns the words of a heatmap's rows (`letter` "y") or columns ("x"). All are "" if a word is a number or missing."""
    words = trace.get(letter) or _tick_words(layout, trace, letter)
    if letter == "y" and "words" not in layout.get("meta", {}) and (texts := trace.get("text")):
        words = [row[0] for row in texts]
    said = [] if any(isinstance(word, (int, float)) or word.isdecimal() for word in words) else [plain(word) for word in words]
    return said if len(said) == count else [""] * count


def _tidy_series(traces: Sequence[dict], layout: dict) -> Table:
    places, measures, rows = set(), set(), []
    for across, up, name, x, y in (_series(trace, layout) for trace in traces):
        places.add(across)
        measures.add(up)
        rows += zip([name] * len(x), x, y, strict=True)
    heads = ("series", *("place" if len(places) > 1 else place for place in places))[:2]
    return Table("", (*heads, "value" if len(measures) > 1 else next(iter(measures), "value")), tuple(rows))


#: Matches the start of a cell that a spreadsheet would run as a formula (OWASP, "CSV injection").
FORMULA = re.compile(r"[=@]|[+\-](?![0-9.]+(e[+\-]?[0-9]+)?$)")


def in_csv(cell: object) -> object:
    """Formats a cell of a table for CSV. A text that a spreadsheet would run as a formula gets an apostrophe in front."""
    if not isinstance(cell, str):
        return "" if cell is None else cell
    word = " ".join(cell.split())
    return f"'{word}" if FORMULA.match(word) else word


def as_csv(heads: Sequence[str], rows: Iterable[Sequence[TableValue]]) -> str:
    """Formats a table as CSV. The first line has the column titles `heads`. Numbers keep all their digits."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerow([in_csv(head) for head in heads])
    write.writerows([in_csv(cell) for cell in row] for row in rows)
    return out.getvalue()
