"""The numbers of a picture as tables, read from the picture, for readers who cannot see it or want to compute."""

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

#: An entry of a table: a word, a number, or None (a masked cell).
TableValue = str | float | int | None
TableValues = tuple[TableValue, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a picture's numbers: its title, the column titles `heads`, and rows that each begin with a name. With `words`,
    no cell has a number."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[TableValue, ...], ...]
    words: bool = False


def of_scene(scene: Scene) -> tuple[Table, ...]:
    """Returns the tables of a picture: its words, its own tables, and then every grid of numbers once."""
    labels = [[plain(text.text) for text in panel.texts] for panel in scene.panels]
    words = [(str(n + 1), " · ".join(word for word in label if re.search(r"\w", word))) for n, label in enumerate(labels)]
    drawn: dict[str, list[Block]] = {}
    for block in scene.blocks:
        drawn.setdefault(block.grid or "", []).append(block)
    written = Table("Words in the picture", ("part", "words"), tuple(row for row in words if row[1]), words=True)
    return (written, *scene.tables, *(_of_grid(scene.grids[key], blocks) for key, blocks in drawn.items() if key))


def scene_count(scene: Scene) -> int:
    """Counts the numbers in a picture without making its tables."""
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
    """Makes the table of a matrix. Rows and columns are counted from 1, with words if there are any."""
    down, across = (_places(count, words) for count, words in zip(values.shape, (rows, columns), strict=True))
    cells = (tuple(None if np.isnan(value) else float(value) for value in row) for row in values)
    return Table(title, ("row", *across), tuple((place, *row) for place, row in zip(down, cells, strict=True)))


def _places(count: int, words: tuple[str, ...]) -> list[str]:
    """Returns the names of `count` places: "1 she", "2 gave", or the number alone without a word."""
    return [f"{i + 1} {words[i]}" if len(words) == count and words[i] != str(i + 1) else str(i + 1) for i in range(count)]


def of_chart(figure: dict) -> tuple[Table, ...]:
    """Returns the tables of a Plotly figure: those in its `meta`, if there are any. Otherwise each heatmap has a table, and all
    lines and bars over the same places share one."""
    return attached_tables(figure) or tuple(_tables(figure["data"], figure.get("layout", {})))


def attached_tables(figure: dict) -> tuple[Table, ...]:
    """Returns the tables in the `meta` of a figure's layout, which Plotly does not draw."""
    return tuple(Table(**table) for table in figure.get("layout", {}).get("meta", {}).get("tables", ()))


def chart_count(figure: dict) -> int:
    """Counts the numbers in a Plotly figure without making its tables."""
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
            yield _matrix(plain(trace.get("name", "")) or f"Matrix {number + 1}", matrix_of(trace["z"]), rows, columns)
        else:
            across, up, name, places, values = _series(trace, layout)
            together.setdefault((across, up, places), []).append((name, values))
    for (across, up, places), series in together.items():
        rows = zip(places, *(values for _, values in series), strict=True)
        yield Table(f"{up} by {across}", (across, *(name for name, _ in series)), tuple(rows))


def _is_mark(trace: dict) -> bool:
    """Whether a trace repeats the numbers of another trace, as a mark or as a second map."""
    return trace.get("hoverinfo") == "skip" or "again" in trace.get("meta", {})


def _tick_words(layout: dict, trace: dict, letter: str) -> tuple[str, ...]:
    """Returns the words of a trace's rows ("y") or columns ("x"), from the figure's `meta` or the ticks of the axis."""
    if words := layout.get("meta", {}).get("words"):
        return tuple(map(unescape, words[letter]))
    axis = layout.get(trace.get(f"{letter}axis", letter).replace(letter, f"{letter}axis", 1), {})
    return tuple(unescape(word) for word in axis.get("ticktext", ()))


def _series(trace: dict, layout: dict) -> tuple[str, str, str, TableValues, TableValues]:
    """Reads a line or bars. Returns the names of the axes of places and of values, the trace's name, the places and the values. A
    second pair of axes may use the names of the first."""
    sides = []
    for letter, other in (("x", "places"), ("y", "values")):
        axis = layout.get(trace.get(f"{letter}axis", letter).replace(letter, f"{letter}axis", 1), {})
        over = layout.get("meta", {}).get("over") if letter == "y" else None
        title = over or axis.get("title") or layout.get(f"{letter}axis", {}).get("title") or other
        sides.append((plain(title["text"] if isinstance(title, dict) else title), tuple(map(_entry, trace[letter]))))
    (across, places), (up, values) = reversed(sides) if trace.get("orientation") == "h" else sides
    return across, up, plain(trace.get("name", "")) or up, places, values


def matrix_of(values: Iterable[Iterable[float | None]]) -> np.ndarray:
    """Returns the numbers of a heatmap as an array; NaN for a cell without a number."""
    return np.array([[np.nan if value is None else value for value in row] for row in values], dtype=float)


def _entry(value: Any) -> TableValue:
    """Converts a value to a plain Python number or word; None for NaN."""
    if isinstance(value, str) or value is None:
        return value
    number = value.item() if isinstance(value, np.generic) else value
    return None if number != number else number


def plain(text: str) -> str:
    """Removes the markup of a label: subscripts and superscripts become `_` and `^`, and tags are deleted."""
    lowered = re.sub(r"([_^])\{([^}]*)\}", r"\1\2", text)
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<sub>", "_", lowered))).strip()


#: Columns of a tidy table of matrices, and two further ones if rows or columns have words.
CELL, NAMES = ("matrix", "head", "row", "column", "value"), ("row_name", "column_name")


def tidy(figure: dict) -> Table:
    """Returns one table with a row for each number of a chart. Heads, rows and columns count from 1, and a masked weight is 0.
    Matrices give the columns CELL, and NAMES if there are words; `head` is empty if a number belongs to no single head. Lines and
    bars give `series`, the place and the value. For a figure with tables in its `meta`, returns the first of those."""
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
    """Returns the header of a scene's tidy table (see `tidy`), and an iterator of its rows, which may be a million. Masked
    numbers are as in `values_in`."""
    named = any(word for block in scene.blocks for word in (*block.row_labels, *block.col_labels))
    heads = CELL + NAMES if named else CELL
    every = (cell[: len(heads)] for key, name in names_of(scene).items() for cell in _cells_of_grid(scene, key, name))
    return heads, every


def names_of(scene: Scene) -> dict[str, str]:
    """Returns the name of each grid of a scene by its key. If two matrices have the same name, the beginning of the key is added:
    "W_Q (block)"."""
    whole = {key: ", ".join(sorted({LABELS.get(b.name, b.name) for b in _blocks_of(scene, key)})) for key in scene.grids}
    kinds = {(name, key.partition("/")[0]) for key, name in whole.items()}
    shared = {name for name in whole.values() if sum(name == other for other, _ in kinds) > 1}
    return {key: f"{name} ({key.partition('/')[0]})" if name in shared and "/" in key else name for key, name in whole.items()}


def values_in(scene: Scene, key: str) -> np.ndarray:
    """Returns the numbers of a grid as the layer has them. A matrix that is drawn transposed is transposed back. A masked weight
    is 0, and a masked score −inf."""
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
    """Returns the numbers of a heatmap. Masked weights of the layer are 0."""
    values = matrix_of(trace["z"])
    return np.nan_to_num(values) if trace.get("meta", {}).get("name") else values


def _words_of_heatmap(trace: dict, layout: dict, letter: str, count: int) -> list[str]:
    """Returns the words of a heatmap's rows ("y") or columns ("x"); empty texts if there are only numbers."""
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


#: Beginnings of cells that a spreadsheet would run as a formula (OWASP, "CSV injection").
FORMULA = re.compile(r"[=@]|[+\-](?![0-9.]+(e[+\-]?[0-9]+)?$)")


def in_csv(cell: object) -> object:
    """Formats an entry for CSV: "" for None, a number unchanged, and words in one line. Words that a spreadsheet would run as a
    formula get an apostrophe."""
    if not isinstance(cell, str):
        return "" if cell is None else cell
    word = " ".join(cell.split())
    return f"'{word}" if FORMULA.match(word) else word


def as_csv(heads: Sequence[str], rows: Iterable[Sequence[TableValue]]) -> str:
    """Formats a table as CSV, header first. Numbers have all digits, and words are as in `in_csv`."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    write.writerow([in_csv(head) for head in heads])
    write.writerows([in_csv(cell) for cell in row] for row in rows)
    return out.getvalue()
