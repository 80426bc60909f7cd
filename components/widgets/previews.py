"""What the next move of the heads slider will show, sent along with the present picture.

The stage shows it the moment the slider moves; the server's own answer follows and is the same picture. Both are drawn once
for all visitors: a class looks at the same few pictures, and a hundred of its moves in two seconds must fit one core.
"""

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping

from components.figures.pictures import heads
from components.figures.scene import Scene
from components.figures.wire import Slider, pack
from components.pages.own_layer.session import same_weights, shows_network, shows_visitors
from components.settings import Settings
from components.streamlit.controls import heads_stops, next_stops
from components.widgets.trace import trace_of
from mha import Config, Trace
from mha.bounded_cache import BoundedCache
from mha.cost import numbers_kept, too_large
from mha.names import BY_CODE

Drawn = tuple[Scene, Slider[Scene] | None]
#: Only layers that are computed and drawn in a few milliseconds, and only pictures of that many cells, are drawn ahead.
MOST_NUMBERS, MOST_CELLS = 1 << 16, 6000
#: Pictures kept over all visitors: how many, and how many bytes as they are sent (in memory they take some ten times that).
KEPT, KEPT_BYTES = 128, 3 << 20
PICTURES: "BoundedCache[tuple[Trace, Drawn]]" = BoundedCache(KEPT, KEPT_BYTES)
LOCK = threading.Lock()


def cached_drawing(key: Hashable, trace: Trace, make: Callable[[], Drawn]) -> Drawn:
    """What `make` draws of this trace, or has drawn of it before under this key. Kept only where there is a slider, and never of
    a visitor's own numbers."""
    if shows_visitors(trace.cfg):
        return make()
    with LOCK:
        cached = PICTURES.get((key, id(trace)))
    if cached is not None and cached[0] is trace:  # another object may have this id by now; one in the cache keeps its own
        return cached[1]
    drawn = make()
    if drawn[1] is not None:
        size = len(pack(*drawn))
        with LOCK:
            PICTURES.put((key, id(trace)), (trace, drawn), size)
    return drawn


def with_previews(
    settings: Settings, cfg: Config, trace: Trace | None, draw: Callable[..., Scene], *how: Hashable, further: bool = True
) -> Drawn:
    """The picture `draw(cfg, trace, *how)`, and with it the same for the next stops of the heads slider.

    `draw`: a function of a module, the same object in every run. Nothing is drawn ahead where the picture itself is large,
    where Plotly draws it, or without `further`.
    """
    further = further and settings.drawn_by != "plotly"

    def make() -> Drawn:
        scene = draw(cfg, trace, *how)
        if trace is None or not further or sum(grid.values.size for grid in scene.grids.values()) > MOST_CELLS:
            return scene, None
        following = [c for c in ahead(cfg, settings.paper) if shows_network(c) == shows_network(cfg)]
        coming = {c.num_heads: draw(c, trace_of(c), *how) for c in following}
        return scene, heads_slider(cfg, settings.paper, coming)

    return make() if trace is None else cached_drawing((draw, how, settings.paper, further), trace, make)


def ahead(cfg: Config, paper: bool) -> list[Config]:
    """The layers one stop to the left and to the right, where they are layers and small."""
    layers = with_head_counts(cfg, paper, next_stops(*_stops(cfg, paper)))
    return [layer for layer in layers if numbers_kept(layer) <= MOST_NUMBERS]


def with_head_counts(cfg: Config, paper: bool, counts: Iterable[int]) -> list[Config]:
    """The layer with each of these head counts that it can have."""
    return [cfg.with_heads(h, paper=paper) for h in counts if not paper or cfg.d_model % h == 0]


def start_picture(cfg: Config, paper: bool, trace: Trace | None) -> Drawn:
    """The start page's: the layer among its neighbours, and every head count that a move may lead to."""

    def make() -> Drawn:
        alike = lambda here, layers: [c for c in layers if same_weights(here, c)]  # noqa: E731 (one grid serves all of them)
        others = alike(cfg, heads.neighbours(cfg, paper))
        counts = sorted({*heads.SIDE_BY_SIDE, *next_stops(*_stops(cfg, paper))} - {cfg.num_heads})
        following = [c for c in with_head_counts(cfg, paper, counts) if not too_large(c) and same_weights(cfg, c)]
        next_ones = {c: alike(c, heads.neighbours(c, paper)) for c in following}
        next_ones = {c: beside for c, beside in next_ones.items() if heads.cell_by_cell([*others, *beside])}
        widest = heads.widest_of([*others, *(c for beside in next_ones.values() for c in beside)])
        scene = heads.side_by_side(cfg, others, trace and (trace if widest == cfg else trace_of(widest)))
        return scene, heads_slider(cfg, paper, heads.previews(scene, others, next_ones))

    return make() if trace is None or numbers_kept(cfg) > MOST_NUMBERS else cached_drawing(("start", paper), trace, make)


def heads_slider(cfg: Config, paper: bool, scenes: Mapping[int, Scene]) -> Slider[Scene]:
    """The heads slider as it stands."""
    return Slider(BY_CODE["num_heads"].label, *_stops(cfg, paper), scenes)


def _stops(cfg: Config, paper: bool) -> tuple[list[int], int]:
    """The heads slider's stops, and where it stands."""
    return heads_stops(cfg.d_model, paper, cfg.num_heads), cfg.num_heads
