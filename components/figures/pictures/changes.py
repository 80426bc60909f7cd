"""Bars: which columns change when a head is switched off, and one row of weights under three divisors."""

from html import escape

import numpy as np

from components.figures.numbers import plain
from components.figures.scene import top_of
from components.figures.theme import EITHER, LEGEND_ABOVE, LIGHT, NO_GROUND, head_colour
from mha import Trace
from mha.names import counted, noun
from mha.variations import contributions, divided_weights, mean_largest

DIVISOR_NAMES = {"sqrt_d_k": "÷ √d<sub>k</sub> (the layer)", "none": "÷ 1", "sqrt_d_model": "÷ √d<sub>model</sub>"}


def column_changes(before: Trace, after: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Largest change in each column of Concat and of the output (batch 0)."""
    return tuple(np.abs(before[name].values[0] - after[name].values[0]).max(axis=0) for name in ("concat", "output"))


def sentence(before: Trace, after: Trace, off: int | None) -> str:
    """How many columns a switched-off head changes before and after W_O; without one, what to try."""
    if off is None:
        return "Switch a head off, above: only its own columns of Concat change, and then all columns of the output."
    joined, output = column_changes(before, after)
    before_w_o, after_w_o = int(np.count_nonzero(joined)), int(np.count_nonzero(output))
    return (
        f"Without head {off + 1}, **{before_w_o}** of {counted(joined.size, 'column')} {noun(before_w_o, 'changes', 'change')} "
        f"before $W_O$ and **{after_w_o}** of {output.size} after it."
    )


def divisor_sentence(trace: Trace) -> str:
    """How peaked attention is under each divisor, all rows and heads together."""
    peaks, key_dim, d_model = mean_largest(trace), trace.cfg.key_dim, trace.cfg.d_model
    return (
        f"The largest weight of a row, averaged over all rows and heads: **{peaks['none']:.2f}** undivided, "
        f"**{peaks['sqrt_d_k']:.2f}** with $\\sqrt{{d_k}}$ = {key_dim**0.5:.2f}, **{peaks['sqrt_d_model']:.2f}** with "
        f"$\\sqrt{{d_{{model}}}}$ = {d_model**0.5:.2f}. {_what_the_divisor_does(trace)}"
    )


def _what_the_divisor_does(trace: Trace) -> str:
    """The rule, where the numbers written before it show it; otherwise why they do not."""
    peaks = mean_largest(trace)
    if np.isfinite(trace.masked.values[0, 0]).sum(axis=-1).max() == 1:
        return "A query that sees one key gives it the whole weight, whatever the divisor."
    if len({f"{peak:.2f}" for peak in peaks.values()}) == 1:
        return "Here the divisor changes nothing that two digits show."
    return "The larger the divisor, the more even the rows."


def change_alt(before: Trace, after: Trace, head: int) -> str:
    joined, output = column_changes(before, after)
    before_w_o, after_w_o = int(np.count_nonzero(joined)), int(np.count_nonzero(output))
    return (
        f"Head {head + 1} switched off: {before_w_o} of {counted(joined.size, 'column')} {noun(before_w_o, 'changes', 'change')} "
        f"before W_O, {after_w_o} of {output.size} after it."
    )


def draw_changes(before: Trace, after: Trace) -> dict:
    """Two rows of bars at one scale, the same whichever head is off: Concat's columns in their head's hue, then the output's."""
    joined, output = column_changes(before, after)
    shares = (contributions(before, slice(head, head + 1)) for head in range(before.cfg.num_heads))
    reach = max([top_of(before.concat.values[0]), *(top_of(share) for share in shares)])
    hues = [head_colour(LIGHT, column // before.cfg.value_dim) for column in range(joined.size)]
    bar = {"type": "bar", "hovertemplate": "column %{x}: %{y:.3f}<extra></extra>"}
    top = reach * 1.05
    return {
        "data": [
            {
                **bar,
                "name": "largest change in Concat",
                "x": list(range(1, joined.size + 1)),
                "y": joined,
                "marker": {"color": hues},
            },
            {
                **bar,
                "name": "largest change in the output",
                "x": list(range(1, output.size + 1)),
                "y": output,
                "marker": {"color": EITHER[3]},
                "xaxis": "x2",
                "yaxis": "y2",
            },
        ],
        "layout": {
            "height": 300,
            "margin": {"l": 60, "r": 12, "t": 34, "b": 44},
            "showlegend": False,
            "bargap": 0.12,
            "xaxis": {"domain": [0, 0.48], "title": {"text": "column of Concat"}},
            "xaxis2": {"domain": [0.52, 1], "anchor": "y2", "title": {"text": "column of the output"}},
            "yaxis": {"range": [0, top], "title": {"text": "largest change"}},
            "yaxis2": {"range": [0, top], "anchor": "x2", "showticklabels": False},
            "annotations": [
                {"text": text, "x": x, "xref": "paper", "y": 1.12, "yref": "paper", "showarrow": False, "font": {"size": 14}}
                for text, x in (("before W<sub>O</sub>", 0.24), ("after W<sub>O</sub>", 0.76))
            ],
            **NO_GROUND,
        },
    }


def divisor_alt(trace: Trace, head: int, row: int) -> str:
    rows = divided_weights(trace, head, row)
    peaks = ", ".join(f"{plain(DIVISOR_NAMES[kind])}: {weights.max():.2f}" for kind, weights in rows.items())
    return f"Weights of query {row + 1}, head {head + 1}, under three divisors. Largest weight {peaks}."


def draw_divisors(trace: Trace, head: int, row: int, tokens: tuple[str, ...] = ()) -> dict:
    """One query's weights over the keys, grouped by divisor."""
    keys = [f"{i + 1}" + (f" {escape(tokens[i])}" if i < len(tokens) else "") for i in range(trace.cfg.key_len)]
    return {
        "data": [
            {
                "type": "bar",
                "name": DIVISOR_NAMES[kind],
                "x": keys,
                "y": weights,
                "marker": {"color": colour},
                "hovertemplate": "key %{x}: %{y:.3f}<extra>" + DIVISOR_NAMES[kind] + "</extra>",
            }
            for (kind, weights), colour in zip(divided_weights(trace, head, row).items(), EITHER, strict=False)
        ],
        "layout": {
            "height": 300,
            "margin": {"l": 60, "r": 12, "t": 12, "b": 44},
            "barmode": "group",
            "bargap": 0.25,
            "xaxis": {"type": "category", "title": {"text": f"key (query {row + 1}, head {head + 1})"}},
            "yaxis": {"range": [0, 1], "title": {"text": "weight"}},
            "legend": LEGEND_ABOVE,
            **NO_GROUND,
        },
    }
