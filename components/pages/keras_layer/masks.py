"""Masks: what the real layer makes of each, with its own attention maps."""

from dataclasses import replace

import streamlit as st

from components.figures.pictures.keras_layer.maps import scene
from components.pages.keras_layer import mask_cases
from components.pages.keras_layer.chosen import Chosen
from components.pages.keras_layer.own_mask import ask_own, show_own, show_squares, told
from components.pages.keras_layer.words import drawn_of, shape, state_line
from components.widgets.stage import show_scene
from mha.keras.question import Question, Reply, question, several
from mha.names import counted

MORE_KEYS = 2


def headline(chosen: Chosen) -> str:
    which, flat = chosen.mask_case, chosen.flat
    if which == "yours":
        return told(chosen)
    queries, keys = flat.query_shape[1], uneven(chosen).value_shape[1]
    return {
        "shapes": f"Five shapes are spread over {shape(flat.score_shape)}. (B, S) is {mask_cases.two_axes(flat)}.",
        "polarity": "True lets look. In nn.MultiheadAttention it blocks.",
        "causal": f"{counted(queries, 'query')}, {counted(keys, 'key')}: the triangle starts top-left.",
        "empty_row": "A query that may look nowhere has two answers.",
        "additive": "A mask of 0 and −10⁹ is read upside down.",
    }[which]


def above(chosen: Chosen) -> None:
    """What does not wait for the real layer: squares to click."""
    if chosen.mask_case == "yours" and chosen.attention_mask == "custom" and chosen.mask is not None:
        show_squares(chosen.mask)


def ask(chosen: Chosen) -> Question:
    which, layer = chosen.mask_case, chosen.flat.plain()
    if which == "yours":
        return ask_own(chosen)
    if which == "shapes":
        shapes = [letters for letters, _ in mask_cases.SHAPES]
        return several([question("mask_shapes", layer=layer, shapes=shapes), question("mask_flat", layer=layer)])
    if which == "causal":
        return question("mask_causal", layer=uneven(chosen).plain())
    return question(f"mask_{which}", layer=layer)


def uneven(chosen: Chosen):
    """Its layer with another number of keys than queries: only then two ways to align a triangle differ."""
    flat = chosen.flat
    if flat.query_shape[1] != flat.value_shape[1]:
        return flat
    keys = flat.value_shape[1] + MORE_KEYS
    value, key = ((shape[0], keys, shape[2]) for shape in (flat.value_shape, flat.key_shape))
    return replace(flat, value_shape=value, key_shape=key)


def show(chosen: Chosen, reply: Reply) -> None:
    if chosen.layer.rank != 3:
        st.caption("Masks are shown with all positions in one row (an input of rank 3).")
    which = chosen.mask_case
    if which == "yours":
        show_own(chosen, reply)
        return
    layer = uneven(chosen) if which == "causal" else chosen.flat
    if layer != chosen.flat:
        st.caption(f"With {layer.value_shape[1]} keys here: only with another number of keys than queries are there two ways.")
    sentence, lines = getattr(mask_cases, which)(layer, reply)
    if lines and (part := drawn_of(lines[0][0].maps.shape, layer.score_shape)):
        sentence += f" {part}"
    st.markdown(sentence)
    if lines:
        alt = " ".join(f"{one.title}: {one.note}." for line in lines for one in line)
        show_scene(scene(lines, alt), chosen.drawn_by, key=f"mask_{which}")
    if which == "empty_row" and reply.found:
        mask_cases.show_two_answers(reply, chosen.drawn_by)
    st.caption(state_line(reply, "Weights (Keras's attention_scores) of the real layer, hatched where it gives exactly 0."))
