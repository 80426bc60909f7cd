"""How do I get this picture into my slides or paper?"""

import streamlit as st

from components.frame import open_layer
from components.pages.figures import page
from components.widgets.refusal import config_or_end
from headcount.export import browser
from headcount.export.command import command_of
from headcount.export.figures import FIGURES

settings = open_layer()
browser.SHARED.warm()

st.title(f"{len(FIGURES)} figures to take away, each as it will come out.")
st.markdown(
    "SVG and PDF are vectors, text in them is text. "
    "HTML works without a network and keeps hover and the slider. "
    "*print* needs no colour."
)
every = browser.missing() is None and st.button("See them all, with these settings", key="gallery", icon=":material/grid_view:")
left, right = st.columns([3, 8], gap="large")
with left:
    figure = page.chosen_figure()
    request = page.chosen_request(figure, settings, config_or_end(settings))
    look = page.chosen_look()
with right:
    page.show_figure(figure, request, look)

if every:
    page.show_gallery(request, look)

st.header(f"All {len(FIGURES)} at once")
page.show_zip(request, look)

st.header("For a class")
page.show_lesson(request, look)
st.markdown("[A sequence of your own](./?present=1&sequence=) presents pages of your choice, one after the other.")

st.header("From the command line")
st.markdown("The same figure, byte for byte.")
st.code(command_of(figure, request, look, "svg"), language="sh", wrap_lines=True)

st.header("Whose they are")
st.markdown("Yours: print, change and share them; nobody needs to be named.")
