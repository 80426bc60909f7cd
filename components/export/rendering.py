"""From a figure to a file: the one door for the page and for the command line."""

from collections.abc import Callable
from functools import lru_cache

from components.export import browser, data, offline, sheet
from components.export.chart_look import dressed
from components.export.chart_svg import tidied
from components.export.figure import Figure
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


def needs_browser(figure_is_scene: bool, kind: str) -> bool:
    """Whether a file of this kind needs Chromium: never for HTML and data, and for SVG only where Plotly draws."""
    return kind in ("pdf", "png@2x", "png@3x") or (kind == "svg" and not figure_is_scene)


@lru_cache(maxsize=8)
def sheet_of(figure: Figure, ask: Request, look: Look) -> sheet.Sheet:
    """The figure's sheet as SVG. Unavailable where there is no such figure, NoBrowser where Plotly draws it and there is none."""

    def chart(drawing: dict, width: float, height: float) -> str:
        plain = dressed(drawing, look)
        plain["layout"] |= {"width": width, "height": height}
        return tidied(browser.chart_svg(plain, width, height), plain, look, figure.name)

    return sheet.made(figure, ask, look, chart)


def _pdf(figure: Figure, ask: Request, look: Look) -> bytes:
    page = sheet_of(figure, ask, look)
    return browser.pdf(page.svg, page.width, page.height)


def _png(scale: int) -> Callable[[Figure, Request, Look], bytes]:
    def made(figure: Figure, ask: Request, look: Look) -> bytes:
        page = sheet_of(figure, ask, look)
        return browser.png(page.svg, page.width, page.height, scale * look.format.dots)

    return made


MAKERS: dict[str, Callable[[Figure, Request, Look], bytes]] = {
    "svg": lambda figure, ask, look: sheet_of(figure, ask, look).svg.encode(),
    "pdf": _pdf,
    "png@2x": _png(2),
    "png@3x": _png(3),
    "html": offline.page,
    "csv": lambda figure, ask, look: data.csv_of(figure.draw(ask)),
    "npz": lambda figure, ask, look: data.npz_of(figure.draw(ask)),
}


def file_of(figure: Figure, ask: Request, look: Look, kind: str) -> bytes:
    """A file of one of FORMATS. The same figure, settings, look and versions give the same bytes.

    Unavailable and NoBrowser say in a sentence what to do.
    """
    return MAKERS[kind](figure, ask, look)


def file_name(figure: Figure, ask: Request, kind: str) -> str:
    """What the file is, from its name alone: heads_d16_h4.svg, attention_d16_h4_causal_head2@2x.png."""
    cfg, parts = ask.cfg, [figure.name]
    if figure.of_layer:
        parts += [f"d{cfg.d_model}", f"h{cfg.num_heads}"]
        parts += [] if cfg.follows_paper else [f"k{cfg.key_dim}", f"v{cfg.value_dim}"]
        parts += [] if (cfg.query_len, cfg.key_len) == (6, 6) else [f"t{cfg.query_len}", f"s{cfg.key_len}"]
        parts += ["causal"] * (cfg.mask == "causal") + ["nobias"] * (not cfg.use_bias) + [f"seed{cfg.seed}"] * (cfg.seed != 0)
    for key, value in ask.options:
        if key in figure.options:
            word = "".join(letter for letter in str(value) if letter.isascii() and letter.isalnum())[:12]
            parts.append(f"{key.replace('_', '')}{word}")
    ending, _, scale = kind.partition("@")
    return "_".join(parts) + (f"@{scale}" if scale else "") + f".{ending}"
