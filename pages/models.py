"""What does one more head cost in BERT, GPT, Llama, … or in my own model? What does a model cost to run?"""

import streamlit as st

from components.frame import open_lab
from components.pages.models import about
from components.pages.models.further import show_further, show_plane
from components.pages.models.selection import select_model, show_configuration
from components.widgets.images import show_diagram
from headcount.stage.pictures.published import matrices

open_lab()
head = st.container()
selection, load, config_place = select_model()
with head:
    st.title(about.title(selection))
    about.show_refusal(selection)
    st.markdown(about.below_title(selection))
with config_place:
    show_configuration()
left, right = st.columns([4, 5], gap="large")
with left:
    there, why = about.compared(selection)
    if about.drawable(selection.model):
        show_diagram(matrices.draw(about.modules(selection, there)), "matrices")
    st.caption(about.below_picture(selection, why))
further, numbers = st.container(), st.container()
with right:
    show_plane(selection, numbers)
with further:
    show_further(selection, *load)
