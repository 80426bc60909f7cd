"""GIFs: a figure of a layer with 1, 2, 4, 8, … heads, one after the other, and how an attention weight comes about."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from PIL import Image

from components.export import browser, sheet
from components.export.figure import Figure
from components.export.look import Look
from components.export.rendering import finished
from components.export.request import Request, Unavailable
from components.stage.scene import Block, Scene
from components.stage.svg import Ring
from components.stage.text import two_decimals
from mha.explain import Cell, Explanation, Term, explain, terms
from mha.settings import DIVISOR

#: Milliseconds that each head count stands still, a step of a cell's arithmetic, and the last frame.
STANDS, STEP, LAST = 1400, 900, 2600
#: How much higher than its largest number an axis is.
ROOM_ABOVE = 1.08
#: Most heads of a moving picture: beyond, the pieces are too thin to be seen. Most products of a cell shown one by one.
MAX_HEADS, MAX_PRODUCTS = 8, 12
#: The steps from a score to a weight, in their order, and what each does.
ON_THE_WAY = {"scores": "", "scaled": "divided", "masked": "masked", "weights": "softmax"}
Report = Callable[[float, str], object]


@dataclass(frozen=True, slots=True)
class Frame:
    """A sheet, and the milliseconds for which it stands."""

    page: sheet.Sheet
    stands: int


def of_heads(figure: Figure, request: Request, look: Look, report: Report = lambda done, what: None) -> bytes:
    """A GIF as large in pixels as the sheet, which begins anew. Unavailable where there is one head count only. `report`: how far
    it is (0 to 1), and what comes next."""
    stops = {} if not figure.of_layer else request.at_stops(figure.of_words)
    chosen = {count: one for count, one in stops.items() if count <= MAX_HEADS}
    if len(chosen) < 2:
        raise Unavailable("A moving picture needs a figure of the layer, and at least two head counts up to 8.")
    return _written(frames_of_heads(figure, list(chosen.values()), look), look, report)


def frames_of_heads(figure: Figure, requests: Sequence[Request], look: Look) -> list[Frame]:
    """A frame for each layer. Axes that begin at 0 end at the same number in all of them, colours mean the same, and type has the
    same size, so that what stays is seen to stay."""
    pictures = [figure.picture(one) for one in requests]
    scenes = [picture.scene for picture in pictures if picture.is_scene]
    if scenes:
        tops = {kind: max(scene.tops.get(kind, 0.0) for scene in scenes) for kind in {key for one in scenes for key in one.tops}}
        pictures = [replace(picture, drawing=replace(picture.scene, tops=tops)) for picture in pictures]
    charts = [picture.chart for picture in pictures if picture.is_chart]
    if charts:
        ends = {axis: ROOM_ABOVE * max(_top(chart, axis) for chart in charts) for axis in ("yaxis", "yaxis2")}
        scales = {
            axis: max(chart["layout"].get(axis, {}).get("cmax", 0) for chart in charts) for axis in ("coloraxis", "coloraxis2")
        }
        highest = max(map(sheet.chart_height, charts))
        pictures = [
            replace(picture, drawing=_ending(picture.chart, ends, scales, highest), arranged=None) for picture in pictures
        ]
    stamps = [sheet.stamp_of(figure, one, look) for one in requests]
    drawn = lambda layout: [sheet.on_paper(*pair, look, layout) for pair in zip(pictures, stamps, strict=True)]  # noqa: E731
    return [Frame(page, STANDS) for page in drawn(max(page.layout for page in drawn(0.0)))]


def _top(chart: dict, axis: str) -> float:
    """The largest number on a vertical axis."""
    shown = [trace for trace in chart["data"] if trace.get("yaxis", "y").replace("y", "yaxis", 1) == axis]
    return max((float(value) for trace in shown for value in trace.get("y", ()) if not isinstance(value, str)), default=0.0)


def _ending(chart: dict, ends: dict[str, float], scales: dict[str, float], highest: float) -> dict:
    """The chart with the ends of its axes that begin at 0, and of its colours, drawn as large as the `highest`."""
    layout = chart["layout"] | {"meta": chart["layout"].get("meta", {}) | {"highest": highest}}
    axes = {axis: layout[axis] | {"range": [0, end]} for axis, end in ends.items()
            if end and layout.get(axis, {}).get("rangemode") == "tozero"}  # fmt: skip
    axes |= {axis: layout[axis] | {"cmax": top, "cmin": -top if layout[axis]["cmin"] < 0 else layout[axis]["cmin"]}
             for axis, top in scales.items() if axis in layout}  # fmt: skip
    return {**chart, "layout": {**layout, **axes}}


def of_cell(figure: Figure, request: Request, look: Look, row: int, col: int, report: Report = lambda done, what: None) -> bytes:
    """A GIF of how the weight of query `row` for key `col` (0-based) comes about, number by number, in the figure "steps"."""
    return _written(frames_of_cell(figure, request, look, row, col), look, report)


def frames_of_cell(figure: Figure, request: Request, look: Look, row: int, col: int) -> list[Frame]:
    """A frame for each product, then one for each step to the weight. Unavailable for another figure or a cell outside."""
    request = request.on_words()
    cfg = request.cfg
    if figure.name != "steps":
        raise Unavailable("A cell's computation is shown in the figure steps.")
    if not (0 <= row < cfg.query_len and 0 <= col < cfg.key_len):
        raise Unavailable(f"cell must be from 1.1 to {cfg.query_len}.{cfg.key_len}, got {row + 1}.{col + 1}.")
    picture, trace = figure.picture(request), request.trace()
    drawn = {block.name: block for block in picture.scene.blocks if block.grid}
    if request.switches.on(cfg) != cfg or any(grid.pool > 1 for grid in picture.scene.grids.values()):
        raise Unavailable("A cell's computation is shown for the paper's layer, with a cell for each number.")
    found = []
    for name in ON_THE_WAY:
        if name not in drawn:
            continue
        told = explain(trace, Cell(name, row, col, request.head), request[DIVISOR])
        for words, at in _told(name, told):
            found.append(replace(picture, title=words, rings=tuple(_rings(picture.scene, drawn[name], row, col, at))))
    stamp = sheet.stamp_of(figure, request, look)
    pages = [sheet.on_paper(one, stamp, look) for one in found]
    return [Frame(page, STEP if number < len(pages) - 1 else LAST) for number, page in enumerate(pages)]


def _told(name: str, told: Explanation) -> list[tuple[str, int | None]]:
    """What each frame says, and the place of its product."""
    if name == "scores":
        products = [term for term in terms(told) if term.kind == "product"]
        if len(products) <= MAX_PRODUCTS:
            return [(_product(term, place), place) for place, term in enumerate(products)]
        return [(f"The sum of {len(products)} products: {two_decimals(told.value)}", None)]
    if told.kind == "ratio":
        number, divisor = told.parts[0]
        return [(f"Divided by {divisor:.3g}: {two_decimals(number)} ÷ {divisor:.3g} = {two_decimals(told.value)}", None)]
    if told.kind == "softmax":
        last = terms(told)[-1]
        above, below = (f"{factor:.2f}" for factor in last.factors)
        return [(f"Softmax: e to the score, over the row’s sum: {above} ÷ {below} = {two_decimals(told.value)}", None)]
    return [("Masked: this query may not look at this key" if told.kind == "masked" else "The mask leaves it as it is", None)]


def _product(term: Term, place: int) -> str:
    one, two = (two_decimals(factor) for factor in term.factors)
    before = "" if place == 0 else f"{two_decimals(term.total - term.adds)} + "
    return f"Row times column: {before}{one} · {two} = {two_decimals(term.total)}"


def _rings(scene: Scene, block: Block, row: int, col: int, at: int | None) -> list[Ring]:
    """Around the cell, and around what it comes from: of a row and a column, their number `at`."""
    blocks, rings = {one.id: one for one in scene.blocks}, [Ring(block.id, row, col)]
    for source in block.sources:
        other = blocks[source.block]
        whole = {"row": Ring(other.id, row, 0, 1, other.cols), "col": Ring(other.id, 0, col, other.rows, 1)}
        one = {"row": Ring(other.id, row, at or 0), "col": Ring(other.id, at or 0, col)}
        rings.append((one if at is not None else whole).get(source.part, Ring(other.id, row, col)))
    return rings


def _written(frames: Sequence[Frame], look: Look, report: Report) -> bytes:
    def pages() -> Iterator[sheet.Sheet]:
        for place, frame in enumerate(frames):
            report(place / len(frames), f"frame {place + 1} of {len(frames)}")
            yield finished(frame.page)

    drawn = (browser.png(page.svg, page.width, page.height, look.format.dots) for page in pages())
    # 256 colours are enough for a figure, and a fifth of the bytes.
    pictures = (Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE) for png in drawn)
    times = [*(frame.stands for frame in frames[:-1]), LAST]
    first, *others = pictures
    file = io.BytesIO()
    first.save(file, "GIF", save_all=True, append_images=others, duration=times, loop=0, optimize=True, disposal=1)
    report(1.0, "done")
    return file.getvalue()
