"""The same scene as one Plotly figure: values under the pointer, zoom, and an SVG or PNG to take away."""

import re
from html import escape

import numpy as np

from components.figures.flow import Placed, Rect, place
from components.figures.scene import Block, Grid, Scene, Text
from components.theme import EITHER_SHARE, EITHER_SIGNED, LIGHT, head_colour, stops
from mha.names import LABELS

SCALES = {
    "weight": ("weights", EITHER_SIGNED),
    "signed": ("values", EITHER_SIGNED),
    "score": ("scores", EITHER_SIGNED),
    "share": ("attention", EITHER_SHARE),
}
BAR_PX = 70
GREY = "#8a8f98"


def draw(scene: Scene, width: float = 1000) -> dict:
    """A plain figure: one heatmap per scale for each block, frames as shapes, words as annotations."""
    placed = place(scene, width)
    kinds = list(dict.fromkeys(grid.scale for grid in scene.grids.values()))
    traces = [_heatmap(block, rect, scene.grids[block.grid], kinds) for block, rect in placed.blocks if block.grid]
    layout = {
        "width": width + BAR_PX * len(kinds),
        "height": placed.height,
        "margin": {"l": 0, "r": BAR_PX * len(kinds), "t": 0, "b": 0},
        "xaxis": {"range": [0, width], "visible": False},
        "yaxis": {"range": [placed.height, 0], "visible": False, "scaleanchor": "x"},
        "shapes": _frames(placed),
        "annotations": [_words(*text) for text in placed.texts],
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hovermode": "closest",
        "dragmode": "zoom",
    }
    for index, kind in enumerate(kinds):
        layout[f"coloraxis{index + 1 if index else ''}"] = _scale(kind, scene.tops.get(kind, 1.0), index)
    return {"data": traces, "layout": layout}


def _heatmap(block: Block, rect: Rect, grid: Grid, kinds: list[str]) -> dict:
    rows, cols = slice(block.r0, block.r0 + block.rows), slice(block.c0, block.c0 + block.cols)
    values = grid.values[rows, cols]
    dx, dy = rect.w / block.cols, rect.h / block.rows
    index = kinds.index(grid.scale)
    name = LABELS.get(block.name, block.name) + ("" if block.head is None else f" of head {block.head + 1}")
    own = block.head is not None
    place_of = np.array([[(r + 1, c + 1) for c in range(block.cols)] for r in range(block.rows)])
    if not own:
        place_of = place_of + np.array([block.r0, block.c0])
    where = (
        "row %{customdata[0]}, column %{customdata[1]}: %{z:.3f}"
        if grid.pool == 1
        else f"mean of {grid.square}: %{{z:.4f}}"
    )
    return {
        "type": "heatmap",
        "z": values,
        "customdata": place_of,
        "x0": rect.x + dx / 2,
        "dx": dx,
        "y0": rect.y + dy / 2,
        "dy": dy,
        "coloraxis": f"coloraxis{index + 1 if index else ''}",
        "xgap": 1 if dx >= 5 else 0,
        "ygap": 1 if dy >= 5 else 0,
        "opacity": 0.22 if block.faded else 1,
        "hoverongaps": False,
        "hovertemplate": f"{escape(name)}, {where}<extra></extra>",
    }


def _frames(placed: Placed) -> list[dict]:
    shapes = []
    for panel, rect in placed.frames:
        if panel.go:
            shapes.append(_box(rect, GREY, 2 if panel.on else 0.5))
    for block, rect in placed.blocks:
        colour = GREY if block.hue is None else head_colour(LIGHT, block.hue)
        shapes.append(_box(Rect(rect.x - 1.5, rect.y - 1.5, rect.w + 2, rect.h + 2), colour, 0.5 if block.hue is None else 1.5))
    return shapes


def _box(rect: Rect, colour: str, width: float) -> dict:
    return {
        "type": "rect",
        "x0": rect.x,
        "x1": rect.x + rect.w,
        "y0": rect.y,
        "y1": rect.y + rect.h,
        "line": {"color": colour, "width": width},
    }


def _words(text: Text, x: float, y: float) -> dict:
    """Lowered and raised parts as Plotly writes them; nothing else in a label is markup."""
    plain = escape(text.text)
    plain = re.sub(r"_\{([^}]*)\}", r"<sub>\1</sub>", plain)
    plain = re.sub(r"\^\{([^}]*)\}", r"<sup>\1</sup>", plain)
    if text.role == "strong":
        plain = f"<b>{plain}</b>"
    anchor = {"start": "left", "middle": "center", "end": "right"}[text.anchor]
    return {
        "x": x,
        "y": y - text.size * 0.35,
        "text": plain,
        "showarrow": False,
        "xanchor": anchor,
        "yanchor": "middle",
        "font": {"size": text.size},
    }


def _scale(kind: str, top: float, index: int) -> dict:
    title, colours = SCALES[kind]
    low = 0 if kind == "share" else -top
    return {
        "cmin": low,
        "cmax": top,
        "colorscale": stops(colours),
        "colorbar": {"title": {"text": title}, "thickness": 12, "len": 0.8, "x": 1.01 + index * 0.06, "nticks": 5},
    }
