"""The barest page that answers a move: one slider, one line. What Streamlit itself costs for each visitor."""

import gc

import streamlit as st


@st.cache_resource(show_spinner=False)
def freeze_once() -> None:
    gc.collect()
    gc.freeze()


heads = st.sidebar.select_slider("Heads (h)", (1, 2, 4, 8, 16), 4)
st.text(f"{heads} heads")
freeze_once()
