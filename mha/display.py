"""How a trace shows itself in a notebook. What draws lies above this package (tests/test_layers.py), so it names itself here:
by `register`, or, where the package is installed, as an entry point of GROUP, which is imported when the first trace is shown."""

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

GROUP = "mha.display"
#: trace → HTML; the last one registered draws.
_drawers: list[Callable[[Any], str]] = []


def register(draw: Callable[[Any], str]) -> None:
    """From now on `draw(trace)` is what a notebook shows of a trace."""
    _drawers.append(draw)


def html_of(trace: object) -> str | None:
    """The trace as HTML; None where nothing draws: a notebook then prints it."""
    if not _drawers:
        for entry in entry_points(group=GROUP):
            entry.load()
    return _drawers[-1](trace) if _drawers else None
