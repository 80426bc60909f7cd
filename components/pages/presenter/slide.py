"""A page as a slide, for a screenshot: with look=slide in its address its figure alone, as large as the window."""

from contextlib import suppress

import streamlit as st

from components.export.browser import NoBrowser
from components.export.figure import Figure
from components.export.figures import FIGURES
from components.export.look import Look
from components.export.rendering import finished, picture_of, sheet_of
from components.export.request import OPTIONS, Request, Unavailable, chosen
from components.settings import Settings
from components.widgets.chart import draw_chart
from components.widgets.images import show_svg
from components.widgets.refusal import config_or_end
from mha.assets import ASSETS

SHEET = ASSETS / "slide.css"
#: The figure that a page's first picture is, by the page's name; of the others the page itself is shown, without its controls.
FIRST = {
    "heads": "heads", "projections": "projections", "attention": "attention", "concatenation": "concatenation",
    "models": "published_sharing",
}  # fmt: skip
#: Of pages with parts: the key and the value in the address that lead to the picture.
PARTS = {"keras_layer": ("part", "arrays", "array_changed"), "trained_heads": ("task", "dinner", "table_maps")}


def is_slide() -> bool:
    return st.query_params.get("look") == "slide"


def figure_of(page: str) -> Figure | None:
    """What the page's address shows; None where that is no figure."""
    query = st.query_params
    if page == "figures":
        return FIGURES.get(query.get("figure", "heads"))
    key, value, name = PARTS.get(page, ("", "", ""))
    return FIGURES.get(name if name and query.get(key) == value else FIRST.get(page, ""))


def show_slide(page: str, settings: Settings) -> bool:
    """The page's figure, as large as the window; False where it has none."""
    st.html(SHEET)
    if (figure := figure_of(page)) is None:
        return False
    values = {}
    for key in figure.options:
        with suppress(ValueError):  # said among the faults of the address
            values[key] = OPTIONS[key].parse(st.query_params.get(key, OPTIONS[key].format(OPTIONS[key].default)))
    request = Request(config_or_end(settings), settings.paper, chosen(values))
    try:
        picture, sheet = picture_of(figure, request), sheet_of(figure, request, Look(size="slide", stamp=False))
    except Unavailable as why:
        st.info(str(why))
        return True
    with st.container(key="slide"):
        try:
            show_svg(finished(sheet).svg, picture.alt)
        except NoBrowser:
            draw_chart(picture.chart, "slide_chart", picture.alt, tools=False)
    return True
