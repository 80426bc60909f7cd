"""The page Figures. It shows all figures as thumbnails, or a single large figure with its options and downloads."""

from collections.abc import Collection
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.app import lesson
from components.app.controls import control, for_this_layer, hidden, value_ahead
from components.app.files import address_of, base_of
from components.app.stale_widget_values import set_value
from components.menu import PAGES
from components.pages.figures import FIGURE, FILE, SIZE
from components.settings import Settings
from components.symbols import set_symbols
from components.widgets.chart import draw_chart
from components.widgets.downloads import Download, button_for_each_format, no_browser, show_downloads
from components.widgets.images import show_image
from components.widgets.previews import once
from components.widgets.trace import trace_of
from components.widgets.words import choose_numbers
from headcount import Config
from headcount.export import browser
from headcount.export.browser import NoBrowser
from headcount.export.command import command_of
from headcount.export.figure import Figure
from headcount.export.figures import FIGURES
from headcount.export.rendering import FORMATS, file_name, files_of, finished, picture_of, sheet_of, zip_of
from headcount.export.request import OF_SWITCHES, OPTIONS, Request, Unavailable, chosen
from headcount.export.style import BY_CODE, MM, OWN, PAPER_DPI, PARTS, THEMES, Style
from headcount.export.thumbnail import small, thumbnail
from headcount.layer import SEED
from headcount.reading import why_not
from headcount.settings import HEAD, HEAD_OFF, NUMBERS, FreeText, Setting, Word

#: The rows of thumbnails: names of the pages whose figures are in the row.
ROWS = (("heads", "models"), ("projections",), ("attention",), ("concatenation", "trained_heads"))


def chosen_figure() -> Figure | None:
    with hidden("figure_name"):
        return FIGURES.get(control(FIGURE))


def chosen_request(options: Collection[str], settings: Settings, cfg: Config) -> Request:
    """Draws a widget for each of a figure's `options`. Returns a request with the chosen values and the layer `cfg`. The widgets
    of all other options are drawn hidden, so that the address keeps their values for other figures."""
    read, unread = st.container(), hidden("options")
    values: dict[str, Any] = {}
    for key, option in OPTIONS.items():
        of_switches = key in OF_SWITCHES and value_ahead(option) == option.default  # chosen on the page about attention
        shown = key in options and not of_switches
        with read if shown else unread:
            if option is NUMBERS and shown:
                away = value_ahead(NUMBERS) == "trained" and bool(why_not(cfg))
                values[key] = choose_numbers(cfg, away, help=None, width="stretch")
            else:
                values[key] = _control(option)
    for known in (HEAD, HEAD_OFF):
        if known.code in options:
            values[known.code] = for_this_layer(known, values[known.code], cfg.num_heads)
    return Request(cfg, settings.paper, chosen({key: values[key] for key in options}))


def _control(setting: Setting) -> Any:
    if isinstance(setting, FreeText):
        return control(setting, help=None)[: setting.most + setting.spare]
    return control(setting, help=None, width="stretch") if isinstance(setting, Word) else control(setting, help=None)


def _choices(
    figure: Figure | None, settings: Settings, cfg: Config, row: DeltaGenerator, rest: DeltaGenerator
) -> tuple[Request, Style, str]:
    """Draws the widgets for a figure's options, look and file format. Returns the request, the look, and the format's code.
    `row`: the container above the figure. `rest`: the container below the figure."""
    bare = {"help": None, "label_visibility": "collapsed"}
    with row:
        size = control(SIZE, **bare)
        with hidden("own_size", unless=size == OWN):
            width_mm = control(BY_CODE["width_mm"], width=150)
        theme, kind = control(BY_CODE["theme"], **bare), control(FILE, **bare)
    with rest:
        request = chosen_request(figure.options if figure else (), settings, cfg)
        font = _control(BY_CODE["font"])
        with st.container(horizontal=True):
            around = {part: control(BY_CODE[f"with_{part}"]) for part in PARTS}
    return request, Style(size=size, theme=theme, font=font, base=base_of(st.context.url), width_mm=width_mm, **around), kind


def show_figure(figure: Figure, settings: Settings, cfg: Config) -> None:
    """Shows a figure as it looks in its file, with options and downloads. If the layer has no such figure, a text says why."""
    browser.SHARED.warm()
    st.title(set_symbols(figure.title))
    lead, row, shown = st.empty(), st.container(key="figure_row", horizontal=True), st.container(key="preview")
    labels = ("Title, caption, font, numbers", "HTML, CSV, npz and Plotly", "The command that writes this file")
    rest, others, command = (place.expander(label) for place, label in zip(st.columns(3), labels, strict=True))
    back = {"on_click": set_value, "args": ("figure", FIGURE.default), "icon": ":material/arrow_back_ios:"}
    row.button(f"All {len(FIGURES)}", key="all_figures", type="tertiary", **back)
    request, look, kind = _choices(figure, settings, cfg, row, rest)
    command.code(command_of(figure, request, look, kind), language="sh", wrap_lines=True)
    try:
        picture, sheet = picture_of(figure, request), sheet_of(figure, request, look)
    except Unavailable as why:
        shown.info(str(why), icon=":material/image_not_supported:")
        return
    pixels = f"The figure has {sheet.width:.0f} × {sheet.height:.0f} pixels; a PNG has twice as many on each side."
    printed = f"The figure has {sheet.width / MM:.0f} × {sheet.height / MM:.0f} mm; a PNG has {PAPER_DPI} dots an inch."
    least = f"Letters are {look.format.least_pt:.3g} points or more, subscripts less."
    sides = f"{pixels if look.format.is_slide else printed} {least}"
    lead.markdown(f"{sides} {sheet.note}".rstrip())
    with shown:
        try:
            show_image(finished(sheet).svg, picture.alt)
        except NoBrowser:
            draw_chart(picture.chart, "previewed", picture.alt)
    name, address = partial(file_name, figure, request), partial(address_of, figure, request, look)
    offer = partial(button_for_each_format, files=files_of(figure, request, look), name=name, address=address)
    with row:
        offer("shown", kinds=(kind,), main=True)
    with others, st.container(horizontal=True, key="files"):
        offer("get", kinds=[other for other in FORMATS if other not in FILE.choices])


def by_page() -> dict[str, list[Figure]]:
    """Groups the figures by page. A figure that only the page Figures shows joins the group of the figure before it."""
    groups, last = dict[str, list[Figure]](), ""
    for figure in FIGURES.values():
        last = last if figure.page == "figures" else figure.page or "heads"
        groups.setdefault(last, []).append(figure)
    return groups


def thumbnail_of(figure: Figure, request: Request) -> str | dict[str, Any] | None:
    """A figure as SVG or a Plotly dict, without text, cached for all visitors. None if the layer has no such figure."""
    theme = st.context.theme.type or "light"

    def make() -> str | dict[str, Any]:
        picture = picture_of(figure, request)
        return small(picture.chart) if picture.is_plotted else thumbnail(picture, THEMES[theme])

    try:
        return once(SEED, trace_of(SEED, request.cfg), make, thumbnail, figure.name, request, theme)
    except Unavailable:
        return None


def show_wall(settings: Settings, cfg: Config) -> None:
    """Shows a thumbnail of each figure, by page, with a button that opens the figure. Offers a zip of all figures."""
    st.title(f"{len(FIGURES)} figures to take away.")
    with hidden("choices"):
        request, look, _ = _choices(None, settings, cfg, st.container(), st.container())
    with st.container(key="at_once", horizontal=True, vertical_alignment="center"):
        st.markdown(
            "Most figures follow the sidebar. Press a figure to choose its size, colours and file.",
            width="stretch",
        )
        help = f"The files have the size “{look.size}” and the colours “{look.theme}”. Open a figure to change both."
        wanted = st.button(f"All {len(FIGURES)} as a zip", help=help, icon=":material/folder_zip:")
        kind = "html" if no_browser() else "pdf"  # which the visitor's browser prints
        name, write = f"{lesson.NAME}.{kind}", partial(lesson.file, kind, look.base)
        with st.container(key="lesson", width="content"):
            sheets = Download("The lesson on 2 sheets", name, FORMATS[kind][1], write, f"lesson_{kind}", name)
            show_downloads("sheet", [sheets])
    if wanted:
        _show_zip(request, look)
    groups, titles, its = by_page(), {page.name: page.title for page in PAGES}, request.in_a_set()
    for number, pages in enumerate(ROWS):
        with st.container(key=f"wall_{number}"):
            for name in pages:
                for figure in groups.get(name, ()):
                    with st.container(key=f"thumb_{figure.name}"):
                        if figure is groups[name][0] and name in titles:
                            st.markdown(f"**{titles[name]}**")
                        drawn = thumbnail_of(figure, its)
                        if isinstance(drawn, dict):
                            draw_chart(drawn, f"small_{figure.name}", figure.title)
                        elif drawn:
                            show_image(drawn, figure.title)
                        else:
                            st.caption("None with these settings.")
                        press = {"on_click": set_value, "args": ("figure", figure.name)}
                        st.button(set_symbols(figure.title), key=f"take_{figure.name}", type="tertiary", **press)
    st.markdown("[A sequence of your own](./?present=1&sequence=) presents pages of your choice, one after the other.")


def _show_zip(request: Request, look: Style) -> None:
    bar = st.progress(0.0)
    data, without = zip_of(request, look, ("svg", "csv") if no_browser() else ("svg", "pdf", "png", "csv"), bar.progress)
    bar.empty()
    name, size = f"figures_d{request.cfg.d_model}_h{request.cfg.num_heads}.zip", f"{len(data) / 1e6:.1f} MB"
    show_downloads("zip", [Download(f"Save {name}, {size}", name, "application/zip", data, main=True)])
    for sentence in without:
        st.caption(f"Left out. {sentence}")
