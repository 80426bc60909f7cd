"""Attention parameters of a whole model against its heads: its own convention, the published choice, the present one."""

from dataclasses import dataclass

from components.figures.pictures.published.style import layout, short
from components.figures.theme import EITHER
from mha.names import heads_in_words
from mha.published.attention import Refused
from mha.published.conventions import head_counts
from mha.published.model import Model

TRIED = (3, 5, 7, 10)


@dataclass(frozen=True, slots=True)
class Moves:
    """`alone`: key/value heads as chosen. `together`: key/value heads moved in proportion, where that is something else.
    `refused`: head counts of a few tried that are no layer."""

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
    """Over the head counts that the slider stops at, no further than 8 times the published one."""
    then, now = published.attention, chosen.attention
    heads = [h for h in head_counts(now) if h <= 8 * then.heads]
    alone = [(h, n) for h in heads if (n := _count(chosen, h)) is not None]
    together = []
    if not then.kv_follow:
        for h in heads:
            kv = h * now.kv_heads // now.heads
            if kv and kv * now.heads == h * now.kv_heads and (n := _count(chosen, h, kv)) is not None:
                together.append((h, n))
    refused = [h for h in TRIED if h < max(heads) and then.tied and then.d_model % h and _count(chosen, h) is None]
    return Moves(
        tuple(alone), tuple(together) if dict(together) != dict(alone) else (), tuple(refused),
        (then.heads, published.attention_total), (now.heads, chosen.attention_total),
    )  # fmt: skip


def alt(made: Moves) -> str:
    (first, low), (last, high) = made.alone[0], made.alone[-1]
    said = f"Attention parameters: {low:,} with {heads_in_words(first)}, {high:,} with {last}."
    if made.refused:
        said += f" Refused: {', '.join(map(str, made.refused))}."
    return said + f" Chosen: {heads_in_words(made.chosen[0])}, {made.chosen[1]:,}."


def draw(made: Moves) -> dict:
    """From zero along both axes: a straight line is so much for each head."""
    traces = [_line(made.alone, "heads alone" if made.together else "heads", EITHER[0], "solid")]
    if made.together:
        traces.append(_line(made.together, "key/value heads along", EITHER[2], "dash"))
    h, count = made.chosen
    most = max(n for points in (made.alone, made.together) for _, n in points)
    if made.published != made.chosen:
        traces.append(_mark([made.published[0]], [made.published[1]], "circle-open", EITHER[3], ["as published"], 13))
    traces.append(_mark([h], [count], "circle-open", EITHER[1], [f"<b>{short(count)}</b>"], 17))
    if made.refused:
        traces.append(_mark(list(made.refused), [0] * len(made.refused), "x", EITHER[1], [""] * len(made.refused), 9))
        named = f"refused: {', '.join(map(str, made.refused))}"
        traces[-1] |= {"name": named, "showlegend": True, "hovertemplate": "%{x} heads: refused<extra></extra>"}
    return {
        "data": traces,
        "layout": layout(
            300, showlegend=len(traces) > 2 or bool(made.refused), margin={"l": 66, "r": 16, "t": 12, "b": 46},
            legend={"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 13}},
            xaxis={"rangemode": "tozero", "nticks": 9, "title": {"text": "heads (h)"}},
            yaxis={"range": [0, 1.2 * most], "nticks": 5, "title": {"text": "attention parameters"}},
        ),
    }  # fmt: skip


def _line(points: tuple[tuple[int, int], ...], name: str, hue: str, dash: str) -> dict:
    return {
        "type": "scatter", "mode": "lines+markers", "x": [h for h, _ in points], "y": [n for _, n in points], "name": name,
        "line": {"color": hue, "width": 3, "dash": dash}, "marker": {"size": 6, "color": hue}, "showlegend": True,
        "hovertemplate": "%{x} heads: %{y:,}<extra></extra>",
    }  # fmt: skip


def _mark(x: list[int], y: list[int], symbol: str, hue: str, text: list[str], size: int) -> dict:
    return {
        "type": "scatter", "mode": "markers+text", "x": x, "y": y, "text": text, "textposition": "top center",
        "textfont": {"size": 14}, "showlegend": False, "hoverinfo": "skip",
        "cliponaxis": False, "marker": {"symbol": symbol, "size": size, "color": hue, "line": {"width": 2.5, "color": hue}},
    }  # fmt: skip
