"""GIFs: a figure of a layer with 1, 2, 4, 8, … heads, one after the other."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from PIL import Image

from components.export import browser, sheet
from components.export.figure import Figure
from components.export.look import Look
from components.export.rendering import finished
from components.export.request import Request, Unavailable

#: Milliseconds that each head count stands still, and the last one.
STANDS, LAST = 1400, 2600
#: How much higher than its largest number an axis is.
ROOM_ABOVE = 1.08
#: Most heads of a moving picture: beyond, the pieces are too thin to be seen.
MAX_HEADS = 8


def of_heads(
    figure: Figure, request: Request, look: Look, report: Callable[[float, str], object] = lambda done, what: None
) -> bytes:
    """A GIF as large in pixels as the sheet (on paper with 150 an inch), which begins anew. Unavailable where there is one head
    count only. `report`: how far it is (0 to 1), and what comes next."""
    stops = {} if not figure.of_layer else request.at_stops(figure.of_words)
    chosen = {count: one for count, one in stops.items() if count <= MAX_HEADS}
    if len(chosen) < 2:
        raise Unavailable("A moving picture needs a figure of the layer, and at least two head counts up to 8.")
    pages = frames_of_heads(figure, list(chosen.values()), look)

    def frames() -> Iterator[Image.Image]:
        for place, page in enumerate(pages):
            report(place / len(pages), f"frame {place + 1} of {len(pages)}")
            png = browser.png(finished(page).svg, page.width, page.height, look.format.dots / 2)
            # 256 colours are enough for a figure, and a fifth of the bytes.
            yield Image.open(io.BytesIO(png)).convert("RGB").quantize(256, dither=Image.Dither.NONE)

    first, *others = frames()
    times, file = [*[STANDS] * len(others), LAST], io.BytesIO()
    first.save(file, "GIF", save_all=True, append_images=others, duration=times, loop=0, optimize=True, disposal=1)
    report(1.0, "done")
    return file.getvalue()


def frames_of_heads(figure: Figure, requests: Sequence[Request], look: Look) -> list[sheet.Sheet]:
    """A sheet for each layer. Axes that begin at 0 end at the same number in all of them, colours mean the same, and type has the
    same size, so that what stays is seen to stay."""
    pictures = [figure.draw(one) for one in requests]
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
    return drawn(max(page.layout for page in drawn(0.0)))


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
