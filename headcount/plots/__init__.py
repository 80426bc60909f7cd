"""Plotly figures, as plain dicts of Plotly's schema. Streamlit is not used here."""
