"""All attention maps of some layers in one line, small: to see at a glance which are crisp, and to open them."""

from collections.abc import Sequence

import numpy as np

from headcount.stage.scene import Block, Grid, Length, Panel, Scene, Text

#: Pixels of the largest cell, and between a map and its name.
CELL, BESIDE = 6, 6
#: What a press on a map chooses.
OPEN = "maps"


def draw(maps: Sequence[tuple[str, int | None, np.ndarray]], words: Sequence[str], row: int, pale: tuple[int, ...]) -> Scene:
    """`maps`: of each its name, its head (0-based, for the hue; None: the only one) and its weights, (T, S). `row`: the one that
    has a frame; `pale`: rows that answer nothing (all 0-based)."""
    grids = {f"map-{place}": Grid(np.ascontiguousarray(values), "share") for place, (*_, values) in enumerate(maps)}
    side, panels = len(words), []
    for place, (name, head, _) in enumerate(maps):
        blocks = (
            Block(f"map-{place}", f"map-{place}", Length(), Length(0, 20), side, side, name="share", pale=pale),
            Block(f"row-{place}", None, Length(), Length(row, 20), 1, side),
        )
        title = Text(name, Length(), Length(0, 12), 14, "strong", "start", head)
        panels.append(Panel(f"map-{place}", Length(side), Length(side, 22), blocks, (title,), go=OPEN))
    said = "; ".join(f"{name}: “{words[row]}” looks most at “{words[int(values[row].argmax())]}”" for name, _, values in maps)
    return Scene(
        (tuple(panels),), grids, f"All attention weights as small maps. {said}.", {"share": 1.0}, max_cell=CELL, min_cell=3
    )
