"""Runs about masks and scales: the values that fill a mask, and the divisor of the scores."""

import math

import numpy as np

from experiments.records import experiment
from experiments.runs.arrays import gap, plain_softmax, projected, read
from headcount.forward import Trace
from headcount.numpy_backend import softmax
from headcount.variations import mean_largest, with_divisor


@experiment
def fills(trace: Trace, fill: float) -> dict:
    """Adds a mask to the scores of head 1's first row and takes the softmax. `inf`, `none_real`: -inf or `fill` on all keys.
    `one_real`: each on all keys but the last. `step`: the distance between neighbouring float16 numbers at `fill`."""
    kinds, scores = {"float32": np.float32, "float16": np.float16}, trace.scaled.values[0, 0, 0]

    def row(kind: type, added: float, real: int) -> list[float | str]:
        mask = np.full(len(scores), added, kind)
        mask[len(scores) - real :] = 0
        return read(plain_softmax(scores.astype(kind) + mask))

    return {"inf": row(np.float32, -math.inf, 0), "one_real": [row(np.float32, added, 1) for added in (-math.inf, fill)],
            "none_real": {name: row(kind, fill, 0) for name, kind in kinds.items()}, "unmasked": read(plain_softmax(scores)),
            "step": float(abs(np.spacing(np.float16(fill))))}  # fmt: skip


@experiment
def divided(trace: Trace) -> dict:
    """Tries other divisors. `largest`: the mean largest weight of a row, by divisor; `apart`: the output's change with √d_model.
    `row_after`, `apart_after`: a row's sum and the output's change if the weights, not the scores, are divided by √d_k."""
    after, output = with_divisor(trace, "none").weights.values / trace.cfg.key_dim**0.5, trace.output.values
    apart = gap(with_divisor(trace, "sqrt_d_model").output.values, output)
    roots = [trace.cfg.key_dim**0.5, trace.cfg.d_model**0.5]
    return {"largest": mean_largest(trace), "apart": apart, "roots": roots, "too_small": roots[1] / roots[0],
            "row_after": float(after[0, 0, 0].sum()), "apart_after": gap(projected(trace, after), output)}  # fmt: skip


@experiment
def drawn_scores(sizes: list[int], keys: int, draws: int = 2000) -> dict:
    """Divides products of random queries and keys by 1, √d_k or d_k. `largest`: the mean largest weight of a row. `own`,
    `own_weight`: the first key's mean score and weight if it equals the query."""
    rng, divisors = np.random.default_rng(11), {"plain": 0.0, "root": 0.5, "full": 1.0}
    found = {name: {by: list[float]() for by in divisors} for name in ("variance", "largest", "own", "own_weight")}
    for size in sizes:
        q, k = rng.standard_normal((draws, size)), rng.standard_normal((draws, keys, size))
        products = np.einsum("nk,nsk->ns", q, k)
        aligned = np.concatenate([np.square(q).sum(-1, keepdims=True), products[:, 1:]], 1)
        for by, power in divisors.items():
            scores, own = products / size**power, aligned / size**power
            found["variance"][by].append(float(scores.var()))
            found["largest"][by].append(float(softmax(scores).max(-1).mean()))
            found["own"][by].append(float(own[:, 0].mean()))
            found["own_weight"][by].append(float(softmax(own)[:, 0].mean()))
    return {"sizes": sizes, **found}
