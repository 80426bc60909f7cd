"""A bare Streamlit and Plotly page without TensorFlow: one heatmap. What a cold start costs at the least."""

import streamlit as st

st.set_page_config(layout="wide")
st.plotly_chart({"data": [{"type": "heatmap", "z": [[(i * j) % 7 for j in range(16)] for i in range(16)]}]})
