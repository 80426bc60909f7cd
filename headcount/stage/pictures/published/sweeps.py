"""A published model when its heads move: parameters of attention, and what it costs to run."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from headcount.models.attention import Refused
from headcount.models.conventions import head_counts
from headcount.models.cost import cost
from headcount.models.model import Model
from headcount.names import heads_in_words
from headcount.stage.chart import LEGEND_ABOVE, layout, line
from headcount.stage.text import bytes_in_words, compact
from headcount.stage.theme import EITHER

#: What is counted, and how it is written.
SPELT: dict[str, Callable[[float], str]] = {
    "attention parameters": compact, "multiply-adds": compact, "score memory": bytes_in_words, "key/value cache": bytes_in_words,
}  # fmt: skip
DASHES = ("solid", "dash", "dot", "dashdot")
#: By head count: each of SPELT.
Sweep = dict[int, dict[str, int]]


def sweep(model: Model, context: int, sequences: int) -> Sweep:
    """Counts at the head counts that the slider stops at, up to 4 times as many as the model has."""
    now, found = model.attention.heads, Sweep()
    for heads in head_counts(model.attention, 4 * now):
        with suppress(Refused):
            there = replace(model, counted=None) if heads == now else model.with_heads(heads)
            costs = cost(there, context, sequences)
            counts = (there.attention_total, costs.multiply_adds, costs.score_bytes, costs.cache_bytes)
            found[heads] = dict(zip(SPELT, counts, strict=True))
    return found


def draw(swept: Sweep, now: int) -> tuple[dict, str]:
    """Each count against the heads, in times of what it is with `now` heads; both axes logarithmic: level is free, one step up a
    step along is in proportion. And how each moves from the fewest heads to the most, in words."""
    traces, moved, first, last = [], [], min(swept), max(swept)
    for (name, spelt), hue, dash in zip(SPELT.items(), EITHER, DASHES, strict=True):
        values = [counts[name] for counts in swept.values()]
        if here := swept[now][name]:
            moved.append(f"{name} {spelt(swept[first][name])} to {spelt(swept[last][name])}")
            hover, text = "%{x} heads: %{text}<extra>" + name + "</extra>", [spelt(value) for value in values]
            traces.append(line([*swept], [value / here for value in values], name, hue, hover, 6, dash, text=text))
    powers = [2.0**power for power in range(-12, 13)]
    figure = {
        "data": traces,
        "layout": layout(
            320, (66, 16, 54, 46), showlegend=True, legend=LEGEND_ABOVE, hovermode="closest",
            xaxis={"type": "log", "tickvals": sorted({min(swept), now, max(swept)}), "title": {"text": "heads (h)"}},
            yaxis={"type": "log", "tickvals": powers, "ticktext": [f"{power:g} ×" for power in powers]},
            over=f"times that of {heads_in_words(now)}",
        ),
    }  # fmt: skip
    return figure, f"From {heads_in_words(first)} to {last}: {', '.join(moved)}."
