"""Every figure of the app as a file, for `python -m headcount figures` and the page "Figures". `request` has the layer and
choices, `figures` draws, and `style` has size, theme and type. `sheet` makes the SVG, `browser` turns it into PDF and PNG, and
`offline` makes HTML. `rendering` calls all of them and writes the data (CSV, npz). None of them uses Streamlit."""
