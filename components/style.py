"""The few rules that Streamlit's theme cannot say."""

from pathlib import Path

import streamlit as st

SHEET = Path(__file__).parent.parent / "assets" / "style.css"


def apply_style() -> None:
    """Our own stylesheet; nothing of a visitor's ever gets into it."""
    st.html(SHEET)
