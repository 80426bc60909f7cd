"""attention_axes drawn: what one query sees on the grid of positions for each choice, and who sees whom for one."""

import itertools
from dataclasses import dataclass

import numpy as np

from components.figures.scene import Block, Grid, Length, Panel, Scene, Text, tops_of

TITLE_PX, NOTE_PX, TOP_PX, GAP_PX = 16, 36, 48, 10
LETTER_PX, MOST_LEAST_PX = 6.8, 320  # the widest that a phone has


@dataclass(frozen=True, slots=True)
class View:
    """`weights` in the shape of the positions (two or three axes), NaN where the query sees nothing."""

    title: str
    note: str
    weights: np.ndarray


def views(made: list[View], alt: str) -> Scene:
    """A grid for each choice; three axes of positions are sheets side by side. The query's own place is framed."""
    grids: dict[str, Grid] = {}
    panels = []
    for number, one in enumerate(made):
        sheets = one.weights if one.weights.ndim == 3 else one.weights[None]
        count, tall, wide = sheets.shape
        query = tuple(size // 2 for size in sheets.shape)
        blocks = []
        for sheet, values in enumerate(sheets):
            name = f"view-{number}/{sheet}"
            grids[name] = Grid(values.astype(np.float32), "share")
            blocks.append(Block(name, name, Length(sheet * wide, sheet * GAP_PX), Length(0, TOP_PX), tall, wide, name="weights"))
        at = Length(query[0] * wide + query[2], query[0] * GAP_PX), Length(query[1], TOP_PX)
        blocks.append(Block(f"query-{number}", None, *at, 1, 1, name="the query", hue=1))
        texts = (
            Text(one.title, Length(), Length(0, TITLE_PX), 14, "strong", "start"),
            Text(one.note, Length(), Length(0, NOTE_PX), 12, "muted", "start"),
        )
        width, height = Length(count * wide, (count - 1) * GAP_PX), Length(tall, TOP_PX + 8)
        least = min(max(len(one.title) * 8.2, len(one.note) * LETTER_PX), MOST_LEAST_PX)
        panels.append(Panel(f"view-{number}", width, height, tuple(blocks), texts, least_px=least))
    return Scene((tuple(panels),), grids, alt, {"share": 1.0}, max_cell=30, min_cell=6)


def reach(moved: np.ndarray, positions: tuple[int, ...], title: str, alt: str) -> Scene:
    """Who sees whom: a row for each query position, a column for each key position, both row by row; 0 is not seen, and empty."""
    names = tuple(",".join(str(place + 1) for place in places) for places in itertools.product(*map(range, positions)))
    grid = Grid(np.where(moved > 0, moved, np.float32("nan")).astype(np.float32), "signed")
    left, top = Length(0, 46), Length(0, 56)
    block = Block("reach", "reach", left, top, *moved.shape, name="moved", row_labels=names, col_labels=names)
    text = Text(title, Length(), Length(0, 14), 14, "strong", "start")
    least = min(len(title) * 8.2, MOST_LEAST_PX)
    panel = Panel("reach", left + Length(len(moved)), top + Length(len(moved), 8), (block,), (text,), least_px=least)
    return Scene(((panel,),), {"reach": grid}, alt, tops_of({"reach": grid}), max_cell=22, min_cell=8)
