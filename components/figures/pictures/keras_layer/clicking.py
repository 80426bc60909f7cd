"""A mask to click on: one square for each pair of query and key."""

import numpy as np

from components.figures.theme import EITHER
from mha.names import counted

CELL_PX = 26


def draw(mask: np.ndarray) -> dict:
    """A plain figure with one marker a cell; its point number is row · keys + column."""
    queries, keys = mask.shape
    rows, columns = np.indices(mask.shape).reshape(2, -1) + 1
    cell = CELL_PX if max(mask.shape) <= 16 else 16
    allowed = mask.ravel()
    return {
        "data": [{
            "type": "scatter", "mode": "markers", "x": columns, "y": rows, "showlegend": False,
            "marker": {
                "symbol": ["square" if on else "x-thin-open" for on in allowed],
                "size": [cell - 4 if on else cell / 3 for on in allowed],
                "color": [EITHER[2] if on else EITHER[3] for on in allowed], "line": {"width": 1.5, "color": EITHER[3]},
            },
            "unselected": {"marker": {"opacity": 1}},
            "hovertemplate": [f"query {r}, key {c}: {'may look' if on else 'may not'}<extra></extra>"
                              for r, c, on in zip(rows, columns, allowed, strict=True)],
        }],
        "layout": {
            "width": keys * cell + 70, "height": queries * cell + 60, "margin": {"l": 46, "r": 8, "t": 36, "b": 4},
            "xaxis": {"side": "top", "range": [0.4, keys + 0.6], "title": {"text": "key"}, "tickmode": "linear",
                      "dtick": 1 if keys <= 16 else 4, "showgrid": False, "zeroline": False, "fixedrange": True},
            "yaxis": {"range": [queries + 0.6, 0.4], "title": {"text": "query"}, "tickmode": "linear",
                      "dtick": 1 if queries <= 16 else 4, "showgrid": False, "zeroline": False, "fixedrange": True},
            "dragmode": False, "clickmode": "event+select", "hovermode": "closest",
            "paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)",
        },
    }  # fmt: skip


def alt(mask: np.ndarray) -> str:
    queries, keys = mask.shape
    return (
        f"Mask of {counted(queries, 'query', 'queries')} by {counted(keys, 'key')}: "
        f"{int(mask.sum())} of {mask.size} pairs may look. Click a square to change it."
    )
