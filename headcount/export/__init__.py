"""Every figure of the app as a file, by `python -m headcount figures` and by the page "Figures".

request (which layer, which choices) → figures (what is drawn) → look (size, theme, type) → sheet (SVG) → browser (PDF, PNG),
offline (HTML); rendering does all of it and writes the data (CSV, npz). No Streamlit here.
"""
