"""A figure on its sheet: title above, caption, legend and stamp below, all of it one SVG."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from html import escape
from itertools import product
from typing import Any, TypeVar

from components.export.figure import Figure, Picture
from components.export.look import LEAST_PT, LEAST_TYPE, MM, PAGE_MM, PT, Look
from components.export.request import Request
from components.plots.heatmaps import NARROW, TICK, map_width, matrices_in, smallest_gap
from components.plots.layer import MAX_MAPS
from components.plots.theme import in_theme
from components.stage import diagram, svg
from components.stage.diagram import Diagram
from components.stage.layout import Placed, height_of, left_of, place, text_width, words_shown
from components.stage.numbers import plain
from components.stage.pictures.start_page import GHOST
from components.stage.scene import Panel, Scene
from components.stage.svg import Ink, px
from components.stage.text import FACES, embedded, wrap

#: Type in and around the figure, in pixels of the layout: usual, title, caption, legend, stamp; and the space between two lines.
USUAL, TITLE, CAPTION, LEGEND, STAMP, LEADING = 13, 19, 12.5, 12, 10, 1.32
#: How much of a line is filled with words, and with bold ones: programs that ignore the embedded font (text.FACES) take one that
#: is up to so much wider.
FILLED, FILLED_BOLD = 0.9, 0.82
#: The smallest type of a figure of cells, in pixels of the layout; how much smaller than usual a slide's cells may be, so that
#: all panels stand on it.
SMALLEST, SMALLER_CELLS = 12, 0.6
#: So that a figure stays on a page, cells get no smaller than this, in pixels of the layout; smaller than that only where type
#: cannot be smaller.
LEAST_CELL, ENOUGH = 4, 10
#: Smallest layout of a sheet with both sides given, as the area it covers; it grows in steps until the figure fits.
LEAST_AREA, STEPS, STEP = 640 * 360, 64, 1.03
#: How far a layout grows before its cells get smaller: type is then no smaller than on other sheets.
FEWER_STEPS = 22
#: A chart's layout is as large on a slide as on a page of the app, so that its type is no smaller.
CHART_AREA, CHART_SHAPE = 860 * 484, 0.78
#: A chart that is higher than this keeps its height; pixels for the words around a chart on a slide.
TALL, WORDS = 520, 160
#: How much of a slide's height a chart has at least.
CHART_SHARE = 0.6
#: How much larger than its own size a schematic may be.
LARGER = 1.5
#: How much lower than on its page a chart with many lines may be: then there are 14 pixels for type of 12.
LOWEST = 0.74


#: The place of a chart in its sheet's SVG, until Plotly has drawn it.
CHART = '<g class="chart"/>'


@dataclass(frozen=True, slots=True)
class Sheet:
    """A finished page: `width` × `height` pixels of 1/96 inch; what it is called and shows; `note`: what to know of it;
    `font`: a key of FACES where it is not the look's. `chart`: a plain figure that Plotly draws where its SVG has CHART."""

    svg: str
    width: float
    height: float
    title: str = ""
    description: str = ""
    note: str = ""
    font: str = ""
    chart: dict[str, Any] | None = None


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
    shown = request.on_words() if figure.of_trained else request
    sizes = f"{shown.sizes_in_words()} · " if figure.of_layer else ""
    if request.reading is not None and not figure.of_trained:  # in a set; its page has other numbers
        return f"{sizes}Headcount"
    return f"{sizes}Headcount · {look.base}{figure.link(request)}"


def on_paper(picture: Picture, stamp: str, look: Look) -> Sheet:
    """Lays the figure out so that it fills the sheet, and writes the look's title, caption and stamp around it."""
    size = look.format
    if size.height is not None and picture.fewer is not None:
        picture = picture.fewer
    if size.least_pt:
        return _on_slide(picture, stamp, look)
    if size.height is None:
        return _in_column(picture, stamp, look)
    margin = 26
    picture, width = _on_screen(picture, stamp, look, margin, size.height / size.width)
    height = width * size.height / size.width
    frame = _frame(picture, stamp, look, width - 2 * margin)
    room = max(height - frame.above - frame.below - 2 * margin, 40)
    if picture.arranged is not None:
        arranged, left = _maps_in(picture, width - 2 * margin, room, LEAST_ON_SCREEN, "")
        picture = picture if left else arranged
    body, _ = _content(picture, look, width - 2 * margin, room)
    return _sheet(picture, look, width, height, frame, body, room, margin)


A = TypeVar("A")
B = TypeVar("B")


def first_fitting(candidates: Sequence[A], fitted: Callable[[A], B | None]) -> B | None:
    """What `fitted` gives for the first candidate for which it gives anything, by bisection: each candidate leaves more room than
    the one before. None where none fits."""
    low, high, found = -1, len(candidates), None
    while high - low > 1:
        middle = (low + high) // 2 if low >= 0 else 0  # mostly the first one fits
        if (one := fitted(candidates[middle])) is None:
            low = middle
        else:
            high, found = middle, one
    return found


def in_order(candidates: Sequence[A], fitted: Callable[[A], B | None]) -> B | None:
    """Sorts layouts: in a narrow one a table has another arrangement, and is lower than in a wider one."""
    return next((found for one in candidates if (found := fitted(one)) is not None), None)


def _in_column(picture: Picture, stamp: str, look: Look) -> Sheet:
    """Makes a sheet as wide as a column, and as high as it gets; where that is more than a page, with smaller cells, then type,
    down to the least, then with fewer panels."""
    size, margin, left = look.format, 4, ""
    least, scales = LEAST_TYPE / (USUAL * PT), [size.type_pt / (USUAL * PT)]
    while scales[-1] > least:
        scales.append(max(scales[-1] / STEP, least))
    if picture.is_scene:
        picture, scale, left = _on_a_page(picture, stamp, look, scales, margin)
        scales = [scale]

    if picture.arranged is not None:
        inside = size.width / scales[0] - 2 * margin
        around = _frame(picture, stamp, look, inside, _least_stamp(scales[0]))
        room = PAGE_MM * MM / scales[0] - 2 * margin - around.above - around.below
        picture, left = _maps_in(picture, inside, room, LEAST_PT / (PT * scales[0]), ", so that it fits on a page", 1.0)

    def laid_out(scale: float) -> tuple[float, float, Frame, str, float]:
        inside = size.width / scale - 2 * margin
        frame = _frame(picture, stamp, look, inside, _least_stamp(scale))
        around = frame.above + frame.below + 2 * margin
        body, high = _content(picture, look, inside, None, LEAST_PT / (PT * scale), PAGE_MM * MM / scale - around)
        return scale, high + around, frame, body, high

    on_a_page = lambda laid: laid if laid[0] * laid[1] <= PAGE_MM * MM else None  # noqa: E731
    scale, height, frame, body, high = first_fitting(scales, lambda one: on_a_page(laid_out(one))) or laid_out(scales[-1])
    sheet = _sheet(picture, look, size.width / scale, height, frame, body, high, margin, scale)
    return replace(sheet, note=" ".join(part for part in (sheet.note, left) if part))


def _least_stamp(scale: float) -> float:
    """Pixels of the stamp's type, where a pixel of the layout is `scale` on paper."""
    return max(STAMP, LEAST_PT / (PT * scale))


def _on_a_page(picture: Picture, stamp: str, look: Look, scales: Sequence[float], margin: float) -> tuple[Picture, float, str]:
    """The picture with cells so small that it fits on a page; what a pixel of its layout is on paper, the largest of `scales`
    that will do; and a sentence on the panels that have no room there, which its caption has, too. Type gets smaller rather than
    that words at rows are left out."""

    def fitted(one: Picture, scale: float, which: str) -> tuple[Picture, float] | None:
        """Gives a picture with the largest cells that fit: `which` asks for such that all words have room, or for large ones."""
        width, most = look.format.width / scale - 2 * margin, one.scene.max_cell
        room = _room(one, stamp, look, width, PAGE_MM * MM / scale - 2 * margin, _least_stamp(scale))
        found = _largest(one.scene, LEAST_CELL, look.font, width, room)
        if found is not None and which == "named":
            smaller = (_with_cells(one.scene, cell) for cell in range(found.max_cell, min(most, LEAST_CELL) - 1, -1))
            shown = lambda scene: words_shown(place(scene, width, look.font), look.font, LEAST_PT / (PT * scale))  # noqa: E731
            found = next(filter(shown, smaller), None)
        if found is None or (which == "large" and found.max_cell < min(most, ENOUGH)):
            return None
        return replace(one, drawing=found), scale

    for scene, left in _fewer(picture.scene):
        one = replace(picture, drawing=scene, caption=f"{picture.caption or picture.alt} {left}".rstrip())
        if left and fitted(one, scales[-1], "any") is None:
            continue
        for which, some in (("named", scales), ("large", scales), ("any", scales[-1:])):
            if (found := first_fitting(some, partial(fitted, one, which=which))) is not None:
                return (*found, left)
    return picture, scales[-1], ""


def _fewer(scene: Scene) -> Iterator[tuple[Scene, str]]:
    """The scene; then with ever fewer panels, the last ones first, and a sentence on what is left out."""
    yield scene, ""
    kept = [len(row) for row in scene.rows]
    while sum(kept) > 1:
        kept[-1] -= 1
        kept = kept if kept[-1] else kept[:-1]
        pairs = zip((len(row) for row in scene.rows), kept, strict=False)
        some = [f"{every - count} of {every} panels" for every, count in pairs if count < every]
        rows = [f"{len(scene.rows) - len(kept)} of {len(scene.rows)} rows"] if len(kept) < len(scene.rows) else []
        yield _part(scene, kept), f"Left out, so that it fits on a page: {' and '.join(rows + some)}."


def _on_slide(picture: Picture, stamp: str, look: Look) -> Sheet:
    """A layout in which the smallest type (SMALLEST pixels) is as large as a hall needs; what has no room is left out, and the
    note says so."""
    size, margin = look.format, 22
    shape = (size.height or size.width) / size.width
    least = SMALLEST * size.width * PT / size.least_pt
    first = re.split(r"(?<=[.;])\s", picture.caption, maxsplit=1)[0]
    look = replace(look, caption=look.caption and bool(first))
    picture = replace(picture, caption=first.rstrip(".:;") + "." if first else "")
    choose = {Scene: _scene_on_slide, Diagram: _diagram_on_slide}.get(type(picture.drawing), _chart_on_slide)
    tried = _with_fewer_words(stamp, look)

    def fitted(width: float) -> tuple[Slide, float] | None:
        slide = choose(picture, tried, width - 2 * margin, width * shape - 2 * margin)
        return slide and (slide, width)

    widths = [least * STEP**step for step in range(STEPS)]
    found = _table_on_slide(
        picture, tried[-1], [width for width in widths if width <= least * TABLE_TYPE / SMALLEST], shape, margin
    )
    found = found or first_fitting(widths, fitted)
    if found is None:
        raise AssertionError(f"{picture.title!r} fits on no slide")
    slide, width = found
    width_inside, height = width - 2 * margin, width * shape
    frame = _frame(slide.picture, slide.stamp, slide.look, width_inside, SMALLEST)
    room = height - 2 * margin - frame.above - frame.below
    body, _ = _content(slide.picture, slide.look, width_inside, room, SMALLEST)
    sheet = _sheet(slide.picture, slide.look, width, height, frame, body, room, margin)
    notes = [sheet.note, f"{_left_out(slide.left)} Other sizes have them." if slide.left else ""]
    notes += [f"Words are in {slide.look.font}: in {look.font} they would be too small."] * (slide.look.font != look.font)
    smallest = least * (TABLE_TYPE / SMALLEST if picture.is_scene and picture.scene.narrow else 1)
    notes += [f"The smallest type has {size.least_pt * smallest / width:.1f} pt."] * (width > smallest)
    return replace(sheet, note=" ".join(note for note in notes if note), font=slide.look.font)


#: The smallest type of a table of cards; how high its sheets may be, in pixels.
TABLE_TYPE, SHEETS = 14, (220, 190, 160, 140, 120, 100, 86, 74, 64, 56, 48)


def _table_on_slide(
    picture: Picture, words: "Words", widths: Sequence[float], shape: float, margin: float
) -> tuple["Slide", float] | None:
    """A table of cards with all its rows, below its title alone; with fewer columns where they have no room, the chosen one and
    the first among them. None where it is no table, or has no room with that."""
    if not picture.is_scene or not picture.scene.narrow:
        return None
    (stamp, look, missing), scene = words, picture.scene
    units, every = max(block.h for block in scene.blocks), len(scene.rows[0])
    chosen = next((place for row in scene.rows for place, panel in enumerate(row) if panel.on), 1)
    for count in range(every, 2, -1):
        kept = sorted({0, 1, chosen, *[place for place in range(2, every) if place != chosen][: count - 2 - (chosen > 1)]})
        part = replace(_part(scene, [every] * len(scene.rows)), narrow=(), links=())
        part = replace(part, rows=tuple(tuple(_without_notes(row[number]) for number in kept) for row in part.rows))
        for width in widths:
            room = _room(picture, stamp, look, width - 2 * margin, width * shape - 2 * margin)
            for tall in SHEETS:
                found = replace(part, max_cell=tall / units, min_cell=tall / units)
                placed = place(found, width - 2 * margin, look.font)
                lines = {round(frame.y) for _, frame in placed.frames}
                if placed.height <= room and len(lines) <= 2 * len(found.rows) and placed.cell >= SHEETS[-1] / units:
                    left = (f"{every - len(kept)} of {every} panels",) if len(kept) < every else ()
                    return Slide(replace(picture, drawing=found), stamp, look, (*left, *missing)), width
    return None


def _without_notes(panel: Panel) -> Panel:
    """A card without what is written in a ghost: it has no room beside small sheets."""
    ghost = next((block for block in panel.blocks if block.faded), None)
    return panel if ghost is None else replace(panel, texts=tuple(text for text in panel.texts if text.text not in GHOST))


@dataclass(frozen=True, slots=True)
class Slide:
    """What a slide shows: `left` names what it leaves out."""

    picture: Picture
    stamp: str
    look: Look
    left: tuple[str, ...] = ()


#: A stamp, a look and what they leave out.
Words = tuple[str, Look, tuple[str, ...]]


def _with_fewer_words(stamp: str, look: Look) -> list[Words]:
    """All words around the figure; then without the link, without the stamp, and without the caption, too."""
    tried: list[Words] = [(stamp, look, ())]
    if look.stamp:
        tried += [(stamp.rpartition(" · ")[0], look, ("the link",))]
        tried += [(stamp, replace(look, stamp=False), ("the line of settings",))]
    if look.caption:
        tried += [(stamp, replace(tried[-1][1], caption=False), (*tried[-1][2], "the caption"))]
    return tried


def _left_out(left: Sequence[str]) -> str:
    return f"Left out for large type: {' and '.join(left)}."


def _room(picture: Picture, stamp: str, look: Look, width: float, height: float, stamp_size: float = SMALLEST) -> float:
    """How high the figure itself may be: what the words around it leave of a sheet without its margins."""
    frame = _frame(picture, stamp, look, width, stamp_size)
    return height - frame.above - frame.below


def _maps_in(picture: Picture, width: float, room: float, least: float, why: str, largest: float = LARGER) -> tuple[Picture, str]:
    """The maps arranged so that their words have at least `least` pixels and their cells are as large as they get; and a sentence
    on those that have no room. Where none have, as they are."""
    arranged, every = picture.arranged, picture.panels
    if arranged is None:
        return picture, ""
    for most in sorted({min(every, MAX_MAPS), *(count for count in (8, 6, 4, 2, 1) if count < every)}, reverse=True):
        best: tuple[float, dict[str, Any]] = 0.0, {}
        for line, step in product(range(1, min(most, 4) + 1), range(13)):
            own = width * TICK / least / STEP ** (3 * step)
            figure = arranged(round(own), line, most) if own > NARROW else None
            if figure is None or matrices_in(figure) > most:
                continue
            cell, free = smallest_gap(figure)
            scale = min(largest, width / own, room / chart_height(figure))
            words = figure["layout"]["xaxis"]["tickangle"] != 0
            if scale * TICK >= least - 0.01 and free >= 0 and (cell >= TICK or not words) and cell * scale >= best[0]:
                best = cell * scale, figure
        if best[0]:
            left = f"Left out{why}: {every - most} of {every} panels." if most < every else ""
            return replace(picture, drawing=best[1], caption=f"{picture.caption} {left}".rstrip()), left
    return picture, ""


#: Pixels of the layout of words at maps on a screen.
LEAST_ON_SCREEN = 8
#: How much smaller than other type the words at maps may be on a slide: 16 pixels of it.
MAPS_SMALLER = 0.75


def _chart_on_slide(picture: Picture, tried: Sequence[Words], width: float, height: float) -> Slide:
    """Puts a chart on a slide with as many words as leave it most of the height; maps without caption and stamp, and large."""
    if picture.arranged is not None:
        stamp, look, left = tried[-1]
        bare, least = replace(picture, caption=""), MAPS_SMALLER * SMALLEST
        room = _room(bare, stamp, look, width, height)
        picture, missing = _maps_in(bare, width, room, least, " for large type")
        if missing and tried[0][1].caption:  # a title may count all of them
            look, left = replace(look, caption=True), tuple(one for one in left if one != "the caption")
            room = _room(replace(bare, caption=missing), stamp, look, width, height)
            picture, _ = _maps_in(bare, width, room, least, " for large type")
        shown = matrices_in(picture.chart)
        some = (f"{picture.panels - shown} of {picture.panels} panels",) if shown < picture.panels else ()
        return Slide(picture, stamp, look, (*some, *left))
    enough = (words for words in tried if _room(picture, *words[:2], width, height) >= CHART_SHARE * height)
    return Slide(picture, *next(enough, tried[-1]))


def _diagram_on_slide(picture: Picture, tried: Sequence[Words], width: float, height: float) -> Slide | None:
    """Puts a diagram on a slide in the layout and with the words that leave its type large enough; in its boxes' font where a
    wider one has no room. None where nothing does."""
    if not isinstance(picture.drawing, Diagram):
        raise TypeError(f"{picture.title!r} has no boxes")
    its = picture.drawing
    first = [(words, its.low) for words in tried if its.low is not None]
    layouts = [*first, *((words, its) for words in tried)]
    for face in dict.fromkeys((tried[0][1].font, "sans")):
        for (stamp, look, left), drawing in layouts:
            look = replace(look, font=face)
            room = _room(picture, stamp, look, width, height)
            one = drawing.within(width, room)
            if min(diagram.size_in(text, face) for text in one.texts) * _scale(one, width, room) >= SMALLEST - 0.01:
                return Slide(replace(picture, drawing=drawing), stamp, look, left)
    return None


def _scene_on_slide(picture: Picture, tried: Sequence[Words], width: float, height: float) -> Slide | None:
    """Puts as much of a scene on a slide as fits: all, or fewer rows, smaller cells, fewer panels, fewer words around it, and at
    last cells that are hardly seen. None where nothing does."""
    scene, usual = picture.scene, round(SMALLER_CELLS * picture.scene.min_cell)
    rows, panels = [len(row) for row in scene.rows], range(len(scene.rows[0]), 0, -1)
    whole = [(rows[:count], scene.max_cell) for count in range(len(rows), 0, -1)]
    stamp, look, missing = tried[-1]
    room = _room(picture, stamp, look, width, height)
    for most in range(scene.max_cell, LEAST_CELL, -1) if any(block.row_labels for block in scene.blocks) else ():
        found = _with_cells(scene, most)  # with the words at its sides, and nothing around it
        placed = place(found, width, look.font)
        if placed.height <= room and words_shown(placed, look.font, SMALLEST):
            return Slide(replace(picture, drawing=found), stamp, look, missing)
    parts = [*whole, *(([count], cell) for cell in (usual, 2) for count in panels)]
    attempts = [(words, parts) for words in tried] + [(words, [([count], 1) for count in panels]) for words in tried[-2:]]
    for (stamp, look, missing), kept in attempts:
        for panels_kept, least in kept:
            part = _part(scene, panels_kept)
            left = [f"{len(rows) - len(panels_kept)} of {len(rows)} rows"] if len(panels_kept) < len(rows) else []
            left += [f"{rows[0] - panels_kept[0]} of {rows[0]} panels"] if panels_kept[0] < rows[0] else []
            caption = f"{picture.caption} {_left_out(left)}" if left else picture.caption
            its = replace(picture, drawing=part, caption=caption)
            if (found := _largest(part, least, look.font, width, _room(its, stamp, look, width, height))) is None:
                continue
            shown = words_shown(place(found, width, look.font), look.font, SMALLEST)
            left = (*left, *(() if shown else ("words beside rows and columns",)), *missing)
            return Slide(replace(its, drawing=found), stamp, look, left)
    return None


def _largest(scene: Scene, least: int, face: str, width: float, room: float) -> Scene | None:
    """The scene with the largest cells with which it fits, of at least so many pixels; None where it does not fit with these."""
    sizes = [_with_cells(scene, most) for most in range(scene.max_cell, min(least, scene.max_cell) - 1, -1)]
    return first_fitting(sizes, lambda one: one if height_of(one, width, face) <= room else None)


def _with_cells(scene: Scene, most: int) -> Scene:
    """Gives the picture with cells of at most that many pixels."""
    return replace(scene, max_cell=most, min_cell=scene.min_cell if scene.narrow else min(most, scene.min_cell))


def _part(scene: Scene, panels: Sequence[int]) -> Scene:
    """The first rows, of each the first so many panels, with the numbers that they show."""
    kept = tuple(row[:count] for row, count in zip(scene.rows, panels, strict=False))
    shown = {block.grid for row in kept for panel in row for block in panel.blocks}
    grids = {key: grid for key, grid in scene.grids.items() if key in shown}
    table = {} if kept == scene.rows else {"narrow": (), "links": ()}
    return replace(scene, rows=kept, captions=scene.captions[: len(kept)], grids=grids, **table)


def _frame(picture: Picture, stamp: str, look: Look, width: float, stamp_size: float = STAMP) -> Frame:
    return Frame(
        wrap(picture.title, FILLED_BOLD * width, TITLE, look.font, bold=True, whole_sizes=True) if look.title else [],
        wrap(caption_of(picture, look), FILLED * width, CAPTION, look.font, whole_sizes=True) if look.caption else [],
        wrap(stamp, FILLED * width, stamp_size, look.font) if look.stamp else [],
        svg.legend(picture.scene, Ink(look.colours, look.font), width, LEGEND) if picture.is_scene else [],
        stamp_size,
    )


def caption_of(picture: Picture, look: Look) -> str:
    """What to see; then what colour says."""
    kinds = {"head"} if picture.by_head else set()
    if picture.is_scene:
        kinds |= {"share" if scale == "share" else "signed" for scale in picture.scene.scales}
    said = (sentence for kind, sentence in look.colour_words.items() if kind in kinds)
    return lowered(" ".join([picture.caption or picture.alt, *said]))


def lowered(text: str) -> str:
    """Plain text in the language of labels: W_Q becomes W_{Q}."""
    return re.sub(r"\b([A-Za-z])_([A-Za-z]+)\b", r"\1_{\2}", text)


def _on_screen(picture: Picture, stamp: str, look: Look, margin: float, shape: float) -> tuple[Picture, float]:
    """The picture and the smallest layout in which it fits, so that everything is as large as the sheet allows. Cells get smaller
    before type does, down to LEAST_CELL; outlines all the way. `shape`: height / width."""
    if picture.is_chart:
        return picture, max(math.sqrt(CHART_AREA / shape), (chart_height(picture.chart) + WORDS) / shape)
    widths = [math.sqrt(LEAST_AREA / shape) * STEP**step for step in range(STEPS)]
    room_in = cache(lambda width: _room(picture, stamp, look, width - 2 * margin, width * shape - 2 * margin, STAMP))

    def fitted(one: Picture, width: float) -> tuple[Picture, float] | None:
        inside, drawing, room = width - 2 * margin, one.drawing, room_in(width)
        if isinstance(drawing, Diagram):
            drawing = drawing.within(inside, room)
            fits = drawing.width <= inside and drawing.height <= room
        else:
            fits = height_of(one.scene, inside, look.font) <= room
        return (one, width) if fits else None

    def smallest(one: Picture, steps: int = STEPS) -> tuple[Picture, float] | None:
        return in_order(widths[:steps], partial(fitted, one))

    if not picture.is_scene:
        return smallest(picture) or (picture, widths[-1] * STEP)
    usual, shapes = picture.scene.max_cell, any(block.grid is None for block in picture.scene.blocks)
    pictures = [replace(picture, drawing=_with_cells(picture.scene, most)) for most in range(usual, 0, -1)]
    for some, steps in ((pictures if shapes else pictures[: max(usual - LEAST_CELL + 1, 0)], FEWER_STEPS),
                        (pictures[max(usual - LEAST_CELL, 0) :], STEPS)):  # fmt: skip
        if picture.scene.narrow:
            found = _largest_table(some, widths[:steps], fitted)
        else:
            found = first_fitting(some, partial(smallest, steps=steps))
        if found is not None:
            return found
    raise AssertionError(f"{picture.title!r} fits on no sheet")


def _largest_table(
    pictures: Sequence[Picture], widths: Sequence[float], fitted: Callable[[Picture, float], tuple[Picture, float] | None]
) -> tuple[Picture, float] | None:
    """Finds a table's picture with the largest cells that fits in one of these layouts, there in the smallest. In
    one layout smaller cells leave more room, as long as they stand in the same arrangement: narrow where they are below
    `min_cell`."""
    found, left = None, list(pictures)
    for width in widths:
        wide = [one for one in left if one.scene.max_cell >= one.scene.min_cell]
        for some in (wide, left[len(wide) :]):
            if some and fitted(some[-1], width) is not None:
                found = first_fitting(some, lambda one, width=width: fitted(one, width))
                left = [one for one in left if found is None or one.scene.max_cell > found[0].scene.max_cell]
                break
    return found


def _content(
    picture: Picture, look: Look, width: float, room: float | None, least: float = 0.0, most: float = math.inf
) -> tuple[str, float]:
    """The figure in a box as wide as the sheet, and how high it is. `least`: pixels of the smallest type; `most`: of a chart
    whose height follows, unless its lines would stand closer than LOWEST of what its page gives them."""
    if isinstance(picture.drawing, Diagram):
        return _diagram(picture.drawing, look, width, room)
    if picture.is_chart:
        return _chart(picture.chart, width, room, most)
    placed = place(picture.scene, width, look.font)
    right = _extent(placed, look.font)
    down = max(((room or 0) - placed.height) / 2, 0)
    drawn = svg.draw(picture.scene, placed, Ink(look.colours, look.font, least), picture.rings)
    return f'<g transform="translate({px((width - right) / 2)} {px(down)})">\n{drawn}\n</g>', placed.height


def _chart(figure: dict[str, Any], width: float, room: float | None, most: float) -> tuple[str, float]:
    """The place of a chart, as wide as the sheet. Heatmaps keep the shape that they were arranged in: no larger than on the page
    where the height follows, in the middle of a sheet of a given height."""
    usual = chart_height(figure)
    if (own := map_width(figure)) is None:
        return CHART, room or (min(usual, max(most, usual * LOWEST)) if usual > TALL else min(usual, width * CHART_SHAPE))
    scale = min(LARGER if room else 1.0, width / own, (room or most) / usual)
    down = max(((room or 0) - usual * scale) / 2, 0)
    move = f"translate({px((width - own * scale) / 2)} {px(down)}) scale({scale:.4f})"
    return f'<g transform="{move}">{CHART}</g>', usual * scale


def _sized(figure: dict[str, Any], look: Look, width: float, height: float) -> dict[str, Any]:
    """A chart as Plotly is to draw it."""
    drawn = in_theme(figure, look.colours, FACES[look.font].css)
    sides = {} if map_width(figure) else {"width": round(width), "height": round(height)}
    return {**drawn, "layout": {**drawn["layout"], "title": None, **sides}}


def _diagram(drawing: Diagram, look: Look, width: float, room: float | None) -> tuple[str, float]:
    """Places a diagram in its own size; smaller where the sheet is narrow, larger where one of a given height has room, in its
    middle."""
    one = drawing.within(width, room)
    scale = _scale(one, width, room)
    down = max(((room or 0) - one.height * scale) / 2, 0)
    move = f"translate({px((width - one.width * scale) / 2)} {px(down)})" + (f" scale({scale:.4f})" if scale != 1 else "")
    return f'<g transform="{move}">\n{diagram.draw(one, Ink(look.colours, look.font))}\n</g>', one.height * scale


def _scale(drawing: Diagram, width: float, room: float | None) -> float:
    return min(LARGER if room else 1.0, width / drawing.width, *([room / drawing.height] if room else []))


def chart_height(figure: dict) -> float:
    """Gives the height at which a chart's page draws it: one with many lines cannot be low."""
    return float(figure["layout"].get("height", 360))


def _extent(placed: Placed, face: str) -> float:
    """How far to the right the figure reaches."""
    reached = [rect.x + rect.w for _, rect in (*placed.frames, *placed.blocks)]
    reached += [left_of(text, x, wide := text_width(text, face)) + wide for text, x, _ in placed.texts]
    return min(max(reached, default=placed.width) + 4, placed.width)


def _sheet(
    picture: Picture,
    look: Look,
    width: float,
    height: float,
    frame: Frame,
    body: str,
    high: float,
    margin: float,
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
            parts.append(svg.line(text, margin, y - size * 0.35, size, ink, fill=fill))
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
    chart = _sized(picture.chart, look, width - 2 * margin, high) if picture.is_chart else None
    return Sheet(page, size.width, shown, title, description, " ".join(note for note in notes if note), chart=chart)


def higher_than_a_page(height: float) -> str:
    """A sentence on a sheet of that many pixels that no page holds; "" for any other."""
    if height <= PAGE_MM * MM:
        return ""
    return f"With {height / MM:.0f} mm it is higher than a page ({PAGE_MM:.0f} mm): choose a wider column or a smaller layer."


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
        f"With {svg.cell_count(picture.scene):,} cells (rectangles up to {svg.MAX_VECTOR_CELLS:,}), "
        "cells are embedded pictures; text and frames are vectors."
    )
