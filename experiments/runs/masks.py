"""Runs about masks, dropout and scales: the meaning of axes and of True, the place of zeros, and the divisor of the scores."""

import numpy as np

from experiments.records import experiment
from experiments.runs.arrays import gap, plain_softmax, projected, read, with_input
from headcount.arrays import Array, Bools, Floats
from headcount.config import Config
from headcount.forward import Trace, run
from headcount.numpy_backend import softmax
from headcount.params import Inputs
from headcount.variations import mean_largest, with_divisor


def attended(trace: Trace, may: Bools) -> tuple[Floats, Floats]:
    """The attention weights and the output of the layer under the mask `may` (True: may look)."""
    weights = plain_softmax(np.where(may, trace.scaled.values, -np.inf))
    return weights, projected(trace, weights)


@experiment
def axes_swapped(d_model: int, num_heads: int, batch: int, length: int, keys: int) -> dict:
    """Swaps batch and length in a layer's input. `maps`, `swapped`: the maps' shapes before and after; `apart`: the change of the
    output; `refusal`: PyTorch's error for `keys` keys."""
    trace = run(Config(d_model, num_heads, query_len=length, batch=batch))
    x = trace.x_query.values.swapaxes(0, 1)
    inputs = Inputs(Array(x, "btm"), Array(x, "bsm"))
    wrong = run(Config(d_model, num_heads, query_len=batch, batch=length), params=trace.params, inputs=inputs)
    output = wrong.output.values.swapaxes(0, 1)
    view, size = [batch, length * num_heads, d_model // num_heads], batch * keys * d_model
    return {"maps": trace.weights.shape, "swapped": wrong.weights.shape, "output": output.shape,
            "apart": gap(output, trace.output.values),
            "refusal": f"shape '{view}' is invalid for input of size {size}"}  # fmt: skip


@experiment
def turned_mask(trace: Trace) -> dict:
    """Inverts a causal mask. `pairs`, `turned`: the allowed pairs before and after. `first`, `last`: rows of head 1 under the
    inverted mask; `second`: under the right one; `moved`: the number of outputs that depend on the last token, by mask."""
    may, x = np.tril(np.ones_like(trace.weights.values[0, 0], bool)), trace.x_query.values.copy()
    x[:, -1] += 1
    changed = with_input(trace, x)
    masks = {"causal": may, "transposed": may.T, "none": may | True}
    rows = {name: np.abs(attended(trace, mask)[1] - attended(changed, mask)[1]).max((0, 2)) for name, mask in masks.items()}
    turned = attended(trace, ~may)[0][0, 0]
    return {"pairs": int(may.sum()), "turned": int((~may).sum()), "second": read(attended(trace, may)[0][0, 0, 1]),
            "first": read(turned[0]), "last": read(turned[-1]),
            "moved": {name: int((row > 1e-6).sum()) for name, row in rows.items()}}  # fmt: skip


@experiment
def mask_shapes(batch: int, num_heads: int, length: int, padded: int) -> dict:
    """Tries masks in PyTorch. `refusal`: the error for one without an axis of heads; `in_turn`: the maps that get their own
    sample's mask if masks are repeated all in turn. `joined`, `pairs`: a causal and a padding mask together."""
    maps = np.arange(batch * num_heads)
    real = np.arange(length) < length - np.arange(batch)[:, None] * padded
    joined = np.tril(np.ones((length, length), bool)) & real[:, None, :]
    wanted = batch * num_heads, length, length
    refusal = f"The shape of the 3D attn_mask is torch.Size({[batch, *wanted[1:]]}), but should be {wanted}."  # parity/test_masks
    return {"refusal": refusal,
            "maps": len(maps), "in_turn": int((maps % batch == maps // num_heads).sum()), "joined": joined.shape,
            "pairs": joined.sum((1, 2)).tolist()}  # fmt: skip


@experiment
def dropout_places(trace: Trace, rate: float, draws: int = 4000) -> dict:
    """Applies dropout to head 1's weights, outputs or scores. `by_weight`, `by_result`, `by_score`: the mean output's distance
    from that without. `changed`: the numbers that one dropped weight changes; `least`: the least weight of a dropped score."""
    rng, weights, v = np.random.default_rng(5), trace.weights.values[0, 0].astype(float), trace.v.values[0, :, 0].astype(float)
    kept = rng.random((draws, *weights.shape)) >= rate
    stays = rng.random((draws, *v.shape)) >= rate
    cut = np.where(kept, trace.scaled.values[0, 0], 0)
    return {"factor": 1 / (1 - rate), "by_weight": gap((weights * kept / (1 - rate) @ v).mean(0), weights @ v),
            "by_result": gap((weights @ v * stays / (1 - rate)).mean(0), weights @ v), "changed": v.shape[1],
            "by_score": gap((plain_softmax(cut) @ v).mean(0), weights @ v),
            "least": float(plain_softmax(cut)[~kept].min())}  # fmt: skip


@experiment
def padding_left_in(trace: Trace, padded: int) -> dict:
    """Leaves padding without a mask. `share`, `of_zeros`: the mean attention weight on random or zero padding. `moved`: the
    distance of the real outputs between these, without and with a mask of keys; `row`: a padded query's row sum with it."""
    length, x = trace.cfg.query_len, trace.x_query.values.copy()
    real = length - padded
    x[:, real:] = 0
    zeros, everywhere = with_input(trace, x), np.ones((1, length), bool)
    masks = {"none": everywhere, "keys": everywhere & (np.arange(length) < real)}
    found = {name: [attended(one, may) for one in (trace, zeros)] for name, may in masks.items()}
    shares = [float(weights[..., real:].sum(-1).mean()) for weights, _ in found["none"]]
    moved = {name: gap(one[1][:, :real], other[1][:, :real]) for name, (one, other) in found.items()}
    return {"share": shares[0], "of_zeros": shares[1], "moved": moved, "row": float(found["keys"][0][0][0, 0, -1].sum())}


@experiment
def zeros_in_a_mask(trace: Trace, masked: int) -> dict:
    """The mean attention weight that masked keys keep (`shares`). The mask is 1 and 0, multiplied or added, or −1e-9, −1e9 or −∞
    in place of scores. `after`: a row's sum if weights are multiplied; `factor`: a weight's growth for a score higher by 1."""
    scores, length = trace.scaled.values.astype(float), trace.cfg.key_len
    keep = np.arange(length) < length - masked
    filled = {name: np.where(keep, scores, fill) for name, fill in (("tiny", -1e-9), ("large", -1e9), ("infinity", -np.inf))}
    rows = {"times": scores * keep, "added": scores + keep, "none": scores, **filled}
    weights = {name: plain_softmax(row) for name, row in rows.items()}
    return {"shares": {name: float(row[..., ~keep].sum(-1).mean()) for name, row in weights.items()},
            "after": float((weights["none"] * keep).sum(-1).mean()), "factor": float(np.exp(1))}  # fmt: skip


@experiment
def divided(trace: Trace) -> dict:
    """Tries other divisors. `largest`: the mean largest weight of a row, by divisor; `apart`: the output's change with
    √d_model."""
    apart = gap(with_divisor(trace, "sqrt_d_model").output.values, trace.output.values)
    roots = [trace.cfg.key_dim**0.5, trace.cfg.d_model**0.5]
    return {"largest": mean_largest(trace), "apart": apart, "roots": roots, "too_small": roots[1] / roots[0]}


@experiment
def drawn_scores(sizes: list[int], keys: int, draws: int = 2000) -> dict:
    """Divides products of random queries and keys by 1, √d_k or d_k. `largest`: the mean largest weight of a row;
    `variance`: that of the scores."""
    rng, divisors = np.random.default_rng(11), {"plain": 0.0, "root": 0.5, "full": 1.0}
    found = {name: {by: list[float]() for by in divisors} for name in ("variance", "largest")}
    for size in sizes:
        q, k = rng.standard_normal((draws, size)), rng.standard_normal((draws, keys, size))
        products = np.einsum("nk,nsk->ns", q, k)
        for by, power in divisors.items():
            scores = products / size**power
            found["variance"][by].append(float(scores.var()))
            found["largest"][by].append(float(softmax(scores).max(-1).mean()))
    return {"sizes": sizes, **found}
