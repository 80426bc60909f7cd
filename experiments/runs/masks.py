"""Experiments about masks and the scale of scores: the meaning of True, the place of zeros, padding, and the divisor."""

import numpy as np

from experiments.records import experiment
from experiments.runs.layer import gap, projected
from headcount.arrays import Array, Bools, Floats
from headcount.forward import Trace, run
from headcount.numpy_backend import softmax
from headcount.params import Inputs


def plain_softmax(scores: Floats) -> Floats:
    """The softmax over the last axis, in the scores' number format. A row that holds nothing but -inf becomes NaN, as the
    definition says."""
    with np.errstate(invalid="ignore"):
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        return shares / shares.sum(-1, keepdims=True)


def read(row: Floats) -> list[float | str]:
    return ["NaN" if np.isnan(share) else float(share) for share in row]


def with_input(trace: Trace, x: Floats) -> Trace:
    """Runs the layer again with the input `x` for queries, keys and values."""
    return run(trace.cfg, params=trace.params, inputs=Inputs(Array(x, "btm"), Array(x, "bsm")))


def attended(trace: Trace, may: Bools) -> tuple[Floats, Floats]:
    """The attention weights and the output of the layer under the mask `may` (True: may look)."""
    weights = plain_softmax(np.where(may, trace.scaled.values, -np.inf))
    return weights, projected(trace, weights)


@experiment
def turned_mask(trace: Trace) -> dict:
    """Inverts a causal mask. `pairs`, `turned`: the number of allowed pairs before and after.
    - `first`, `last`: rows of head 1 under the inverted mask. `second`: the second row under the causal mask.
    - `moved`: by mask, the number of outputs that depend on the last token."""
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
def padding_left_in(trace: Trace, padded: int) -> dict:
    """Compares padding of random numbers with padding of zeros. `row`: a padded query's sum of weights with a mask of keys.
    - `share`, `of_zeros`: the mean attention weight on random padding and on zeros, without a mask.
    - `moved`: how far apart the outputs of real tokens are, without a mask ("none") and with a mask of keys ("keys")."""
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
    """Measures the attention weights that masked keys keep. `factor`: e; a score higher by 1 has an e times larger exponential.
    - `shares`: by kind of mask, the mean sum of these weights in a row. "times" and "added": 1 and 0 multiply the scores or are
      added to them. "tiny", "large" and "infinity": masked scores become −1e-9, −1e9 or −∞.
    - `after`: the mean sum of a row whose attention weights are multiplied by 1 and 0."""
    scores, length = trace.scaled.values.astype(float), trace.cfg.key_len
    keep = np.arange(length) < length - masked
    filled = {name: np.where(keep, scores, fill) for name, fill in (("tiny", -1e-9), ("large", -1e9), ("infinity", -np.inf))}
    rows = {"times": scores * keep, "added": scores + keep, "none": scores, **filled}
    weights = {name: plain_softmax(row) for name, row in rows.items()}
    return {"shares": {name: float(row[..., ~keep].sum(-1).mean()) for name, row in weights.items()},
            "after": float((weights["none"] * keep).sum(-1).mean()), "factor": float(np.exp(1))}  # fmt: skip


@experiment
def drawn_scores(sizes: list[int], keys: int, draws: int = 2000) -> dict:
    """Divides products of random queries and keys by 1, √d_k or d_k. `variance`: the variance of these scores. `largest`: the
    largest attention weight of a row, as a mean over the rows."""
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
