"""An HTML file that works without network or server: the pictures of the app with hover texts, and a slider for the heads."""

import base64
import re
import zlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from html import escape
from typing import Any

from headcount.assets import ASSETS
from headcount.cost import numbers_kept
from headcount.export.figure import Figure, Picture
from headcount.export.request import Request, Unavailable
from headcount.export.sheet import ANY_HEIGHT, caption_of, stamp_of
from headcount.export.style import Style
from headcount.plots.recolour import in_theme
from headcount.stage import diagram, program
from headcount.stage.diagram import Diagram
from headcount.stage.numbers import plain
from headcount.stage.plotly_json import as_json
from headcount.stage.svg import Ink
from headcount.stage.text import FACES, embedded
from headcount.stage.theme import Theme
from headcount.stage.wire import Slider, pack

OFFLINE = ASSETS / "offline"
#: Most numbers of a layer at another stop of the slider. More would make the file slow to open.
MAX_NUMBERS = 1 << 20
#: Widths in pixels of narrower pages for which heatmaps are also arranged.
NARROWER = (350,)


def page(figure: Figure, request: Request, look: Style) -> bytes:
    """Makes the whole file of a figure, with a picture for every head count that has one."""
    pictures, requests = drawn(figure, request), request.at_stops(figure.of_words)
    stamps = {count: stamp_of(figure, requests[count], look) for count in pictures}
    return document(pictures, request.cfg.num_heads, look, stamps)


def document(pictures: Mapping[int, Picture], here: int, look: Style, stamps: Mapping[int, str]) -> bytes:
    """Makes a file of pictures by head count; `here` is the first on screen.

    In print, greys need bars and hatching. The stage and Plotly's maps have neither, so they take the colours of the light theme.
    """
    first = pictures[here]
    if look.theme == "print" and (first.is_scene or first.arranged is not None):
        look = replace(look, theme="light")
    stops = [
        {
            "value": count, "here": count == here, "title": picture.title if look.title else "",
            "caption": caption_of(picture, look) if look.caption else "", "stamp": stamps[count] if look.stamp else "",
        }
        for count, picture in pictures.items()
    ]  # fmt: skip
    theme = look.colours
    if first.is_scene:
        parts = _scene(pictures, here, theme)
    else:
        parts = _charts(pictures, here, look) if first.is_chart else _drawings(list(pictures.values()), look)
    words = program.joined(OFFLINE / "page.js").replace("/*STOPS*/[]", _json(stops), 1)
    parts["start"] = f"{words}\n{parts['start']}"
    parts |= {"title": escape(plain(first.title or first.alt)), "style": _style(theme, look.font)}
    return re.sub(r"{{(\w+)}}", lambda found: parts[found[1]], (OFFLINE / "page.html").read_text()).encode()


def drawn(figure: Figure, request: Request) -> dict[int, Picture]:
    """Draws the picture for every head count that has one. Raises Unavailable if the present head count has none."""
    pictures = {}
    for count, at_stop in (request.at_stops(figure.of_words) if figure.of_layer else {request.cfg.num_heads: request}).items():
        if at_stop.cfg != request.cfg and numbers_kept(at_stop.cfg) > MAX_NUMBERS:
            continue
        try:
            pictures[count] = figure.draw(at_stop)
        except Unavailable:
            if at_stop.cfg == request.cfg:
                raise
    return pictures


def _scene(pictures: Mapping[int, Picture], here: int, theme: Theme) -> dict[str, str]:
    """Returns the parts of a page with scenes: markup, program and start. The page has a slider of its own."""
    others = {count: picture.scene for count, picture in pictures.items() if count != here}
    data = pack(pictures[here].scene, Slider(here, others))
    start = program.joined(OFFLINE / "scene.js").replace('/*DATA*/""', f'"{base64.b64encode(data).decode()}"', 1)
    code = program.script(theme, theme).replace("export default function", "const mount = function", 1)
    return {"body": program.MARKUP, "program": code, "start": start}


def _charts(pictures: Mapping[int, Picture], here: int, look: Style) -> dict[str, str]:
    """Gives Plotly with all figures, and the words shown until it is unpacked, or if a browser cannot unpack it."""
    figures = [_with_layouts(picture, look) for picture in pictures.values()]
    start = program.joined(OFFLINE / "chart.js").replace("/*FIGURES*/[]", _json(figures), 1)
    said = f"<p>{escape(plain(pictures[here].alt))}</p>"
    return {"body": said, "program": f'{program.joined(program.SHARED)}\nconst packed = "{_plotly()}";', "start": start}


def _with_layouts(picture: Picture, look: Style) -> dict[str, Any]:
    """Gives the figure's data and layout, and for heatmaps the changes on narrower pages, the widest first. The page has the
    title."""
    narrower = [] if picture.arranged is None else [picture.arranged(width, ANY_HEIGHT) for width in NARROWER]
    drawn = [in_theme(one, look.colours, FACES[look.font].css) for one in (picture.chart, *narrower)]
    first, *others = ({"height": 400, **one["layout"], "title": None} for one in drawn)
    changes = [{name: part for name, part in other.items() if part != first[name]} for other in others]
    return {"data": drawn[0]["data"], "layouts": [first, *changes]}


@cache
def _plotly() -> str:
    """Returns Plotly.js, compressed to one and a half megabytes, in base64. The page unpacks it."""
    return base64.b64encode(zlib.compress(program.PLOTLY.read_bytes(), 9)).decode()


def _drawings(pictures: list[Picture], look: Style) -> dict[str, str]:
    """Draws schematics as SVG, one for each place of the slider."""
    ink = Ink(look.colours, look.font)
    shown = [one.drawing.wide or one.drawing for one in pictures if isinstance(one.drawing, Diagram)]
    drawn = [diagram.as_svg(one, ink) for one in shown]
    return {
        "body": "",
        "program": program.joined(program.SHARED),
        "start": program.joined(OFFLINE / "drawing.js").replace("/*DRAWINGS*/[]", _json(drawn), 1),
    }


def _style(theme: Theme, font: str) -> str:
    names = {"background-color": theme.background, "text-color": theme.ink, "primary-color": theme.ink}
    root = "".join(f"--st-{name}:{value};" for name, value in (names | {"font": FACES[font].css}).items())
    return f":root{{{root}}}\n{embedded(font)}\n{program.sheet(program.STAGE / 'stage.css')}"


def _json(value: list) -> str:
    """Writes JSON for the inside of a script element, in which no tag can end the script."""
    return as_json(value, packed=False).replace("<", "\\u003c")
