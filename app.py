"""Headcount: what changing the number of attention heads really changes. `streamlit run app.py`."""

from components.shell import draw_frame

draw_frame()
