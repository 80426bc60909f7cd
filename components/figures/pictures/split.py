"""Copied, not split: the layer's W_Q beside the one that the wrong idea would have, and what each gives."""

import numpy as np

from components.figures.chart import heading, layout
from components.figures.scene import pool_for, pooled, top_of
from components.figures.theme import EITHER_SIGNED, stops
from mha import Config, Trace
from mha.names import counted, heads_in_words, noun
from mha.variations import Split

MOST_CELLS = 96


def sentence(cfg: Config, wrong: Split | None) -> str:
    """Both counts; or why the wrong idea has no layer at all here."""
    right = cfg.d_model * cfg.num_heads * cfg.key_dim
    if wrong is None:
        return (
            f"If each head got a slice of the embedding, {heads_in_words(cfg.num_heads)} could not share a width "
            f"of {cfg.d_model} evenly. Nothing is sliced, so the layer exists: $W_Q$ holds {counted(right, 'weight')}."
        )
    if cfg.num_heads == 1:
        return f"With one head both ideas are the same: $W_Q$ holds {counted(right, 'weight')}. Take more heads to see them part."
    return (
        f"If each head got only its slice of {cfg.d_model // cfg.num_heads} of the {counted(cfg.d_model, 'column')} of X, $W_Q$ "
        f"would be block-diagonal with **{wrong.count:,}** {noun(wrong.count, 'weight')}. The layer copies X to every head: "
        f"**{right:,}** {noun(right, 'weight')}, "
        "and other numbers come out."
    )


def alt(cfg: Config, wrong: Split) -> str:
    biases = " Both add b_Q." if cfg.use_bias else ""
    weights = cfg.d_model * cfg.num_heads * cfg.key_dim
    return (
        f"W_Q of the layer, {noun(weights, 'its', 'all')} {counted(weights, 'weight')} filled, and the block-diagonal one with "
        f"{wrong.count:,}; below each the Q that X times it gives.{biases}"
    )


def draw(trace: Trace, wrong: Split) -> dict:
    """Heatmaps: the kernels above, b_Q below both, all at one scale; below them what comes out, at one scale."""
    cfg = trace.cfg
    pool = pool_for(max(cfg.d_model, cfg.num_heads * cfg.key_dim), MOST_CELLS)
    kernel, q = trace.params.w_q.values.reshape(cfg.d_model, -1), trace.q.values[0].reshape(cfg.query_len, -1)
    bias = trace["b_q"].values.reshape(1, -1) if cfg.use_bias else np.empty((0, 0))
    shown = [("W_Q", kernel), ("W_Q of the wrong idea", wrong.kernel), ("Q", q), ("Q of the wrong idea", wrong.q)]
    shown += [("b_Q", bias), ("b_Q of the wrong idea", bias)] if cfg.use_bias else []
    traces = [
        {
            "type": "heatmap", "name": name, "x0": 1, "dx": 1, "y0": 1, "dy": 1,
            "z": _empty_outside(pooled(values, pool, cfg.num_heads), wide=values is wrong.kernel),
            "xaxis": f"x{number}", "yaxis": f"y{number}",
            "coloraxis": "coloraxis2" if name.startswith("Q") else "coloraxis", "xgap": 1, "ygap": 1,
            "hovertemplate": f"{name.replace('_Q', '<sub>Q</sub>')}, row %{{y}}, column %{{x}}: %{{z:.3f}}<extra></extra>",
        }
        for number, (name, values) in zip(("", 2, 3, 4, 5, 6), shown, strict=False)
    ]  # fmt: skip
    share = cfg.d_model / (cfg.d_model + max(cfg.query_len, cfg.d_model / 3))
    split = 1 - share * 0.9
    thin = min((1 - split) / len(kernel) * pool, 0.06) if cfg.use_bias else 0.0  # a bias is as high as a row of its kernel
    under = split - 0.03
    low = under - thin - 0.1 if cfg.use_bias else split - 0.1
    plus = " + b<sub>Q</sub>" if cfg.use_bias else ""
    note = f"<br>(means of {pool} × {pool})" if pool > 1 else ""
    headings = [(f"the layer{note}", 0.23, 1.0, "bottom"), ("the wrong idea", 0.77, 1.0, "bottom")]
    headings += [(f"Q = X · W<sub>Q</sub>{plus}", 0.23, low, "bottom"), ("not Q", 0.77, low, "bottom")]
    headings += [("b<sub>Q</sub>", 0.5, under - thin / 2, "middle")] if cfg.use_bias else []
    return {
        "data": traces,
        "layout": layout(
            460, (8, 8, 50 if note else 30, 22),
            **_axes([split, 1], [0, low], [under - thin, under] if cfg.use_bias else None),
            coloraxis=_colours(top_of(kernel, bias), split, 1 - split, "weights"),
            coloraxis2=_colours(top_of(q, wrong.q), 0, low, "Q"),
            # xanchor: left to itself, Plotly aligns the two outer thirds otherwise, and on a phone they meet
            annotations=[heading(text, x, y, xanchor="center", yanchor=anchor) for text, x, y, anchor in headings],
        ),
    }  # fmt: skip


def _axes(kernels: list[float], results: list[float], biases: list[float] | None) -> dict:
    """Hidden axes of each pair of heatmaps, the layer's on the left: `kernels`, … are the lower and upper ends of their rows."""
    left, right = {"visible": False, "domain": [0, 0.46]}, {"visible": False, "domain": [0.54, 1]}
    rows = {"autorange": "reversed", "visible": False}
    axes = {
        "xaxis": left, "xaxis2": right, "xaxis3": {**left, "anchor": "y3"}, "xaxis4": {**right, "anchor": "y4"},
        "yaxis": {**rows, "domain": kernels}, "yaxis2": {**rows, "domain": kernels, "anchor": "x2"},
        "yaxis3": {**rows, "domain": results}, "yaxis4": {**rows, "domain": results, "anchor": "x4"},
    }  # fmt: skip
    if biases:
        row = {"visible": False, "domain": biases}
        axes |= {"xaxis5": {**left, "anchor": "y5"}, "xaxis6": {**right, "anchor": "y6"}}
        axes |= {"yaxis5": row, "yaxis6": {**row, "anchor": "x6"}}
    return axes


def _colours(top: float, low: float, length: float, title: str) -> dict:
    """One scale, 0 in its middle, and its colour bar: from `low`, `length` high, both counted from 0 to 1 over the chart."""
    bar = {"y": low, "yanchor": "bottom", "len": max(length, 0.2), "thickness": 10}
    bar |= {"title": {"text": title, "side": "right"}, "nticks": 3}
    ends = {"cmin": -top, "cmax": top}
    return {"cmid": 0, "colorscale": stops(EITHER_SIGNED), "showscale": True, **ends, "colorbar": bar}


def _empty_outside(values: np.ndarray, wide: bool) -> np.ndarray | list[list[float | None]]:
    """What the wrong idea does not hold is left empty, not drawn as 0."""
    if not wide:
        return values
    return [[None if v == 0 else float(v) for v in row] for row in values]
