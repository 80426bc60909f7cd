"""Figures to take away: every figure of the app as a file, by `python -m components.export` and by the page that is called so.

request (which layer, which choices) → registry (the figure) → look (size, theme, type) → sheet (SVG) → browser (PDF, PNG),
offline (HTML), numbers (CSV, npz). No Streamlit here.
"""
