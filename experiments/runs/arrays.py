"""Functions on arrays for the experiments."""

import numpy as np

from headcount.arrays import Array, Floats
from headcount.forward import Trace, run
from headcount.params import Inputs


def plain_softmax(scores: Floats) -> Floats:
    """The softmax over the last axis, in the scores' number format. A row of -inf only becomes NaN, as by the definition."""
    with np.errstate(invalid="ignore"):
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        return shares / shares.sum(-1, keepdims=True)


def read(row: Floats) -> list[float | str]:
    return ["NaN" if np.isnan(share) else float(share) for share in row]


def gap(one: Floats, other: Floats) -> float:
    """The largest absolute difference between two arrays."""
    return float(np.abs(one - other).max())


def projected(trace: Trace, weights: Floats) -> Floats:
    """The layer's output if it had these attention weights."""
    mixed = np.einsum("bhts,bshv->bthv", weights, trace.v.values)
    return np.einsum("bthv,hvm->btm", mixed, trace.params.w_o.values) + trace["b_o"].values


def with_input(trace: Trace, x: Floats) -> Trace:
    """The layer's pass with another X, also for keys and values."""
    return run(trace.cfg, params=trace.params, inputs=Inputs(Array(x, "btm"), Array(x, "bsm")))
