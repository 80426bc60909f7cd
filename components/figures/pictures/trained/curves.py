"""Right answers against the number of heads: every seed a dot, the mean a line; beside it the paper's own table."""

from dataclasses import dataclass
from statistics import mean, stdev

from components.figures.theme import EITHER

#: "Attention Is All You Need", Table 3 (A): BLEU (English to German, newstest2013) at equal computation.
BLEU = {1: 24.9, 4: 25.5, 8: 25.8, 16: 25.8, 32: 25.4}
CLEAR = "rgba(0,0,0,0)"


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
        """Of the sample; 0 for a single seed."""
        return stdev(self.seeds) if len(self.seeds) > 1 else 0.0


def spreads(report: dict, task: str, seed: int) -> tuple[Spread, ...]:
    """The report's runs of one task, by heads."""
    made = []
    for name, runs in report["runs"].items():
        if name.startswith(f"{task}-"):
            shown = next(run["mean"] for run in runs if run["seed"] == seed)
            made.append(Spread(int(name.partition("-")[2]), tuple(run["mean"] for run in runs), shown))
    return tuple(sorted(made, key=lambda one: one.heads))


def alt(made: tuple[Spread, ...]) -> str:
    return "Right answers against heads, mean over seeds: " + ", ".join(
        f"{one.heads}: {one.mean:.0%} ± {one.deviation:.0%} ({len(one.seeds)} seeds)" for one in made) + "."


def draw(made: tuple[Spread, ...], chosen: int) -> dict:
    """Heads as evenly spaced steps; the chosen number is ringed."""
    names = [str(one.heads) for one in made]
    dots = [(str(one.heads), value) for one in made for value in one.seeds]
    here = next(one for one in made if one.heads == chosen)
    return {
        "data": [
            {
                "type": "scatter", "mode": "markers", "name": "each seed", "x": [x for x, _ in dots], "y": [y for _, y in dots],
                "marker": {"size": 8, "color": EITHER[3], "opacity": 0.55},
                "hovertemplate": "%{x} heads: %{y:.1%}<extra>one seed</extra>",
            },
            {
                "type": "scatter", "mode": "lines+markers", "name": "mean ± deviation",
                "x": names, "y": [one.mean for one in made],
                "line": {"color": EITHER[0], "width": 3}, "marker": {"size": 9, "color": EITHER[0]},
                "error_y": {"type": "data", "array": [one.deviation for one in made], "thickness": 1.5, "width": 5},
                "customdata": [[one.deviation, len(one.seeds)] for one in made],
                "hovertemplate": "%{x} heads: %{y:.1%} ± %{customdata[0]:.1%}<extra>%{customdata[1]} seeds</extra>",
            },
            {
                "type": "scatter", "mode": "markers", "name": "shown on this page", "x": [str(chosen)], "y": [here.shown],
                "cliponaxis": False, "marker": {"size": 18, "color": CLEAR, "line": {"width": 3, "color": EITHER[1]}},
                "hovertemplate": "%{x} heads: %{y:.1%}<extra>shown here</extra>",
            },
        ],
        "layout": {
            "height": 300, "margin": {"l": 58, "r": 12, "t": 10, "b": 46},
            "xaxis": {"type": "category", "categoryarray": names, "title": {"text": "heads (h)"}},
            "yaxis": {"range": [0, 1.04], "tickformat": ".0%", "title": {"text": "right answers"}},
            "legend": {"orientation": "h", "x": 0, "y": 1.1, "yanchor": "bottom"},
            "paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR,
        },
    }  # fmt: skip


def bleu_alt() -> str:
    return "BLEU against heads in the paper's Table 3 (A): " + ", ".join(f"{h}: {score}" for h, score in BLEU.items()) + "."


def draw_bleu() -> dict:
    """The paper's own five points, the same shape."""
    return {
        "data": [{
            "type": "scatter", "mode": "lines+markers+text", "name": "BLEU",
            "x": [str(h) for h in BLEU], "y": list(BLEU.values()),
            "text": [f"{score}" for score in BLEU.values()], "textposition": "top center", "cliponaxis": False,
            "line": {"color": EITHER[2], "width": 3}, "marker": {"size": 9, "color": EITHER[2]},
            "hovertemplate": "%{x} heads: %{y} BLEU<extra></extra>",
        }],
        "layout": {
            "height": 300, "margin": {"l": 58, "r": 12, "t": 10, "b": 46}, "showlegend": False,
            "xaxis": {"type": "category", "title": {"text": "heads (h)"}},
            "yaxis": {"range": [24.5, 26.1], "title": {"text": "BLEU"}, "nticks": 5},
            "paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR,
        },
    }  # fmt: skip
