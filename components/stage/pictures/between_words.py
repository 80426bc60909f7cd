"""Attention as lines between words: queries at the left, keys at the right, a line for each weight."""

from collections.abc import Sequence

import numpy as np

from components.stage.diagram import Arrow, Diagram, word
from components.stage.numbers import Table
from components.stage.scene import Length, Text
from components.stage.text import width_of
from mha import Trace
from mha.names import as_share, counted

#: Weights without a line; most positions, and heads that have a hue of their own.
LEAST, MAX_POSITIONS, MAX_HEADS = 0.01, 20, 8
#: Pixels: type, from one word to the next, above the first, from queries to keys, beside a word.
TYPE, PITCH, ABOVE, ACROSS, BESIDE = 14, 19, 44, 260, 8


def draw(trace: Trace, heads: Sequence[int], words: Sequence[str]) -> Diagram:
    """The weights of the heads (0-based) as lines; `words` name the positions."""
    cfg, weights = trace.cfg, np.nan_to_num(trace.weights.values[0])
    room = max(width_of(text, TYPE) for text in (*words, "query")) + 2 * BESIDE
    names = [(f"head {head + 1}", head) for head in heads]
    step = max(ACROSS / max(len(names), 1), 56)
    across = max(ACROSS, step * min(len(names), 4))
    rows = -(-len(names) // 4)
    top = ABOVE + 18 * (rows - 1)
    tall, width = max(cfg.query_len, cfg.key_len), 2 * room + across
    at = lambda position: top + PITCH * (position + 0.5)  # noqa: E731
    lines = [
        Arrow(((room, at(query)), (room + across, at(key))), plain=True, strength=float(weights[head, query, key]), hue=head)
        for head in heads for query in range(cfg.query_len) for key in range(cfg.key_len) if weights[head, query, key] >= LEAST
    ]  # fmt: skip
    texts = [
        word("query", room - BESIDE, top - 6, TYPE, "muted", "end"),
        word("key", room + across + BESIDE, top - 6, TYPE, "muted", "start"),
    ]
    side = across / min(len(names), 4)
    texts += [
        Text(name, Length(0, room + side * (place % 4 + 0.5)), Length(0, 16 + 18 * (place // 4)), TYPE, "hue", hue=head)
        for place, (name, head) in enumerate(names)
    ]
    for x, anchor, count in ((room - BESIDE, "end", cfg.query_len), (room + across + BESIDE, "start", cfg.key_len)):
        texts += [
            word(words[place] if place < len(words) else str(place + 1), x, at(place) + 5, TYPE, anchor=anchor)
            for place in range(count)
        ]
    lines.sort(key=lambda line: line.strength or 0)
    most = [(float(weights[head].max()), head) for head in heads]
    said = "; ".join(f"head {head + 1} {as_share(top)}" for top, head in most)
    alt = (
        f"Attention weights as {counted(len(lines), 'line')} from {counted(cfg.query_len, 'query', 'queries')} at the left to "
        f"{counted(cfg.key_len, 'key')} at the right. Largest weight: {said}."
    )
    rows_of = tuple((head + 1, query + 1, key + 1, float(weights[head, query, key]))
                    for head in heads for query in range(cfg.query_len) for key in range(cfg.key_len))  # fmt: skip
    table = Table("Attention weights", ("head", "query", "key", "weight"), rows_of)
    return Diagram(width, top + PITCH * tall + 6, (), tuple(lines), tuple(texts), alt, (table,))
