"""What do these pages show of a layer of my own?"""

import streamlit as st

from components.app.session import Shown, visitor_layer
from components.frame import open_lab
from components.pages.own_layer import page
from components.widgets.check import check_line
from components.widgets.trace import explain_no_numbers, trace_by
from headcount.layer import Origin

settings = open_lab()
cfg, layer = settings.config(), visitor_layer()

st.title(page.headline(layer))
page.drop()
page.show_problems()
if layer is None:
    page.show_example()
elif layer.flat is not None and cfg is not None and layer.standing(cfg) != "away":
    shown = Shown(settings, cfg, Origin(layer))
    trace, by = trace_by(shown)
    page.show_layer(layer, cfg, trace)
    explain_no_numbers(shown)
    check_line(shown, trace, by)
page.show_layers(layer)
page.show_notes()
