"""Runs about the layer's design (three weight matrices, softmax, positions, a cache) and about what its maps explain."""

from dataclasses import replace

import numpy as np

from experiments.records import experiment
from experiments.runs.arrays import gap, plain_softmax, projected, with_input
from headcount.arrays import Array, Floats
from headcount.forward import Trace, run
from headcount.ledger import count_parameters
from headcount.models.entry import entries
from headcount.numpy_backend import rotate
from headcount.steps import BY_NAME
from headcount.switches import slopes


@experiment
def beside_dense(trace: Trace) -> dict:
    """Compares attention with a dense layer. `moved`: the change of the weights if the tokens are reversed; `count`: the layer's
    parameters; `dense`: those of a dense layer from all the tokens' numbers to as many."""
    turned = with_input(trace, trace.x_query.values[:, ::-1])
    numbers = trace.cfg.query_len * trace.cfg.d_model
    return {"moved": gap(turned.weights.values, trace.weights.values), "count": count_parameters(trace.cfg),
            "dense": numbers**2 + numbers}  # fmt: skip


@experiment
def other_weights(trace: Trace) -> dict:
    """Replaces the softmax by a sigmoid or by nothing. `rows`: head 1's row sums; `below`: the fraction of scores below 0;
    `apart`: the distance of (QKᵀ)V from Q(KᵀV). `joint`, `output`: one softmax over heads and keys together."""
    scaled = trace.scaled.values.astype(np.float64)
    ways = {"softmax": trace.weights.values, "sigmoid": 1 / (1 + np.exp(-scaled)), "scores": scaled}
    q, k, v = (trace[name].values for name in "qkv")
    maps_first = np.einsum("bhts,bshv->bthv", np.einsum("bthk,bshk->bhts", q, k), v)
    keys_first = np.einsum("bthk,bhkv->bthv", q, np.einsum("bshk,bshv->bhkv", k, v))
    joint = np.exp(scaled) / np.exp(scaled).sum(axis=(1, 3), keepdims=True)
    return {"rows": {name: weights[0, 0].sum(-1).tolist() for name, weights in ways.items()},
            "below": float((scaled < 0).mean()), "apart": gap(maps_first, keys_first), "map": scaled[0, 0].size,
            "product": q.shape[-1] * v.shape[-1], "joint": joint[0, :, 0].sum(-1).tolist(),
            "output": gap(projected(trace, joint), trace.output.values)}  # fmt: skip


@experiment
def turned_later(trace: Trace, later: int) -> dict:
    """Moves all tokens `later` positions on. `whole`, `half`: the scores' change if rotary embedding turns all numbers of a head,
    or half. `kept`: if only queries move; `plain`: without rotation; `values`: the head outputs' change if values rotate, too."""
    q, k, v = (trace[name].values.astype(np.float64) for name in "qkv")

    def turned(x: Floats, first: int, numbers: int) -> Floats:
        cfg = replace(trace.cfg, key_dim=numbers, rotary="halves")
        placed = np.pad(x[..., :numbers], [(0, 0), (first, 0), (0, 0), (0, 0)])
        return np.concatenate([rotate(BY_NAME["q_rotated"], cfg, placed)[:, first:], x[..., numbers:]], axis=-1)

    def scores(at: int, kept: int, numbers: int) -> Floats:
        return np.einsum("bthk,bshk->bhts", turned(q, at, numbers), turned(k, kept, numbers))

    all_of, half = trace.cfg.key_dim, trace.cfg.key_dim // 2
    now = scores(0, 0, all_of)
    results = [np.einsum("bhts,bshv->bthv", trace.weights.values, turned(v, first, all_of)) for first in (0, later)]
    return {"whole": gap(scores(later, later, all_of), now), "half": gap(scores(later, later, half), scores(0, 0, half)),
            "kept": gap(scores(later, 0, all_of), now), "values": gap(*results),
            "plain": gap(now, trace.scores.values)}  # fmt: skip


@experiment
def norms_of_heads(trace: Trace) -> dict:
    """Normalises queries and keys head by head (rms) or over all heads at once (rms_wide). `added`: the norm's parameters;
    `moved`: the change of the last head's weights if the first head's W_Q grows tenfold."""
    result: dict = {}
    for norm in ("rms", "rms_wide"):
        before = run(replace(trace.cfg, qk_norm=norm))
        grown = before.params.w_q.values.copy()
        grown[:, 0] *= 10
        after = run(before.cfg, params=replace(before.params, w_q=Array(grown, before.params.w_q.axes)))
        moved = gap(after.weights.values[:, -1], before.weights.values[:, -1])
        result[norm] = {"added": count_parameters(before.cfg) - count_parameters(trace.cfg), "moved": moved}
    return result


@experiment
def position_biases(models: list[str], heads: int) -> dict:
    """The numbers of T5's learned position biases, with its heads and layers (`tables`), and the slopes of ALiBi."""
    tables = []
    for model in models:
        found = entries()[model].model
        (table,) = [part.count for part in found.ledger() if part.label == "relative position biases"]
        tables.append([table, found.attention.heads, found.groups[0].layers])
    return {"tables": tables, "slopes": slopes(heads).tolist()}


@experiment
def attends_to_nothing(trace: Trace, lower: float) -> dict:
    """Adds 1 to the softmax's denominator. `rows`, `lower`: head 1's row sums, and those with all scores lower by `lower`.
    `zero_key`, `sinks`: the weights' distance from those with a key of score 0 more, and with sinks of 0. `output`: the output's
    change."""
    scaled = trace.scaled.values.astype(np.float64)

    def with_one(scores: Floats) -> Floats:
        shares = np.exp(scores)
        return shares / (1 + shares.sum(-1, keepdims=True))

    weights, more = with_one(scaled), np.concatenate([scaled, np.zeros((*scaled.shape[:-1], 1))], -1)
    cfg = replace(trace.cfg, sinks=True)
    sunk = run(cfg, params=replace(run(cfg).params, sinks=Array(np.zeros(cfg.num_heads, np.float32), "h")))
    return {"rows": weights[0, 0].sum(-1).tolist(), "lower": with_one(scaled - lower)[0, 0].sum(-1).tolist(),
            "zero_key": gap(weights, plain_softmax(more)[..., :-1]), "sinks": gap(weights, sunk.weights.values),
            "output": gap(projected(trace, weights), trace.output.values)}  # fmt: skip
