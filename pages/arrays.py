"""What does each array of the parameters do, and which numbers count and do nothing?"""

from dataclasses import replace

from components.frame import open_layer
from components.pages.arrays.page import SHOW
from components.pages.arrays.settings import PART
from components.streamlit.controls import control
from components.widgets.check import check_line
from components.widgets.trace import trace_by

settings, cfg = open_layer()
cfg = replace(cfg, training=False)  # the layer as it is used: with dropout each pass would move by itself
trace, by = trace_by(cfg, settings.backend)

# Above the headline, whose length is each part's own: so the buttons keep their place.
SHOW[control(PART, label_visibility="collapsed", width="stretch")](cfg, trace)
check_line(cfg, trace, by, settings.backend)
