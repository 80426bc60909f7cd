"""The part attention_axes of the page: which positions see which, the shape of the scores, and wrong axes that Keras accepts."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from components.pages.keras_layer.reply_text import all_of, apart, outcome, shape, state_line, trailing
from components.pages.keras_layer.selection import Selection, in_one_row
from components.widgets.stage import show_scene
from components.widgets.tables import markdown_table
from headcount.keras.layer import KerasLayer
from headcount.keras.question import Question, Reply, question, several
from headcount.stage.pictures import keras_layer as pictures
from headcount.stage.pictures.keras_layer import View

#: Positions of an example of rank 4, for an input of rank 3, which has only one axis of them.
EXAMPLE = (3, 4)
RIGHT = {4: ((), (1,), (2,), (2, 1)), 5: ((), (1,), (2,), (3,), (2, 3))}


def on_grid(layer: KerasLayer) -> KerasLayer:
    """The layer on its own grid of positions, or on EXAMPLE if it has none. It has as many keys as queries and at least two
    samples."""
    axes = layer.attention_axes if layer.rank > 3 else (1,)
    grid = layer.with_positions(layer.query_shape[1:-1] if layer.rank > 3 else EXAMPLE)
    return replace(grid.with_batch(max(2, layer.query_shape[0])), attention_axes=axes)


def choices(layer: KerasLayer) -> list[tuple[int, ...]]:
    """Values of attention_axes that attend over positions, the chosen value included."""
    return list(dict.fromkeys([*RIGHT[layer.rank], layer.attention_axes] if layer.attends_positions else RIGHT[layer.rank]))


def wrong(layer: KerasLayer) -> list[tuple[int, ...]]:
    """Values of attention_axes that Keras accepts although one of them is no axis of positions."""
    axes = [(0,), (layer.rank - 1,), (-1,)]
    return axes if layer.attends_positions else list(dict.fromkeys([layer.attention_axes, *axes]))


def headline(selection: Selection) -> str:
    """The headline about the visitor's layer, which may differ from the example."""
    layer = selection.layer
    if not layer.attends_positions:
        return f"attention_axes = {written(layer.attention_axes)} attends to what is no axis of positions."
    return f"attention_axes = {written(layer.attention_axes)}: {sees(layer)}."


def sees(layer: KerasLayer) -> str:
    """Says how many positions each query sees."""
    queries, keys = (math.prod(sizes[1:-1]) for sizes in (layer.query_shape, layer.key_shape))
    seen = math.prod(layer.key_shape[axis] for axis in layer.axes)
    if layer.query_shape[1:-1] != layer.key_shape[1:-1]:
        return f"{'the only query' if queries == 1 else f'each of {queries} queries'} sees {all_of(seen, 'key')}"
    if queries == 1:
        return "the only position sees itself"
    return f"each of {queries:,} positions sees {'all ' if seen == keys else 'only itself' if seen == 1 else ''}" + (
        "" if seen == 1 else f"{seen:,}"
    )


def written(axes: tuple[int, ...]) -> str:
    return "None" if not axes else str(axes[0]) if len(axes) == 1 else str(axes)


def questions(selection: Selection) -> dict[str | tuple[int, ...], Question]:
    """Questions for the real layer: one for each value of attention_axes, and two about how much one sample sees of another."""
    grid = on_grid(selection.bare.layer)
    tried: dict[str | tuple[int, ...], tuple[str, KerasLayer]] = {
        axes: ("axes_view", replace(grid, attention_axes=axes)) for axes in (*choices(grid), *wrong(grid))
    }
    # On one row of positions Keras takes the other path, which ignores the axes.
    tried |= {name: ("axes_leak", replace(one, attention_axes=(0,))) for name, one in (("grid", grid), ("row", in_one_row(grid)))}
    return {name: question(experiment, layer=layer.plain()) for name, (experiment, layer) in tried.items()}


def question_of(selection: Selection) -> Question:
    return several(list(questions(selection).values()))


def show(selection: Selection, reply: Reply) -> None:
    layer, names = selection.bare.layer, list(questions(selection))
    grid = on_grid(layer)
    if selection.layer.sliding_window is not None:
        st.caption("Shown without the sliding window: Keras gives its mask the lengths of axis 1, and refuses most other axes.")
    replies = dict(zip(names, reply.parts(len(names)), strict=True))
    positions = grid.query_shape[1:-1]
    sizes = f"{shape(grid.query_shape)} is a grid of {' × '.join(map(str, positions))} positions"
    if layer.rank > 3:
        more = " (two samples here, so that one could see the other)" if layer.query_shape[0] == 1 else ""
        st.markdown(f"An input {sizes}{more}. A query sees along the attended axes only.")
    else:
        st.markdown(
            f"An input {shape(layer.query_shape)} has one axis of positions and nothing to choose. **An example of rank 4**: "
            f"{sizes}; set `input_shape` to have another. A query sees along the attended axes only."
        )
    views = [
        View(f"attention_axes={written(axes)}", f"scores {shape(view['scores'])}", np.asarray(view["view"]))
        for axes in choices(grid) if (view := replies[axes]).answered
    ]  # fmt: skip
    if views:
        middle = ", ".join(str(size // 2 + 1) for size in positions)
        alt = f"What the query at position {middle} gives to each position. " + " ".join(
            f"{view.title}: it sees {int(np.isfinite(view.weights).sum())} of {math.prod(positions)}, {view.note}."
            for view in views
        )
        show_scene(partial(pictures.views, views, alt), key="axes_views")
    rows = []
    for axes in (*choices(grid), *wrong(grid)):
        one, by_formula = replace(grid, attention_axes=axes), ("", "")
        if right := axes in choices(grid):
            by_formula = shape(one.score_shape), f"{math.prod(one.score_shape):,}"
        seen = str(math.prod(grid.query_shape[axis] for axis in one.axes)) if right else f"**wrong**, {meaning(one)}"
        chosen = " ◂" * (layer.rank > 3 and axes == layer.attention_axes)
        rows.append((f"`{written(axes)}`{chosen}", seen, *by_formula, outcome(replies[axes], "scores", shape)))
    heads = ("attention_axes", "seen by each", "scores, by formula", "numbers", "scores, real")
    st.markdown(markdown_table(heads, rows, right=(3,)))
    _show_leaks(replies["grid"], replies["row"])
    st.caption(
        state_line(reply, "Weights (Keras's attention_scores) of the real layer's first sample and head; hatched: not seen.")
    )


def _show_leaks(on_grid: Reply, on_row: Reply) -> None:
    """Shows how much another sample changes one sample's output, with positions on a grid and in one row."""
    moved = ""
    if on_grid.answered:
        moved = f": changing the second sample moves the first sample's output by **{apart(on_grid['leak'])}**"
    st.markdown(
        "**Accepted and wrong.** Keras does not ask whether an axis is one of positions. "
        f"With `attention_axes=0` samples see each other{moved}.{trailing(on_grid)}"
    )
    sentence = "On an input of rank 3 it depends on the call: the path without scores ignores attention_axes."
    if on_row.answered:
        sentence += (
            f" With scores the first sample's output moves by {apart(on_row['leak'])}, "
            f"without by {apart(on_row['leak_without_scores'])}; the two outputs are {apart(on_row['apart'])} apart."
        )
    st.markdown(sentence + trailing(on_row))


def meaning(layer: KerasLayer) -> str:
    """The meaning of wrong axes in Keras's projected arrays: axis 0 is the batch, and the input's last axis becomes the heads."""
    return " and ".join(
        "the batch: samples see each other" if axis == 0 else "the heads: they see each other" if axis == layer.rank - 1
        else f"axis {axis}" for axis in layer.axes
    )  # fmt: skip
