"""Copied, not split: the layer's W_Q beside the one that the wrong idea would have, and what each gives."""

from components.figures.scene import pool_for, pooled, top_of
from components.theme import EITHER_SIGNED, stops
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
    weights = cfg.d_model * cfg.num_heads * cfg.key_dim
    return (
        f"W_Q of the layer, {noun(weights, 'its', 'all')} {counted(weights, 'weight')} filled, and the block-diagonal one with "
        f"{wrong.count:,}; below each the Q that it gives."
    )


def draw(trace: Trace, wrong: Split) -> dict:
    """Four heatmaps: the kernels above at one scale, what comes out of them below at one scale."""
    cfg = trace.cfg
    pool = pool_for(max(cfg.d_model, cfg.num_heads * cfg.key_dim), MOST_CELLS)
    kernel, q = trace.params.w_q.values.reshape(cfg.d_model, -1), trace.q.values[0].reshape(cfg.query_len, -1)
    tops = {"w": top_of(kernel), "q": top_of(q, wrong.q)}
    shown = (("x", "y", kernel, "w"), ("x2", "y2", wrong.kernel, "w"), ("x3", "y3", q, "q"), ("x4", "y4", wrong.q, "q"))
    traces = [
        {
            "type": "heatmap",
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
            "hovertemplate": "row %{y}, column %{x}: %{z:.3f}<extra></extra>",
        }
        for x, y, values, kind in shown
    ]
    axis = {"visible": False}
    rows = {"autorange": "reversed", "visible": False}
    share = cfg.d_model / (cfg.d_model + max(cfg.query_len, cfg.d_model / 3))
    split = 1 - share * 0.9
    bar = {"cmid": 0, "colorscale": stops(EITHER_SIGNED), "showscale": True}
    note = f" (means of {pool} × {pool})" if pool > 1 else ""
    return {
        "data": traces,
        "layout": {
            "height": 460,
            "margin": {"l": 8, "r": 8, "t": 30, "b": 22},
            "xaxis": {**axis, "domain": [0, 0.46]},
            "xaxis2": {**axis, "domain": [0.54, 1]},
            "xaxis3": {**axis, "domain": [0, 0.46], "anchor": "y3"},
            "xaxis4": {**axis, "domain": [0.54, 1], "anchor": "y4"},
            "yaxis": {**rows, "domain": [split, 1]},
            "yaxis2": {**rows, "domain": [split, 1], "anchor": "x2"},
            "yaxis3": {**rows, "domain": [0, split - 0.1]},
            "yaxis4": {**rows, "domain": [0, split - 0.1], "anchor": "x4"},
            "coloraxis": {**bar, "cmin": -tops["w"], "cmax": tops["w"], "colorbar": _bar(split, 1 - split, "weights")},
            "coloraxis2": {**bar, "cmin": -tops["q"], "cmax": tops["q"], "colorbar": _bar(0, split - 0.1, "Q")},
            "annotations": [
                {
                    "text": text,
                    "x": x,
                    "xref": "paper",
                    "y": y,
                    "yref": "paper",
                    "showarrow": False,
                    "yanchor": "bottom",
                    "font": {"size": 14},
                }
                for text, x, y in (
                    (f"the layer{note}", 0.23, 1.0),
                    ("the wrong idea", 0.77, 1.0),
                    ("Q", 0.23, split - 0.1),
                    ("not Q", 0.77, split - 0.1),
                )
            ],
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
        },
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
