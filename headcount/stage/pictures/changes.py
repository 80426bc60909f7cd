"""Charts of two experiments on a layer: one head is switched off, and scores are divided by several divisors."""

from html import escape
from itertools import zip_longest

import numpy as np

from headcount import Trace
from headcount.names import as_share, counted, listed, noun
from headcount.stage.chart import LEGEND_ABOVE, layout, note
from headcount.stage.numbers import plain
from headcount.stage.scene import top_of
from headcount.stage.theme import EITHER, EITHER_HEADS
from headcount.switches import Switches
from headcount.variations import contributions, mean_largest, weights_by_divisor, with_switches

DIVISOR_NAMES = {"sqrt_d_k": "÷ √d<sub>k</sub> (the layer)", "none": "÷ 1", "sqrt_d_model": "÷ √d<sub>model</sub>"}


def column_changes(before: Trace, after: Trace) -> tuple[np.ndarray, np.ndarray]:
    """Returns the largest absolute change in each column of Concat, and in each column of the output, in the first sample."""
    return tuple(np.abs(before[name].values[0] - after[name].values[0]).max(axis=0) for name in ("concat", "output"))


def sentence(before: Trace, after: Trace, off: int | None) -> str:
    """Returns a sentence that says how many columns change without head `off` (0-based), or a hint if `off` is None."""
    if off is None:
        return "Switch a head off above: only its own columns of Concat change, but all columns of the output can."
    joined, output = column_changes(before, after)
    before_w_o, after_w_o = int(np.count_nonzero(joined)), int(np.count_nonzero(output))
    columns = f"{counted(joined.size, 'column')} {noun(before_w_o, 'changes', 'change')}"
    return f"Without head {off + 1}, **{before_w_o}** of {columns} before $W_O$ and **{after_w_o}** of {output.size} after it."


def divisor_sentence(trace: Trace) -> str:
    """Returns sentences that compare the divisors by the largest weight of a row, averaged over all rows and heads."""
    peaks, key_dim, d_model = mean_largest(trace), trace.cfg.key_dim, trace.cfg.d_model
    rule = "The larger the divisor, the more even the weights of a row."
    if trace.cfg.soft_cap or trace.cfg.alibi:
        rule = "The soft cap and ALiBi come after the division, so a larger divisor need not make the weights more even."
    if np.isfinite(trace.masked.values[0, 0]).sum(axis=-1).max() == 1:
        rule = "A query that sees one key gives it the whole weight, whatever the divisor."
    elif len({f"{peak:.2f}" for peak in peaks.values()}) == 1:
        rule = "Here the divisor changes nothing in the first two decimals."
    by_key, by_width = f"$\\sqrt{{d_k}}$ = {key_dim**0.5:.2f}", f"$\\sqrt{{d_{{model}}}}$ = {d_model**0.5:.2f}"
    return (
        f"Averaged over all rows and heads, the largest weight of a row is **{peaks['none']:.2f}** if scores are not divided. "
        f"Division by {by_key} makes it **{peaks['sqrt_d_k']:.2f}**, and division by {by_width} makes it "
        f"**{peaks['sqrt_d_model']:.2f}**. {rule}"
    )


def draw_changes(before: Trace, after: Trace, head: int) -> tuple[dict, str]:
    """Draws a bar for each column of Concat and of the output: the column's largest change. Each `head` has the same scale."""
    joined, output = column_changes(before, after)
    shares = (contributions(before, slice(one, one + 1)) for one in range(before.cfg.num_heads))
    top = 1.05 * max([top_of(before.concat.values[0]), *(top_of(share) for share in shares)])
    hues = [EITHER_HEADS[column // before.cfg.value_dim % len(EITHER_HEADS)] for column in range(joined.size)]

    def bars(where: str, values: np.ndarray, colour: str | list[str], **axes: str) -> dict:
        return {
            "type": "bar", "hovertemplate": "column %{x}: %{y:.3f}<extra></extra>", "name": f"largest change in {where}",
            "x": list(range(1, values.size + 1)), "y": values, "marker": {"color": colour}, **axes,
        }  # fmt: skip

    figure = {
        "data": [bars("Concat", joined, hues), bars("the output", output, EITHER[3], xaxis="x2", yaxis="y2")],
        "layout": layout(
            300, (60, 12, 34, 44), showlegend=False, bargap=0.12,
            xaxis={"domain": [0, 0.48], "title": {"text": "column of Concat"}},
            xaxis2={"domain": [0.52, 1], "anchor": "y2", "title": {"text": "column of the output"}},
            over="largest change", yaxis={"range": [0, top]},
            yaxis2={"range": [0, top], "anchor": "x2", "showticklabels": False},
            annotations=[note("before W<sub>O</sub>", 0.24, 1.12), note("after W<sub>O</sub>", 0.76, 1.12)],
        ),
    }  # fmt: skip
    return figure, sentence(before, after, head).replace("*", "").replace("$", "")


def most_divided(trace: Trace, switches: Switches, head: int) -> int:
    """Returns the query (0-based) whose largest attention weight in the head differs most between the divisors."""
    of_head = [weights[0, head] for weights in weights_by_divisor(with_switches(trace, switches)).values()]
    return int(np.ptp([np.nan_to_num(weights).max(axis=-1) for weights in of_head], axis=0).argmax())


def divisors(_: object, trace: Trace, switches: Switches, head: int, row: int, tokens: tuple[str, ...] = ()) -> tuple[dict, str]:
    """Draws one query's attention weights as bars, with a colour per divisor. If d_k = d_model, √d_k and √d_model share bars."""
    names, rows = dict(DIVISOR_NAMES), {}
    if trace.cfg.key_dim == trace.cfg.d_model:
        names |= {"sqrt_d_k": f"{names['sqrt_d_k']} = {names.pop('sqrt_d_model')}"}
    for kind, weights in weights_by_divisor(with_switches(trace, switches)).items():
        rows |= {names[kind]: weights[0, head, row]} if kind in names else {}
    places = [str(i + 1) for i in range(trace.cfg.key_len)]
    words = [escape(word) if word != place else "" for word, place in zip(tokens, places, strict=False)]
    keys = [f"{place} {word}".strip() for place, word in zip_longest(places, words, fillvalue="")]
    figure = {
        "data": [
            {
                "type": "bar", "name": name, "x": keys, "y": weights, "marker": {"color": colour},
                "hovertemplate": f"key %{{x}}: %{{y:.3f}}<extra>{name}</extra>",
            }
            for (name, weights), colour in zip(rows.items(), EITHER, strict=False)
        ],
        "layout": layout(
            300, (60, 12, 12, 44), barmode="group", bargap=0.25,
            xaxis={
                "type": "category", "tickvals": keys, "ticktext": [key.rpartition(" ")[2] for key in keys],
                "title": {"text": f"key (query {row + 1}, head {head + 1})"},
            },
            over="weight", yaxis={"range": [0, 1]}, legend=LEGEND_ABOVE,
        ),
    }  # fmt: skip
    largest = [as_share(float(weights.max()), 2) for weights in rows.values()]
    peaks = listed([f"{share} with {plain(name).replace('÷ ', '')}" for share, name in zip(largest, rows, strict=True)])
    divided = counted(len(rows), "divisor")
    said = f"The bars show the attention weights of query {row + 1} in head {head + 1}, for {divided} of the scores."
    return figure, f"{said} By divisor, the largest weight is {peaks}."
