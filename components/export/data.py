"""The numbers behind a figure, as tables for people and as arrays for programs."""

import io
import re

import numpy as np

from components.export.figure import Picture
from components.figures.numbers import as_csv, of_chart, of_scene
from components.figures.scene import Scene


def csv_of(picture: Picture) -> bytes:
    """Every table of the figure below each other; masked cells are empty."""
    drawing = picture.drawing
    return as_csv(of_scene(drawing) if isinstance(drawing, Scene) else of_chart(drawing)).encode()


def npz_of(picture: Picture) -> bytes:
    """np.load reads it. A scene's grids by name (masked: NaN; where cells are means, the means and how many numbers on a side
    each has), a chart's series by name."""
    drawing = picture.drawing
    made = io.BytesIO()
    np.savez_compressed(made, **(_grids(drawing) if isinstance(drawing, Scene) else _series(drawing)))
    return made.getvalue()


def _grids(scene: Scene) -> dict[str, np.ndarray]:
    arrays = {word(name): grid.values for name, grid in scene.grids.items()}
    pools = {f"{word(name)}__mean_of": np.array(grid.pool) for name, grid in scene.grids.items() if grid.pool > 1}
    return arrays | pools | ({} if arrays else {"alt": np.array(scene.alt)})


def _series(figure: dict) -> dict[str, np.ndarray]:
    """x, y and z of every trace, under the trace's name or its place."""
    arrays = {}
    for number, trace in enumerate(figure["data"], start=1):
        name = word(trace.get("name") or f"trace_{number}")
        for key in ("x", "y", "z"):
            if key in trace:
                arrays[f"{name}__{key}"] = _array(trace[key], key)
    return arrays


def _array(values: object, key: str) -> np.ndarray:
    if key == "z":
        return np.array([[np.nan if v is None else v for v in row] for row in values], dtype=float)
    made = np.asarray(values)
    return made.astype(str) if made.dtype == object else made


def word(name: str) -> str:
    """A name that a keyword argument may have."""
    return re.sub(r"\W+", "_", name).strip("_") or "series"
