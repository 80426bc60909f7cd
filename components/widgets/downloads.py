"""Draws download buttons: those below each picture, and those of every other file that the app offers."""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode, urlsplit

import streamlit as st

from components.app.files import File, base_of, offer
from components.app.runtime import Serving, component, json_of, reported
from components.app.visit import visit
from components.settings import Settings
from components.widgets.links import link_to
from headcount.assets import ASSETS, ROOT
from headcount.export import browser, offline, rendering
from headcount.export.figure import Content, Figure, Picture
from headcount.export.figures import SHOWN
from headcount.export.request import OPTIONS, Request, Unavailable, chosen
from headcount.export.sheet import CHART, Sheet, lowered, on_paper, signed
from headcount.export.style import Style
from headcount.layer import SEED, Origin
from headcount.plots.heatmaps import map_width
from headcount.settings import TOKENS
from headcount.stage.pictures.attention import names_of_positions
from headcount.stage.plotly_json import as_json
from headcount.stage.program import PLOTLY_NAME, PLOTLY_PROGRAM, SHARED, joined
from headcount.stage.scene import Scene

PROGRAM = ASSETS / "picture_files"
SCRIPT = joined(SHARED, PLOTLY_PROGRAM, PROGRAM / "picture_files.js").replace("/*FILE*/", f"static/{PLOTLY_NAME}")
HTML = '<div class="files"></div>'
SHEET = (PROGRAM / "picture_files.css").read_text()
#: Limits on a browser's report of pressed buttons: the number of presses that count, and the letters of the id of a press.
MOST_PRESSES, MOST_LETTERS = 8, 40


@dataclass(frozen=True, slots=True)
class Download:
    """A download button and its file.
    - `write`: the bytes, or a function that returns the bytes when the button is pressed.
    - `address`: the file's address, relative to components.app.files.FOLDER, or "".
    - `off`: why the button is disabled, or None.
    - `main`: whether the button is primary; `marked`: whether the button has an icon.
    """

    label: str
    name: str
    media: str
    write: Callable[[], bytes] | bytes
    key: str | None = None
    address: str = ""
    off: str | None = None
    main: bool = False
    marked: bool = False


def show_downloads(key: str, downloads: Sequence[Download], drawn: Mapping[str, Any] | None = None) -> None:
    """Draws a button for each file. `drawn`: the data of files that the visitor's browser makes (see `_drawn`).

    If Streamlit's own button (1.67) writes a file on a press, the file is gone as soon as any other visitor's page runs
    (tests/browser/test_downloads.py). So if the server answers addresses, a component fetches such files instead.
    """
    fetched = [one for one in downloads if Serving.addresses and callable(one.write)]
    if drawn or fetched:
        ready = visit().ready
        files = [
            {"label": one.label, "name": one.name, "at": one.address, "off": one.off, "main": one.main, "marked": one.marked}
            for one in fetched
        ]
        sent = {"svg": [], "chart": None, **(drawn or {}), "ready": ready.pop(key, {})}
        sent["files"] = [*(drawn or {"files": []})["files"], *files]
        buttons, then = component("picture_files", SCRIPT, HTML, SHEET), partial(_offer, key, fetched)
        buttons(key=f"{key}_saved", data=json_of(sent), height="content", width="content", on_pressed_change=then)
    for one in downloads:
        if one not in fetched:
            st.download_button(
                one.label, one.write, one.name, one.media, key=one.key, on_click="ignore", help=one.off,
                disabled=one.off is not None, type="primary" if one.main else "secondary",
                icon=":material/download:" if one.marked else None,
            )  # fmt: skip


def _offer(key: str, downloads: Sequence[Download]) -> None:
    """Callback: offers the files whose buttons were pressed. Checks the browser's report, because anybody can send one."""
    by_label, pressed = {one.label: one for one in downloads}, reported(f"{key}_saved", "pressed")
    if not isinstance(pressed, list):
        return
    for press in pressed[:MOST_PRESSES]:
        if not (isinstance(press, list) and len(press) == 2 and all(isinstance(part, str) for part in press)):
            continue
        if (one := by_label.get(press[1])) is not None and one.off is None and callable(one.write):
            ready = visit().ready.setdefault(key, {})
            ready[press[0][:MOST_LETTERS]] = offer(File(one.name, one.media, one.write))


def file_buttons(key: str, draw: Callable[..., Content], alt: str, origin: Origin = SEED) -> None:
    """Draws the buttons for a picture's files. `draw`: draws the picture again; heatmaps take a `width` and `high` in pixels."""
    look = Style(theme=st.context.theme.type or "light", base=base_of(st.context.url))
    path, query = urlsplit(st.context.url or "").path, dict(st.query_params)
    link = f"{look.base}{path or '/'}" + (f"?{urlencode(query)}" if query else "")
    stamp = signed(link)
    page = page_of(path)
    known, settings = SHOWN.get((page, key)), st.session_state.get("settings")
    request = None if known is None or origin.is_private else _request(known, settings, query)
    make = partial(_picture, draw, title_of(page, key, alt), alt, partial(_words, known, request))
    picture = make()
    layer = settings if known is not None and known.of_layer else None
    name = named(page, key, layer.sizes if layer else {})
    facts = {"figure": name, "link": link, **(facts_here(origin, layer, query) if layer else {})}
    with st.container(horizontal=True, key=f"{key}_files"):
        whole = partial(rendering.whole_picture, lambda: _anew(make()))
        drawn = known and request and _words(known, request)
        of_heads = partial(offline.page, known, request, look, picture) if known and request and drawn else None
        files = files_here(picture, whole, of_heads, stamp, look, facts)
        button_for_each_format(key, files, partial(rendering.with_ending, name), _without_numbers(picture, whole))
    if known is not None:
        chosen = {"figure": known.instead or known.name} | {option: query[option] for option in known.options if option in query}
        link_to("figures", "Other sizes, fonts, print, and all figures at once", **chosen)


def _picture(draw: Callable[..., Any], title: str, alt: str, in_words: Callable[[], Picture | None]) -> Picture:
    """The picture on the screen as an exportable Picture. If a registered figure is known, its title and caption are used."""
    drawing, words = draw(), in_words()
    arranged = (lambda width, high: draw(width=width, high=high)) if isinstance(drawing, dict) and map_width(drawing) else None
    if words is None:
        return Picture(drawing, title, alt, arranged=arranged)
    return replace(words, drawing=drawing, alt=alt, arranged=arranged)


def _request(known: Figure, settings: Settings | None, query: Mapping[str, str]) -> Request | None:
    """The request for the page's layer, with the figure's options from the address. None if the layer or an option is invalid."""
    if settings is None or (cfg := settings.config()) is None:
        return None
    try:
        values = {key: OPTIONS[key].parse(query[key]) for key in known.options if key in query}
        return Request(cfg, settings.paper, chosen(values))
    except ValueError:  # said on the page
        return None


def _words(known: Figure | None, request: Request | None) -> Picture | None:
    """The registered figure of the page's layer, for its title and caption. None if the figure cannot be drawn."""
    try:
        return known and request and known.draw(request)
    except Unavailable:  # said on the page
        return None


def _anew(picture: Picture) -> Picture:
    """The picture, which was drawn with whole matrices. A heatmap's alt text becomes its title, because its own may say that
    cells are means."""
    return replace(picture, alt=picture.chart["layout"]["title"]["text"]) if picture.arranged else picture


def _without_numbers(picture: Picture, whole: Callable[[], Picture]) -> str | None:
    """A sentence that says why the picture has no file of numbers, or None."""
    if not isinstance(picture.drawing, Scene) or picture.drawing.grids:
        return None
    try:
        whole()
    except Unavailable as why:
        return str(why)
    return None


def facts_here(here: Origin, settings: Settings, query: Mapping[str, str]) -> dict[str, object]:
    """Facts about the shown layer, such as its sizes and seed, for the files of numbers."""
    cfg = settings.config()
    if cfg is None:
        return {}
    words = names_of_positions(tuple(query.get(TOKENS.code, "").split()), cfg) if query.get(TOKENS.code, "").strip() else ()
    return rendering.layer_facts(cfg, here.reading(cfg), given=here.own is not None and here.layer(cfg) is not None, words=words)


def no_browser() -> bool:
    """Whether the visitor's browser must write some formats, because the server has no browser."""
    return browser.missing() is not None


def page_of(path: str) -> str:
    """The name of the page at a path, perhaps below a folder; "" for the start page."""
    last = path.strip("/").rpartition("/")[2]
    return last if (ROOT / "pages" / f"{last}.py").is_file() else ""


def button_for_each_format(
    key: str,
    files: rendering.Files,
    name: Callable[[str], str],
    no_numbers: str | None = None,
    address: Callable[[str], str] = lambda kind: "",
    kinds: Collection[str] = tuple(rendering.FORMATS),
    main: bool = False,
) -> None:
    """Draws a button for each format in `kinds` that the picture has. Without a browser on the server, the visitor's browser
    writes some formats. `name`, `address`: return the file's name and address. `no_numbers`: why files of numbers are
    disabled."""
    picture, own = files.picture(), rendering.NEED_BROWSER if no_browser() else ()
    if own and picture.is_plotted:
        own = ("svg", *own)
    own, label = [kind for kind in own if kind in kinds], lambda kind: "Save " * main + rendering.FORMATS[kind][0]
    left = [kind for kind in kinds if kind not in own and (kind != rendering.PLOTLY or picture.is_chart)]
    downloads = [
        Download(
            label(kind), name(kind), rendering.FORMATS[kind][1], partial(files.of, kind), f"{key}_{kind}",
            address(kind), no_numbers if kind in rendering.NUMBERS_ONLY else None, main, main,
        )
        for kind in left
    ]  # fmt: skip
    show_downloads(key, downloads, _drawn(own, files.sheet(), name, label, files.look.format.dots) if own else None)


def _drawn(
    kinds: Sequence[str], sheet: Sheet, name: Callable[[str], str], label: Callable[[str], str], dots: float
) -> dict[str, Any]:
    """The component's data for files of a sheet that the visitor's browser writes. `dots`: PNG pixels per pixel of the sheet."""
    files = [{"label": label(kind), "name": name(kind), "scale": dots * (kind == "png")} for kind in kinds]
    return {"svg": sheet.svg.split(CHART), "chart": sheet.chart and json.loads(as_json(sheet.chart)), "files": files}


def title_of(page: str, key: str, alt: str) -> str:
    """The title of a picture in its files: the title of the registered figure, or the first sentence of the alt text."""
    known = SHOWN.get((page, key))
    return lowered(known.title if known else re.split(r"(?<=\w)[.:](?=\s|$)", alt, maxsplit=1)[0])


def named(page: str, key: str, sizes: Mapping[str, int]) -> str:
    """The stem of a file name, such as "attention_d16_h2"."""
    known = SHOWN.get((page, key))
    parts = [known.name] if known else [page or "heads", *([] if key == "stage" else [key])]
    letters = {"d": "d_model", "h": "num_heads"}
    return "_".join(parts + [f"{letter}{sizes[code]}" for letter, code in letters.items() if code in sizes])


def files_here(
    picture: Picture, whole: Callable[[], Picture], page: Callable[[], bytes] | None, stamp: str, look: Style,
    facts: dict[str, object],
) -> rendering.Files:  # fmt: skip
    """The writers of all files of a picture as it is on the screen. `page`: writes the HTML file with a slider for the heads. If
    `page` is None, the HTML file has no slider."""
    alone = partial(offline.document, {1: picture}, 1, look, {1: stamp})
    return rendering.Files(
        lambda: picture, whole, partial(on_paper, picture, stamp, look, anyway=True), page or alone, look, facts
    )
