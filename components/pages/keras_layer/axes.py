"""attention_axes: which positions see which, the shape of the scores, and what is accepted and wrong."""

import math
from dataclasses import replace

import numpy as np
import streamlit as st

from components.figures.pictures.keras_layer import View, reach, views
from components.pages.keras_layer.chosen import Chosen
from components.pages.keras_layer.words import all_of, apart, outcome, shape, state_line, trailing
from components.widgets.stage import show_scene
from components.widgets.tables import markdown_table
from mha.keras.layer import KerasLayer
from mha.keras.question import Question, Reply, question, several

#: Positions for an input of rank 3, which has only one axis of them: an example of rank 4.
EXAMPLE = (3, 4)
MOST_POSITIONS = 64
RIGHT = {4: ((), (1,), (2,), (2, 1)), 5: ((), (1,), (2,), (3,), (2, 3))}


def shown(chosen: Chosen) -> KerasLayer:
    """The layer on a grid of positions, keys as many as queries, at least two samples: the chosen one, or of an example."""
    layer = chosen.layer
    positions = layer.query_shape[1:-1] if layer.rank > 3 else EXAMPLE
    batch = max(2, layer.query_shape[0])
    shapes = [(batch, *positions, made[-1]) for made in (layer.query_shape, layer.value_shape, layer.key_shape)]
    axes = layer.attention_axes if layer.rank > 3 else (1,)
    return replace(layer, query_shape=shapes[0], value_shape=shapes[1], key_shape=shapes[2], attention_axes=axes)


def choices(layer: KerasLayer) -> list[tuple[int, ...]]:
    """Those that attend over positions, the chosen one among them."""
    return list(dict.fromkeys([*RIGHT[layer.rank], layer.attention_axes] if layer.attends_positions else RIGHT[layer.rank]))


def wrong(layer: KerasLayer) -> list[tuple[int, ...]]:
    found = [(0,), (layer.rank - 1,), (-1,)]
    return found if layer.attends_positions else list(dict.fromkeys([layer.attention_axes, *found]))


def headline(chosen: Chosen) -> str:
    """About the chosen layer, not about the example."""
    layer = chosen.layer
    if not layer.attends_positions:
        return f"attention_axes = {written(layer.attention_axes)} attends to what is no axis of positions."
    return f"attention_axes = {written(layer.attention_axes)}: {sees(layer)}."


def sees(layer: KerasLayer) -> str:
    """How many positions each one sees."""
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


def asked(chosen: Chosen) -> dict[str, Question]:
    """What is tried, by names of our own."""
    layer, given = shown(chosen), chosen.layer
    found = {"views": question("axes_views", layer=layer.plain(), choices=[*choices(layer), *wrong(layer)])}
    if layer.attends_positions and math.prod(layer.query_shape[1:-1]) <= MOST_POSITIONS:
        found["reach"] = question("axes_reach", layer=layer.plain())
    for name, one in (("grid", layer), ("row", flat(layer))):
        found[name] = question("axes_leak", layer=replace(one, attention_axes=(0,)).plain())
    if given.rank == 3 and not given.attends_positions:
        found["given"] = question("layer_facts", layer=given.plain())
    return found


def ask(chosen: Chosen) -> Question:
    return several(list(asked(chosen).values()))


def flat(layer: KerasLayer) -> KerasLayer:
    """On one row of positions: there Keras has the other path, which does not know the axes."""
    shapes = [(made[0], math.prod(made[1:-1]), made[-1]) for made in (layer.query_shape, layer.value_shape, layer.key_shape)]
    return replace(layer, query_shape=shapes[0], value_shape=shapes[1], key_shape=shapes[2], attention_axes=())


def show(chosen: Chosen, reply: Reply) -> None:
    layer, given, names = shown(chosen), chosen.layer, list(asked(chosen))
    results = dict(zip(names, reply.parts("results", len(names)), strict=True))
    positions = layer.query_shape[1:-1]
    grid = f"{shape(layer.query_shape)} is a grid of {' × '.join(map(str, positions))} positions"
    if given.rank > 3:
        more = " (two samples here, so that one could see the other)" if given.query_shape[0] == 1 else ""
        st.markdown(f"An input {grid}{more}. A query sees along the attended axes only.")
    else:
        st.markdown(
            f"An input {shape(given.query_shape)} has one axis of positions and nothing to choose. **An example of rank 4**: "
            f"{grid}; set `input_shape` to have another. A query sees along the attended axes only."
        )
    axes = [*choices(layer), *wrong(layer)]
    found = dict(zip(axes, results["views"].parts("cases", len(axes)), strict=True))
    drawn = [View(f"attention_axes={written(one)}", f"scores {shape(found[one]['scores'])}", np.asarray(found[one]["view"]))
             for one in choices(layer) if found[one].found]  # fmt: skip
    if drawn:
        middle = ", ".join(str(size // 2 + 1) for size in positions)
        alt = f"What the query at position {middle} gives to each position. " + " ".join(
            f"{one.title}: it sees {int(np.isfinite(one.weights).sum())} of {math.prod(positions)}, {one.note}." for one in drawn
        )
        show_scene(views(drawn, alt), chosen.drawn_by, key="axes_views")
    _table(layer, found, chosen=layer.attention_axes if given.rank > 3 else None)
    reach_of = results.get("reach")
    if reach_of is not None and reach_of.found:
        moved = np.asarray(reach_of["moved"])
        each = sorted({int((row > 0).sum()) for row in moved})
        title = f"Who sees whom with attention_axes={written(layer.attention_axes)}"
        alt = f"{title}: each of {len(moved)} positions sees {' or '.join(map(str, each))}; found by changing one at a time."
        st.markdown(
            "**Found by changing one position at a time** (columns): how far each output (rows) moves; hatched: not at all."
        )
        show_scene(reach(moved, positions, title, alt), chosen.drawn_by, key="axes_reach")
    elif layer.attends_positions and reach_of is None:
        st.caption(f"Who sees whom is drawn for up to {MOST_POSITIONS} positions; here are {math.prod(positions):,}.")
    _wrong(layer, found, results)
    if "given" in results:
        real = outcome(results["given"].part("real"), "scores", shape)
        st.markdown(
            f"**Your input of rank 3** with `attention_axes={written(given.attention_axes)}` attends over "
            f"{meaning(given, given.attention_axes)}; scores, real: {real}."
        )
    st.caption(
        state_line(reply, "Weights (Keras's attention_scores) of the real layer's first sample and head; hatched: not seen.")
    )


def _table(layer: KerasLayer, found: dict[tuple[int, ...], Reply], chosen: tuple[int, ...] | None) -> None:
    rows = []
    for one in choices(layer):
        made = replace(layer, attention_axes=one)
        seen = math.prod(layer.query_shape[axis] for axis in made.axes)
        mark = " ◂" * (one == chosen)
        real = outcome(found[one], "scores", shape)
        rows.append((f"`{written(one)}`{mark}", f"{seen}", shape(made.score_shape), real, f"{math.prod(made.score_shape):,}"))
    heads = ("attention_axes", "seen by each", "scores, by formula", "scores, real", "numbers")
    st.markdown(markdown_table(heads, rows, right=(1, 4)))


def _wrong(layer: KerasLayer, found: dict[tuple[int, ...], Reply], results: dict[str, Reply]) -> None:
    st.markdown("**Accepted and wrong.** Keras does not ask whether an axis is one of positions.")
    rows = [(f"`{written(axes)}`", meaning(layer, axes), outcome(found[axes], "scores", shape)) for axes in wrong(layer)]
    st.markdown(markdown_table(("attention_axes", "what it attends over", "scores, real"), rows))
    grid, row = results["grid"], results["row"]
    said = "With `attention_axes=0` samples see each other" + (
        f": changing the second sample moves the first sample's output by **{apart(grid['leak'])}**." if grid.found
        else f".{trailing(grid)}"
    )  # fmt: skip
    st.markdown(said)
    said = "On an input of rank 3 it depends on the call: the path without scores ignores attention_axes."
    if row.found:
        said += (
            f" With scores the first sample's output moves by {apart(row['leak'])}, "
            f"without by {apart(row['leak_without_scores'])}; "
            f"the two outputs are {apart(row['apart'])} apart."
        )
    st.markdown(said + trailing(row))


def meaning(layer: KerasLayer, axes: tuple[int, ...]) -> str:
    """What the wrong axes are in Keras's projected arrays: the batch first, heads where the input has its width."""
    made = replace(layer, attention_axes=axes).axes
    return " and ".join(
        "the batch: samples see each other" if axis == 0 else "the heads: they see each other" if axis == layer.rank - 1
        else f"axis {axis}" for axis in made
    )  # fmt: skip
