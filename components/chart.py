"""The one line with Streamlit for every Plotly figure: chart, alt text, export name."""

import streamlit as st

#: Tools that a single figure does not need; the rest are reached by keyboard one tab stop each.
REMOVED = ["lasso2d", "select2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "pan2d", "zoom2d", "resetScale2d"]


def show_chart(figure: dict, key: str, alt: str, width: str = "stretch") -> None:
    """Draw a plain figure; the picture's file is named after `key`."""
    st.plotly_chart(
        figure,
        key=key,
        alt=alt,
        width=width,
        config={
            "displaylogo": False,
            "modeBarButtonsToRemove": REMOVED,
            "toImageButtonOptions": {"format": "svg", "filename": key},
        },
    )
