"""What does `MultiHeadAttention(num_heads, key_dim, value_dim, …)` really build and return?"""

from dataclasses import replace

import streamlit as st

from components.app.controls import control
from components.frame import open_lab
from components.pages.keras_layer import BY_CODE, layer_tables, script
from components.pages.keras_layer.selection import draw_fields, select
from components.widgets.check import with_reply
from headcount.keras.layer import MAX_NUMBERS
from headcount.keras.question import question

#: The parts of the page, each with functions for its headline, for its question to the real layer, and to draw the reply.
PARTS = {
    "variables": (layer_tables.variables_headline, layer_tables.variables_question, layer_tables.show_variables),
    "shapes": (layer_tables.shapes_headline, layer_tables.shapes_question, layer_tables.show_shapes),
    "call": (layer_tables.call_headline, layer_tables.call_question, layer_tables.show_call),
    "code": (script.headline, script.question_of, script.show),
}

settings = open_lab()

title, lead = st.empty(), st.empty()
part = control(BY_CODE["part"], label_visibility="collapsed")
picture, body, inputs = (st.container() for _ in range(3))
with inputs:
    fields = draw_fields()
with body:
    selection = select(settings, fields)
    layer = selection.layer
    if selection.rank_two:
        title.title(f"An input (None, {layer.query_shape[-1]}) has no positions to attend to.")
        with_reply(question("rank_two", layer=layer.plain()), lambda reply: layer_tables.show_rank_two(layer, reply))
    else:
        headline, question_of, show = PARTS[part]
        title.title(headline(selection))
        lead.markdown(layer_tables.arguments(layer, part))
        with picture:
            layer_tables.show_call_drawn(layer, part)
        if layer.too_large:
            st.info(
                f"This layer and its inputs take {layer.numbers:,} numbers; up to {MAX_NUMBERS:,} are computed live. "
                "Counts and shapes come from formulas."
            )
        with_reply(replace(question_of(selection), known=selection.known), lambda reply: show(selection, reply))
