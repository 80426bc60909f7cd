"""Pictures as plain data, and the two modules that draw them, without Streamlit."""
