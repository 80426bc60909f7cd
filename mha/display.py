"""How a trace shows itself in a notebook. What draws lies above this package (tests/test_layers.py), so it names itself here:
by `register`, or, where the package is installed, as an entry point of GROUP, which is imported when the first trace is shown."""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

GROUP = "mha.display"
#: trace → HTML, and trace and a figure's name → a figure of Plotly's; the last ones registered draw.
_drawers: list[Callable[[Any], str]] = []
_plotters: list[Callable[..., Any]] = []


def register(draw: Callable[[Any], str], plot: Callable[..., Any]) -> None:
    """Makes `draw(trace)` what a notebook shows of a trace, and `plot(trace, name, **options)` one of its figures."""
    _drawers.append(draw)
    _plotters.append(plot)


def _load() -> None:
    if not _drawers:
        for entry in entry_points(group=GROUP):
            entry.load()


def figure_of(trace: object, name: str, **options: Any) -> Any:
    """One of the trace's figures; ImportError where nothing draws."""
    _load()
    if not _plotters:
        raise ImportError("a figure of a trace needs the package components, which is not installed")
    return _plotters[-1](trace, name, **options)


def html_of(trace: object) -> str | None:
    """The trace as HTML; None where nothing draws: a notebook then prints it."""
    _load()
    return _drawers[-1](trace) if _drawers else None
