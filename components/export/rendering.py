"""From a figure to a file: the one door for the page and for the command line."""

import struct
import zlib
from collections.abc import Callable
from functools import lru_cache

from components.export import browser, data, offline, sheet
from components.export.charts import dressed, tidied
from components.export.figure import Figure, Picture
from components.export.look import Look
from components.export.request import Request

#: What files there are: the ending that a name is given on the command line and on the page, what it is, its media type.
FORMATS = {
    "svg": ("SVG", "image/svg+xml"),
    "pdf": ("PDF", "application/pdf"),
    "png@2x": ("PNG 2×", "image/png"),
    "png@3x": ("PNG 3×", "image/png"),
    "html": ("HTML, works offline", "text/html"),
    "csv": ("CSV", "text/csv"),
    "npz": ("npz", "application/octet-stream"),
}
SCALES = {"png@2x": 2, "png@3x": 3}


def needs_browser(figure_is_scene: bool, kind: str) -> bool:
    """Whether a file of this kind needs Chromium: never for HTML and data, and for SVG only where Plotly draws."""
    return kind in ("pdf", *SCALES) or (kind == "svg" and not figure_is_scene)


def sheet_with(picture: Picture, stamp: str, look: Look, name: str) -> sheet.Sheet:
    """A picture's sheet as SVG. NoBrowser where Plotly draws it and there is none."""

    def chart(drawing: dict, width: float, height: float) -> str:
        plain = dressed(drawing, look)
        plain["layout"] |= {"width": width, "height": height}
        # Without gaps: in Plotly's picture of small cells, a gap may take the pixel that a cell's colour is read from.
        whole = [{key: value for key, value in trace.items() if key not in ("xgap", "ygap")} for trace in plain["data"]]
        return tidied(browser.chart_svg(plain | {"data": whole}, width, height), plain, look, name)

    return sheet.on_paper(picture, stamp, look, chart)


@lru_cache(maxsize=8)
def sheet_of(figure: Figure, ask: Request, look: Look) -> sheet.Sheet:
    """A figure's sheet. Unavailable where there is no such figure for these settings."""
    return sheet_with(figure.draw(ask), sheet.stamp_of(figure, ask, look), look, figure.name)


def file_of(figure: Figure, ask: Request, look: Look, kind: str) -> bytes:
    """A file of one of FORMATS. The same figure, settings, look and versions give the same bytes.

    Unavailable and NoBrowser say in a sentence what to do.
    """
    if kind == "html":
        return offline.page(figure, ask, look)
    return made(kind, lambda: figure.draw(ask), lambda: sheet_of(figure, ask, look), look)


def made(kind: str, picture: Callable[[], Picture], page: Callable[[], sheet.Sheet], look: Look) -> bytes:
    """A file of any kind but HTML, from a picture and its sheet, of which only what is needed is made."""
    if kind == "csv":
        return data.csv_of(picture())
    if kind == "npz":
        return data.npz_of(picture())
    drawn = page()
    if kind == "svg":
        return drawn.svg.encode()
    if kind == "pdf":
        return browser.pdf(drawn.svg, drawn.width, drawn.height)
    scale = SCALES[kind] * look.format.dots
    return labelled(browser.png(drawn.svg, drawn.width, drawn.height, scale), 96 * scale, drawn.title, drawn.description)


def labelled(png: bytes, dpi: float, title: str, description: str) -> bytes:
    """A PNG that says how large it is (pHYs, dots a metre) and what it shows (iTXt, as UTF-8): by these a document sizes and
    describes its pictures."""
    dots = round(dpi / 0.0254)
    chunks = [_chunk(b"pHYs", struct.pack(">IIB", dots, dots, 1))]
    words = (("Title", title), ("Description", description), ("Software", "Headcount"))
    chunks += [_chunk(b"iTXt", f"{key}\0\0\0\0\0{text}".encode()) for key, text in words]
    begin = len(b"\x89PNG\r\n\x1a\n") + 12 + 13  # the signature and IHDR, which all else follows
    return png[:begin] + b"".join(chunks) + png[begin:]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def file_name(figure: Figure, ask: Request, kind: str) -> str:
    """What the file is, from its name alone: heads_d16_h4.svg, attention_d16_h4_causal_head2@2x.png."""
    cfg, parts = ask.cfg, [figure.name]
    if figure.of_layer:
        parts += [f"d{cfg.d_model}", f"h{cfg.num_heads}"]
        parts += [] if cfg.follows_paper else [f"k{cfg.key_dim}", f"v{cfg.value_dim}"]
        parts += [] if (cfg.query_len, cfg.key_len) == (6, 6) else [f"t{cfg.query_len}", f"s{cfg.key_len}"]
        parts += ["causal"] * (cfg.mask == "causal") + ["nobias"] * (not cfg.use_bias) + [f"seed{cfg.seed}"] * (cfg.seed != 0)
        parts += [_plain(setting.code) + _plain(value) for setting, value in ask.others()]
    for key, value in ask.options:
        if key in figure.options:
            parts.append(_plain(key) + _plain(value)[:12])
    ending, _, scale = kind.partition("@")
    return "_".join(parts) + (f"@{scale}" if scale else "") + f".{ending}"


def _plain(value: object) -> str:
    return "".join(letter for letter in str(value) if letter.isascii() and letter.isalnum())
