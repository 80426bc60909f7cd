"""What does `MultiHeadAttention(num_heads, key_dim, value_dim, …)` really build and return?"""

import streamlit as st

from components.pages.keras_layer import parts
from components.pages.keras_layer.chosen import choose, chosen_part, draw_fields
from components.streamlit.frame import open_lab

settings = open_lab()

title = st.empty()
part = chosen_part()
fields = draw_fields(part)
chosen = choose(settings, fields)
title.title(parts.headline(chosen, part))
parts.show(chosen, part)
