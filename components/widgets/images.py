"""Shows images and schematic drawings inside the page, with a description for screen readers."""

import html
from base64 import b64encode

import streamlit as st

from components.app.runtime import component
from components.widgets.tables import table_view
from headcount.stage.diagram import Diagram, as_svg
from headcount.stage.svg import Ink
from headcount.stage.theme import THEMES

SCRIPT = """export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(".drawing");
  box.innerHTML = new TextDecoder().decode(data);
  delete box.dataset.coming;
}"""
#: The markup of a drawing, which may have two layouts: a window below 900 px shows the upright one.
HTML = """<style>@media (min-width: 900px) { .upright { display: none } }
@media (max-width: 899px) { .across { display: none } }</style>
<div class="drawing" data-coming></div>"""


def show_image(image: str | bytes, alt: str, width: int | None = None) -> None:
    """Shows an image inside the page: an SVG as text, or a PNG as bytes. `width`: pixels, or None for the container's width. With
    st.image (Streamlit 1.67), the file is gone when the page runs again, even if a browser is still waiting for the file."""
    kind, data = ("svg+xml", image.encode()) if isinstance(image, str) else ("png", image)
    source, wide = f"data:image/{kind};base64,{b64encode(data).decode()}", "100%" if width is None else f"{width}px"
    st.html(f'<img src="{source}" alt="{html.escape(alt)}" style="width: {wide}; max-width: 100%; display: block">')


def draw_svg(svg: str, key: str) -> None:
    """Shows an SVG as part of the page, in the page's font."""
    component("drawing", SCRIPT, HTML, page_styles=True)(key=key, data=svg.encode(), height="content")


def show_diagram(drawn: Diagram, key: str) -> None:
    """Shows a schematic in the page's theme and font, with its numbers as tables below."""
    draw_svg(as_svg(drawn, Ink(THEMES[st.context.theme.type or "light"])), key)
    count = sum(len(row) - 1 for table in drawn.tables for row in table.rows)
    table_view(key, drawn.alt, count, lambda: drawn.tables, lambda: drawn)
