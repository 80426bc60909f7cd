"""One part of the page at a time: its headline, what it asks the real layer, and how it is shown."""

from dataclasses import replace

import streamlit as st

from components.pages.keras_layer import axes, calls, groups, masks, script, shapes, variables
from components.pages.keras_layer.chosen import Chosen
from components.pages.keras_layer.words import outcome, shape, state_line
from components.widgets.check import with_reply
from mha.keras.layer import MOST_NUMBERS
from mha.keras.question import Reply, question

PARTS = {
    "variables": variables, "shapes": shapes, "call": calls, "masks": masks, "axes": axes, "groups": groups,
    "code": script,
}  # fmt: skip


def headline(chosen: Chosen, part: str) -> str:
    """A statement with the numbers of the layer that is shown."""
    if chosen.rank_two:
        return f"An input (None, {chosen.layer.query_shape[-1]}) has no positions to attend to."
    return PARTS[part].headline(chosen)


def show(chosen: Chosen, part: str) -> None:
    """Draws what is known at once, and again when the real layer has answered."""
    if chosen.rank_two:
        show_rank_two(chosen)
        return
    if chosen.layer.too_large:
        st.info(
            f"This layer and its inputs take {chosen.layer.numbers:,} numbers; up to {MOST_NUMBERS:,} are computed live. "
            "The count and every shape by formula are exact."
        )
    made = PARTS[part]
    if part == "masks":
        masks.above(chosen)
    with_reply(replace(made.ask(chosen), known=chosen.known), lambda reply: made.show(chosen, reply))


def show_rank_two(chosen: Chosen) -> None:
    """Keras builds such a layer all the same; what it says when it is called is its own."""
    sizes = (chosen.layer.query_shape[0], chosen.layer.query_shape[-1])

    def draw(reply: Reply) -> None:
        st.markdown(
            f"The layer takes inputs of rank 3 to 5. Called with {shape(sizes)} it says: {outcome(reply, 'output', shape)}"
        )
        st.caption(state_line(reply, "Add the positions to input_shape: `6,16` is six of them, `3,4,16` a grid of twelve."))

    with_reply(question("rank_two", layer=chosen.layer.plain()), draw)
