"""A page as a slide, for a screenshot: with look=slide in its address its figure alone, as large as the window."""

from contextlib import suppress
from dataclasses import replace
from urllib.parse import parse_qsl

import streamlit as st

from components.settings import Settings
from components.widgets.chart import draw_chart
from components.widgets.images import show_image
from components.widgets.refusal import config_or_end
from headcount.assets import ASSETS
from headcount.export.browser import NoBrowser
from headcount.export.figure import Figure
from headcount.export.figures import FIGURES
from headcount.export.look import Look
from headcount.export.rendering import finished, picture_of, sheet_of
from headcount.export.request import OPTIONS, Request, Unavailable, chosen
from headcount.export.sheet import Sheet

SHEET = ASSETS / "slide.css"


def figure_of(page: str) -> Figure | None:
    """What the page's address shows: of a page with parts, where the part is in it; None where that is no figure, as on the page
    of models, whose picture is two."""
    query = st.query_params
    if page == "figures":
        return FIGURES.get(query.get("figure", "heads"))
    of_page = (one for one in FIGURES.values() if one.page == page.removeprefix("heads") != "models")
    return next((one for one in of_page if all(query.get(key) == value for key, value in parse_qsl(one.part))), None)


def _sheet(figure: Figure, request: Request) -> Sheet:
    """The figure as a slide, or as a page where it is not legible as one, in the visitor's theme."""
    look = Look(size="slide", stamp=False, theme=st.context.theme.type or "light")
    try:
        return sheet_of(figure, request, look)
    except Unavailable:
        return sheet_of(figure, request, replace(look, size="page"))


def show_slide(page: str, settings: Settings) -> bool:
    """The page's figure, as large as the window; False where no slide is asked for, or the page has no figure."""
    if st.query_params.get("look") != "slide":
        return False
    st.html(SHEET)
    if (figure := figure_of(page)) is None:
        return False
    values = {}
    for key in figure.options:
        with suppress(ValueError):  # said among the faults of the address
            values[key] = OPTIONS[key].parse(st.query_params.get(key, OPTIONS[key].format(OPTIONS[key].default)))
    request = Request(config_or_end(settings), settings.paper, chosen(values))
    try:
        picture, sheet = picture_of(figure, request), _sheet(figure, request)
    except Unavailable as why:
        st.info(str(why))
        return True
    with st.container(key="slide"):
        try:
            show_image(finished(sheet).svg, picture.alt)
        except NoBrowser:
            draw_chart(picture.chart, "slide_chart", picture.alt)
    return True
