"""Plotly figures as plain dictionaries in Plotly's schema. Nothing here needs Streamlit."""
