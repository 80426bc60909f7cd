"""The least that a page of trained heads can cost: one field, and the very tables, maps and charts that the app's page sent.

HEADCOUNT_RECORDED names a file with the field's kind, and for each of its values what is on the page (benchmarks/trained.py).
"""

import base64
import gc
import json
import os
from pathlib import Path

import streamlit as st

st.set_page_config(layout="wide", initial_sidebar_state=270)


@st.cache_resource(show_spinner=False)
def prepared() -> tuple[dict, dict]:
    """The recorded page, and its components by what they are."""
    import plotly.graph_objects  # noqa: F401  (otherwise the first move would pay for it)

    recorded = json.loads(Path(os.environ["HEADCOUNT_RECORDED"]).read_text())
    first = next(iter(recorded["shown"].values()))
    made = {
        kind: st.components.v2.component(f"floor_{kind}", html=one["html"], css=one["css"], js=one["js"])
        for one in first for kind in ("stage", "table") if kind in one
    }  # fmt: skip
    for shown in recorded["shown"].values():
        for one in shown:
            if "stage" in one:
                one["stage"] = base64.b64decode(one["stage"])
    gc.collect()
    gc.freeze()
    return recorded, made


recorded, component = prepared()
label, values = recorded["label"], [int(value) for value in recorded["shown"]]
if recorded["slider"]:
    value = st.select_slider(label, values, recorded["at"])
else:
    value = st.number_input(label, values[0], values[-1], recorded["at"])
for place, one in enumerate(recorded["shown"][str(value)]):
    if kind := next((kind for kind in component if kind in one), None):
        component[kind](key=f"{kind}-{place}", data=one[kind], height="content")
    else:
        st.plotly_chart(one["chart"], key=f"chart-{place}", alt=one["alt"], theme=one["theme"], config=one["config"])
