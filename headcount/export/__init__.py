"""Files of every figure of the app, for `python -m headcount figures` and the page "Figures". `request` has the layer and the
options of a figure, `figures` draws, and `style` has size, theme and font. `sheet` makes the SVG, `browser` turns it into PDF and
PNG, and `offline` makes HTML. `rendering` calls these and writes the data (CSV, npz). Nothing here uses Streamlit."""
