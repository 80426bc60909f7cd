"""Copied, not split: the layer's W_Q beside the one that the wrong idea would have, and what each gives."""

from components.figures.scene import pool_for, pooled, top_of
from components.figures.theme import EITHER_SIGNED, NO_GROUND, stops
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
    shown = [
        ("W_Q", "x", "y", kernel, "w"), ("W_Q of the wrong idea", "x2", "y2", wrong.kernel, "w"),
        ("Q", "x3", "y3", q, "q"), ("Q of the wrong idea", "x4", "y4", wrong.q, "q"),
    ]  # fmt: skip
    tops = {"w": top_of(kernel), "q": top_of(q, wrong.q)}
    if cfg.use_bias:
        bias = trace["b_q"].values.reshape(1, -1)
        shown += [("b_Q", "x5", "y5", bias, "w"), ("b_Q of the wrong idea", "x6", "y6", bias, "w")]
        tops["w"] = top_of(kernel, bias)
    traces = [
        {
            "type": "heatmap",
            "name": name,
            "x0": 1,
            "dx": 1,
            "y0": 1,
            "dy": 1,
            "z": _empty_outside(pooled(values, pool, cfg.num_heads), wide=values is wrong.kernel),
            "xaxis": x,
            "yaxis": y,
            "coloraxis": "coloraxis" if kind == "w" else "coloraxis2",
            "xgap": 1,
            "ygap": 1,
            "hovertemplate": f"{name.replace('_Q', '<sub>Q</sub>')}, row %{{y}}, column %{{x}}: %{{z:.3f}}<extra></extra>",
        }
        for name, x, y, values, kind in shown
    ]
    axis = {"visible": False}
    rows = {"autorange": "reversed", "visible": False}
    share = cfg.d_model / (cfg.d_model + max(cfg.query_len, cfg.d_model / 3))
    split = 1 - share * 0.9
    thin = min((1 - split) / len(kernel) * pool, 0.06) if cfg.use_bias else 0.0  # a bias is as high as a row of its kernel
    under = split - 0.03
    low = under - thin - 0.1 if cfg.use_bias else split - 0.1
    bar = {"cmid": 0, "colorscale": stops(EITHER_SIGNED), "showscale": True}
    plus = " + b<sub>Q</sub>" if cfg.use_bias else ""
    note = f"<br>(means of {pool} × {pool})" if pool > 1 else ""
    return {
        "data": traces,
        "layout": {
            "height": 460,
            "margin": {"l": 8, "r": 8, "t": 50 if note else 30, "b": 22},
            "xaxis": {**axis, "domain": [0, 0.46]},
            "xaxis2": {**axis, "domain": [0.54, 1]},
            "xaxis3": {**axis, "domain": [0, 0.46], "anchor": "y3"},
            "xaxis4": {**axis, "domain": [0.54, 1], "anchor": "y4"},
            "yaxis": {**rows, "domain": [split, 1]},
            "yaxis2": {**rows, "domain": [split, 1], "anchor": "x2"},
            "yaxis3": {**rows, "domain": [0, low]},
            "yaxis4": {**rows, "domain": [0, low], "anchor": "x4"},
            **(_bias_axes(axis, under - thin, under) if cfg.use_bias else {}),
            "coloraxis": {**bar, "cmin": -tops["w"], "cmax": tops["w"], "colorbar": _bar(split, 1 - split, "weights")},
            "coloraxis2": {**bar, "cmin": -tops["q"], "cmax": tops["q"], "colorbar": _bar(0, low, "Q")},
            "annotations": [
                {
                    "text": text,
                    "x": x,
                    "xref": "paper",
                    "y": y,
                    "yref": "paper",
                    "showarrow": False,
                    "xanchor": "center",  # left to itself, Plotly aligns the two outer thirds otherwise, and on a phone they meet
                    "yanchor": anchor,
                    "font": {"size": 14},
                }
                for text, x, y, anchor in (
                    (f"the layer{note}", 0.23, 1.0, "bottom"),
                    ("the wrong idea", 0.77, 1.0, "bottom"),
                    (f"Q = X · W<sub>Q</sub>{plus}", 0.23, low, "bottom"),
                    ("not Q", 0.77, low, "bottom"),
                    *((("b<sub>Q</sub>", 0.5, under - thin / 2, "middle"),) if cfg.use_bias else ()),
                )
            ],
            **NO_GROUND,
        },
    }


def _bias_axes(axis: dict, low: float, high: float) -> dict:
    """The places of both biases, between a kernel and what it gives."""
    return {
        "xaxis5": {**axis, "domain": [0, 0.46], "anchor": "y5"},
        "xaxis6": {**axis, "domain": [0.54, 1], "anchor": "y6"},
        "yaxis5": {**axis, "domain": [low, high]},
        "yaxis6": {**axis, "domain": [low, high], "anchor": "x6"},
    }


def _bar(low: float, length: float, title: str) -> dict:
    return {
        "y": low,
        "yanchor": "bottom",
        "len": max(length, 0.2),
        "thickness": 10,
        "title": {"text": title, "side": "right"},
        "nticks": 3,
    }


def _empty_outside(values, wide: bool):
    """What the wrong idea does not hold is left empty, not drawn as 0."""
    if not wide:
        return values
    return [[None if v == 0 else float(v) for v in row] for row in values]
