"""Figures in Jupyter, marimo and Colab. The result of `headcount.run` displays itself, and `show` draws any figure of the layer.
The HTML is a page in a frame (`<iframe srcdoc>`). The page needs no network, and the notebook's CSS cannot change the page."""

# pyright: basic
# Plotly has no types.

from dataclasses import dataclass
from html import escape
from inspect import signature
from typing import Any

from headcount import Config, Trace
from headcount.config import whole
from headcount.export import offline, sheet
from headcount.export.figure import Figure, Picture
from headcount.export.figures import FIGURES, figure_named, origin
from headcount.export.request import Request, chosen, of_its_seed
from headcount.export.style import Style
from headcount.names import did_you_mean
from headcount.plots import layer as layers
from headcount.settings import NUMBERS

#: Most characters of a figure, which a notebook saves with its code. A larger one loses its slider, and then its hover texts.
MAX_BYTES = 2_000_000
#: Pixels of the frame in a viewer that runs no scripts, and a script that makes it as high as its page at any width.
HEIGHT = 640
FIT = """<script>
if (frameElement) new ResizeObserver(([page]) => {
  frameElement.style.height = `${Math.ceil(page.borderBoxSize[0].blockSize)}px`;
}).observe(document.documentElement);
</script>"""


@dataclass(frozen=True, slots=True, repr=False)
class Embedded:
    """A figure that a notebook displays."""

    html: str

    def _repr_html_(self) -> str:
        return self.html

    def _mime_(self) -> tuple[str, str]:
        """Returns the type and the text of the HTML, in the form that marimo needs."""
        return "text/html", self.html

    def __repr__(self) -> str:
        return f"<a figure, {len(self.html):,} characters of HTML>"


def show(layer: Trace | Config, figure: str = "heads", **options: Any) -> Embedded:
    """Draws a figure of a trace, or of a Config's layer with the weights of its seed. `Trace.show` describes the options. Raises
    ValueError for an unknown name or option, and Unavailable with the reason if this layer has no such figure."""
    drawn, look = figure_named(figure), Style(theme=options.pop("theme", "light"), stamp=False, caption=True)
    unknown = sorted(set(options) - set(drawn.options))
    if unknown:
        raise ValueError(f"{figure} takes {' and '.join(drawn.options) or 'no options'}, got {unknown[0]}")
    cfg = layer if isinstance(layer, Config) else layer.cfg
    options = {NUMBERS.code: "seed"} | options
    request = Request(cfg, cfg.follows_paper, chosen(options), given=None if isinstance(layer, Config) else layer)
    return Embedded(_framed(drawn, request, look, with_slider=isinstance(layer, Config) or of_its_seed(layer)))


def _framed(figure: Figure, request: Request, look: Style, with_slider: bool) -> str:
    picture = figure.draw(request)
    page, here = "", request.cfg.num_heads
    if with_slider and figure.of_layer:
        page = offline.page(figure, request, look).decode()
    if not page or len(page) > MAX_BYTES:
        page = offline.document({here: picture}, here, look, {here: ""}).decode()
    if len(page) > MAX_BYTES and not picture.is_chart:
        page = sheet.on_paper(picture, "", look, anyway=True).svg
    return _frame(page, picture)


def _frame(page: str, picture: Picture) -> str:
    title, style = escape(picture.alt, quote=True), "width:100%;border:0;resize:vertical;overflow:auto"
    return f'<iframe title="{title}" style="{style};height:{HEIGHT}px" srcdoc="{escape(page + FIT, quote=True)}"></iframe>'


#: Pixels above heatmaps for their title, and below for the source of their numbers.
CAPTION = 44
#: By name of a page, the function that draws its heatmaps.
HEATMAPS = {
    "attention": layers.maps, "projections": layers.projections, "kernels": layers.kernels,
    "results": layers.results, "concatenation": layers.shares,
}  # fmt: skip
#: Options of heatmaps. For those that are numbers, a function returns the bounds.
OPTIONS: dict[str, Any] = {
    "words": None, "width": lambda _: (200, 4000), "asking": lambda cfg: (0, cfg.query_len - 1),
    "first": lambda cfg: (0, cfg.num_heads - 1), "off": lambda cfg: (0, cfg.num_heads - 1),
}  # fmt: skip


def heatmaps(trace: Trace, name: str, **options: Any) -> Any:
    """Draws heatmaps; `Trace.figure` describes the options. A note below the heatmaps says where the numbers come from."""
    cfg = trace.cfg
    if name not in HEATMAPS:
        drawn = f"; trace.show({name!r}) draws it" if name in FIGURES else did_you_mean(name, HEATMAPS)
        raise ValueError(f"figure must be {', '.join(HEATMAPS)}, got {name!r}{drawn}")
    takes = [option for option in OPTIONS if option in signature(HEATMAPS[name]).parameters]
    for option, value in options.items():
        if option not in takes:
            raise ValueError(f"{name} takes {', '.join(takes)}, got {option!r}{did_you_mean(option, takes)}")
        if option == "words" and len(value) not in (0, longest := max(cfg.query_len, cfg.key_len)):
            raise ValueError(f"words must be {longest}, one a position, got {len(value)}: {', '.join(map(str, value))!r:.80}")
        if option != "words" and value is not None:
            whole(option, value, *OPTIONS[option](cfg))
    from plotly.graph_objects import Figure  # half a second, and nothing else here needs it

    figure, alt = HEATMAPS[name](trace, **options)
    said = origin(Request(trace.cfg, trace.cfg.follows_paper, given=trace))
    layout, note = figure["layout"], {"xref": "paper", "yref": "paper", "x": 0, "y": 0, "xanchor": "left", "yanchor": "top"}
    notes = [*layout["annotations"], {**note, "text": said, "showarrow": False, "yshift": -layout["margin"]["b"]}]
    margin = {**layout["margin"], "t": CAPTION, "b": layout["margin"]["b"] + CAPTION}
    picture, heads = Picture(figure, layout["title"]["text"], alt, said), trace.cfg.num_heads
    page = offline.document({heads: picture}, heads, Style(stamp=False), {heads: ""}).decode()
    sides = {"annotations": notes, "margin": margin, "height": layout["height"] + 2 * CAPTION}
    drawn = Figure({**figure, "layout": {**layout, **sides}})
    # Plotly's own display would show nothing in a notebook that was saved as HTML.
    vars(drawn).update(_ipython_display_=None, _repr_html_=lambda: _frame(page, picture))
    return drawn
