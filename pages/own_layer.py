"""What do these pages show of a layer of my own?"""

import streamlit as st

from components.app.controls import control, hidden
from components.app.session import Shown, visitor_layer
from components.frame import open_lab
from components.pages.own_layer import LAYER_OF_FILE, page
from components.widgets.check import check_line
from components.widgets.heads import choose_card, scene
from components.widgets.links import link_to
from components.widgets.stage import show_picture
from components.widgets.trace import explain_no_numbers, trace_by
from headcount.layer import Origin

settings = open_lab()
cfg, layer = settings.config(), visitor_layer()

st.title(page.headline(layer))
page.drop()
if layer is not None:
    page.show_layers(layer)
else:
    with hidden("layer"):
        control(LAYER_OF_FILE)
    page.show_formats(settings)
if layer is not None and layer.flat is not None and cfg is not None and layer.standing(cfg) != "away":
    shown = Shown(settings, cfg, Origin(layer))
    trace, by = trace_by(shown)
    show_picture(scene, shown, trace, settings.paper, shown.origin, go=choose_card)
    explain_no_numbers(shown)
    st.header("The same weights, page by page")
    for name, words in page.PAGES:
        link_to(name, words)
    check_line(shown, trace, by)
page.show_promise()
