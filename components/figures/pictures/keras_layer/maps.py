"""Attention maps in groups: one panel a case, samples below each other, heads side by side."""

import itertools
from dataclasses import dataclass

import numpy as np

from components.figures.pieces import cells, side
from components.figures.scene import Block, Grid, Length, Panel, Scene, Text, pool_for, pooled

#: Cells on a map's longest side.
MOST_CELLS = 32
TITLE_PX, NOTE_PX, LABEL_PX, GAP_PX = 16, 36, 18, 12
#: Room for the samples' names, for a head's above its map; and the widest that a phone has.
SAMPLE_PX, LEAST_MAP_PX, MOST_LEAST_PX = 60, 48, 320
#: Roughly, of a letter of the note.
LETTER_PX = 6.6


@dataclass(frozen=True, slots=True)
class Case:
    """`maps` has axes sample, head, query, key; NaN where a query may not look. `note`: what was measured."""

    title: str
    note: str
    maps: np.ndarray
    labels: bool = True


def allowed_only(scores: np.ndarray, allowed: np.ndarray | None = None) -> np.ndarray:
    """Weights with NaN where they are exactly 0: what Keras's mask leaves there; or where `allowed` is not."""
    return np.where(scores > 0 if allowed is None else allowed, scores, np.float32("nan")).astype(np.float32)


def smaller(values: np.ndarray, pool: int) -> np.ndarray:
    """Means of squares over what may be seen; NaN where nothing may."""
    if pool == 1:
        return values
    seen = np.isfinite(values).astype(np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):
        return (pooled(np.nan_to_num(values), pool) / pooled(seen, pool)).astype(np.float32)


def scene(lines: list[list[Case]], alt: str) -> Scene:
    """Cases in lines, all maps on one scale, 0 to 1, with cells of one size: smaller where there are many."""
    lines = [line for line in lines if line]
    cases = [case for line in lines for case in line]
    pool = pool_for(max(max(case.maps.shape[2:]) for case in cases), MOST_CELLS)
    grids: dict[str, Grid] = {}
    panels = iter([_panel(f"case-{number}", case, pool, grids) for number, case in enumerate(cases)])
    rows = tuple(tuple(next(panels) for _ in line) for line in lines)
    return Scene(rows, grids, alt, {"share": 1.0}, max_cell=22 if len(cases) <= 3 else 11, min_cell=5 if pool == 1 else 2)


def _panel(name: str, case: Case, pool: int, grids: dict[str, Grid]) -> Panel:
    samples, heads, queries, keys = case.maps.shape
    wide, tall = side(keys, pool), side(queries, pool)
    left = SAMPLE_PX if case.labels else 0
    top = NOTE_PX + 10 + (LABEL_PX if case.labels else 0)
    texts = [
        Text(case.title, Length(), Length(0, TITLE_PX), 14, "strong", "start"),
        Text(case.note, Length(), Length(0, NOTE_PX), 12, "muted", "start"),
    ]
    blocks = []
    for sample, head in itertools.product(range(samples), range(heads)):
        key = f"{name}/{sample}/{head}"
        grids[key] = Grid(smaller(case.maps[sample, head], pool), "share", pool)
        x, y = Length(head * wide, left + head * GAP_PX), Length(sample * tall, top + sample * GAP_PX)
        blocks.append(Block(key, key, x, y, cells(queries, pool), cells(keys, pool), width=wide, height=tall, name="weights",
                            head=head, hue=head))  # fmt: skip
        if case.labels and sample == 0:
            texts.append(Text(f"head {head + 1}", x + Length(wide / 2), y + Length(0, -6), 11, "muted"))
        if case.labels and head == 0:
            texts.append(Text(f"sample {sample + 1}", Length(), y + Length(tall / 2, 4), 11, "muted", "start"))
    width = Length(heads * wide, left + (heads - 1) * GAP_PX)
    height = Length(samples * tall, top + (samples - 1) * GAP_PX + 8)
    least = max(left + heads * (LEAST_MAP_PX if case.labels else 0), len(case.title) * 8.2, len(case.note) * LETTER_PX)
    return Panel(name, width, height, tuple(blocks), tuple(texts), least_px=min(least, MOST_LEAST_PX))
