"""The least cost of a page, with which the benchmarks compare the app. `?page=` names one of the functions below."""

import streamlit as st


def bare() -> None:
    """Draws the barest page that answers a move, one slider and one line: Streamlit's own cost for each visitor."""
    heads = st.sidebar.select_slider("Heads (h) on the floor", (1, 2, 4, 8, 16), 4, key="num_heads")
    st.text(f"{heads} heads")


def heatmap() -> None:
    """Draws a bare Streamlit and Plotly page without TensorFlow, one heatmap: the least cost of a cold start."""
    st.plotly_chart({"data": [{"type": "heatmap", "z": [[(i * j) % 7 for j in range(16)] for i in range(16)]}]})


st.set_page_config(layout="wide", initial_sidebar_state=270)
{page.__name__: page for page in (bare, heatmap)}[st.query_params["page"]]()
