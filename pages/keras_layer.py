"""What does `MultiHeadAttention(num_heads, key_dim, value_dim, …)` really build and return?"""

import streamlit as st

from components.app.controls import control
from components.frame import open_lab
from components.page_settings import BY_CODE
from components.pages.keras_layer import arrays, page
from components.pages.keras_layer.selection import draw_fields, select

settings = open_lab()

# Above the headline, whose length is each part's own: so the buttons keep their place.
part = control(BY_CODE["part"], label_visibility="collapsed", width="stretch")
fields = draw_fields(part)
if part == "arrays":
    arrays.show(settings)
else:
    title = st.empty()
    selection = select(settings, fields)
    title.title(page.headline(selection, part))
    page.show(selection, part)
