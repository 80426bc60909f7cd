"""A picture's numbers as tables, read from the picture itself: for readers who cannot see it or who want to compute."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

import numpy as np

from components.figures.scene import Block, Grid, Scene
from mha.names import LABELS

#: A table's entry: a word, a number, or nothing (a masked cell).
Entry = str | float | int | None


@dataclass(frozen=True, slots=True)
class Table:
    """`heads`: one word for each column. Every row begins with what it is a row of. `words`: it holds no numbers."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    words: bool = False


def of_scene(scene: Scene) -> tuple[Table, ...]:
    """What is written in the picture, panel by panel; then every grid of numbers once."""
    labels = [[plain(text.text) for text in panel.texts] for panel in scene.panels]
    words = [(str(n + 1), " · ".join(word for word in label if re.search(r"\w", word))) for n, label in enumerate(labels)]
    drawn: dict[str, list[Block]] = {}
    for block in scene.blocks:
        drawn.setdefault(block.grid or "", []).append(block)
    written = Table("Words in the picture", ("part", "words"), tuple(row for row in words if row[1]), words=True)
    return (written, *(_of_grid(scene.grids[key], blocks) for key, blocks in drawn.items() if key))


def scene_count(scene: Scene) -> int:
    """Numbers in the picture, before any table is made of them."""
    return sum(scene.grids[key].values.size for key in {block.grid for block in scene.blocks} if key)


def _of_grid(grid: Grid, blocks: Sequence[Block]) -> Table:
    names, head = {LABELS.get(block.name, block.name) for block in blocks}, blocks[0].head
    of_head = f" of head {head + 1}" if head is not None and all(block.head == head for block in blocks) else ""
    turned = ", transposed" if blocks[0].turned else ""
    means = f", means of {grid.square}" if grid.pool > 1 else ""
    masked = ", – is masked" if np.isnan(grid.values).any() else ""
    tall, wide = grid.values.shape
    title = f"{', '.join(sorted(names))}{of_head}{turned}, {tall} × {wide}{means}{masked}"
    by_side = ([getattr(block, side) for block in blocks if getattr(block, side)] for side in ("row_labels", "col_labels"))
    return _matrix(title, grid.values, *(next((words for words in found), ()) for found in by_side))


def _matrix(title: str, values: np.ndarray, rows: tuple[str, ...] = (), columns: tuple[str, ...] = ()) -> Table:
    """Rows and columns counted from 1, as everywhere in the app, each with its word where it has one."""
    down, across = (_places(count, words) for count, words in zip(values.shape, (rows, columns), strict=True))
    cells = (tuple(None if np.isnan(value) else float(value) for value in row) for row in values)
    return Table(title, ("row", *across), tuple((place, *row) for place, row in zip(down, cells, strict=True)))


def _places(count: int, words: tuple[str, ...]) -> list[str]:
    """ "1 she", "2 gave"; a word that only counts is not said twice."""
    return [
        f"{i + 1} {words[i]}" if len(words) == count and words[i] != str(i + 1) else str(i + 1) for i in range(count)
    ]


def of_chart(figure: dict) -> tuple[Table, ...]:
    """The numbers of a plain Plotly figure: the tables attached to it, where its traces only hold places on paper;
    otherwise a table for each heatmap, and one for all lines and bars over the same places."""
    return attached_tables(figure) or tuple(_tables(figure["data"], figure.get("layout", {})))


def attached_tables(figure: dict) -> tuple[Table, ...]:
    """The tables that a drawing of shapes has in its layout's `meta`, which Plotly does not draw."""
    return tuple(Table(**table) for table in figure.get("layout", {}).get("meta", {}).get("tables", ()))


def chart_count(figure: dict) -> int:
    """Numbers in the figure, before any table is made of them."""
    if tables := attached_tables(figure):
        return sum(len(row) - 1 for table in tables for row in table.rows)
    return sum(np.size(trace.get("z", trace.get("y", ()))) for trace in figure["data"])


def _tables(traces: Sequence[dict], layout: dict) -> Iterator[Table]:
    together: dict[tuple, list[tuple[str, Sequence[Entry]]]] = {}
    for number, trace in enumerate(traces):
        if trace.get("type") == "heatmap":
            yield _matrix(plain(trace.get("name", "")) or f"Matrix {number + 1}", matrix_of(trace["z"]))
        elif trace.get("hoverinfo") != "skip":  # a mark on a number that another trace has
            across, up = _axes(trace, layout)
            places, values = (trace["y"], trace["x"]) if trace.get("orientation") == "h" else (trace["x"], trace["y"])
            key = (across, up, tuple(map(_entry, places)))
            series = together.setdefault(key, [])
            series.append((plain(trace.get("name", "")) or up, [_entry(value) for value in values]))
            if spread := trace.get("error_y"):
                series.append(("deviation", [_entry(value) for value in spread["array"]]))
    for (across, up, places), series in together.items():
        rows = zip(places, *(values for _, values in series), strict=True)
        yield Table(f"{up} by {across}", (across, *(name for name, _ in series)), tuple(rows))


def _axes(trace: dict, layout: dict) -> tuple[str, str]:
    """What runs along the places and along the values; a second pair of axes may leave its own words out."""
    titles = []
    for letter, other in (("x", "places"), ("y", "values")):
        title = axis_of(trace, letter, layout).get("title") or layout.get(f"{letter}axis", {}).get("title") or other
        titles.append(plain(title["text"] if isinstance(title, dict) else title))
    return tuple(reversed(titles)) if trace.get("orientation") == "h" else tuple(titles)


def axis_of(trace: dict, letter: str, layout: dict) -> dict:
    """The layout's axis ("x" or "y") along which a trace is drawn."""
    return layout.get(trace.get(f"{letter}axis", letter).replace(letter, f"{letter}axis", 1), {})


def matrix_of(values: Iterable[Iterable[float | None]]) -> np.ndarray:
    """A heatmap's numbers; NaN where there is none."""
    return np.array([[np.nan if value is None else value for value in row] for row in values], dtype=float)


def _entry(value: Any) -> Entry:
    """A plain Python number or word; None for NaN."""
    if isinstance(value, str) or value is None:
        return value
    number = value.item() if isinstance(value, np.generic) else value
    return None if number != number else number


def plain(text: str) -> str:
    """A label without its markup: lowered and raised parts as `_` and `^`, no tags."""
    lowered = re.sub(r"([_^])\{([^}]*)\}", r"\1\2", text)
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<sub>", "_", lowered))).strip()


def as_csv(tables: Sequence[Table]) -> str:
    """All tables below each other, each under its title; numbers in full."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n")
    for number, table in enumerate(tables):
        if number:
            write.writerow([])
        write.writerows([[table.title], table.heads, *(["" if cell is None else cell for cell in row] for row in table.rows)])
    return out.getvalue()
