"""Chart of a published model at several head counts: attention parameters, multiply-adds and memory."""

from collections.abc import Callable
from contextlib import suppress

from headcount.models.attention import BadHeads
from headcount.models.conventions import head_counts
from headcount.models.cost import cost
from headcount.models.model import Model
from headcount.names import begun, heads_in_words
from headcount.stage.chart import LEGEND_ABOVE, layout, line
from headcount.stage.text import bytes_in_words, compact
from headcount.stage.theme import EITHER

#: The counts in the chart, each with the function that formats it.
SPELT: dict[str, Callable[[float], str]] = {
    "attention parameters": compact, "multiply-adds": compact, "score memory": bytes_in_words, "key/value cache": bytes_in_words,
}  # fmt: skip
DASHES = ("solid", "dash", "dot", "dashdot")
#: By number of heads, the counts named in SPELT.
Sweep = dict[int, dict[str, int]]


def sweep(model: Model, context: int, sequences: int) -> Sweep:
    """Returns the counts named in SPELT, by head count. The head counts are the model's own and other possible ones, up to four
    times as large. `context`: tokens per sequence. `sequences`: number of sequences."""
    now, found = model.attention.heads, Sweep()
    for heads in head_counts(model.attention, 4 * now):
        with suppress(BadHeads):
            there = model if heads == now else model.with_heads(heads)
            costs = cost(there, context, sequences)
            counts = (there.attention_total, costs.multiply_adds, costs.score_bytes, costs.cache_bytes)
            found[heads] = dict(zip(SPELT, counts, strict=True))
    return found


def draw(swept: Sweep, now: int) -> tuple[dict, str]:
    """Draws each count against the number of heads, on logarithmic axes. A count is divided by its value for `now` heads, and is
    left out if that value is 0. Also returns sentences with each count for the fewest and for the most heads."""
    traces, moved, first, last = [], [], min(swept), max(swept)
    for (name, spelt), hue, dash in zip(SPELT.items(), EITHER, DASHES, strict=True):
        values = [counts[name] for counts in swept.values()]
        if here := swept[now][name]:
            moved.append(f"{name}: {spelt(swept[first][name])} and {spelt(swept[last][name])}")
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
    counts = "; ".join(moved)
    return figure, f"Each count is given with {first} and with {heads_in_words(last)}. {begun(counts)}."
