"""How a trace shows itself in a notebook. What draws lies above this package (tests/test_layers.py), so it names itself here:
by `register`, or, where the package is installed, as an entry point of GROUP, which is imported when the first trace is shown."""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

GROUP = "mha.display"
#: trace → HTML, and trace and a figure's name → a figure of Plotly's; the last ones registered draw.
Drawers = tuple[Callable[[Any], str], Callable[..., Any]]
_drawers: list[Drawers] = []


def register(draw: Callable[[Any], str], plot: Callable[..., Any]) -> None:
    """Makes `draw(trace)` what a notebook shows of a trace, and `plot(trace, name, **options)` one of its figures."""
    _drawers.append((draw, plot))


def drawers() -> Drawers | None:
    """What draws; None where nothing does."""
    if not _drawers:
        for entry in entry_points(group=GROUP):
            entry.load()
    return _drawers[-1] if _drawers else None
