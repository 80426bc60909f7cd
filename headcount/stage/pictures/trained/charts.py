"""Charts of trained networks: right answers against heads (a dot for each seed, a line for the mean), and the paper's table."""

from dataclasses import dataclass
from statistics import mean, stdev

from headcount.stage.chart import layout, line
from headcount.stage.theme import CLEAR, EITHER

#: "Attention Is All You Need", Table 3 (A): BLEU (English to German, newstest2013) at equal computation.
BLEU = {1: 24.9, 4: 25.5, 8: 25.8, 16: 25.8, 32: 25.4}
#: What the ring on a chart of the page means.
HERE = "shown on this page"
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


def draw_spreads(points: tuple[Spread, ...], chosen: int, ring: str = HERE) -> tuple[dict, str]:
    """Heads as evenly spaced steps, and what they say in words; the chosen number is ringed, and `ring` says why."""
    point, names = "%{x} heads: %{y:.1%}", [str(spread.heads) for spread in points]
    dots = [(str(spread.heads), value) for spread in points for value in spread.seeds]
    here = next(spread for spread in points if spread.heads == chosen)
    rates = (f"{one.heads}: {one.mean:.0%} ± {one.deviation:.0%} ({len(one.seeds)} seeds)" for one in points)
    figure = {
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
            over="right answers", yaxis={"range": (0, 1.04), "tickformat": ".0%"},
            legend={"orientation": "h", "x": 0, "y": 1.1, "yanchor": "bottom"},
        ),
    }  # fmt: skip
    return figure, f"Right answers against heads, mean over seeds: {', '.join(rates)}."


def draw_bleu() -> tuple[dict, str]:
    """The paper's own five points, and in words. A number stands below a point that both its lines leave upwards."""
    scores = list(BLEU.values())
    beside = [scores[max(place - 1, 0) : place] + scores[place + 1 : place + 2] for place in range(len(scores))]
    places = ["bottom" if min(others) > score else "top" for score, others in zip(scores, beside, strict=True)]
    figure = {
        "data": [line(
            [str(h) for h in BLEU], scores, "BLEU", EITHER[2], "%{x} heads: %{y} BLEU<extra></extra>", 9,
            mode="lines+markers+text", cliponaxis=False, text=[f"{score}" for score in scores],
            textposition=[f"{place} center" for place in places],
        )],
        "layout": layout(
            300, MARGIN, showlegend=False, xaxis={"type": "category", "title": {"text": "heads (h)"}},
            over="BLEU", yaxis={"range": [24.5, 26.1], "nticks": 5},
        ),
    }  # fmt: skip
    return figure, f"BLEU against heads in the paper's Table 3 (A): {', '.join(f'{h}: {score}' for h, score in BLEU.items())}."
