"""Variations of a computed layer: another divisor of the scores, one head left out, or a split embedding."""

from dataclasses import dataclass, replace

import numpy as np

from headcount.arrays import Array, Floats
from headcount.config import Config
from headcount.forward import Trace, run_steps
from headcount.ledger import ledger
from headcount.numpy_backend import OPS, scale
from headcount.params import draw_weights
from headcount.steps import Ops, Step, steps_of
from headcount.switches import Switches

DIVISORS = ("sqrt_d_k", "none", "sqrt_d_model")


def divisor(cfg: Config, kind: str) -> float:
    """Returns the divisor of the scores with this name: √d_k as in the paper (3.2.1), 1, or √d_model (a common mistake)."""
    return {"sqrt_d_k": cfg.key_dim**0.5, "none": 1.0, "sqrt_d_model": cfg.d_model**0.5}[kind]


def with_divisor(trace: Trace, kind: str, last: str = "output") -> Trace:
    """Recomputes the steps from "scaled" to `last` with the divisor named `kind`. Returns the trace itself for "sqrt_d_k"."""

    def divided(step: Step, cfg: Config, scores: Floats) -> Floats:
        return scale(step, cfg, scores, divisor(cfg, kind))

    return trace if kind == "sqrt_d_k" else _from(trace, "scaled", {**OPS, "scale": divided}, last=last)


def weights_by_divisor(trace: Trace) -> dict[str, Floats]:
    """Returns the attention weights with each divisor, axes (batch, head, query, key), by the divisor's name."""
    return {kind: with_divisor(trace, kind, last="weights").weights.values for kind in DIVISORS}


def with_switches(trace: Trace, switches: Switches) -> Trace:
    """Recomputes a forward pass on the same inputs and weights with changes that published models have. Draws further parameters,
    such as gains, from the seed. Leaves out rotary positions if d_k is odd. Returns the trace itself if nothing changes."""
    cfg = switches.on(trace.cfg)
    if cfg == trace.cfg:
        return trace
    more = {row.name: row for row in ledger(cfg) if getattr(trace.params, row.name) is None}
    drawn = draw_weights(cfg.seed, {name: row.shape for name, row in more.items()}, cfg.d_model)
    params = replace(trace.params, **{name: Array(values, more[name].axes) for name, values in drawn.items()})
    steps = tuple(step for step in steps_of(cfg) if step.name not in ("q", "k", "v", "g"))
    return _again(replace(trace, cfg=cfg, params=params), steps, OPS)


def index_of_head(head: int, num_heads: int) -> int | None:
    """Converts the number of a head, from 1, to its index, from 0. Returns None if the layer has no such head."""
    return head - 1 if 1 <= head <= num_heads else None


def without_head(trace: Trace, head: int) -> Trace:
    """Recomputes a forward pass in which the head output of `head` (0-based) is 0."""
    context = trace.context.values.copy()
    context[:, :, head] = 0
    return _from(replace(trace, context=Array(context, "bthv")), "context", OPS, again=False)


def _from(trace: Trace, first: str, ops: Ops, again: bool = True, last: str = "output") -> Trace:
    """Recomputes the steps from `first` to `last`. If `again` is False, begins with the step after `first`."""
    steps = steps_of(trace.cfg)
    names = [step.name for step in steps]
    return _again(trace, steps[names.index(first) + (not again) : names.index(last) + 1], ops)


def _again(trace: Trace, steps: tuple[Step, ...], ops: Ops) -> Trace:
    known = run_steps(trace.cfg, trace.known, ops, steps)
    return replace(trace, **{step.name: Array(known[step.name], step.axes) for step in steps})


def contributions(trace: Trace, heads: slice = slice(None)) -> Floats:
    """Computes each head's contribution to the output in the first sample, axes (head, query, d_model): Z_i W_i^O, with Z_i after
    the gate. The output is the sum of all contributions plus the bias. `heads`: the heads to compute, because the contributions
    of all heads can be far larger than the trace."""
    z, w_o = trace.joined.values[0, :, heads], trace.params.w_o.values[heads]
    return np.matmul(z.transpose(1, 0, 2), w_o)


def shares_at(trace: Trace, row: int, col: int) -> Floats:
    """Returns each head's contribution to one number of the output, in the first sample."""
    return (trace.joined.values[0, row] * trace.params.w_o.values[:, :, col]).sum(axis=-1)


def largest_gap(trace: Trace) -> float:
    """Compares the output with the sum of contributions and bias. Returns the largest difference, relative to the largest sum."""
    total = np.zeros_like(trace.output.values[0])
    if trace.params.b_o is not None:
        total += trace.params.b_o.values
    for head in range(trace.cfg.num_heads):  # one by one: all contributions at once can be far larger than the trace
        total += contributions(trace, slice(head, head + 1))[0]
    return float(np.abs(trace.output.values[0] - total).max() / (np.abs(total).max() or 1))


@dataclass(frozen=True, slots=True)
class Split:
    """A common mistake: head i multiplies only its own slice of the embedding. `kernel`, d_model × (h·d_k): W_Q with zeros
    outside its diagonal blocks. `count`: the weights in these blocks. `q`: the queries that result, axes "t(hk)"."""

    kernel: Floats
    q: Floats
    count: int


def split_embedding(trace: Trace) -> Split | None:
    """Computes the first sample's queries with only the diagonal blocks of W_Q. Returns None if h does not divide d_model."""
    cfg = trace.cfg
    if cfg.d_model % cfg.num_heads:
        return None
    slice_of_row = np.arange(cfg.d_model) // (cfg.d_model // cfg.num_heads)
    own_slice = slice_of_row[:, None] == np.arange(cfg.num_heads)[None, :]
    kernel = np.where(own_slice[:, :, None], trace.params.w_q.values, np.float32(0)).reshape(cfg.d_model, -1)
    q = trace.x_query.values[0] @ kernel
    if trace.params.b_q is not None:
        q = q + trace.params.b_q.values.reshape(-1)
    return Split(kernel, q, int(own_slice.sum()) * cfg.key_dim)


def mean_largest(trace: Trace) -> dict[str, float]:
    """Returns the largest attention weight of a row, averaged over all rows, for each divisor."""
    return {kind: float(weights.max(axis=-1).mean()) for kind, weights in weights_by_divisor(trace).items()}
