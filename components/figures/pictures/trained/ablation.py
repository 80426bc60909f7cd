"""Trained networks taken apart: which answer falls without which head, the same numbers cut otherwise, scores scaled."""

import numpy as np

from components.figures.theme import EITHER, stops

CLEAR = "rgba(0,0,0,0)"
#: What falls is coloured, what stands is pale; and the words on what has fallen.
FALLEN, ON_FALLEN = (EITHER[1], "rgba(140, 140, 140, 0.12)"), "#14181d"
LAYOUT = {"height": 290, "margin": {"l": 58, "r": 12, "t": 10, "b": 46}, "paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR}


def removal_alt(accuracy: np.ndarray, questions: tuple[str, ...]) -> str:
    """Axes "hr"."""
    falls = [f"without head {head + 1}: {questions[int(row.argmin())]} {row.min():.0%}" for head, row in enumerate(accuracy[:8])]
    return f"Right answers with one head removed, the question that suffers most: {', '.join(falls)}."


def draw_removals(accuracy: np.ndarray, questions: tuple[str, ...], off: int | None) -> dict:
    """A row for each head removed ("hr"), a column for each question; the removed one is marked."""
    few = len(accuracy) <= 8
    told = [
        {"x": x, "y": y, "text": f"{value:.0%}", "showarrow": False, **({"font": {"color": ON_FALLEN}} if value < 0.5 else {})}
        for y, row in enumerate(accuracy.tolist()) for x, value in enumerate(row)
    ]  # fmt: skip
    names = [f"without head {head + 1}" + (" ◂" if head == off else "") for head in range(len(accuracy))]
    return {
        "data": [{
            "type": "heatmap", "z": accuracy, "x": list(questions), "y": names, "zmin": 0, "zmax": 1, "xgap": 2, "ygap": 2,
            "colorscale": stops(FALLEN), "showscale": not few, "colorbar": {"tickformat": ".0%", "thickness": 10},
            "hovertemplate": "%{y}, %{x}: %{z:.1%}<extra></extra>",
        }],
        "layout": {**LAYOUT, "margin": {"l": 118, "r": 12, "t": 10, "b": 30}, "xaxis": {"showgrid": False},
                   "yaxis": {"autorange": "reversed", "showgrid": False}, "annotations": told if few else []},
    }  # fmt: skip


def line_alt(what: str, names: tuple[str, ...], values: tuple[float, ...]) -> str:
    return f"{what}: " + ", ".join(f"{name}: {value:.0%}" for name, value in zip(names, values, strict=True)) + "."


def draw_recut(heads: tuple[int, ...], values: tuple[float, ...], own: int, chosen: int) -> dict:
    """Right answers of one network's trained numbers, cut for each number of heads; its own cut stands out."""
    colours = [EITHER[0] if h == own else EITHER[3] for h in heads]
    edges = [3 if h == chosen else 0 for h in heads]
    return {
        "data": [{
            "type": "bar", "x": [str(h) for h in heads], "y": values, "text": [f"{value:.0%}" for value in values],
            "textposition": "outside", "cliponaxis": False,
            "marker": {"color": colours, "line": {"width": edges, "color": EITHER[1]}},
            "hovertemplate": "cut for %{x}: %{y:.1%}<extra></extra>",
        }],
        "layout": {**LAYOUT, "xaxis": {"type": "category", "title": {"text": f"numbers trained with h = {own}, cut for"}},
                   "yaxis": {"range": [0, 1.12], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]}},
    }  # fmt: skip


def draw_temperatures(names: tuple[str, ...], curves: dict[str, tuple[float, ...]], chosen: str) -> dict:
    """Right answers against the factor on the scores, one curve for each network by its name."""
    data = [
        {
            "type": "scatter", "mode": "lines+markers", "name": name, "x": names, "y": values,
            "line": {"color": colour, "width": 3, "dash": dash}, "marker": {"size": 8, "color": colour},
            "hovertemplate": "scores times %{x}: %{y:.1%}<extra>" + name + "</extra>",
        }
        for (name, values), colour, dash in zip(curves.items(), (EITHER[0], EITHER[1]), ("solid", "dash"), strict=False)
    ]  # fmt: skip
    place = names.index(chosen)
    return {
        "data": data,
        "layout": {**LAYOUT, "xaxis": {"type": "category", "title": {"text": "scores times"}},
                   "yaxis": {"range": [0, 1.04], "tickformat": ".0%"},
                   "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
                   "shapes": [{"type": "line", "x0": place, "x1": place, "y0": 0, "y1": 1, "yref": "paper",
                               "line": {"color": EITHER[3], "width": 1.5, "dash": "dot"}}]},
    }  # fmt: skip


def movement_alt(names: tuple[str, ...], values: tuple[float, ...]) -> str:
    return "How far the maps move when all dishes are replaced (0 not at all, 1 wholly): " + ", ".join(
        f"{name} {value:.3f}" for name, value in zip(names, values, strict=True)) + "."


def draw_movements(names: tuple[str, ...], values: tuple[float, ...]) -> dict:
    """How far each head's map moves, on the whole scale from 0 to 1; the first bar is the one-head network's."""
    return {
        "data": [{
            "type": "bar", "x": names, "y": values, "text": [f"{value:.2f}" for value in values] if len(names) <= 9 else None,
            "textposition": "outside", "cliponaxis": False,
            "marker": {"color": [EITHER[1] if place == 0 and len(names) > 1 else EITHER[0] for place in range(len(names))]},
            "hovertemplate": "%{x}: %{y:.3f}<extra></extra>",
        }],
        "layout": {**LAYOUT, "xaxis": {"type": "category"}, "yaxis": {"range": [0, 1], "title": {"text": "change of a row"}}},
    }  # fmt: skip
