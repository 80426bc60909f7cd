"""The controls, bound to the address, that become a Request and a Look; the preview, a button for every kind of file, and all
figures in one zip."""

from functools import lru_cache, partial
from typing import Any

import streamlit as st

from components.app import lesson
from components.app.controls import control, for_this_layer, hidden, value_ahead
from components.app.files import address_of, base_of
from components.app.stale_widget_values import apply_pending, set_value, show_value
from components.pages.figures import FIGURE
from components.settings import Settings
from components.widgets.chart import draw_chart
from components.widgets.downloads import Download, button_for_each_format, no_browser, show_downloads
from components.widgets.images import show_image
from components.widgets.words import choose_numbers
from headcount import Config
from headcount.export import browser
from headcount.export.browser import NoBrowser
from headcount.export.figure import Figure
from headcount.export.figures import FIGURES
from headcount.export.look import BY_CODE, MM, OWN, PAPER_DPI, PARTS, SIZES, Look
from headcount.export.rendering import (
    FORMATS,
    NEED_BROWSER,
    file_name,
    file_of,
    files_of,
    finished,
    picture_of,
    sheet_of,
    zip_of,
)
from headcount.export.request import OF_SWITCHES, OPTIONS, Request, Unavailable, chosen
from headcount.reading import why_not
from headcount.settings import HEAD, HEAD_OFF, NUMBERS, TYPED, Setting, Text, Word

SIZE_HELP = " · ".join(f"**{name}**: {known.label}" for name, known in SIZES.items())
SIZE_HELP += f" · **{OWN}**: any width, with type as much larger or smaller"
#: A column's figure is previewed that much larger than it is printed: a screen is further away than a page.
NEARER = 1.35
#: The key of the list of titles.
TITLE = "figure_title"


def chosen_figure() -> Figure:
    """The figure, chosen by its title. Its name is in the address; a bound list would put the title there (Streamlit 1.67)."""
    with hidden("figure_name"):
        name = control(FIGURE)
    if st.session_state.get(TITLE) != name:
        show_value(TITLE, name)
    titled = lambda name: FIGURES[name].title  # noqa: E731
    st.selectbox("Figure", FIGURES, key=TITLE, format_func=titled, on_change=_take_title, filter_mode=None)
    return FIGURES[name]


def _take_title() -> None:
    apply_pending()
    set_value("figure", st.session_state[TITLE])


def chosen_request(figure: Figure, settings: Settings, cfg: Config) -> Request:
    """The layer of the shared settings, with what the figure's page lets one choose. What this figure does not read stays in the
    address, hidden: another figure may."""
    read, unread = st.container(), hidden("options")
    values: dict[str, Any] = {}
    typed = {setting.code for setting in TYPED}
    for key, option in OPTIONS.items():
        of_switches = key in OF_SWITCHES and value_ahead(option) == option.default  # chosen on the page about attention
        shown = key in figure.options and not of_switches and (key not in typed or values[NUMBERS.code] == "typed")
        with read if shown else unread:
            if option is NUMBERS and shown:
                away = value_ahead(NUMBERS) == "trained" and bool(why_not(cfg))
                values[key] = choose_numbers(cfg, away, help=None, width="stretch")
            else:
                values[key] = _control(option)
    for known in (HEAD, HEAD_OFF):
        if known.code in figure.options:
            values[known.code] = for_this_layer(known, values[known.code], cfg.num_heads)
    return Request(cfg, settings.paper, chosen({key: values[key] for key in figure.options}))


def _control(setting: Setting) -> Any:
    """The widget of one option, as wide as the column, without its help."""
    if isinstance(setting, Text):
        return control(setting, help=None)[: setting.most]
    return control(setting, help=None, width="stretch") if isinstance(setting, Word) else control(setting, help=None)


def chosen_look() -> Look:
    """Size, colours, font and what is written around the figure."""
    size = st.selectbox("Size", [*SIZES, OWN], key="size", bind="query-params", filter_mode=None, help=SIZE_HELP)
    with hidden("own_size", unless=size == OWN):
        width_mm = control(BY_CODE["width_mm"])
    theme, font = _control(BY_CODE["theme"]), _control(BY_CODE["font"])
    with st.container(horizontal=True):
        around = {part: control(BY_CODE[f"with_{part}"]) for part in PARTS}
    return Look(size=size, theme=theme, font=font, base=base_of(st.context.url), width_mm=width_mm, **around)


def show_figure(figure: Figure, request: Request, look: Look) -> None:
    """The preview as it will come out, and its files; or why there is none."""
    try:
        picture, sheet = picture_of(figure, request), sheet_of(figure, request, look)
    except Unavailable as why:
        st.info(str(why), icon=":material/image_not_supported:")
        return
    with st.container(key="preview", border=True):
        try:
            show_image(finished(sheet).svg, picture.alt, round(sheet.width * (1 if look.format.is_slide else NEARER)))
        except NoBrowser:
            draw_chart(picture.chart, "previewed", picture.alt)
    pixels = f"{sheet.width:.0f} × {sheet.height:.0f} pixels; a PNG has twice as many."
    printed = f"{sheet.width / MM:.0f} × {sheet.height / MM:.0f} mm; a PNG has {PAPER_DPI} dots an inch."
    sides = f"{pixels if look.format.is_slide else printed} No type below {look.format.least_pt:.3g} points."
    st.caption(f"{sides} {sheet.note}".rstrip())
    if not no_browser():
        with st.container(horizontal=True):
            write, name = partial(file_of, figure, request, look, "png"), file_name(figure, request, "png")
            address = address_of(figure, request, look, "png")
            show_downloads("shown", [Download("PNG", name, "image/png", write, "as_shown", address, main=True, marked=True)])
            if look.size != "slide":
                st.button("For a slide", key="slide", on_click=set_value, args=("size", "slide"), icon=":material/slideshow:")
    with st.expander("Other files, as it stands above"), st.container(horizontal=True, key="files"):
        name, address = partial(file_name, figure, request), partial(address_of, figure, request, look)
        button_for_each_format("get", files_of(figure, request, look), name, address=address)


#: Thumbnails side by side; their pixels for one of a sheet; a sheet's pixels.
ACROSS, SMALL = 4, 0.5


@lru_cache(maxsize=256)
def thumbnail(figure: Figure, request: Request, theme: str) -> bytes:
    """The figure alone, as a small PNG. Unavailable and NoBrowser where there is none."""
    look = Look(theme=theme, title=False, caption=False, stamp=False)
    page = finished(sheet_of(figure, request, look))
    return browser.png(page.svg, page.width, page.height, SMALL)


@st.dialog("All figures, with these settings", width="large")
def show_gallery(request: Request, look: Look) -> None:
    """Every figure, over the page; a press on a title chooses it, and shows the page with it."""
    bar, its, columns = st.progress(0.0), request.in_a_set(), []
    for place, figure in enumerate(FIGURES.values()):
        bar.progress(place / len(FIGURES), figure.title)
        columns = columns if place % ACROSS else st.columns(ACROSS)
        with columns[place % ACROSS]:
            try:
                show_image(thumbnail(figure, its, look.theme), figure.title)
            except (Unavailable, NoBrowser) as why:
                st.caption(str(why))
            if st.button(
                figure.title, key=f"take_{figure.name}", type="tertiary", on_click=set_value, args=("figure", figure.name)
            ):
                st.rerun()
    bar.empty()


def show_zip(request: Request, look: Look) -> None:
    """All figures of the settings, in the kinds that are ticked."""
    left_out = NEED_BROWSER if no_browser() else ()
    offered = {label: kind for kind, (label, _) in FORMATS.items() if kind not in left_out}
    usual = [FORMATS[kind][0] for kind in ("svg", "pdf", "png", "csv") if kind not in left_out]
    kinds = st.pills("For each figure", list(offered), selection_mode="multi", default=usual, key="zip_kinds")
    if left_out:
        st.caption("PNG and PDF come one by one, above: your browser writes them.")
    if not st.button("Make a zip of all figures", disabled=not kinds, icon=":material/folder_zip:"):
        return
    bar = st.progress(0.0)
    data, without = zip_of(request, look, tuple(offered[label] for label in kinds), bar.progress)
    bar.empty()
    name, size = f"figures_d{request.cfg.d_model}_h{request.cfg.num_heads}.zip", f"{len(data) / 1e6:.1f} MB"
    show_downloads("zip", [Download(f"Save {name}, {size}", name, "application/zip", data, main=True)])
    for sentence in without:
        st.caption(f"Left out. {sentence}")


def show_lesson(request: Request, look: Look) -> None:
    """The lesson's sheet as files, written when a button is pressed; without a browser here, the visitor's prints the HTML."""
    st.markdown("Two pages to print: three exercises, and the answers, for the settings on this screen.")
    with st.container(horizontal=True, key="lesson"):
        show_downloads("sheet", [
            Download(
                f"Lesson sheet, {FORMATS[kind][0].split(',')[0]}", lesson.file_name(request, kind), FORMATS[kind][1],
                partial(lesson.file, request, kind, look.base), f"lesson_{kind}", address_of(None, request, Look(), kind),
            )
            for kind in (("html",) if no_browser() else ("pdf", "html"))
        ])  # fmt: skip
