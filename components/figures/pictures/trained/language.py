"""All heads of the networks trained on English at once: what each looks at, measured on held-out text."""

from dataclasses import dataclass

import numpy as np

from components.figures.pieces import token_room
from components.figures.scene import Block, Grid, Length, Panel, Scene, Text
from mha.language.heads import NAMES, UNNAMED, names_of

CELL = 16.0


@dataclass(frozen=True, slots=True)
class Head:
    """One head of a network `heads` wide; `layer` from 1, `head` from 0. `values`: the share of its weight by measure."""

    heads: int
    layer: int
    head: int
    values: dict[str, float]

    @property
    def name(self) -> str:
        """What it is called, and the measured share; "unnamed" where it meets no threshold."""
        met = names_of(self.values)
        return f"{NAMES[met[0][0]].label} {met[0][1]:.2f}" if met else UNNAMED


def all_heads(report: dict, width: int) -> tuple[Head, ...]:
    """Of all networks of a width: by layer, number of heads and head."""
    networks = {int(name.partition("-h")[2]): layers for name, layers in report["heads"].items() if name.startswith(f"d{width}-")}
    return tuple(
        Head(heads, layer, head, one["values"])
        for layer in (1, 2) for heads, layers in sorted(networks.items()) for head, one in enumerate(layers[layer - 1])
    )  # fmt: skip


def measured_map(heads: tuple[Head, ...], chosen: int) -> Scene:
    """A column for each head, a row for each measure, 0 to 1; a line for each layer. A click on a column gives its place in
    `heads`, from 1. `chosen`: the number of heads of the network whose columns are marked."""
    grids, lines = {}, []
    for layer in sorted({one.layer for one in heads}):
        panels, before = [], None
        for place, one in enumerate(heads, 1):
            if one.layer == layer:
                key = f"{layer}/{one.heads}/{one.head}"
                values = np.array([[one.values[code]] for code in NAMES], dtype=np.float32)
                grids[key] = Grid(values, "share")
                panels.append(_column(one, key, place, first=before is None, begins=before != one.heads, on=one.heads == chosen))
                before = one.heads
        lines.append(tuple(panels))
    named = [one for one in heads if one.name != UNNAMED]
    said = "; ".join(f"layer {one.layer}, {one.heads} heads, head {one.head + 1}: {one.name}" for one in named)
    return Scene(
        tuple(lines), grids, f"What {len(heads)} heads look at: {len(named)} have a name. {said}.", {"share": 1.0},
        max_cell=CELL, min_cell=CELL, captions=tuple(f"Layer {number}" for number in range(1, len(lines) + 1)),
    )  # fmt: skip


def _column(one: Head, key: str, place: int, *, first: bool, begins: bool, on: bool) -> Panel:
    labels = tuple(name.label for name in NAMES.values()) if first else ()
    left, top = Length(0, token_room(labels) + 12 if first else 0), Length(0, 34)
    block = Block(
        f"head-{key}", key, left, top, len(NAMES), 1, name=f"{one.name}, {one.heads} heads, layer {one.layer}", head=one.head,
        row_labels=labels,
    )  # fmt: skip
    named = one.name != UNNAMED
    texts = [Text(f"{one.head + 1}", left + Length(0.5), Length(0, 28), 12, "strong" if named else "muted")]
    texts += [Text(f"h {one.heads}", left, Length(0, 12), 12, "ink", "start")] if begins else []
    return Panel(key, left + Length(1), top + Length(len(NAMES), 2), (block,), tuple(texts), on=on, go=place)
