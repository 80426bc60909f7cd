"""Streamlit 1.67: a chart leaves the page at each change. `streamlit run chart_leaves_the_page.py`

Zoom into the chart, then move the slider. Expected: the chart changes in place and keeps its zoom (Plotly.react). Seen: it is
taken off the page and made anew, with or without `key`: a flash of about 100 ms, and the zoom is gone.
"""

import streamlit as st

factor = st.slider("factor", 1, 9, 1)
rows = [[factor * row * column for column in range(8)] for row in range(8)]
figure = {"data": [{"type": "heatmap", "z": rows}], "layout": {"uirevision": "always"}}
st.plotly_chart(figure, key="chart")
