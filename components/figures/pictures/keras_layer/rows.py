"""A few rows of numbers below each other, on one scale: an output in several versions."""

import numpy as np

from components.figures.scene import Block, Grid, Length, Panel, Scene, Text, top_of

#: Numbers of each row that are drawn.
MOST_COLUMNS = 64
LABEL_PX = 118


def scene(rows: dict[str, np.ndarray], alt: str) -> Scene:
    """One line a row, its label to the left."""
    shown = {label: values.ravel()[:MOST_COLUMNS] for label, values in rows.items()}
    grids = {str(number): Grid(values[None, :].astype(np.float32), "signed") for number, values in enumerate(shown.values())}
    blocks, texts = [], []
    for number, (label, values) in enumerate(shown.items()):
        y = Length(number, number * 14 + 6)
        blocks.append(Block(f"row-{number}", str(number), Length(0, LABEL_PX), y, 1, len(values), name=label))
        texts.append(Text(label, Length(), y + Length(0.5, 5), 13, "ink", "start"))
    columns = max(map(len, shown.values()))
    panel = Panel("rows", Length(columns, LABEL_PX), Length(len(shown), len(shown) * 14 + 6), tuple(blocks), tuple(texts))
    return Scene(((panel,),), grids, alt, {"signed": top_of(*(grid.values for grid in grids.values()))}, max_cell=24, min_cell=5)
