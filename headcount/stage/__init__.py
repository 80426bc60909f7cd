"""Pictures as plain data, and the modules that arrange and draw them, without Streamlit."""
