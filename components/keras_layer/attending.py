"""attention_axes: which positions see which, the shape of the scores, and what is accepted and wrong."""

import math
from dataclasses import replace

import numpy as np
import streamlit as st

from components.figures.keras_layer.positions import View, reach, views
from components.keras_layer.chosen import Chosen
from components.keras_layer.words import WAITS, apart, outcome, shape, state_line, table
from components.stage import show_scene
from mha.keras_layer import KerasLayer
from mha.keras_question import Question, question, several
from mha.names import noun

#: Positions for an input of rank 3, which has only one axis of them: an example of rank 4.
EXAMPLE = (3, 4)
MOST_POSITIONS = 64
RIGHT = {4: ((), (1,), (2,), (2, 1)), 5: ((), (1,), (2,), (3,), (2, 3))}


def shown(chosen: Chosen) -> KerasLayer:
    """The layer on a grid of positions, keys as many as queries, at least two samples."""
    layer = chosen.layer
    positions = layer.query_shape[1:-1] if layer.rank > 3 else EXAMPLE
    batch = max(2, layer.query_shape[0])
    shapes = [(batch, *positions, made[-1]) for made in (layer.query_shape, layer.value_shape, layer.key_shape)]
    axes = layer.attention_axes if layer.rank > 3 or max(layer.attention_axes, default=1) > 1 else layer.attention_axes or (1,)
    return replace(layer, query_shape=shapes[0], value_shape=shapes[1], key_shape=shapes[2], attention_axes=axes)


def choices(layer: KerasLayer) -> list[tuple[int, ...]]:
    """Those that attend over positions, the chosen one among them."""
    return list(dict.fromkeys([*RIGHT[layer.rank], layer.attention_axes] if layer.attends_positions else RIGHT[layer.rank]))


def wrong(layer: KerasLayer) -> list[tuple[int, ...]]:
    found = [(0,), (layer.rank - 1,), (-1,)]
    return found if layer.attends_positions else list(dict.fromkeys([layer.attention_axes, *found]))


def headline(chosen: Chosen) -> str:
    layer = shown(chosen)
    positions = layer.query_shape[1:-1]
    count = math.prod(positions)
    if not layer.attends_positions:
        return f"attention_axes = {written(layer.attention_axes)} attends to what is no axis of positions."
    seen = math.prod(layer.query_shape[axis] for axis in layer.axes)
    return f"attention_axes = {written(layer.attention_axes)}: {_each(count)} sees {seen}."


def _each(count: int) -> str:
    return "the 1 position" if count == 1 else f"each of {count} positions"


def written(axes: tuple[int, ...]) -> str:
    return "None" if not axes else str(axes[0]) if len(axes) == 1 else str(axes)


def ask(chosen: Chosen) -> Question:
    layer = shown(chosen)
    asked = [question("axes_views", layer=layer.plain(), choices=[*choices(layer), *wrong(layer)])]
    if layer.attends_positions and math.prod(layer.query_shape[1:-1]) <= MOST_POSITIONS:
        asked.append(question("axes_reach", layer=layer.plain()))
    leaking = [layer, flat(layer)]
    asked += [question("axes_leak", layer=replace(one, attention_axes=(0,)).plain()) for one in leaking]
    return several(asked)


def flat(layer: KerasLayer) -> KerasLayer:
    """On one row of positions: there Keras has the other path, which does not know the axes."""
    shapes = [(made[0], math.prod(made[1:-1]), made[-1]) for made in (layer.query_shape, layer.value_shape, layer.key_shape)]
    return replace(layer, query_shape=shapes[0], value_shape=shapes[1], key_shape=shapes[2], attention_axes=())


def show(chosen: Chosen, asked: Question, reply: dict | None) -> None:
    layer = shown(chosen)
    positions = layer.query_shape[1:-1]
    grid = " × ".join(map(str, positions))
    source = "" if chosen.layer.rank > 3 else " (an example: the input has rank 3, set `input_shape` to have another)"
    st.markdown(
        f"An input {shape(layer.query_shape)} is a grid of {grid} {noun(math.prod(positions), 'position')}{source}. "
        "A query sees along the attended axes only."
    )
    found = {} if reply is None or "error" in reply["results"][0] else _by_choice(layer, reply["results"][0]["cases"])
    drawn = [View(f"attention_axes={written(axes)}", f"scores {shape(found[axes]['scores'])}", np.asarray(found[axes]["view"]))
             for axes in choices(layer) if "view" in found.get(axes, {})]  # fmt: skip
    if drawn:
        middle = ", ".join(str(size // 2 + 1) for size in positions)
        alt = f"What the query at position {middle} gives to each position. " + " ".join(
            f"{one.title}: it sees {int(np.isfinite(one.weights).sum())} of {math.prod(positions)}, {one.note}." for one in drawn
        )
        show_scene(views(drawn, alt), chosen.drawn_by, key="axes_views")
    _table(layer, choices(layer), found)
    if reply is not None and layer.attends_positions and "moved" in reply["results"][1]:
        moved = np.asarray(reply["results"][1]["moved"])
        each = sorted({int((row > 0).sum()) for row in moved})
        title = f"Who sees whom with attention_axes={written(layer.attention_axes)}"
        alt = f"{title}: {_each(len(moved))} sees {' or '.join(map(str, each))}; found by changing one at a time."
        st.markdown(
            "**Found by changing one position at a time** (columns): how far each output (rows) moves; hatched: not at all."
        )
        show_scene(reach(moved, positions, title, alt), chosen.drawn_by, key="axes_reach")
    _wrong(layer, found, reply)
    st.caption(state_line(asked, reply, "Weights (Keras's attention_scores) of the real layer's first head; hatched: not seen."))


def _by_choice(layer: KerasLayer, cases: list[dict]) -> dict[tuple[int, ...], dict]:
    return dict(zip([*choices(layer), *wrong(layer)], cases, strict=True))


def _table(layer: KerasLayer, axes: list[tuple[int, ...]], found: dict) -> None:
    rows = []
    for one in axes:
        made = replace(layer, attention_axes=one)
        seen = math.prod(layer.query_shape[axis] for axis in made.axes)
        real = outcome(found.get(one), "scores", shape)
        mark = " ◂" * (one == layer.attention_axes)
        rows.append((f"`{written(one)}`{mark}", f"{seen}", shape(made.score_shape), real, f"{math.prod(made.score_shape):,}"))
    st.markdown(table(("attention_axes", "seen by each", "scores, by formula", "scores, real", "numbers"), rows, right=(1, 4)))


def _wrong(layer: KerasLayer, found: dict, reply: dict | None) -> None:
    st.markdown("**Accepted and wrong.** Keras does not ask whether an axis is one of positions.")
    rows = [(f"`{written(axes)}`", meaning(layer, axes), outcome(found.get(axes), "scores", shape)) for axes in wrong(layer)]
    st.markdown(table(("attention_axes", "what it attends over", "scores, real"), rows))
    grid, row = (None, None) if reply is None else reply["results"][-2:]
    told = outcome(grid, "leak", lambda off: f"moves the first sample's output by **{apart(off)}**")
    st.markdown(f"With `attention_axes=0` samples see each other: changing the second sample {told}.")
    if row is None or "error" not in row:
        told = WAITS if row is None else f"{apart(row['leak'])} when scores are asked for, {apart(row['leak_unasked'])} when not"
        st.markdown(
            f"On an input of rank 3 it depends on the call: {told}. The path without scores ignores attention_axes; "
            f"the two outputs are {WAITS if row is None else apart(row['apart'])} apart."
        )


def meaning(layer: KerasLayer, axes: tuple[int, ...]) -> str:
    """What the wrong axes are in Keras's projected arrays: the batch first, heads where the input has its width."""
    made = replace(layer, attention_axes=axes).axes
    return " and ".join(
        "the batch: samples see each other" if axis == 0 else "the heads: they see each other" if axis == layer.rank - 1
        else f"axis {axis}" for axis in made
    )  # fmt: skip
