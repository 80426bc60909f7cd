"""Pictures of published models: plain data first, then plain Plotly figures."""
