"""All heads of the networks trained on English at once: what each looks at, measured on held-out text."""

from dataclasses import dataclass

import numpy as np

from components.figures.pieces import beside
from components.figures.scene import Block, Grid, Length, Panel, Scene, Text
from mha.language.heads import NAMES, UNNAMED, names_of
from mha.names import heads_in_words

#: Pixels of a cell.
CELL = 18


@dataclass(frozen=True, slots=True)
class Head:
    """One head of a network: `layer` from 1, `head` from 0. `values`: the share of its weight by measure."""

    layer: int
    head: int
    values: dict[str, float]

    @property
    def met(self) -> tuple[tuple[str, float], ...]:
        """Its names' codes with the shares, the one met most clearly first; none where it meets none."""
        return names_of(self.values)

    @property
    def name(self) -> str:
        """ "the last verb 0.61", or "unnamed"."""
        return f"{NAMES[self.met[0][0]].label} {self.met[0][1]:.2f}" if self.met else UNNAMED

    @property
    def clarity(self) -> float:
        """How many times over its first name's threshold is met."""
        return self.met[0][1] / NAMES[self.met[0][0]].threshold if self.met else 0.0


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of the network with so many heads."""

    heads: int
    number: int
    all: tuple[Head, ...]

    @property
    def clearest(self) -> Head:
        """The head whose name is met most clearly; the first where none has one."""
        return max(self.all, key=lambda head: head.clarity)


def measured_layers(report: dict, width: int) -> tuple[Layer, ...]:
    """Of all networks of a width: by layer, then by number of heads."""
    found = []
    for name, layers in report["heads"].items():
        size, _, heads = name.partition("-h")
        if size == f"d{width}":
            for number, every in enumerate(layers, 1):
                measured = tuple(Head(number, place, one["values"]) for place, one in enumerate(every))
                found.append(Layer(int(heads), number, measured))
    return tuple(sorted(found, key=lambda layer: (layer.number, layer.heads)))


def draw(layers: tuple[Layer, ...], chosen: int) -> Scene:
    """A line for each layer, a panel for each network, a column for each head, a row for each measure, 0 to 1. A click on a panel
    gives its place in `layers`, from 1. `chosen`: the number of heads of the network that is marked."""
    grids: dict[str, Grid] = {}
    lines: dict[int, list[Panel]] = {}
    for place, layer in enumerate(layers, 1):
        values = np.array([[head.values[code] for head in layer.all] for code in NAMES], dtype=np.float32)
        grids[f"{layer.number}/{layer.heads}"] = Grid(values, "share")
        line = lines.setdefault(layer.number, [])
        line.append(_panel(layer, place, first=not line, on=layer.heads == chosen))
    every = [(layer, head) for layer in layers for head in layer.all]
    named = [
        f"layer {layer.number} of {heads_in_words(layer.heads)}, head {head.head + 1}: {head.name}"
        for layer, head in every if head.met
    ]  # fmt: skip
    alt = f"What {len(every)} heads look at; {len(named)} have a name" + (f": {'; '.join(named)}." if named else ".")
    rows, captions = tuple(map(tuple, lines.values())), tuple(f"Layer {number}" for number in lines)
    return Scene(rows, grids, alt, {"share": 1.0}, max_cell=CELL, min_cell=CELL, captions=captions)


def _panel(layer: Layer, place: int, *, first: bool, on: bool) -> Panel:
    words = tuple(name.label for name in NAMES.values()) if first else ()
    count, left, top = len(layer.all), beside(words), Length(0, 36)
    wide = left + Length(max(count, 2.8))  # as wide as its title, at least
    block = Block(
        f"heads-{place}", f"{layer.number}/{layer.heads}", left, top, len(NAMES), count, row_labels=words,
        name=f"share of weight, layer {layer.number} of {heads_in_words(layer.heads)}",
    )  # fmt: skip
    numbers = (
        Text(f"{head.head + 1}", left + Length(head.head + 0.5), Length(0, 30), 11, "strong" if head.met else "muted")
        for head in layer.all
    )
    title = Text(heads_in_words(layer.heads), left, Length(0, 12), 13, anchor="start")
    height = top + Length(len(NAMES), 4)
    return Panel(f"layer-{place}", wide, height, (block,), (title, *numbers), on=on, go=place)
