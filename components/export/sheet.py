"""A figure on its sheet: title above, caption, legend and stamp below, all of it one SVG."""

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import product
from typing import Any

from components.export.figure import Figure, Picture
from components.export.look import COLOUR_WORDS, LEAST_PT, LEAST_TYPE, MM, PAGE_MM, PT, Look, Size
from components.export.request import Request, Unavailable
from components.plots.heatmaps import NARROW, TICK, map_width, smallest_gap
from components.plots.layer import MAX_MAPS
from components.plots.theme import in_theme
from components.stage import diagram, svg
from components.stage.diagram import Diagram
from components.stage.layout import PANEL, arranged, left_of, place, text_width, words_shown
from components.stage.numbers import plain
from components.stage.pictures.start_page import LEAST_TALL, without_ghost
from components.stage.scene import Scene, Text
from components.stage.svg import Ink, px
from components.stage.text import FACES, embedded, wrap

#: Type in and around the figure, in pixels of the layout: usual, title, also on a slide, caption, legend, stamp; and the space
#: between two lines.
USUAL, TITLE, SLIDE_TITLE, CAPTION, LEGEND, STAMP, LEADING = 13, 19, 17, 12.5, 12, 10, 1.32
#: How much of a line is filled with words, and with bold ones: programs that ignore the embedded font (text.FACES) take one that
#: is up to so much wider.
FILLED, FILLED_BOLD = 0.9, 0.82
#: On a slide, pixels of the layout: the smallest type, that of a table's cards, and how much smaller words beside cells may be.
SMALLEST, TABLE_TYPE, WORDS_SMALLER = 12, 14, 0.75
#: Pixels of the layout of words at maps on a screen.
LEAST_ON_SCREEN = 8
#: Pixels of the longer side of a figure's smallest map, or of its highest panel's matrices: so few that words around the figure
#: are left out; so few that panels are; as few as can be read.
ROOMY, SMALL, LEAST = 150, 80, 32
#: Smallest layout of a sheet with both sides given, as the area it covers; how much it grows at a time, and how often: first so
#: far that type is no smaller than on other sheets.
LEAST_AREA, STEP, FEWER_STEPS, STEPS = 640 * 360, 1.03, 22, 64
#: A chart's layout is as large on a slide as on a page of the app, so that its type is no smaller.
CHART_AREA, CHART_SHAPE = 860 * 484, 0.78
#: A chart that is higher than this keeps its height; pixels for the words around a chart; how much of a slide it has at least.
TALL, WORDS, CHART_SHARE = 520, 160, 0.6
#: How much larger than its own size a schematic may be.
LARGER = 1.5
#: How much lower than on its page a chart with many lines may be: then there are 14 pixels for type of 12.
LOWEST = 0.74
#: The place of a chart in its sheet's SVG, until Plotly has drawn it.
CHART = '<g class="chart"/>'


@dataclass(frozen=True, slots=True)
class Sheet:
    """A finished page: `width` × `height` pixels of 1/96 inch; what it is called and shows; `note`: what to know of it.
    `chart`: a plain figure that Plotly draws where its SVG has CHART; `layout`: pixels of the layout's width."""

    svg: str
    width: float
    height: float
    title: str = ""
    description: str = ""
    note: str = ""
    chart: dict[str, Any] | None = None
    layout: float = 0.0


@dataclass(frozen=True, slots=True)
class Words:
    """Lines of type of one size beside a figure, broken for its width, and pixels between the two. `fill`: their colour, "" where
    they are SVG."""

    lines: list[str]
    size: float
    gap: float
    fill: str

    @property
    def height(self) -> float:
        return len(self.lines) * self.size * LEADING + self.gap if self.lines else 0.0

    def drawn(self, x: float, top: float, ink: Ink, bold: bool = False) -> Iterator[str]:
        """SVG of the lines below `top`."""
        for number, text in enumerate(self.lines, start=1):
            y = top + number * self.size * LEADING
            if self.fill:
                yield svg.line(text, x, y - self.size * 0.35, self.size, ink, fill=self.fill, bold=bold)
            else:
                yield f'<g transform="translate({x} {px(y - 4)})">{text}</g>'


@dataclass(frozen=True, slots=True)
class Try:
    """A way to lay a figure out: in the one of `widths` (pixels of the layout) in which it becomes largest. `enough`: how large
    it is at least; `named`: all words beside cells have room. `left`: what is left out."""

    picture: Picture
    stamp: str
    look: Look
    widths: Sequence[float]
    enough: float = 0.0
    named: bool = False
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """How a figure fits into a layout `width` pixels wide: the words above and below it, the height that they leave, and how
    large it is (pixels of a matrix). `unnamed`: words beside its cells have no room."""

    picture: Picture
    width: float
    title: Words
    below: Sequence[Words]
    room: float
    large: float
    unnamed: bool


def stamp_of(figure: Figure, request: Request, look: Look) -> str:
    """Settings and link, in one line."""
    shown = request.on_words() if figure.of_trained else request
    sizes = f"{shown.sizes_in_words()} · " if figure.of_layer else ""
    if request.reading is not None and not figure.of_trained:  # in a set; its page has other numbers
        return f"{sizes}Headcount"
    return sizes + signed(look.base + figure.link(request))


def signed(link: str) -> str:
    """The app's name, and the address that shows the picture. That of the first page of a server which has no name leads nowhere,
    and is left out."""
    return "Headcount" if link == "/" else f"Headcount · {link}"


def on_paper(picture: Picture, stamp: str, look: Look, layout: float = 0.0) -> Sheet:
    """Lays the figure out so that it fills the sheet, and writes the look's title, caption and stamp around it. `layout`: pixels
    of the width of the layout, where that is not to be chosen."""
    size = look.format
    if not size.on_paper and picture.fewer is not None:
        picture = picture.fewer
    tries = _on_slide if size.least_pt else _in_column if size.on_paper else _on_screen
    for one in tries(picture, stamp, look):
        found = [fit for width in ([layout] if layout else one.widths) if (fit := _fit(one, width)) is not None]
        if found:
            return _sheet(one, max(found, key=lambda fit: fit.large / fit.width))
    raise AssertionError(f"{picture.title!r} fits on no sheet")


def _on_screen(picture: Picture, stamp: str, look: Look) -> Iterator[Try]:
    """Ways to lay a figure out on a sheet with both sides given, the best first: as large as it gets."""
    shape = (look.format.height or 0) / look.format.width
    steps = [math.sqrt(LEAST_AREA / shape) * STEP**step for step in range(STEPS)]
    if picture.is_chart:
        steps = [max(math.sqrt(CHART_AREA / shape), (chart_height(picture.chart) + WORDS) / shape)]
    for widths, enough in ((steps[:FEWER_STEPS:3], LEAST), (steps[::3], 0.0)):
        for one, left in _with_fewer(picture, picture.caption or picture.alt, look) if picture.arranged else [(picture, ())]:
            yield from (Try(one, stamp, look, widths, enough, named, left) for named in (True, False))
    yield Try(picture, stamp, look, steps[-1:], -math.inf)


def _in_column(picture: Picture, stamp: str, look: Look) -> Iterator[Try]:
    """Ways to lay a figure out in a column, the best first: with type of the size that was asked for; where a page is too low for
    that, with smaller cells, then type, down to the least, and last with fewer panels."""
    size, least = look.format, LEAST_TYPE / (USUAL * PT)
    scales = [size.type_pt / (USUAL * PT)]
    while scales[-1] > least:
        scales.append(max(scales[-1] / STEP, least))
    for one, left in _with_fewer(picture, picture.caption or picture.alt, look):
        if _fit(Try(one, stamp, look, (), LEAST), size.width / least) is None:
            continue
        for enough, named in ((LEAST, True), (ROOMY, False), (LEAST, False)):
            yield from (Try(one, stamp, look, [size.width / scale], enough, named, left) for scale in scales)
    yield Try(picture, stamp, look, [size.width / scales[-1]], -math.inf)


def _on_slide(picture: Picture, stamp: str, look: Look) -> Iterator[Try]:
    """Ways to lay a figure out so that the smallest type is as large as a hall needs, the best first: with the first sentence of
    its caption; below its title alone; with fewer panels."""
    size, is_table = look.format, picture.is_scene and bool(picture.scene.narrow)
    least = SMALLEST * size.width * PT / size.least_pt
    first = re.split(r"(?<=[.;])\s", picture.caption, maxsplit=1)[0].rstrip(".:;")
    missing = (*["the line of settings"] * look.stamp, *["the caption"] * (look.caption and bool(first)))
    bare = replace(look, stamp=False, caption=False)
    if not is_table and not picture.arranged:
        worded = replace(picture, caption=f"{first}." if first else "")
        yield Try(worded, stamp, replace(look, caption=look.caption and bool(first)), [least], ROOMY, True)
    widths = [least * TABLE_TYPE / SMALLEST if is_table else least]
    small = LEAST if is_table else SMALL
    for enough, named in (*[(small, True)] * (not picture.is_chart), (small, False), (LEAST, False)):
        for one, left in _with_fewer(picture, "", look):
            counted = replace(bare, caption=look.caption and bool(left) and not is_table)
            if not (named and left):
                yield Try(one, stamp, counted, widths, enough, named, (*left, *missing))
    if is_table:
        yield Try(picture, stamp, bare, widths, left=missing)
    if picture.is_scene:
        raise Unavailable("At these sizes a slide has no room for it. Choose the size screen, or a smaller layer.")
    sans = replace(bare, font="sans")  # boxes are made for this font
    widths = [least * STEP**step for step in range(1 if picture.is_chart else STEPS)]
    yield Try(picture, stamp, sans, widths, left=(*missing, *[f"the font {look.font}"] * (look.font != "sans")))


def _with_fewer(picture: Picture, said: str, look: Look) -> Iterator[tuple[Picture, tuple[str, ...]]]:
    """The picture with `said` for a caption; then with ever fewer panels, and what is left out, which the caption says, too."""
    if picture.is_scene:
        for scene, left in _fewer(picture.scene, picture.panels):
            yield replace(picture, drawing=scene, caption=f"{said} {_left_out(left, look)}".strip()), left
        return
    for most in sorted({min(picture.panels, MAX_MAPS), *(n for n in (8, 6, 4, 2, 1) if n < picture.panels)}, reverse=True):
        left = (f"{picture.panels - most} of {picture.panels} panels",) if most < picture.panels else ()
        yield replace(picture, panels=most, caption=f"{said} {_left_out(left, look)}".strip()), left


def _left_out(left: Sequence[str], look: Look) -> str:
    why = " for large type" if look.format.least_pt else ", so that it fits on a page" if look.format.on_paper else ""
    return f"Left out{why}: {' and '.join(left)}." if left else ""


def _fewer(scene: Scene, panels: int) -> Iterator[tuple[Scene, tuple[str, ...]]]:
    """The scene; then with fewer panels, where each of its `panels` says something alone; of a table with fewer columns, but with
    the first and the chosen one."""
    yield scene, ()
    if scene.narrow:
        chosen = next((place for row in scene.rows for place, panel in enumerate(row) if panel.on), 1)
        columns = [*range(every := len(scene.rows[0]))]
        while len(columns) > 2 + (chosen > 1):
            columns.remove(max(place for place in columns if place != chosen))
            rows = tuple(tuple(row[place] for place in columns) for row in scene.rows)
            narrow = tuple(scene.narrow[place] for place in columns)
            yield replace(scene, rows=rows, narrow=narrow), (f"{every - len(columns)} of {every} panels",)
    for most in range(panels - 1, 0, -1):
        yield replace(scene, rows=(scene.rows[0][:most],)), (f"{panels - most} of {panels} panels",)


def _margin(size: Size) -> float:
    return 4 if size.on_paper else 10 if size.least_pt else 26


def _least(size: Size, width: float) -> float:
    """Pixels of the smallest type in a layout that is so wide; words beside cells may be smaller."""
    return SMALLEST if size.least_pt else LEAST_PT / PT * width / size.width if size.on_paper else 0.0


def _fit(one: Try, width: float) -> Found | None:
    """The figure in a layout that is `width` pixels wide; None where it has not enough room there."""
    picture, look, size = one.picture, one.look, one.look.format
    inside, least = width - 2 * _margin(size), _least(size, width)
    title, *below = _words(picture, one.stamp, look, inside, max(STAMP, least))
    high = (size.height or PAGE_MM * MM) * width / size.width
    room = high - 2 * _margin(size) - title.height - sum(words.height for words in below)
    least *= WORDS_SMALLER if size.least_pt else 1
    large, unnamed = math.inf, False
    if picture.is_scene:
        drawn = [
            scene
            for way in _arrangements(picture.scene, bool(size.least_pt and one.enough))
            if (scene := _largest(way, look.font, inside, room)) is not None
        ]
        if not drawn and one.enough >= 0:
            return None
        drawn = drawn or [replace(picture.scene, max_cell=LEAST_CELL, min_cell=LEAST_CELL)]
        cell, scene = max(((arranged(scene, inside, look.font)[0], scene) for scene in drawn), key=lambda pair: pair[0])
        picture, large = replace(picture, drawing=scene), cell * _side(scene)
        unnamed = not words_shown(place(scene, inside, look.font), look.font, least)
    elif isinstance(picture.drawing, Diagram):
        drawn = picture.drawing.within(inside, None if size.on_paper else room)
        scale = min(1.0 if size.on_paper else LARGER, inside / drawn.width, room / drawn.height)
        smallest = scale * min(diagram.size_in(text, look.font) for text in drawn.of(Text))
        if smallest < (SMALLEST if size.least_pt else 0) - 0.01:
            return None
        large = min(scale, 1.0) * ROOMY
    elif picture.arranged is not None:
        words = least or LEAST_ON_SCREEN
        picture, large = _maps_in(picture, inside, room, words, size.on_paper)
    elif size.on_paper or size.least_pt:
        large = math.inf if room >= (chart_height(picture.chart) * LOWEST if size.on_paper else CHART_SHARE * high) else 0.0
    return None if large < one.enough or (one.named and unnamed) else Found(picture, width, title, below, room, large, unnamed)


#: Sizes of cells that are tried, as parts of that of the page; a size that no cell has.
SIZES, ALWAYS = tuple(0.93**step for step in range(110)), 1000.0
#: Pixels of a cell where nothing fits: the sheet is higher than it should be, and says so.
LEAST_CELL = 0.5


def _arrangements(scene: Scene, is_wide: bool) -> Sequence[Scene]:
    """The scene; a table as on a wide page, without ghosts where sheets are too small for their words, and else as on a narrow
    page."""
    if not scene.narrow:
        return (scene,)
    rows = tuple(tuple(map(without_ghost, row)) for row in scene.rows)
    least = min(scene.min_cell, LEAST_TALL / max(block.h for block in scene.blocks))
    wide = (scene, replace(scene, rows=rows, min_cell=least))
    return wide if is_wide else (*wide, replace(scene, rows=scene.narrow, min_cell=ALWAYS))


def _largest(scene: Scene, face: str, width: float, room: float) -> Scene | None:
    """The scene with the largest cells with which it fits. None where it does not."""
    table = scene.min_cell if scene.narrow else 0.0

    def fits(one: Scene) -> bool:
        _, lines, height = arranged(one, width, face)
        across = max(sum(line.columns) + (len(line.columns) - 1) * PANEL["narrow"] for line in lines)
        as_asked = not one.narrow or (lines[0].panels[0].id == one.rows[0][0].id and across <= width)
        return height <= room and as_asked

    def way(size: float) -> Scene:
        cell = max(scene.max_cell * size, 0.0 if table == ALWAYS else table)
        return replace(scene, max_cell=cell, min_cell=table or cell)

    # Each leaves more room; mostly the first one fits.
    first = 0 if fits(way(SIZES[0])) else bisect_left(SIZES, True, lo=1, key=lambda size: fits(way(size)))
    return way(SIZES[first]) if first < len(SIZES) else None


def _side(scene: Scene) -> float:
    """The longer side of the smallest map, in cells; where there is none, the height of the highest panel."""
    numbers = [(block, scene.grids[block.grid].scale) for block in scene.blocks if block.grid and min(block.rows, block.cols) > 1]
    maps = [max(block.w, block.h) for block, scale in numbers if scale in ("score", "share")]
    return min(maps) if maps else max(panel.height.cells for panel in scene.panels)


def _maps_in(picture: Picture, width: float, room: float, least: float, low: bool) -> tuple[Picture, float]:
    """The maps, at most `panels` of them, arranged so that their words have at least `least` pixels and they are as large as
    they get, or as `low` together; and how large one is, 0 where they have no room."""
    best: tuple[int, float, dict[str, Any]] = 0, 0.0, picture.chart
    for line, step in product(range(1, min(picture.panels, 4) + 1), range(39)):
        own = width * TICK / least / STEP**step
        if picture.arranged is None or own <= NARROW:
            continue
        figure = picture.arranged(round(own), line, picture.panels)
        (cell, free), layout = smallest_gap(figure), figure["layout"]
        scale = min(1.0 if low else LARGER, width / own, room / chart_height(figure))
        large = cell * scale * figure["data"][0]["z"].shape[1]
        named = scale * TICK >= least - 0.01 and free >= 0 and (cell >= TICK or layout["xaxis"]["tickangle"] == 0)
        many = len({trace["xaxis"] for trace in figure["data"]})  # a matrix with grey rows has two traces
        if many <= picture.panels and named:
            best = max(best, (line * low, large, figure), key=lambda one: one[:2])
    return replace(picture, drawing=best[2]), best[1]


def _words(picture: Picture, stamp: str, look: Look, width: float, stamp_size: float) -> Iterator[Words]:
    """The words of a sheet: the title above; below it legend, caption and stamp."""
    size, caption, theme = SLIDE_TITLE if look.format.least_pt else TITLE, caption_of(picture, look), look.colours
    title = wrap(picture.title, FILLED_BOLD * width, size, look.font, bold=True, whole_sizes=True) if look.title else []
    yield Words(title, size, 10, theme.ink)
    yield Words(svg.legend(picture.scene, Ink(theme, look.font), width, LEGEND) if picture.is_scene else [], LEGEND, 8, "")
    lines = wrap(caption, FILLED * width, CAPTION, look.font, whole_sizes=True) if look.caption else []
    yield Words(lines, CAPTION, 8, theme.ink)
    yield Words(wrap(stamp, FILLED * width, stamp_size, look.font) if look.stamp else [], stamp_size, 6, theme.muted)


def caption_of(picture: Picture, look: Look) -> str:
    """What to see; then what colour says."""
    kinds = {"head"} if picture.by_head else set()
    if picture.is_scene:
        kinds |= {"share" if scale == "share" else "signed" for scale in picture.scene.scales}
    said = (sentence for kind, sentence in COLOUR_WORDS[look.theme].items() if kind in kinds)
    return lowered(" ".join([picture.caption or picture.alt, *said]))


def lowered(text: str) -> str:
    """Plain text in the language of labels: W_Q becomes W_{Q}."""
    return re.sub(r"\b([A-Za-z])_([A-Za-z]+)\b", r"\1_{\2}", text)


def _content(one: Found, look: Look, width: float, room: float | None, least: float) -> tuple[str, float]:
    """The figure in a box as wide as the sheet, and how high it is. `room`: how high the box is, None where that follows;
    `least`: pixels of the smallest type."""
    picture = one.picture
    if isinstance(picture.drawing, Diagram):
        drawn = picture.drawing.within(width, room)
        body = f"\n{diagram.draw(drawn, Ink(look.colours, look.font))}\n"
        return _scaled(body, drawn.width, drawn.height, width, room)
    if picture.is_chart:  # maps keep the shape that they were arranged in
        usual = chart_height(picture.chart)
        if (own := map_width(picture.chart)) is None:
            low = min(usual, max(one.room, usual * LOWEST)) if usual > TALL else min(usual, width * CHART_SHAPE)
            return CHART, room or low
        return _scaled(CHART, own, usual, width, room, one.room)
    placed = place(picture.scene, width, look.font)
    reached = [rect.x + rect.w for _, rect in (*placed.frames, *placed.blocks)]
    reached += [left_of(text, x, wide := text_width(text, look.font)) + wide for text, x, _ in placed.texts]
    right = min(max(reached, default=width) + 4, width)
    down = max(((room or 0) - placed.height) / 2, 0)
    drawn = svg.draw(picture.scene, placed, Ink(look.colours, look.font, least))
    return f'<g transform="translate({px((width - right) / 2)} {px(down)})">\n{drawn}\n</g>', placed.height


def _scaled(body: str, wide: float, high: float, width: float, room: float | None, most: float = math.inf) -> tuple[str, float]:
    """What is `wide` × `high` in its own size: smaller where the sheet is narrow, or it were higher than `most` pixels; larger
    where one of a given height has room, in its middle. And how high it is there."""
    scale = min(LARGER if room else 1.0, width / wide, (room or most) / high)
    down = max(((room or 0) - high * scale) / 2, 0)
    move = f"translate({px((width - wide * scale) / 2)} {px(down)}) scale({scale:.4f})"
    return f'<g transform="{move}">{body}</g>', high * scale


def chart_height(figure: dict) -> float:
    """Gives the height at which a chart's page draws it: one with many lines cannot be low; in a moving picture the highest of
    all frames."""
    return float(figure["layout"].get("meta", {}).get("highest") or figure["layout"].get("height", 360))


def _sheet(one: Try, found: Found) -> Sheet:
    """Everything at its place."""
    picture, width, look, size = found.picture, found.width, one.look, one.look.format
    margin, scale, least = _margin(size), size.width / width, _least(size, width)
    inside, given = width - 2 * margin, not size.on_paper
    body, high = _content(found, look, inside, found.room if given else None, least * (WORDS_SMALLER if size.least_pt else 1))
    high = found.room if given else high
    top, under, ink = margin + found.title.height, sum(words.height for words in found.below), Ink(look.colours, look.font)
    height = high + found.title.height + under + 2 * margin
    low = height - margin - under
    parts = [*found.title.drawn(margin, margin, ink, bold=True), f'<g transform="translate({margin} {px(top)})">\n{body}\n</g>']
    for some in found.below:
        parts += some.drawn(margin, low + some.gap, ink)
        low += some.height
    unit, per = ("mm", MM) if size.on_paper else ("px", 1)
    shown = size.height or height * scale
    # Without xml:space, librsvg drops a space that follows a lowered letter.
    names = 'xml:space="preserve" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    sides = f'width="{px(size.width / per)}{unit}" height="{px(shown / per)}{unit}"'
    box = f'viewBox="0 0 {px(width)} {px(height)}" font-family="{escape(FACES[look.font].css)}"'
    title, description = plain(picture.title or picture.alt), f"{picture.alt} {pictures_instead(picture)}".rstrip()
    words = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    ground = [f'<rect width="100%" height="100%" fill="{look.colours.background}"/>'] if look.background else []
    style = f"<defs><style>{embedded(look.font)}</style></defs>"
    page = "\n".join([f'<svg {names} {sides} {box} role="img">{words}{style}', *ground, *parts, "</svg>\n"])
    notes = [pictures_instead(picture)]
    if size.on_paper and shown > PAGE_MM * MM:
        limit = f"With {shown / MM:.0f} mm it is higher than a page ({PAGE_MM:.0f} mm)"
        notes.append(f"{limit}: choose a wider column or a smaller layer.")
    left = (*one.left, *["words beside rows and columns"] * (found.unnamed and bool(size.least_pt)))
    notes += [_left_out(left, look) + " Other sizes have them." * bool(size.least_pt)] if left else []
    chart = None
    if picture.is_chart:  # as Plotly is to draw it
        sides = {} if map_width(picture.chart) else {"width": round(inside), "height": round(high)}
        chart = in_theme(picture.chart, look.colours, FACES[look.font].css)
        chart["layout"] |= {"title": None, **sides}
    return Sheet(page, size.width, shown, title, description, " ".join(note for note in notes if note), chart, width)


def pictures_instead(picture: Picture) -> str:
    """A sentence on a figure that has too many cells for rectangles; "" for any other."""
    if not picture.is_scene or svg.is_vector(picture.scene):
        return ""
    return (
        f"With {svg.cell_count(picture.scene):,} cells (rectangles up to {svg.MAX_VECTOR_CELLS:,}), "
        "cells are embedded pictures; text and frames are vectors."
    )
