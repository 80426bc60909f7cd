"""The least cost of a page, with which the benchmarks compare the app. `?page=` names one of the functions below."""

import base64
import json
import os
from pathlib import Path

import streamlit as st


def bare() -> None:
    """Draws the barest page that answers a move, one slider and one line: Streamlit's own cost for each visitor."""
    heads = st.sidebar.select_slider("Heads (h) on the floor", (1, 2, 4, 8, 16), 4, key="num_heads")
    st.text(f"{heads} heads")


def heatmap() -> None:
    """Draws a bare Streamlit and Plotly page without TensorFlow, one heatmap: the least cost of a cold start."""
    st.plotly_chart({"data": [{"type": "heatmap", "z": [[(i * j) % 7 for j in range(16)] for i in range(16)]}]})


@st.cache_resource(show_spinner=False)
def prepared():
    """Loads the recorded page and its stage, ready to be shown."""
    import plotly.graph_objects  # noqa: F401  (otherwise the first move would pay for it)

    page = json.loads(Path(os.environ["HEADCOUNT_RECORDED"]).read_text())
    stages = [element for elements in page["shown"].values() for element in elements if "program" in element]
    for element in stages:
        element["bytes"] = base64.b64decode(element["bytes"])
    return page, st.components.v2.component("floor_stage", **stages[0]["program"])


def recorded() -> None:
    """Draws one slider, and the same figures that the app's own page sent for each of its values, without computation.

    HEADCOUNT_RECORDED names a file with its label and, by value, the contents of the page (benchmarks/paint.py writes it).
    """
    page, stage = prepared()
    value = st.sidebar.select_slider(page["label"], page["values"], page["values"][0])
    for number, element in enumerate(page["shown"][str(value)]):
        if "program" in element:
            stage(key=f"stage-{number}", data=element["bytes"], height="content")
        else:
            st.plotly_chart(element["chart"], key=f"chart-{number}", **element["options"])


st.set_page_config(layout="wide", initial_sidebar_state=270)
{page.__name__: page for page in (bare, heatmap, recorded)}[st.query_params["page"]]()
