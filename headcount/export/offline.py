"""HTML pages that work without network and server: files of figures, and pages of the lesson (deploy/static/cover.py). A page has
a frame (texts and pictures) for each position of its controls."""

import base64
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from typing import Any

from headcount.assets import ASSETS
from headcount.cost import numbers_kept
from headcount.export.figure import Figure, Picture
from headcount.export.request import Request, Unavailable
from headcount.export.sheet import ANY_HEIGHT, caption_of, stamp_of
from headcount.export.style import Style
from headcount.names import BY_CODE
from headcount.plots.recolour import in_theme
from headcount.settings import SHARED, Word
from headcount.stage import diagram, program
from headcount.stage.numbers import plain
from headcount.stage.pictures.trained.sentence import OPEN
from headcount.stage.plotly_json import as_json
from headcount.stage.scene import Scene
from headcount.stage.svg import Ink
from headcount.stage.text import FACES, as_html, embedded
from headcount.stage.theme import Theme
from headcount.stage.wire import pack

OFFLINE = ASSETS / "offline"
SPLIT, HEADS = next(one for one in SHARED if isinstance(one, Word) and one.code == "split"), BY_CODE["num_heads"]
#: Most numbers of a layer at another position of the slider. More would make the file slow to open.
MAX_NUMBERS = 1 << 20
#: Width in pixels of a page on a phone. Heatmaps are also drawn for this width.
NARROW = 350


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture on a page. `html` is the drawing. If `html` is "", JavaScript draws `data` in the way that `kind` names. `share`
    is the picture's fraction of the page's width."""

    alt: str
    html: str
    kind: str
    data: Any
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Frame:
    """The content of a page at one position of its controls: HTML around the pictures, and the query of the page's address."""

    texts: tuple[str, ...]
    pictures: tuple[Drawn, ...]
    query: str | None = None


#: Frames by convention (or "", if a page has only one) and number of heads.
Frames = Mapping[tuple[str, int], Frame]


def html_of(frames: Frames, first: tuple[str, int], themes: tuple[Theme, Theme], font: str, note: str = "", **parts: str) -> str:
    """Makes the HTML of a page. `first` is the key of the frame that is shown first. `themes` are a light and a dark theme.
    `note` is a sentence below the controls, and `parts` are further parts of page.html."""
    shown, several = frames[first], len(frames) > 1
    before, *others = shown.texts
    between = ["", *(f'<div class="text">{text}</div>' for text in others)]
    pictures = "".join(
        f'<section style="flex:1 1 calc({one.share:.0%} - 1rem)">{between[at]}'
        f'<figure class="picture" data-kind="{one.kind}">{one.html or f"<p>{escape(plain(one.alt))}</p>"}</figure>'
        f"<details><summary>In words</summary><p>{escape(one.alt)}</p></details></section>"
        for at, one in enumerate(shown.pictures)
    )
    alive = several or any(not one.html for one in shown.pictures)
    parts |= {
        "style": f"{_colours(themes, font)}{embedded(font)}{program.sheet(program.STAGE / 'stage.css') if alive else ''}"
        f"{program.sheet(OFFLINE / 'page.css')}{program.sheet(OFFLINE / 'controls.css') if several else ''}",
        "first": before, "pictures": pictures, "last": others[len(shown.pictures) - 1] if shown.pictures else "",
        "controls": _controls(frames, first, note) if several else "", "program": _program(frames, themes) if alive else "",
    }  # fmt: skip
    return re.sub(r"{{(\w+)}}", lambda found: parts.get(found[1], ""), (OFFLINE / "page.html").read_text(encoding="utf-8"))


def _program(frames: Frames, themes: tuple[Theme, Theme]) -> str:
    told = {
        f"{way} {heads}": {"query": one.query, "texts": one.texts, "alts": [each.alt for each in one.pictures],
                           "pictures": [each.data for each in one.pictures]}
        for (way, heads), one in frames.items()
    }  # fmt: skip
    kinds = {each.kind for one in frames.values() for each in one.pictures}
    instead = {
        "MARKUP": program.MARKUP, "OPEN": OPEN, "FRAMES": _packed(as_json(told).encode()),
        "PLOTLY": _plotly() if "chart" in kinds else "",
    }  # fmt: skip
    text = re.sub(r"/\*([A-Z]+)\*/", lambda mark: instead[mark[1]], program.joined(OFFLINE / "page.js"))
    stage = program.script(*themes).replace("export default function", "const mount = function", 1) if "stage" in kinds else ""
    return f"{stage}\n{text}"


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


@cache
def _plotly() -> str:
    return _packed(program.PLOTLY.read_bytes())


def _colours(themes: tuple[Theme, Theme], font: str) -> str:
    """Returns CSS variables with colours and font, under the names that the stage's JavaScript reads."""
    names = {"background-color": "background", "text-color": "ink", "primary-color": "ink", "panel": "panel", "line": "line"}
    light, dark = ("".join(f"--st-{name}:{getattr(theme, part)};" for name, part in names.items()) for theme in themes)
    either = f":root{{color-scheme:light dark}}@media(prefers-color-scheme:dark){{:root{{{dark}}}}}" if light != dark else ""
    return f":root{{--st-font:{FACES[font].css};{light}}}{either}"


def _controls(frames: Frames, first: tuple[str, int], note: str) -> str:
    ways, stops = (list(dict.fromkeys(key[part] for key in frames)) for part in (0, 1))
    choices = "".join(
        f'<label><input type="radio" name="split" value="{way}"{" checked" * (way == first[0])}><span>{label}</span></label>'
        for way, label in zip(SPLIT.choices, SPLIT.labels, strict=True)
        if way in ways
    )
    split = f"<fieldset><legend>{escape(SPLIT.label)}</legend>{choices}</fieldset>" if choices else ""
    return (
        f'<form id="controls">{split}'
        f'<label for="heads">{escape(HEADS.label)} <code>num_heads</code></label><output for="heads">{first[1]}</output>'
        f'<input id="heads" name="heads" type="range" min="0" max="{len(stops) - 1}" value="{stops.index(first[1])}">'
        f"<p>{escape(note)}</p></form>"
    )


def page(figure: Figure, request: Request, look: Style, here: Picture | None = None) -> bytes:
    """Makes the HTML file of a figure, with the pictures of `drawn`. `here` is the request's picture, if it exists already."""
    pictures, requests = drawn(figure, request, here), request.at_stops(figure.of_words)
    stamps = {count: stamp_of(figure, requests[count], look) for count in pictures}
    return document(pictures, request.cfg.num_heads, look, stamps)


def document(pictures: Mapping[int, Picture], here: int, look: Style, stamps: Mapping[int, str]) -> bytes:
    """Makes an HTML file from pictures by head count. The picture for `here` heads is shown first. Scenes and heatmaps have the
    light theme instead of print, because the browser cannot draw print's bars and hatching."""
    first = pictures[here]
    if look.theme == "print" and (first.is_scene or first.arranged is not None):
        look = replace(look, theme="light")
    frames = {
        ("", count): Frame(_words(picture, stamps[count], look), (_drawn(picture, look),)) for count, picture in pictures.items()
    }
    title, themes = escape(plain(first.title or first.alt)), (look.colours, look.colours)
    return html_of(frames, ("", here), themes, look.font, title=title, kind="file").encode()


def _words(picture: Picture, stamp: str, look: Style) -> tuple[str, str]:
    shown = [
        f"<{tag}>{as_html(text)}</{tag.partition(' ')[0]}>" if text and wanted else ""
        for tag, text, wanted in (
            ("h1", picture.title, look.title),
            ('p class="caption"', caption_of(picture, look), look.caption),
            ('p class="stamp"', stamp, look.stamp),
        )
    ]
    return shown[0], "".join(shown[1:])


def _drawn(picture: Picture, look: Style) -> Drawn:
    drawing = picture.drawing
    if isinstance(drawing, Scene):
        return Drawn(picture.alt, "", "stage", pack(drawing).decode("latin-1"))
    if isinstance(drawing, dict):
        return Drawn(picture.alt, "", "chart", _with_layouts(picture, look))
    made = diagram.as_svg(drawing.wide or drawing, Ink(look.colours, look.font))
    return Drawn(picture.alt, made, "svg", made)


def drawn(figure: Figure, request: Request, here: Picture | None = None) -> dict[int, Picture]:
    """Draws the figure for the request. A figure of the layer is also drawn for other head counts that are possible and small
    enough. `here` is the request's picture, if it exists already. Raises Unavailable if the request has no picture."""
    pictures = {}
    for count, at_stop in (request.at_stops(figure.of_words) if figure.of_layer else {request.cfg.num_heads: request}).items():
        present = at_stop.cfg == request.cfg
        if not present and numbers_kept(at_stop.cfg) > MAX_NUMBERS:
            continue
        try:
            pictures[count] = here if present and here else figure.draw(at_stop)
        except Unavailable:
            if present:
                raise
    return pictures


def _with_layouts(picture: Picture, look: Style) -> dict[str, Any]:
    """Returns the data of a Plotly figure and its layouts: for a wide page and, if it has heatmaps, for a phone."""
    narrow = [] if picture.arranged is None else [picture.arranged(NARROW, ANY_HEIGHT)]
    drawn = [in_theme(one, look.colours, FACES[look.font].css) for one in (picture.chart, *narrow)]
    return {"data": drawn[0]["data"], "layouts": [{"height": 400, **one["layout"], "title": None} for one in drawn]}
