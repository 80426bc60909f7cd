"""One part of the page at a time: its headline, what it asks the real layer, and how it is shown."""

import streamlit as st

from components.check import with_reply
from components.keras_layer import attending, calls, grouping, masks, script, shapes, variables
from components.keras_layer.chosen import Chosen
from mha.keras_layer import MOST_NUMBERS, count_of
from mha.keras_layer import variables as variables_of
from mha.names import heads_in_words

PARTS = {
    "variables": variables, "shapes": shapes, "call": calls, "masks": masks, "axes": attending, "groups": grouping,
    "code": script,
}  # fmt: skip


def headline(chosen: Chosen, part: str) -> str:
    """A statement with the numbers of the layer that is shown."""
    layer, count = chosen.layer, count_of(chosen.layer)
    if part == "groups":
        return grouping.headline(chosen)
    if part == "axes":
        return attending.headline(chosen)
    heads = heads_in_words(layer.num_heads)
    return f"{heads} of {layer.key_dim} in Keras: {len(variables_of(layer))} variables, {count:,} parameters."


def show(chosen: Chosen, part: str) -> None:
    """Draws what is known at once, and again when the real layer has answered."""
    if chosen.layer.too_large:
        st.info(
            f"This layer and its inputs take {chosen.layer.numbers:,} numbers; up to {MOST_NUMBERS:,} are computed live. "
            "The count and every shape by formula are exact."
        )
    made = PARTS[part]
    if part == "masks":
        masks.above(chosen)
    asked = made.ask(chosen)
    with_reply(asked, lambda reply: made.show(chosen, asked, reply))
