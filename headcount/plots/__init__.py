"""Plotly's pictures, which are read: functions that give a plain figure, a dict of Plotly's schema. No Streamlit."""
