"""A published model when its heads move: its parameters, and what attention costs."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from components.stage.chart import LEGEND_ABOVE, layout, line
from components.stage.text import bytes_in_words, compact
from components.stage.theme import EITHER
from mha.models.attention import Refused
from mha.models.conventions import head_counts
from mha.models.cost import Cost, cost
from mha.models.model import Model
from mha.names import heads_in_words

#: How many of the head counts that are no layer are named, the least first.
MAX_REFUSED = 3
#: What is drawn of a cost: how it is called, and how it is written.
COSTS: dict[str, tuple[str, Callable[[float], str]]] = {
    "multiply-adds": ("multiply_adds", compact), "score memory": ("score_bytes", bytes_in_words),
    "key/value cache": ("cache_bytes", bytes_in_words),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Moves:
    """`alone`: key/value heads as chosen. `together`: key/value heads moved in proportion, where that is something else.
    `refused`: head counts up to the largest that are no layer."""

    alone: tuple[tuple[int, int], ...]
    together: tuple[tuple[int, int], ...]
    refused: tuple[int, ...]
    published: tuple[int, int]
    chosen: tuple[int, int]


def _count(model: Model, heads: int, kv_heads: int | None = None) -> int | None:
    try:
        return model.with_heads(heads, kv_heads).attention_total
    except Refused:
        return None


def moves(published: Model, chosen: Model) -> Moves:
    """Counts over the head counts that the slider stops at, no further than the chosen one or 8 times the published one."""
    then, now = published.attention, chosen.attention
    heads = [h for h in head_counts(now) if h <= max(now.heads, 8 * then.heads)]
    alone = [(h, n) for h in heads if (n := _count(chosen, h)) is not None]
    together = []
    if not then.kv_follow:
        for h in heads:
            kv = h * now.kv_heads // now.heads
            if kv and kv * now.heads == h * now.kv_heads and (n := _count(chosen, h, kv)) is not None:
                together.append((h, n))
    refused = tuple(h for h in range(1, max(heads)) if then.tied and _count(chosen, h) is None)
    return Moves(
        tuple(alone), tuple(together) if dict(together) != dict(alone) else (), refused,
        (then.heads, published.attention_total), (now.heads, chosen.attention_total),
    )  # fmt: skip


def moves_alt(counts: Moves) -> str:
    (first, low), (last, high) = counts.alone[0], counts.alone[-1]
    text = f"Attention parameters: {low:,} with {heads_in_words(first)}, {high:,} with {last}."
    if counts.refused:
        text += f" {_refused(counts).capitalize()}."
    return text + f" Chosen: {heads_in_words(counts.chosen[0])}, {counts.chosen[1]:,}."


def _refused(counts: Moves) -> str:
    """The least ones that are refused, and that there are more."""
    least = ", ".join(map(str, counts.refused[:MAX_REFUSED]))
    return f"refused: {least}{', …' if len(counts.refused) > MAX_REFUSED else ''}"


def draw_moves(counts: Moves) -> dict:
    """Draws the counts from zero along both axes: a straight line is so much for each head."""
    traces = [_count_line(counts.alone, "heads alone" if counts.together else "heads", EITHER[0], "solid")]
    if counts.together:
        traces.append(_count_line(counts.together, "key/value heads along", EITHER[2], "dash"))
    h, count = counts.chosen
    most = max(n for points in (counts.alone, counts.together) for _, n in points)
    if counts.published != counts.chosen:
        traces.append(_mark([counts.published[0]], [counts.published[1]], "circle-open", EITHER[3], ["as published"], 13))
    traces.append(_mark([h], [count], "circle-open", EITHER[1], [f"<b>{compact(count)}</b>"], 17))
    legend = len(traces) > 2
    if not legend:
        traces[0]["showlegend"] = False
    refused = f"; {_refused(counts)}" if counts.refused else ""
    return {
        "data": traces,
        "layout": layout(
            300, (66, 16, 12, 46), showlegend=legend, legend=LEGEND_ABOVE, hovermode="closest",
            xaxis={"rangemode": "tozero", "nticks": 9, "title": {"text": f"heads (h){refused}"}},
            yaxis={"range": [0, 1.2 * most], "nticks": 5, "title": {"text": "attention parameters"}},
        ),
    }  # fmt: skip


def _count_line(points: tuple[tuple[int, int], ...], name: str, hue: str, dash: str) -> dict:
    heads, counts = zip(*points, strict=True)
    return line(heads, counts, name, hue, "%{x} heads: %{y:,}<extra></extra>", 6, dash, showlegend=True)


def _mark(x: list[int], y: list[int], symbol: str, hue: str, text: list[str], size: int) -> dict:
    return {
        "type": "scatter", "mode": "markers+text", "x": x, "y": y, "text": text, "textposition": "top center",
        "textfont": {"size": 14}, "showlegend": False, "hoverinfo": "skip",
        "cliponaxis": False, "marker": {"symbol": symbol, "size": size, "color": hue, "line": {"width": 2.5, "color": hue}},
    }  # fmt: skip


def costs_by_heads(model: Model, context: int, sequences: int) -> dict[int, Cost]:
    """What attention costs with the head counts that the slider stops at, up to 4 times as many as the model has."""
    found = {}
    for heads in head_counts(model.attention):
        with suppress(Refused):
            if heads <= 4 * model.attention.heads:
                found[heads] = cost(model.with_heads(heads), context, sequences)
    return found


def costs_alt(costs: Mapping[int, Cost]) -> str:
    """How each cost moves from the fewest heads to the most."""
    first, last = min(costs), max(costs)
    low, high = costs[first], costs[last]
    moved = (f"{name} {spelt(getattr(low, key))} to {spelt(getattr(high, key))}" for name, (key, spelt) in COSTS.items())
    return f"From {heads_in_words(first)} to {last}: {', '.join(moved)}."


def draw_costs(costs: Mapping[int, Cost], now: int) -> dict:
    """Each cost against the heads, in times of what the model with `now` heads costs; both axes logarithmic: level is free, one
    step up a step along is in proportion."""
    traces = []
    for (name, (key, spelt)), hue, dash in zip(COSTS.items(), EITHER, ("solid", "dash", "dot"), strict=False):
        values = [getattr(one, key) for one in costs.values()]
        if here := getattr(costs[now], key):
            hover, text = "%{x} heads: %{text}<extra>" + name + "</extra>", [spelt(value) for value in values]
            traces.append(line([*costs], [value / here for value in values], name, hue, hover, 6, dash, text=text))
    powers = [2.0**power for power in range(-12, 13)]
    return {
        "data": traces,
        "layout": layout(
            300, (66, 16, 34, 46), showlegend=True, legend=LEGEND_ABOVE, hovermode="closest",
            xaxis={"type": "log", "tickvals": sorted({min(costs), now, max(costs)}), "title": {"text": "heads (h)"}},
            yaxis={"type": "log", "tickvals": powers, "ticktext": [f"{power:g} ×" for power in powers],
                   "title": {"text": f"times that of {heads_in_words(now)}"}},
        ),
    }  # fmt: skip
