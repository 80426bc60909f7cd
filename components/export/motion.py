"""A figure of a layer with 1, 2, 4, 8, … heads, one after the other, as a moving picture."""

import io

from PIL import Image

from components.export import browser
from components.export.figure import Figure
from components.export.look import Look
from components.export.rendering import sheet_of
from components.export.request import Request, Unavailable

#: Milliseconds that each head count stands still, the last one longer.
STANDS, LAST = 1400, 2600
#: Most heads of a moving picture: beyond, the pieces are too thin to be seen.
MOST_HEADS = 8
#: The endings of files, and what Pillow calls them.
KINDS = {"gif": "GIF", "apng": "PNG"}


def of_heads(figure: Figure, request: Request, look: Look, kind: str) -> bytes:
    """GIF or APNG, as large in pixels as the sheet; it begins anew at its end. Unavailable where there is one head count only."""
    stops = {} if not figure.of_layer else request.at_stops(figure.of_words)
    chosen = {count: one for count, one in stops.items() if count <= MOST_HEADS}
    if len(chosen) < 2:
        raise Unavailable("A moving picture needs a figure of the layer, and at least two head counts up to 8.")
    frames = [_frame(figure, one, look) for one in chosen.values()]
    times = [STANDS] * (len(frames) - 1) + [LAST]
    more = {"optimize": True, "disposal": 1} if kind == "gif" else {}
    file = io.BytesIO()
    frames[0].save(file, KINDS[kind], save_all=True, append_images=frames[1:], duration=times, loop=0, **more)
    return file.getvalue()


def _frame(figure: Figure, request: Request, look: Look) -> Image.Image:
    """256 colours are enough for a figure, and a fifth of the bytes."""
    sheet = sheet_of(figure, request, look)
    picture = Image.open(io.BytesIO(browser.png(sheet.svg, sheet.width, sheet.height, look.format.dots)))
    return picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
