"""Pictures as plain data, and the two that draw them: no Streamlit here."""
