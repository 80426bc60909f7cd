"""Attention as lines between words: queries at the left, keys at the right, a line for each weight."""

from collections.abc import Sequence

import numpy as np

from headcount import Trace
from headcount.names import as_share, counted
from headcount.stage.diagram import Arrow, Diagram, word
from headcount.stage.numbers import Table
from headcount.stage.scene import Length, Text
from headcount.stage.text import width_of

#: Weights without a line; most positions, and heads that have a hue of their own.
LEAST, MAX_POSITIONS, MAX_HEADS = 0.01, 20, 8
#: With more lines than these only one query's can be told apart.
MAX_LINES = 170
#: Pixels: type, from one word to the next, above the first, from queries to keys, beside a word.
TYPE, PITCH, ABOVE, ACROSS, BESIDE = 14, 19, 44, 260, 8


def is_crowded(trace: Trace, heads: Sequence[int]) -> bool:
    """Whether the heads have more lines than can be told apart."""
    return int((np.nan_to_num(trace.weights.values[0][[*heads]]) >= LEAST).sum()) > MAX_LINES


def draw(trace: Trace, heads: Sequence[int], words: Sequence[str], asking: int | None = None) -> Diagram:
    """The weights of the heads (0-based) as lines, or those alone of the query that is `asking` (0-based); `words` name the
    positions."""
    cfg, weights = trace.cfg, np.nan_to_num(trace.weights.values[0])
    room = max(width_of(text, TYPE) for text in (*words, "query")) + 2 * BESIDE
    line = min(len(heads), 4)  # names of heads side by side
    top = ABOVE + 18 * (-(-len(heads) // 4) - 1)
    at = lambda position: top + PITCH * (position + 0.5)  # noqa: E731
    rows = tuple(
        (head + 1, query + 1, key + 1, float(weights[head, query, key]))
        for head in heads for query in range(cfg.query_len) for key in range(cfg.key_len)
    )  # fmt: skip
    lines = [
        Arrow(((room, at(query - 1)), (room + ACROSS, at(key - 1))), plain=True, strength=weight, hue=head - 1)
        for head, query, key, weight in rows
        if weight >= LEAST and asking in (None, query - 1)
    ]  # fmt: skip
    lines.sort(key=lambda line: line.strength or 0)
    many = len(lines)
    places = [(room + ACROSS / line * (place % 4 + 0.5), 16.0 + 18 * (place // 4)) for place in range(len(heads))]
    lines += [
        Arrow(((x - 18, y + 5), (x + 18, y + 5)), plain=True, thin=True, strength=0.6, hue=head)
        for (x, y), head in zip(places, heads, strict=True)
    ]  # fmt: skip
    texts = [
        Text(f"head {head + 1}", Length(0, x), Length(0, y), TYPE, "hue", hue=head)
        for (x, y), head in zip(places, heads, strict=True)
    ]  # fmt: skip
    for side, x, anchor, count in (
        ("query", room - BESIDE, "end", cfg.query_len), ("key", room + ACROSS + BESIDE, "start", cfg.key_len)
    ):  # fmt: skip
        texts.append(word(side, x, top - 6, TYPE, "muted", anchor))
        names = [*words[:count], *map(str, range(len(words) + 1, count + 1))]
        texts += [
            word(name, x, at(place) + 5, TYPE, "muted" if side == "query" and asking not in (None, place) else "ink", anchor)
            for place, name in enumerate(names)
        ]
    where = counted(cfg.query_len, "query", "queries") if asking is None else f"query {asking + 1} of {cfg.query_len}"
    said = "; ".join(f"head {head + 1} {as_share(float(weights[head].max()))}" for head in heads)
    alt = (
        f"Attention weights as {counted(many, 'line')} from {where} at the left to "
        f"{counted(cfg.key_len, 'key')} at the right. Largest weight: {said}."
    )
    table = Table("Attention weights", ("head", "query", "key", "weight"), rows)
    high = top + PITCH * max(cfg.query_len, cfg.key_len) + 6
    return Diagram(2 * room + ACROSS, high, (*lines, *texts), alt, (table,))
