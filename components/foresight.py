"""What the next move of the heads slider will show, sent along with the present picture.

The stage shows it the moment the slider moves; the server's own answer follows and is the same picture.
"""

from collections.abc import Callable

from components.controls import stops_beside, stops_of
from components.figures.scene import Scene
from components.figures.wire import Slider
from components.settings import Settings
from components.tracing import trace_of
from mha import Config, Trace
from mha.cost import numbers_kept
from mha.names import BY_CODE

#: Only layers that are computed and drawn in a few milliseconds, and only pictures of that many cells, are drawn ahead.
MOST_NUMBERS, MOST_CELLS = 1 << 16, 6000


def ahead(cfg: Config, settings: Settings) -> list[Config]:
    """The layers one stop to the left and to the right, where they are layers and small."""
    counts = stops_beside("num_heads", cfg.num_heads)
    layers = [cfg.with_heads(h, paper=settings.paper) for h in counts if not settings.paper or cfg.d_model % h == 0]
    return [layer for layer in layers if numbers_kept(layer) <= MOST_NUMBERS]


def foreseen(cfg: Config, settings: Settings, scene: Scene, draw: Callable[[Config, Trace], Scene]) -> Slider | None:
    """The plan of `draw` for the stops beside; None where the picture itself is large, or Plotly draws it."""
    if settings.drawn_by == "plotly" or not scene.grids or sum(grid.values.size for grid in scene.grids.values()) > MOST_CELLS:
        return None
    return heads_slider(cfg, {layer.num_heads: draw(layer, trace_of(layer)) for layer in ahead(cfg, settings)})


def heads_slider(cfg: Config, scenes: dict[int, Scene]) -> Slider:
    """The heads slider as it stands."""
    return Slider(BY_CODE["num_heads"].label, stops_of("num_heads", cfg.num_heads), cfg.num_heads, scenes)
