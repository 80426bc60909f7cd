"""Presents a page's figure as large as the window, with its sliders in a bar (present=page), or a sequence of such pages."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from components.address import known, quoted
from components.menu import PAGES
from components.presenter.screen import PROGRAMS, show_bar
from components.settings import Settings
from components.widgets.chart import draw_chart
from components.widgets.images import show_image
from headcount.export.browser import NoBrowser
from headcount.export.figure import Figure
from headcount.export.figures import FIGURES
from headcount.export.rendering import finished, picture_of, sheet_of
from headcount.export.request import OPTIONS, Request, Unavailable, chosen
from headcount.export.sheet import Sheet
from headcount.export.style import Style
from headcount.names import BY_CODE, counted
from headcount.settings import HEAD_SIZES
from lessons.walk import ROOM, SEQUENCE, SETTINGS

MAX_SLIDES = 40
#: Codes of the settings that choose a page's figure.
PARTS = {"figure", *(key for figure in FIGURES.values() for key, _ in parse_qsl(figure.part))}
OWN = {setting.code for setting in (*SETTINGS, *ROOM)}


def figure_of(page: str, query: Mapping[str, str]) -> Figure | None:
    """The figure that a page shows at these settings; None if it has no figure."""
    if page == "figures":
        return FIGURES.get(query.get("figure", "heads"))
    of_page = (one for one in FIGURES.values() if one.page == page.removeprefix("heads"))
    return next((one for one in of_page if all(query.get(key) == value for key, value in parse_qsl(one.part))), None)


def presents(page: str) -> str:
    """The value of `present` that the page's button sets: "page" if the page shows a figure, or else "1" for the walk."""
    chosen = {key: known()[key].format(st.session_state[key]) for key in PARTS if key in st.session_state}
    return "page" if figure_of(page, chosen) else "1"


def read_sequence(text: str) -> tuple[list[str], list[str]]:
    """Reads one address a line. Returns the addresses that can be presented, and sentences in Markdown about the other lines."""
    slides, wrong = list[str](), list[str]()
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    for number, line in lines[:MAX_SLIDES]:
        path, _, query = line.partition("?")
        page = path.partition("://")[2].partition("/")[2] if "://" in path else path
        page = page.strip("./").rpartition("/")[2].removeprefix("heads")
        chosen = {key: value for key, value in parse_qsl(query, keep_blank_values=True) if key not in OWN}
        if said := _fault(page, chosen):
            wrong.append(f"Line {number}: {said}")
        else:
            slides.append(f"./{page}" + (f"?{urlencode(chosen)}" if chosen else ""))
    if len(lines) > MAX_SLIDES:
        wrong.append(f"A sequence has at most {MAX_SLIDES} lines, got {len(lines)}. The others are left out.")
    return slides, wrong


def _fault(page: str, chosen: Mapping[str, str]) -> str:
    """The reason why a page cannot be presented with these settings; "" if the page can be presented."""
    if page not in {"", *(one.name for one in PAGES)}:
        return f"there is no page {quoted(page)}."
    for key, raw in chosen.items():
        if (setting := known().get(key)) is None:
            return f"there is no setting {quoted(key)}."
        try:
            setting.parse(raw)
        except ValueError:
            return f"**{key}** must be {setting.constraint}, got {quoted(raw)}."
    return "" if page == "quiz" or figure_of(page, chosen) else f"the page {quoted(page)} has no picture of its own."


def asks_in_sequence(page: str) -> bool:
    """Whether a question of the quiz is presented in a sequence. The page itself is then the slide."""
    return page == "quiz" and st.query_params.get("present") == "page" and SEQUENCE.code in st.query_params


def _sheet(figure: Figure, request: Request) -> Sheet:
    """The figure as a slide in the visitor's theme. If the figure cannot be a slide, it has the size of a page."""
    look = Style(size="slide", stamp=False, background=False, theme=st.context.theme.type or "light")
    try:
        return sheet_of(figure, request, look)
    except Unavailable:
        return sheet_of(figure, request, replace(look, size="page"))


def show_contents(text: str) -> None:
    """Shows a sequence before it begins: a field with its addresses, and warnings about faulty lines."""
    slides, wrong = read_sequence(text)
    st.html(PROGRAMS / "page.css")
    with st.container(key="presenter"):
        st.title("A sequence of your own", anchor=False)
        label = "Addresses of this app's pages, one a line, as the browser shows them: each becomes a slide."
        st.text_area(label, text, height=240, max_chars=SEQUENCE.most, key="sequence_lines", on_change=_take)
        for sentence in wrong:
            st.warning(sentence)
        show_bar(most=len(slides), next="Begin ›", lines=slides, says=f"{counted(len(slides), 'slide')}.")


def _take() -> None:
    st.query_params[SEQUENCE.code] = st.session_state["sequence_lines"][: SEQUENCE.most]


def show_slide(page: str, settings: Settings) -> bool:
    """Shows what the address presents: the contents of a sequence, the bar below a question of the quiz, or the figure of `page`.
    Returns False if the address presents nothing."""
    query = st.query_params.to_dict()
    sequence, how = query.get(SEQUENCE.code), query.get("present")
    sequence = sequence and sequence[: SEQUENCE.most]
    if how == "1" and sequence is not None:
        show_contents(sequence)
        return True
    figure, values, of_sequence = figure_of(page, query), {}, {}
    if sequence is not None:
        slides = read_sequence(sequence)[0]
        of_sequence = {"first": 1, "most": max(1, len(slides)), "next": "Next ›", "lines": slides}
    if asks_in_sequence(page):
        st.html(PROGRAMS / "page.css")
        with st.container(key="presented_bar"):
            show_bar(says="", **of_sequence)
        return True
    if how != "page" or figure is None:
        return False
    for key in figure.options:
        with suppress(ValueError):  # said among the faults of the address
            values[key] = OPTIONS[key].parse(query.get(key, OPTIONS[key].format(OPTIONS[key].default)))
    st.html(PROGRAMS / "page.css")
    codes = ("num_heads", "d_model", *(() if settings.paper else HEAD_SIZES)) if figure.of_layer else ()
    with st.container(key="presenter"):
        try:
            with st.container(key="presented_slide"):
                if (cfg := settings.config()) is None:
                    raise Unavailable(f"{settings.d_model} / {settings.num_heads} is not a whole number: choose other heads.")
                request = Request(cfg, settings.paper, chosen(values))
                picture, sheet = picture_of(figure, request), _sheet(figure, request)
                try:
                    show_image(finished(sheet).svg, picture.alt)
                except NoBrowser:
                    draw_chart(picture.chart, "slide_chart", picture.alt)
        except Unavailable as why:
            st.info(str(why))
        finally:
            sizes = [(code, BY_CODE[code].label, settings.stops(code), settings.values[code]) for code in codes]
            show_bar(says=figure.title, sizes=sizes, **of_sequence)
    return True
