"""What does one more head cost in BERT, GPT, Llama, … or in a model of mine, and what does it take to run?"""

import streamlit as st

from components.frame import open_lab
from components.pages.models import about
from components.pages.models.further import show_further
from components.pages.models.selection import select_model, show_configuration
from components.widgets.images import show_diagram

open_lab()
head = st.container()
selection, load, config_place = select_model()
model = selection.model
there, why = about.compared(selection)
with head:
    st.title(about.title(selection, there, why))
    about.show_refusal(selection)
    st.markdown(about.below_title(selection, there, why))
with config_place:
    show_configuration()
left, right = st.columns([3, 2], gap="large")
with left:
    if model.known or model.counted:
        st.markdown(about.memory_table(model, *load))
    st.caption(" ".join(filter(None, (about.kept_sentence(model), about.source(selection)))))
with right:
    if about.drawable(model):
        show_diagram(about.move(selection, there), "matrices")
    if words := about.changed_sentence(model):
        st.caption(words)

show_further(selection, *load)
