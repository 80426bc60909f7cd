"""The least that a page can cost: what the benchmarks hold the app against. `?page=` names one of the functions below."""

import base64
import json
import os
from pathlib import Path

import streamlit as st

DRAW = """export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(".stage"), canvas = box.querySelector("canvas"), g = canvas.getContext("2d");
  g.clearRect(0, 0, 512, 512);
  for (let i = 0; i < 1024; i++) {
    g.fillStyle = `rgb(${data[i]},90,120)`;
    g.fillRect((i % 32) * 16, Math.floor(i / 32) * 16, 15, 15);
  }
  canvas.setAttribute("aria-label", `heads ${data[0]}`);
  box.dataset.drawn = 1 + Number(box.dataset.drawn || 0);
}"""
HEADS = (1, 2, 4, 8, 16)
LABEL = "Heads (h) on the floor"


def bare() -> None:
    """The barest page that answers a move, one slider and one line: what Streamlit itself costs for each visitor."""
    heads = st.sidebar.select_slider(LABEL, HEADS, 4, key="num_heads")
    st.text(f"{heads} heads")


def heatmap() -> None:
    """A bare Streamlit and Plotly page without TensorFlow, one heatmap: what a cold start costs at the least."""
    st.plotly_chart({"data": [{"type": "heatmap", "z": [[(i * j) % 7 for j in range(16)] for i in range(16)]}]})


@st.cache_resource(show_spinner=False)
def canvas():
    html = '<div class="stage"><canvas class="over" width="512" height="512"></canvas></div>'
    return st.components.v2.component("bare_canvas", html=html, js=DRAW)


def text() -> None:
    """The barest page that shows a picture: one slider, one text, one 512 × 512 canvas."""
    heads = st.sidebar.select_slider(LABEL, HEADS, 1)
    st.write(f"{heads} heads")
    canvas()(key="canvas", data=bytes((heads + i) % 256 for i in range(1024)), height="content")


@st.cache_resource(show_spinner=False)
def prepared() -> tuple[dict, dict]:
    """The recorded page, ready to be shown, and its components by name."""
    import plotly.graph_objects  # noqa: F401  (otherwise the first move would pay for it)

    page = json.loads(Path(os.environ["HEADCOUNT_RECORDED"]).read_text())
    components = {}
    for element in (element for elements in page["shown"].values() for element in elements):
        if (name := element.get("component")) and name not in components:
            components[name] = st.components.v2.component(f"floor_{name}", **element["program"])
        if "bytes" in element:
            element["data"] = base64.b64decode(element["bytes"])
    return page, components


def recorded() -> None:
    """One field, and the very figures that the app's own page sent for each of its values; nothing is computed.

    HEADCOUNT_RECORDED names a file with the field and, by value, what is on the page (benchmarks/paint.py writes it).
    """
    page, components = prepared()
    label, values = page["label"], page["values"]
    place = st.sidebar if page["sidebar"] else st
    if page["kind"] == "slider":
        value = place.select_slider(label, values, values[0])
    elif page["kind"] == "number":
        value = place.number_input(label, values[0], values[-1], values[0])
    else:
        value = place.selectbox(label, values)
    for number, element in enumerate(page["shown"][str(value)]):
        if "component" in element:
            components[element["component"]](key=f"component-{number}", data=element["data"], height="content")
        elif "text" in element:
            st.markdown(element["text"])
        else:
            st.plotly_chart(element["chart"], key=f"chart-{number}", **element["options"])


st.set_page_config(layout="wide", initial_sidebar_state=270)
{page.__name__: page for page in (bare, heatmap, text, recorded)}[st.query_params["page"]]()
