"""Sheets: one SVG with a figure, its title above, and its legend, caption and stamp below."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from headcount.export.figure import Figure, Picture
from headcount.export.request import Request, Unavailable
from headcount.export.style import COLOUR_WORDS, LEAST_PX, MM, SIZES, Size, Style
from headcount.plots.recolour import in_theme
from headcount.stage import diagram, heatmaps_svg, svg
from headcount.stage.diagram import Diagram
from headcount.stage.layout import TOKEN, arranged, left_of, legible, place, text_width
from headcount.stage.numbers import plain
from headcount.stage.scene import Scene, Text
from headcount.stage.svg import Ink, px
from headcount.stage.text import FACES, embedded, wrap

#: Pixels of the title's font, and of the font of all else; LEADING: height of a line relative to its font size.
TITLE, SMALL, LEADING = 19, LEAST_PX, 1.32
#: The fraction of a line's width that text may fill, because programs that ignore the embedded font may use a wider one.
FILLED = 0.85
#: Pixels around the sheet; a chart's largest height relative to its width, and its least relative to that on its page.
MARGIN, CHART_SHAPE, LOWEST = 10, 0.78, 0.74
#: The largest height in pixels of a sheet without a limit on its height.
ANY_HEIGHT = 4000.0
#: Width in pixels below which a chart's legend has a line for each name, and the height of such a line.
BROKEN_BELOW, LINE = 500, 20
#: Pixels of the smallest cell that has room for a label at its row.
ROW = TOKEN["cell_from"]
#: Placeholder for a chart in the SVG of a sheet, until Plotly has drawn the chart.
CHART = '<g class="chart"/>'


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet of `width` × `height` pixels of 1/96 inch. `note` is a remark for the user. `chart` is a Plotly figure that must
    still be drawn. Its drawing replaces CHART in `svg`."""

    svg: str
    width: float
    height: float
    title: str = ""
    description: str = ""
    note: str = ""
    chart: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """Lines of text with a font `size` and a `gap` above, in pixels. If the colour `fill` is "", the lines are SVG."""

    lines: list[str]
    size: float
    gap: float
    fill: str

    @property
    def height(self) -> float:
        return len(self.lines) * self.size * LEADING + self.gap if self.lines else 0.0

    def drawn(self, top: float, ink: Ink, bold: bool = False) -> Iterator[str]:
        for number, text in enumerate(self.lines, start=1):
            y = top + number * self.size * LEADING
            if self.fill:
                yield svg.line(text, MARGIN, y - self.size * 0.35, self.size, ink, fill=self.fill, bold=bold)
            else:
                yield f'<g transform="translate({MARGIN} {px(y - 4)})">{text}</g>'


@dataclass(frozen=True, slots=True)
class Body:
    """A figure on a sheet, with its size in pixels. `scale` enlarges `svg` to this size. Plotly must still draw `chart`."""

    svg: str
    width: float
    height: float
    chart: dict[str, Any] | None = None
    scale: float = 1.0


def stamp_of(figure: Figure, request: Request, look: Style) -> str:
    """Returns a sheet's stamp: the settings of the layer and the link. The link is left out if its page has other numbers."""
    shown = request.on_words() if figure.of_trained else request
    sizes = f"{shown.sizes_in_words()} · " if figure.of_layer else ""
    if request.reading is not None and not figure.of_trained:  # in a set; its page has other numbers
        return f"{sizes}Headcount"
    return sizes + signed(look.base + figure.link(request))


def signed(link: str) -> str:
    """Returns the app's name and the picture's address. An address "/" is left out: it leads nowhere without a server's name."""
    return "Headcount" if link == "/" else f"Headcount · {link}"


def on_paper(picture: Picture, stamp: str, look: Style, anyway: bool = False) -> Sheet:
    """Makes the sheet of a picture. A slide has no caption and stamp if these do not fit. If the picture is not legible, raises
    Unavailable, which says what to choose. With `anyway`, an illegible picture is drawn nevertheless."""
    if (page := _sheet(picture, stamp, look)) is not None:
        return page
    bare = replace(look, caption=False, stamp=False)
    if look.format.is_slide and (page := _sheet(picture, stamp, bare)) is not None:
        return replace(page, note="On a slide the caption has no room.")
    if anyway and (page := _sheet(picture, stamp, look, anyway)) is not None:
        return page
    others = (name for name in SIZES if _sheet(picture, stamp, replace(look, size=name)) is not None)
    if (other := next(others, None)) is None:
        raise Unavailable("This figure is legible in no size with these settings. Choose a smaller layer, or take HTML.")
    raise Unavailable(f"This figure is not legible as a {look.layout} with these settings. Take the size {other}.")


def _sheet(picture: Picture, stamp: str, look: Style, anyway: bool = False) -> Sheet | None:
    """Makes the sheet. Returns None if the figure is not legible in this size. If `anyway`, an illegible figure is drawn, too."""
    size, theme = look.format, look.colours
    width, ink = size.width / size.scale, Ink(theme, look.font, LEAST_PX)
    title, *below = _words(picture, stamp, look, inside := width - 2 * MARGIN)
    under = sum(words.height for words in below)
    room = ANY_HEIGHT if anyway else size.most_high - 2 * MARGIN - title.height - under
    if room <= 0 or (body := _body(picture, look, inside, room, anyway)) is None:
        return None
    high = room if size.is_slide else body.height
    left, top = MARGIN + (inside - body.width) / 2, MARGIN + title.height + (high - body.height) / 2
    # Whole pixels, because a screenshot that ends within a pixel is not always the same.
    height = math.floor((high + title.height + under + 2 * MARGIN) * size.scale + 1e-6) / size.scale
    low = MARGIN + title.height + high
    move = f"translate({px(left)} {px(top)})" + f" scale({body.scale:.4f})" * (body.scale != 1)
    parts = [*title.drawn(MARGIN, ink, bold=True), f'<g transform="{move}">\n{body.svg}\n</g>']
    for some in below:
        parts += some.drawn(low + some.gap, ink)
        low += some.height
    unit, per = ("px", 1) if size.is_slide else ("mm", MM)
    # Without xml:space, librsvg drops a space that follows a lowered letter.
    names = 'xml:space="preserve" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    sides = f'width="{px(size.width / per)}{unit}" height="{px(height * size.scale / per)}{unit}"'
    box = f'viewBox="0 0 {px(width)} {px(height)}" font-family="{escape(FACES[look.font].css)}"'
    named, description = plain(picture.title or picture.alt), picture.alt
    words = f"<title>{escape(named)}</title><desc>{escape(description)}</desc>"
    ground = [f'<rect width="100%" height="100%" fill="{theme.background}"/>'] if look.background else []
    style = f"<defs><style>{embedded(look.font)}</style></defs>"
    page = "\n".join([f'<svg {names} {sides} {box} role="img">{words}{style}', *ground, *parts, "</svg>\n"])
    return Sheet(page, size.width, height * size.scale, named, description, chart=body.chart)


def _words(picture: Picture, stamp: str, look: Style, width: float) -> Iterator[Words]:
    """Yields the title, which is above the figure, then legend, caption and stamp, which are below."""
    theme, full = look.colours, FILLED * width
    size = TITLE * (1.4 if look.format.is_slide else 1)
    title = wrap(picture.title, full, size, look.font, bold=True, whole_sizes=True) if look.title else []
    yield Words(title, size, 10, theme.ink)
    yield Words(svg.legend(picture.scene, Ink(theme, look.font), width, SMALL) if picture.is_scene else [], SMALL, 8, "")
    caption = wrap(caption_of(picture, look), full, SMALL, look.font, whole_sizes=True) if look.caption else []
    yield Words(caption, SMALL, 8, theme.ink)
    yield Words(wrap(stamp, full, SMALL, look.font) if look.stamp else [], SMALL, 6, theme.muted)


def caption_of(picture: Picture, look: Style) -> str:
    """Returns the caption, followed by sentences on what the colours mean."""
    kinds = {"line" if isinstance(picture.drawing, Diagram) else "head"} if picture.by_head else set()
    if picture.is_scene:
        kinds |= {"share" if scale == "share" else "signed" for scale in picture.scene.scales}
        kinds |= {"pale"} if any(block.pale for block in picture.scene.blocks) else set()
    elif picture.arranged is not None:
        figure = picture.chart
        kinds |= {heatmaps_svg.scale_of(figure["layout"]["coloraxis"])} if heatmaps_svg.has_cells(figure) else set()
        kinds |= {"pale"} if len(figure["data"]) > len(heatmaps_svg.maps_of(figure)) else set()
    said = (sentence for kind, sentence in COLOUR_WORDS[look.theme].items() if kind in kinds)
    return lowered(" ".join([picture.caption or picture.alt, *said]))


def lowered(text: str) -> str:
    """Converts plain text to the markup of labels: "W_Q" becomes "W_{Q}"."""
    return re.sub(r"\b([A-Za-z])_([A-Za-z]+)\b", r"\1_{\2}", text)


def _body(picture: Picture, look: Style, width: float, room: float, anyway: bool) -> Body | None:
    """Draws the figure in `width` × `room` pixels. Returns None if it is not legible. If `anyway`, draws it even then."""
    ink, size = Ink(look.colours, look.font, LEAST_PX), look.format
    if picture.is_scene:
        return _scene(picture.scene, ink, size, width, room, anyway)
    if isinstance(picture.drawing, Diagram):
        drawn = picture.drawing.within(width, room if size.is_slide else None)
        least = LEAST_PX / min(diagram.size_in(text, look.font) for text in drawn.of(Text))  # below 1 but in a wider font
        scale = min(width / drawn.width, room / drawn.height, *([] if size.is_slide else [max(least, 1.0)]))
        if scale < least - 0.001 and not anyway:
            return None
        return Body(diagram.draw(drawn, ink), drawn.width * scale, drawn.height * scale, scale=scale)
    if picture.arranged is not None:
        figure = in_theme(picture.arranged(width, room - 1), look.colours, FACES[look.font].css)
        layout = figure["layout"]
        if not anyway and (layout["height"] > room or not heatmaps_svg.legible(figure, look.font)):
            return None
        return Body(heatmaps_svg.draw(figure, ink), heatmaps_svg.width_of(figure), layout["height"])
    lines = sum(bool(trace.get("name")) for trace in picture.chart["data"]) if width < BROKEN_BELOW else 0
    usual = float(picture.chart["layout"].get("height", 360)) + LINE * lines
    high = min(room, width * CHART_SHAPE) if size.is_slide else usual
    if not anyway and (high > room or high < usual * LOWEST):
        return None
    chart = in_theme(picture.chart, look.colours, FACES[look.font].css)
    chart["layout"] |= {"title": None, "width": round(width), "height": round(high)}
    return Body(CHART, width, high, chart)


def _scene(scene: Scene, ink: Ink, size: Size, width: float, room: float, anyway: bool) -> Body | None:
    """Draws a scene with cells of the usual size, or with smaller cells if the scene is too high. On a slide, it is as large as
    possible. Returns None if the scene is not legible. If `anyway`, draws it even then."""
    if size.is_slide:
        scene = replace(scene, max_cell=size.most_high)
    least = max((LEAST_PX if block.col_labels else ROW if block.row_labels else 0 for block in scene.blocks), default=0)
    scene = replace(scene, min_cell=max(scene.min_cell, least))  # fewer panels side by side, rather than cells without words
    if scene.narrow and width > size.most_high / 2:  # a table whose words have room stays one
        scene = replace(scene, min_cell=0)
    for _ in range(3):  # the height is that of the cells and of what keeps its size: the first step finds it, if no line breaks
        cell, lines, high, *_ = arranged(scene, width, ink.face)
        cells = sum(max(panel.height.cells for panel in line.panels) for line in lines)
        if high <= room or not cells:
            break
        smaller = max(cell - (high - room) / cells, 0.01)
        scene = replace(scene, max_cell=smaller, min_cell=min(scene.min_cell, smaller))
    placed = place(scene, width, ink.face)
    if not anyway and (placed.height > room or not legible(placed, scene, ink.face, LEAST_PX)):
        return None
    reached = [rect.x + rect.w for _, rect in (*placed.frames, *placed.blocks)]
    reached += [left_of(text, x, wide := text_width(text, ink.face)) + wide for text, x, _ in placed.texts]
    return Body(svg.draw(scene, placed, ink), min(max(reached) + 4, width), placed.height)
