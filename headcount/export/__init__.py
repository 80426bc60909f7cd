"""Every figure of the app as a file, for `python -m headcount figures` and the page "Figures".

request (the layer and the choices) → figures (the drawing) → look (size, theme, type) → sheet (SVG) → browser (PDF, PNG), offline
(HTML). The module rendering calls all of them and writes the data (CSV, npz). No Streamlit is used here.
"""
