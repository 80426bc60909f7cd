"""The smallest page that answers a move: one slider and one line. It shows what Streamlit itself costs for each visitor."""

import streamlit as st

st.set_page_config(layout="wide", initial_sidebar_state=270)
heads = st.sidebar.select_slider("Heads (h) on the floor", (1, 2, 4, 8, 16), 4, key="num_heads")
st.text(f"{heads} heads")
