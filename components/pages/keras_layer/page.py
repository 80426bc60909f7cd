"""One part of the page at a time: its headline, what it asks the real layer, and how it is shown."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from components.pages.keras_layer import axes, groups, layer_tables, masks, script
from components.pages.keras_layer.reply_text import outcome, shape, state_line
from components.pages.keras_layer.selection import Selection
from components.widgets.check import with_reply
from mha.keras.layer import MAX_NUMBERS, count_of
from mha.keras.question import Question, Reply, question
from mha.names import counted


class Part(NamedTuple):
    """`headline`: a statement with the numbers of the layer that is shown; `show` draws what is known at once, and again when
    the real layer has answered."""

    headline: Callable[[Selection], str]
    question: Callable[[Selection], Question]
    show: Callable[[Selection, Reply], None]


PARTS = {
    "variables": Part(layer_tables.variables_headline, layer_tables.variables_question, layer_tables.show_variables),
    "shapes": Part(layer_tables.shapes_headline, layer_tables.shapes_question, layer_tables.show_shapes),
    "call": Part(layer_tables.call_headline, layer_tables.call_question, layer_tables.show_call),
    "masks": Part(masks.headline, masks.question_of, masks.show),
    "axes": Part(axes.headline, axes.question_of, axes.show),
    "groups": Part(groups.headline, groups.question_of, groups.show),
    "code": Part(script.headline, lambda selection: selection.mask_question(selection.layer, selection.training), script.show),
}


def headline(selection: Selection, part: str) -> str:
    if selection.rank_two:
        return f"An input (None, {selection.layer.query_shape[-1]}) has no positions to attend to."
    return PARTS[part].headline(selection)


def show(selection: Selection, part: str) -> None:
    if selection.rank_two:
        with_reply(question("rank_two", layer=selection.layer.plain()), lambda reply: show_rank_two(selection, reply))
        return
    if selection.layer.too_large:
        st.info(
            f"This layer and its inputs take {selection.layer.numbers:,} numbers; up to {MAX_NUMBERS:,} are computed live. "
            "Counts and shapes are by formula."
        )
    if part == "masks":
        masks.show_squares(selection)
    one = PARTS[part]
    with_reply(replace(one.question(selection), known=selection.known), lambda reply: one.show(selection, reply))


def show_rank_two(selection: Selection, reply: Reply) -> None:
    """Shows that Keras builds a layer for rank 2 all the same, and what it says when it is called."""
    sizes = (selection.layer.query_shape[0], selection.layer.query_shape[-1])
    st.markdown(
        f"Keras builds a layer for it all the same: called with `keras.Input(({sizes[1]},))` it has "
        f"{counted(count_of(selection.layer), 'parameter')}. It works on inputs of rank 3 to 5: called with numbers of "
        f"{shape(sizes)} it says: "
        f"{outcome(reply, 'output', shape)}"
    )
    st.caption(state_line(reply, "Add the positions to input_shape: `6,16` is six of them, `3,4,16` a grid of twelve."))
