"""An image with a description for those who do not see it."""

import html
from base64 import b64encode

import streamlit as st


def show_svg(svg: str, alt: str, width: int | None = None) -> None:
    """An SVG as an image, `width` pixels wide, or where that is None as wide as its place. `alt` is read aloud in its place
    (`st.image` takes a description from Streamlit 1.67 on)."""
    source = f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"
    wide = "100%" if width is None else f"{width}px"
    st.html(f'<img src="{source}" alt="{html.escape(alt)}" style="width: {wide}; max-width: 100%; display: block">')
