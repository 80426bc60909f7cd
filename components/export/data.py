"""The numbers behind a figure, as tables for people and as arrays for programs."""

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from components.export.figure import Picture
from components.figures.numbers import Entry, Table, as_csv, matrix_of, of_chart, of_scene, plain, told
from components.figures.scene import Scene


def csv_of(picture: Picture) -> bytes:
    """Every table of the figure below each other; masked cells are empty."""
    drawing = picture.drawing
    return as_csv(of_scene(drawing) if isinstance(drawing, Scene) else of_chart(drawing)).encode()


def npz_of(picture: Picture) -> bytes:
    """np.load reads it. A scene's grids by name (masked: NaN; where cells are means, the means and how many numbers on a side
    each has), a chart's series by name."""
    drawing = picture.drawing
    file = io.BytesIO()
    arrays: dict[str, Any] = {**(_grids(drawing) if isinstance(drawing, Scene) else _series(drawing))}
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def _grids(scene: Scene) -> dict[str, np.ndarray]:
    arrays = {word(name): grid.values for name, grid in scene.grids.items()}
    pools = {f"{word(name)}__mean_of": np.array(grid.pool) for name, grid in scene.grids.items() if grid.pool > 1}
    return arrays | pools | ({} if arrays else {"alt": np.array(scene.alt)})


def _series(figure: dict) -> dict[str, np.ndarray]:
    """x, y and z of every trace that is no mere mark, and the deviation where it has one, under the trace's name or its place;
    of a drawing of shapes the columns of its tables."""
    if tables := told(figure):
        return {word(head): _array(column) for table in tables for head, column in _columns(table)}
    arrays = {}
    for number, trace in enumerate(figure["data"], start=1):
        name = word(plain(trace.get("name", "")) or f"trace_{number}")
        if trace.get("hoverinfo") != "skip":
            arrays |= {f"{name}__{key}": _array(trace[key], key) for key in ("x", "y", "z") if key in trace}
        if "error_y" in trace:
            arrays[f"{name}__deviation"] = _array(trace["error_y"]["array"])
    return arrays


def _columns(table: Table) -> Iterator[tuple[str, tuple[Entry, ...]]]:
    return zip(table.heads, zip(*table.rows, strict=True), strict=True)


def _array(values: Any, key: str = "") -> np.ndarray:
    """Numbers as numbers, also where an axis of named steps spells them."""
    if key == "z":
        return matrix_of(values)
    array = np.asarray(values)
    array = array.astype(str) if array.dtype == object else array
    return array.astype(int) if array.dtype.kind == "U" and array.size and np.char.isdecimal(array).all() else array


def word(name: str) -> str:
    """A name that a keyword argument may have."""
    spelt = name.replace("÷", "divided by ").replace("√", "sqrt ").replace("±", "and")
    return re.sub(r"\W+", "_", spelt).strip("_") or "series"
