"""How do I get this picture into my slides or paper?"""

import streamlit as st

from components.export import browser
from components.export.figures import FIGURES
from components.pages.figures.page import chosen_figure, chosen_look, chosen_request, show_command, show_figure, show_zip
from components.streamlit.frame import open_layer

settings, cfg = open_layer()
browser.SHARED.warm()

st.title(f"{len(FIGURES)} figures to take away, each as it will come out.")
st.markdown(
    "SVG and PDF are vectors (but for the cells, where they are very many), text in them is text. "
    "HTML works without a network and keeps hover and the slider. "
    "*print* needs no colour."
)
left, right = st.columns([3, 8], gap="large")
with left:
    figure = chosen_figure()
    ask = chosen_request(figure, settings, cfg)
    look = chosen_look()
with right:
    show_figure(figure, ask, look)

st.header(f"All {len(FIGURES)} at once")
show_zip(ask, look)

st.header("From the command line")
st.markdown("The same figure, byte for byte.")
show_command(figure, ask, look)
