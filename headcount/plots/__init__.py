"""Plotly pictures that are read: functions that give a plain figure, a dict of Plotly's schema. No Streamlit is used."""
