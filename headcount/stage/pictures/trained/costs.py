"""Chart of accuracy against one size: how often trained layers answer each question correctly, at each value of a slider."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from headcount.config import Config
from headcount.ledger import count_parameters
from headcount.names import begun, counted, listed, noun
from headcount.reading import is_shipped, sizes_of
from headcount.settings import HEAD_SIZES, STOPS
from headcount.stage.chart import LEGEND_ABOVE, layout
from headcount.stage.theme import EITHER, EITHER_HEADS
from headcount.trained import store
from headcount.trained.sentence import QUESTIONS
from headcount.trained.stops import NETWORKS, Sizes

#: A question counts as answered from accuracy ENOUGH on, and as failed below FAILED.
ENOUGH, FAILED = 0.95, 0.75
#: Least difference between training runs that is seen as a line.
SEEN = 0.01
#: Least number of training runs that show that a layer cannot answer a question.
SEEDS = 3
#: "who" and "whom" are judged together, because a layer that fails often finds both people but mixes them up.
PEOPLE = QUESTIONS[:2]
IN_WORDS = {"num_heads": "number of heads", "d_model": "d_model", "key_dim": "key size", "value_dim": "value size"}
#: The name of each size and its meaning, in a line that fits a phone.
MEANS = {
    "num_heads": "Number of heads: each head has its own weights.",
    "d_model": "d_model: how many numbers stand for a word.",
    "key_dim": "Key size: how many numbers a query or key has.",
    "value_dim": "Value size: how many numbers a head brings back.",
}


@dataclass(frozen=True, slots=True)
class Stop:
    """A trained layer at one `value` of a slider. `right` has the accuracy of each question for the network on screen. `seeds`
    has the same accuracies for each training run."""

    value: int
    sizes: Sizes
    right: tuple[float, ...]
    seeds: tuple[tuple[float, ...], ...]

    @property
    def cfg(self) -> Config:
        return Config(*self.sizes)

    @property
    def lost(self) -> dict[str, float]:
        """The questions with an accuracy below ENOUGH, each with this accuracy. The accuracy is the lower of two: that on screen,
        and the median of the training runs. “who” and “whom” both get the lower of their two accuracies."""
        shown, *worse = ((min(run[:2]), min(run[:2]), *run[2:]) for run in (self.right, *self.seeds))
        least = map(min, shown, map(median, zip(*worse, strict=True)))
        return {name: right for name, right in zip(QUESTIONS, least, strict=True) if right < ENOUGH}

    @property
    def cannot_tell(self) -> bool:
        """Whether at least SEEDS networks were trained, and all of them fail on “who” or “whom”."""
        return len(self.seeds) >= SEEDS and all(min(right[:2]) < FAILED for right in self.seeds)


def stop(sizes: Sizes, value: int) -> Stop:
    """Loads the accuracies of the layer that was trained with these sizes. Raises `Broken` if a file is missing or damaged."""
    name = NETWORKS[sizes]
    part = name.partition("-")[0]
    runs = store.report(part)["runs"][name]
    shown = store.manifest(part)["networks"][name]["accuracy"]
    return Stop(value, sizes, tuple(shown), tuple(tuple(run["accuracy"]) for run in runs))


def stops_of(cfg: Config, paper: bool, slider: str) -> tuple[Stop, ...]:
    """Returns the trained layers for all values of a slider. Their other sizes are those of `cfg`. If `paper`, key and value size
    follow from d_model and heads, except if the slider sets one of the two. Raises `Broken` if accuracies cannot be read."""
    here, at = sizes_of(cfg), [*STOPS].index(slider)
    follow = paper and slider not in HEAD_SIZES

    def leads_to(sizes: Sizes) -> bool:
        width, heads, key_dim, value_dim = sizes
        fixed = [place for place in range(2 if follow else 4) if place != at]
        return all(sizes[place] == here[place] for place in fixed) and (
            not follow or heads * key_dim == width == heads * value_dim
        )

    found = sorted((sizes[at], sizes) for sizes, name in NETWORKS.items() if is_shipped(name) and leads_to(sizes))
    return tuple(stop(sizes, value) for value, sizes in found)


def headline(stops: Sequence[Stop], slider: str) -> str:
    """Returns the chart's headline. It names the smallest value at which every question is answered, and what is lost at the
    value before and at a larger value. If no value is enough, or fewer than two layers were trained, the headline says so."""
    least = next((place for place, one in enumerate(stops) if not one.lost), None)
    if len(stops) < 2:
        return f"No other {IN_WORDS[slider]} was trained with these sizes." if stops else "No layer of these sizes was trained."
    if least is None:
        best = max(stops, key=lambda one: min(one.right))
        return f"No {IN_WORDS[slider]} is enough here: even {_loses(slider, best, ', the best,')}."
    value = stops[least].value
    later = next((one for one in stops[least:] if one.lost), None)
    but = f", but {_loses(slider, later)}" if later else ""
    enough = f"{noun(_things(slider, value), 'is', 'are')} enough{but}."
    text = f"{_loses(slider, stops[least - 1])}; {value} {enough}" if least else f"{_at(slider, value)} {enough}"
    return _begun(text)


def _begun(text: str) -> str:
    """Returns the text with a capital letter at the beginning. A text that begins with d_model stays as it is."""
    return text if text.startswith("d_model") else begun(text)


def _things(slider: str, value: int) -> int:
    return value if slider == "num_heads" else 1


def _at(slider: str, value: int) -> str:
    return counted(value, "head") if slider == "num_heads" else f"{IN_WORDS[slider]} {value}"


def _loses(slider: str, one: Stop, which: str = "") -> str:
    verb = ("mixes up", "mix up") if [*one.lost] == [*PEOPLE] else ("loses", "lose")
    often = "sometimes " * (min(one.lost.values()) >= FAILED)
    return f"{_at(slider, one.value)}{which} {often}{noun(_things(slider, one.value), *verb)} {listed([*one.lost])}"


def draw(stops: Sequence[Stop], slider: str, here: int) -> tuple[dict, str]:
    """Draws a bar for each question at each value of the slider. A thin line on a bar goes from the worst to the best training
    run. Parameter counts are below. The value `here` is highlighted if it is drawn. Also returns the accuracies in words."""
    counts = [count_parameters(one.cfg) for one in stops]
    names = [f"{one.value}<br>{count:,}" for one, count in zip(stops, counts, strict=True)]
    names = [f"<b>{name}</b>" if one.value == here else name for one, name in zip(stops, names, strict=True)]
    bars, rows = [], []
    for place, question in enumerate(QUESTIONS):
        shown = [one.right[place] for one in stops]
        least, most = ([pick(run[place] for run in one.seeds) for one in stops] for pick in (min, max))
        found = zip(stops, counts, shown, least, most, strict=True)
        rows += [(one.value, count, question, right, len(one.seeds), low, high) for one, count, right, low, high in found]
        bars.append({
            "type": "bar", "name": question, "x": names, "y": shown, "marker": {"color": EITHER_HEADS[place]},
            "customdata": [[len(one.seeds), low, high] for one, low, high in zip(stops, least, most, strict=True)],
            "hovertemplate": f"{question}: %{{y:.0%}}<br>%{{customdata[0]}} layers: %{{customdata[1]:.0%}} to "
            "%{customdata[2]:.0%}<extra></extra>",
            "error_y": {
                "type": "data", "symmetric": False, "thickness": 1.5, "width": 0, "color": EITHER[0],
                "array": [round(high - right, 4) for high, right in zip(most, shown, strict=True)],
                "arrayminus": [round(right - low, 4) for low, right in zip(least, shown, strict=True)],
            },
        })  # fmt: skip
    most = max(len(one.seeds) for one in stops)
    lines = any(high - low > SEEN for *_, low, high in rows)
    below = "Below each value: the layer’s parameters."
    below += f"<br>Thin lines cover up to {most} trained layers." if lines else ""
    at = next((place for place, one in enumerate(stops) if one.value == here), None)
    band = [] if at is None else [{
        "type": "rect", "xref": "x", "yref": "paper", "x0": at - 0.5, "x1": at + 0.5, "y0": 0, "y1": 1, "layer": "below",
        "line": {"width": 0}, "fillcolor": EITHER[0], "opacity": 0.12,
    }]  # fmt: skip
    heads = (IN_WORDS[slider], "parameters", "question", "right answers", "trained", "least", "most")
    figure = {
        "data": bars,
        "layout": layout(
            320, (58, 12, 34, 104 if lines else 86), barmode="group", bargap=0.28, bargroupgap=0.08, shapes=band,
            legend=LEGEND_ABOVE,
            meta={"tables": [{"title": "Right answers", "heads": heads, "rows": tuple(rows)}]},
            xaxis={"type": "category", "title": {"text": f"{MEANS[slider]}<br>{below}"}},
            over="right answers", yaxis={"range": (0, 1.04), "tickformat": ".0%"},
        ),
    }  # fmt: skip
    said = " ".join(
        f"{_begun(_at(slider, one.value))} ({count_parameters(one.cfg):,}): "
        + listed([f"{question} {right:.0%}" for question, right in zip(QUESTIONS, one.right, strict=True)])
        + "."
        for one in stops
    )
    return figure, f"The bars show right answers for each {IN_WORDS[slider]}; the parameter count is in brackets. {said}"
