"""The least that a page of published models can cost: a chooser, and the very charts and texts that the app's page sent before.

HEADCOUNT_RECORDED names a file with each model's charts and texts (benchmarks/models.py writes it).
"""

import gc
import json
import os
from pathlib import Path

import streamlit as st

st.set_page_config(layout="wide", initial_sidebar_state=270)


@st.cache_resource(show_spinner=False)
def prepared() -> dict[str, list[dict]]:
    """For each model what is on its page, in its order."""
    import plotly.graph_objects  # noqa: F401  (otherwise the first move would pay for it)

    recorded = json.loads(Path(os.environ["HEADCOUNT_RECORDED"]).read_text())
    gc.collect()
    gc.freeze()
    return recorded


shown = prepared()
model = st.selectbox("Model", sorted(shown))
for place, one in enumerate(shown[model]):
    if "text" in one:
        st.markdown(one["text"])
    else:
        st.plotly_chart(one["chart"], key=f"chart-{place}", alt=one["alt"], theme=one["theme"], config=one["config"])
