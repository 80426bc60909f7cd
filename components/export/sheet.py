"""A figure on its sheet: title above, caption, legend and stamp below, all of it one SVG."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from components.export.figure import Figure, Picture
from components.export.look import LEAST_PT, LEAST_TYPE, MM, PAGE_MM, PT, Look
from components.export.request import Request
from components.figures import diagram, svg
from components.figures.diagram import Diagram
from components.figures.layout import Placed, left_of, place, text_width
from components.figures.numbers import plain
from components.figures.svg import Ink, px
from components.figures.text import FACES, embedded, width_of, wrap

#: Type in and around the figure, in pixels of the layout: usual, title, caption, legend, stamp; and the space between two lines.
USUAL, TITLE, CAPTION, LEGEND, STAMP, LEADING = 13, 19, 12.5, 12, 10, 1.32
#: Smallest layout of a sheet with both sides given, as the area it covers; it grows in steps until the figure fits.
LEAST_AREA, STEPS, STEP = 640 * 360, 64, 1.03
#: A chart's layout is as large on a slide as on a page of the app, so that its type is no smaller.
CHART_AREA, CHART_SHAPE = 860 * 484, 0.78
#: A chart that is higher than this keeps its height; pixels for the words around a chart on a slide.
TALL, WORDS = 520, 160

#: (a plain Plotly figure, width, height) → its SVG, `<svg …>` and all. Needs a browser.
Render = Callable[[dict, float, float], str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A finished page: `width` × `height` pixels of 1/96 inch; what it is called and shows; `note`: what to know of it."""

    svg: str
    width: float
    height: float
    title: str = ""
    description: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Frame:
    """The words of a sheet, broken into lines for its width."""

    title: list[str]
    caption: list[str]
    stamp: list[str]
    legend: list[str]
    stamp_size: float = STAMP

    @property
    def above(self) -> float:
        return len(self.title) * TITLE * LEADING + (10 if self.title else 0)

    @property
    def below(self) -> float:
        caption = len(self.caption) * CAPTION * LEADING + (8 if self.caption else 0)
        stamp = len(self.stamp) * self.stamp_size * LEADING + (6 if self.stamp else 0)
        return caption + stamp + (len(self.legend) * LEGEND * LEADING + 8 if self.legend else 0)


def stamp_of(figure: Figure, request: Request, look: Look) -> str:
    """Settings and link, in one line."""
    shown = request.on_words() if figure.of_words else request
    sizes = f"{shown.sizes_in_words()} · " if figure.of_layer else ""
    return f"{sizes}Headcount · {look.base}{figure.link(request)}"


def on_paper(picture: Picture, stamp: str, look: Look, render: Render) -> Sheet:
    """Lays the figure out so that it fills the sheet, and writes the look's title, caption and stamp around it."""
    size = look.format
    if size.height is None:
        return _in_column(picture, stamp, look, render)
    margin = 26
    width = _layout_width(picture, stamp, look, margin, size.height / size.width)
    height = width * size.height / size.width
    frame = _frame(picture, stamp, look, width - 2 * margin)
    room = max(height - frame.above - frame.below - 2 * margin, 40)
    body, _ = _content(picture, look, width - 2 * margin, room, render)
    return _sheet(picture, look, width, height, frame, body, room, margin)


def _in_column(picture: Picture, stamp: str, look: Look, render: Render) -> Sheet:
    """As wide as a column, and as high as it gets; where that is more than a page, with smaller type, down to the least."""
    size, margin, scale = look.format, 4, look.format.type_pt / (USUAL * PT)
    while True:
        width = size.width / scale
        frame = _frame(picture, stamp, look, width - 2 * margin, max(STAMP, LEAST_PT / (PT * scale)))
        body, high = _content(picture, look, width - 2 * margin, None, render)
        height = high + frame.above + frame.below + 2 * margin
        smaller = max(scale / STEP, LEAST_TYPE / (USUAL * PT))
        if height * scale <= PAGE_MM * MM or smaller >= scale:
            return _sheet(picture, look, width, height, frame, body, high, margin, scale)
        scale = smaller


def _frame(picture: Picture, stamp: str, look: Look, width: float, stamp_size: float = STAMP) -> Frame:
    caption = lowered(picture.caption or picture.alt)
    return Frame(
        wrap(picture.title, width, TITLE, look.font, bold=True) if look.title else [],
        wrap(caption, width, CAPTION, look.font) if look.caption else [],
        wrap(stamp, width, stamp_size, look.font) if look.stamp else [],
        svg.legend(picture.scene, Ink(look.colours, look.font), width, LEGEND) if picture.is_scene else [],
        stamp_size,
    )


def lowered(text: str) -> str:
    """Plain text in the language of labels: W_Q becomes W_{Q}."""
    return re.sub(r"\b([A-Za-z])_([A-Za-z]+)\b", r"\1_{\2}", text)


def _layout_width(picture: Picture, stamp: str, look: Look, margin: float, shape: float) -> float:
    """The smallest layout in which the figure fits: everything is then as large as the sheet allows. `shape`: height / width."""
    if isinstance(picture.drawing, Diagram):
        return _diagram_width(picture.drawing, picture, stamp, look, margin, shape)
    if picture.is_chart:
        return max(math.sqrt(CHART_AREA / shape), (chart_height(picture.chart) + WORDS) / shape)
    width = math.sqrt(LEAST_AREA / shape)
    for _ in range(STEPS):
        frame = _frame(picture, stamp, look, width - 2 * margin)
        room = width * shape - frame.above - frame.below - 2 * margin
        if place(picture.scene, width - 2 * margin, look.font).height <= room:
            break
        width *= STEP
    return width


def _content(picture: Picture, look: Look, width: float, room: float | None, render: Render) -> tuple[str, float]:
    """The figure in a box as wide as the sheet, and how high it is."""
    if isinstance(picture.drawing, Diagram):
        return _diagram(picture.drawing, look, width, room)
    if picture.is_chart:
        usual = chart_height(picture.chart)
        height = room or (usual if usual > TALL else min(usual, width * CHART_SHAPE))
        return render(picture.chart, width, height), height
    placed = place(picture.scene, width, look.font)
    right = _extent(placed, look.font)
    down = max(((room or 0) - placed.height) / 2, 0)
    drawn = svg.draw(picture.scene, placed, Ink(look.colours, look.font))
    return f'<g transform="translate({px((width - right) / 2)} {px(down)})">\n{drawn}\n</g>', placed.height


def _diagram_width(drawing: Diagram, picture: Picture, stamp: str, look: Look, margin: float, shape: float) -> float:
    """The smallest layout in which a schematic has its own size."""
    width = math.sqrt(LEAST_AREA / shape)
    for _ in range(STEPS):
        frame = _frame(picture, stamp, look, width - 2 * margin)
        room = width * shape - frame.above - frame.below - 2 * margin
        one = drawing.within(width - 2 * margin, room)
        if one.width <= width - 2 * margin and one.height <= room:
            break
        width *= STEP
    return width


def _diagram(drawing: Diagram, look: Look, width: float, room: float | None) -> tuple[str, float]:
    """In its own size; smaller where the sheet is too narrow for it, and in the middle of what is given."""
    one = drawing.within(width, room)
    scale = min(1.0, width / one.width, *([room / one.height] if room else []))
    down = max(((room or 0) - one.height * scale) / 2, 0)
    move = f"translate({px((width - one.width * scale) / 2)} {px(down)})" + (f" scale({scale:.4f})" if scale < 1 else "")
    return f'<g transform="{move}">\n{diagram.draw(one, Ink(look.colours, look.font))}\n</g>', one.height * scale


def chart_height(figure: dict) -> float:
    """As high as its page draws it: one with many lines cannot be low."""
    return float(figure["layout"].get("height", 360))


def _extent(placed: Placed, face: str) -> float:
    """How far to the right the figure reaches."""
    reached = [rect.x + rect.w for _, rect in (*placed.frames, *placed.blocks)]
    reached += [left_of(text, x, wide := text_width(text, face)) + wide for text, x, _ in placed.texts]
    return min(max(reached, default=placed.width) + 4, placed.width)


def _sheet(
    picture: Picture, look: Look, width: float, height: float, frame: Frame, body: str, high: float, margin: float,
    scale: float = 1.0,
) -> Sheet:
    """Everything at its place, on a page of `width` × `height` pixels of the layout. `scale`: what a pixel of the layout is on
    paper."""
    theme, ink = look.colours, Ink(look.colours, look.font)
    parts, y = [], margin
    for text in frame.title:
        y += TITLE * LEADING
        parts.append(svg.line(text, margin, y - TITLE * 0.35, TITLE, ink, fill=theme.ink, bold=True))
    parts.append(f'<g transform="translate({margin} {px(margin + frame.above)})">\n{body}\n</g>')
    y = margin + frame.above + high
    y += 8 if frame.legend else 0
    for line in frame.legend:
        y += LEGEND * LEADING
        parts.append(f'<g transform="translate({margin} {px(y - 4)})">{line}</g>')
    for lines, size, gap, fill in ((frame.caption, CAPTION, 8, theme.ink), (frame.stamp, frame.stamp_size, 6, theme.muted)):
        y += gap if lines else 0
        for text in lines:
            y += size * LEADING
            parts.append(svg.line(text, margin, y - size * 0.35, size, ink, fill=fill, more=_as_wide(text, size, look.font)))
    size = look.format
    unit, per = ("mm", MM) if size.mm else ("px", 1)
    shown = size.height if size.height is not None else height * scale
    # Without xml:space, librsvg drops a space that follows a lowered letter.
    names = 'xml:space="preserve" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    sides = f'width="{px(size.width / per)}{unit}" height="{px(shown / per)}{unit}"'
    box = f'viewBox="0 0 {px(width)} {px(height)}" font-family="{escape(FACES[look.font].css)}"'
    title, description = plain(picture.title or picture.alt), described(picture)
    words = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    ground = [f'<rect width="100%" height="100%" fill="{theme.background}"/>'] if look.background else []
    style = f"<defs><style>{embedded(look.font)}</style></defs>"
    page = "\n".join([f'<svg {names} {sides} {box} role="img">{words}{style}', *ground, *parts, "</svg>\n"])
    notes = (pictures_instead(picture), higher_than_a_page(shown) if size.mm else "")
    return Sheet(page, size.width, shown, title, description, " ".join(note for note in notes if note))


def higher_than_a_page(height: float) -> str:
    """A sentence on a sheet of that many pixels that no page holds; "" for any other."""
    if height <= PAGE_MM * MM:
        return ""
    return f"With {height / MM:.0f} mm it is higher than a page ({PAGE_MM:.0f} mm): choose a wider column or a smaller layer."


def _as_wide(text: str, size: float, font: str) -> str:
    """Keeps a line as wide as in the embedded font, in programs that ignore that font (Inkscape does)."""
    return f' textLength="{px(width_of(text, size, font))}" lengthAdjust="spacingAndGlyphs"'


def described(picture: Picture) -> str:
    """The figure in words; and where its cells are pictures, that they are."""
    if picture.is_scene and not svg.is_vector(picture.scene):
        return f"{picture.alt} {pictures_instead(picture)}"
    return picture.alt


def pictures_instead(picture: Picture) -> str:
    """A sentence on a figure that has too many cells for rectangles; "" for any other."""
    if not picture.is_scene or svg.is_vector(picture.scene):
        return ""
    return (
        f"With {svg.cell_count(picture.scene):,} cells (rectangles up to {svg.MOST_VECTOR_CELLS:,}), "
        "cells are embedded pictures; text and frames are vectors."
    )
