"""Charts of trained networks: right answers against heads (a dot for each seed, a line for the mean) and the paper's own table;
a network without one of its heads, with its weights cut for another number of heads, and with scaled scores."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import mean, stdev

import numpy as np

from components.stage.chart import layout, line
from components.stage.theme import CLEAR, EITHER, stops

#: "Attention Is All You Need", Table 3 (A): BLEU (English to German, newstest2013) at equal computation.
BLEU = {1: 24.9, 4: 25.5, 8: 25.8, 16: 25.8, 32: 25.4}
#: What the ring on a chart of the page means.
HERE = "shown on this page"
#: The colours of a share of right answers: a small one stands out, a large one is pale; and the ink on a small one.
RIGHT_ANSWERS, INK_ON_FEW = (EITHER[1], "rgba(140, 140, 140, 0.12)"), "#14181d"
MARGIN = (58, 12, 10, 46)


@dataclass(frozen=True, slots=True)
class Spread:
    """All seeds' accuracy for one number of heads; `shown` is the one on the page."""

    heads: int
    seeds: tuple[float, ...]
    shown: float

    @property
    def mean(self) -> float:
        return mean(self.seeds)

    @property
    def deviation(self) -> float:
        """Gives the sample's standard deviation; 0 for a single seed."""
        return stdev(self.seeds) if len(self.seeds) > 1 else 0.0


def spreads(report: dict, task: str, seed: int) -> tuple[Spread, ...]:
    """The report's runs of one task, by heads."""
    points = []
    for name, runs in report["runs"].items():
        if name.startswith(f"{task}-") and "-key" not in name:
            shown = next(run["mean"] for run in runs if run["seed"] == seed)
            points.append(Spread(int(name.partition("-")[2]), tuple(run["mean"] for run in runs), shown))
    return tuple(sorted(points, key=lambda spread: spread.heads))


def said(what: str, names: Iterable[object], values: Iterable[object], spelt: str = "{:.0%}") -> str:
    """A line or bars in words: "Right answers, cut for: 1: 25%, 2: 50%."."""
    return f"{what}: " + ", ".join(f"{name}: {spelt.format(value)}" for name, value in zip(names, values, strict=True)) + "."


def spreads_alt(points: tuple[Spread, ...]) -> str:
    rates = (f"{one.mean:.0%} ± {one.deviation:.0%} ({len(one.seeds)} seeds)" for one in points)
    return said("Right answers against heads, mean over seeds", (one.heads for one in points), rates, "{}")


def draw_spreads(points: tuple[Spread, ...], chosen: int, ring: str = HERE) -> dict:
    """Heads as evenly spaced steps; the chosen number is ringed, and `ring` says why."""
    point, names = "%{x} heads: %{y:.1%}", [str(spread.heads) for spread in points]
    dots = [(str(spread.heads), value) for spread in points for value in spread.seeds]
    here = next(spread for spread in points if spread.heads == chosen)
    return {
        "data": [
            {
                "type": "scatter", "mode": "markers", "name": "each seed", "x": [x for x, _ in dots], "y": [y for _, y in dots],
                "marker": {"size": 8, "color": EITHER[3], "opacity": 0.55},
                "hovertemplate": point + "<extra>one seed</extra>",
            },
            line(
                names, [spread.mean for spread in points], "mean ± deviation", EITHER[0],
                point + " ± %{customdata[0]:.1%}<extra>%{customdata[1]} seeds</extra>", 9,
                error_y={"type": "data", "array": [spread.deviation for spread in points], "thickness": 1.5, "width": 5},
                customdata=[[spread.deviation, len(spread.seeds)] for spread in points],
            ),
            {
                "type": "scatter", "mode": "markers", "name": ring, "x": [str(chosen)], "y": [here.shown],
                "cliponaxis": False, "marker": {"size": 18, "color": CLEAR, "line": {"width": 3, "color": EITHER[1]}},
                "hovertemplate": point + "<extra>shown here</extra>",
            },
        ],
        "layout": layout(
            300, MARGIN, xaxis={"type": "category", "categoryarray": names, "title": {"text": "heads (h)"}},
            yaxis={"range": (0, 1.04), "title": {"text": "right answers"}, "tickformat": ".0%"},
            legend={"orientation": "h", "x": 0, "y": 1.1, "yanchor": "bottom"},
        ),
    }  # fmt: skip


def bleu_alt() -> str:
    return said("BLEU against heads in the paper's Table 3 (A)", BLEU, BLEU.values(), "{}")


def draw_bleu() -> dict:
    """The paper's own five points, the same shape. A number stands below a point that both its lines leave upwards."""
    scores = list(BLEU.values())
    beside = [scores[max(place - 1, 0) : place] + scores[place + 1 : place + 2] for place in range(len(scores))]
    places = ["bottom" if min(others) > score else "top" for score, others in zip(scores, beside, strict=True)]
    return {
        "data": [line(
            [str(h) for h in BLEU], scores, "BLEU", EITHER[2], "%{x} heads: %{y} BLEU<extra></extra>", 9,
            mode="lines+markers+text", cliponaxis=False, text=[f"{score}" for score in scores],
            textposition=[f"{place} center" for place in places],
        )],
        "layout": layout(
            300, MARGIN, showlegend=False, xaxis={"type": "category", "title": {"text": "heads (h)"}},
            yaxis={"range": [24.5, 26.1], "title": {"text": "BLEU"}, "nticks": 5},
        ),
    }  # fmt: skip


def removal_alt(accuracy: np.ndarray, questions: tuple[str, ...]) -> str:
    """Axes "hr"."""
    falls = [f"without head {head + 1}: {questions[int(row.argmin())]} {row.min():.0%}" for head, row in enumerate(accuracy[:8])]
    return f"Right answers with one head removed, the question that suffers most: {', '.join(falls)}."


def draw_removals(accuracy: np.ndarray, questions: tuple[str, ...], off: int | None) -> dict:
    """A row for each head removed ("hr"), a column for each question; the removed one is marked."""
    few = len(accuracy) <= 8
    labels = [
        {"x": x, "y": y, "text": f"{value:.0%}", "showarrow": False, **({"font": {"color": INK_ON_FEW}} if value < 0.5 else {})}
        for y, row in enumerate(accuracy.tolist()) for x, value in enumerate(row)
    ]  # fmt: skip
    names = [f"without head {head + 1}" + (" ◂" if head == off else "") for head in range(len(accuracy))]
    return {
        "data": [{
            "type": "heatmap", "z": accuracy, "x": list(questions), "y": names, "zmin": 0, "zmax": 1, "xgap": 2, "ygap": 2,
            "colorscale": stops(RIGHT_ANSWERS), "showscale": not few, "colorbar": {"tickformat": ".0%", "thickness": 10},
            "hovertemplate": "%{y}, %{x}: %{z:.1%}<extra></extra>",
        }],
        "layout": layout(
            290, (118, 12, 10, 30), xaxis={"showgrid": False}, yaxis={"autorange": "reversed", "showgrid": False},
            annotations=labels if few else [],
        ),
    }  # fmt: skip


def draw_recut(heads: tuple[int, ...], values: tuple[float, ...], trained: int, chosen: int) -> dict:
    """Right answers of one network's trained numbers, cut for each number of heads; its own cut stands out."""
    colours = [EITHER[0] if h == trained else EITHER[3] for h in heads]
    edges = [3 if h == chosen else 0 for h in heads]
    return {
        "data": [{
            "type": "bar", "x": [str(h) for h in heads], "y": values, "text": [f"{value:.0%}" for value in values],
            "textposition": "outside", "cliponaxis": False,
            "marker": {"color": colours, "line": {"width": edges, "color": EITHER[1]}},
            "hovertemplate": "cut for %{x}: %{y:.1%}<extra></extra>",
        }],
        "layout": layout(
            290, MARGIN, xaxis={"type": "category", "title": {"text": f"numbers trained with h = {trained}, cut for"}},
            yaxis={"range": [0, 1.12], "tickformat": ".0%", "tickvals": [0, 0.25, 0.5, 0.75, 1]},
        ),
    }  # fmt: skip


def draw_temperatures(names: tuple[str, ...], curves: dict[str, tuple[float, ...]], chosen: str) -> dict:
    """Right answers against the factor on the scores, one curve for each network by its name."""
    data = [
        line(names, values, name, colour, f"scores times %{{x}}: %{{y:.1%}}<extra>{name}</extra>", 8, dash)
        for (name, values), colour, dash in zip(curves.items(), EITHER, ("solid", "dash"), strict=False)
    ]
    place = names.index(chosen)
    return {
        "data": data,
        "layout": layout(
            290, MARGIN, xaxis={"type": "category", "title": {"text": "scores times"}},
            yaxis={"range": [0, 1.04], "tickformat": ".0%"},
            legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
            shapes=[{"type": "line", "x0": place, "x1": place, "y0": 0, "y1": 1, "yref": "paper",
                     "line": {"color": EITHER[3], "width": 1.5, "dash": "dot"}}],
        ),
    }  # fmt: skip


def draw_movements(names: tuple[str, ...], values: tuple[float, ...]) -> dict:
    """How far each head's map moves, on the whole scale from 0 to 1; the first bar is the one-head network's."""
    return {
        "data": [{
            "type": "bar", "x": names, "y": values, "text": [f"{value:.2f}" for value in values] if len(names) <= 9 else None,
            "textposition": "outside", "cliponaxis": False,
            "marker": {"color": [EITHER[1] if place == 0 and len(names) > 1 else EITHER[0] for place in range(len(names))]},
            "hovertemplate": "%{x}: %{y:.3f}<extra></extra>",
        }],
        "layout": layout(290, MARGIN, xaxis={"type": "category"}, yaxis={"range": [0, 1], "title": {"text": "change of a row"}}),
    }  # fmt: skip
