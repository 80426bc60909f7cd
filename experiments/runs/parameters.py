"""Runs about parameters: their effects, those that do nothing, and their cost and that of the cache."""

from dataclasses import replace
from typing import Any

import numpy as np

from experiments.records import experiment
from experiments.runs.arrays import gap
from headcount.arrays import Floats
from headcount.config import Config
from headcount.forward import Trace, run, run_steps
from headcount.ledger import count_parameters
from headcount.numpy_backend import OPS
from headcount.redundancy import idle
from headcount.variations import combined, largest_gap


def passed(trace: Trace, **instead: Floats) -> dict[str, Floats]:
    """Every array of a pass in float64, in which rounding is 1e-15 of a number. `instead` replaces the layer's own arrays."""
    arrays = {name: trace[name].values.astype(np.float64) for name in ("x_query", "x_key", *trace.params.by_name)}
    return run_steps(trace.cfg, arrays | instead, OPS)


@experiment
def array_off(array: str, **layer: Any) -> dict:
    """The largest change of scores, weights and output if one array of the layer is set to 0. A difference that is only rounding
    is 0."""
    trace = run(cfg := Config(**layer))
    before, after = passed(trace), passed(trace, **{array: trace[array].values * 0.0})
    moved = {name: gap(after[name], before[name]) for name in ("scores", "weights", "output")}
    return {"count": trace[array].values.size, "parameters": count_parameters(cfg),
            **{name: 0.0 if by <= 1e-12 * np.abs(before[name]).max() else by for name, by in moved.items()}}  # fmt: skip


@experiment
def idle_parameters(layers: int = 1, **layer: Any) -> dict:
    """The number of parameters that cannot change the output, in one such layer and in all `layers` of them."""
    found = idle(Config(**layer))
    return {"alone": found.alone, "all_layers": found.alone * layers, "b_v": found.b_v, "count": found.count,
            "effective": found.effective}  # fmt: skip


@experiment
def two_factors(trace: Trace) -> dict:
    """The numbers of one head's W_Q and W_K together (`factors`), and of their product (`free`)."""
    return {"factors": 2 * trace.cfg.d_model * trace.cfg.key_dim, "free": trace.cfg.d_model**2}


@experiment
def summed_up(trace: Trace) -> dict:
    """Adds head outputs up instead of concatenating them. `saved`: the parameters of W_O that this saves. `equal_blocks`,
    `apart`: the output's distance from a W_O of equal blocks, and from the layer's output."""
    cfg, (equal_blocks, apart) = trace.cfg, combined(trace, "sum")
    rows, block, count = cfg.num_heads * cfg.value_dim, cfg.value_dim * cfg.d_model, count_parameters(cfg)
    saved = (rows - cfg.value_dim) * cfg.d_model
    return {"joined": rows, "added": cfg.value_dim, "w_o": rows * cfg.d_model, "block": block, "saved": saved, "count": count,
            "fewer": count - saved, "equal_blocks": equal_blocks, "apart": apart,
            "blocks": trace.params.w_o.shape, "flat": (rows, cfg.d_model), "by_block": largest_gap(trace)}  # fmt: skip


@experiment
def one_kernel(trace: Trace, letters: str) -> dict:
    """Uses one matrix twice ("kv": W_V = W_K and b_V = b_K). `apart`: the output's change. `scores`, `weights`: their distance
    from symmetric; `plain`: that of the layer's own scores; `own`: rows whose largest weight is on their own token."""
    (first, second), params, count = letters, trace.params, count_parameters(trace.cfg)
    shared = run(trace.cfg, params=replace(params, **{f"{kind}_{second}": getattr(params, f"{kind}_{first}") for kind in "wb"}))
    saved = sum(params.by_name[f"{kind}_{second}"].size for kind in "wb")
    most = shared.weights.values.argmax(-1) == np.arange(trace.cfg.query_len)
    maps = {"scores": shared.scores.values, "weights": shared.weights.values, "plain": trace.scores.values}
    return {name: gap(values, values.swapaxes(-1, -2)) for name, values in maps.items()} | {
        "apart": gap(shared.output.values, trace.output.values), "saved": saved, "count": count, "left": count - saved,
        "own": int(most.sum()), "rows": most.size,
    }  # fmt: skip


@experiment
def dropped(rate: float, keys: int, rows: int = 2000) -> dict:
    """The effect of dropout on uniform attention weights: the values that occur, and the least, mean and largest sum of a row."""
    kept = np.random.default_rng(0).random((rows, keys)) >= rate
    weights = np.where(kept, 1 / keys / (1 - rate), 0.0)
    sums = weights.sum(-1)
    return {"weights": sorted({round(float(w), 9) for w in weights.ravel()}), "mean": float(sums.mean()),
            "least": float(sums.min()), "largest": float(sums.max())}  # fmt: skip


@experiment
def value_bias_folded(trace: Trace) -> dict:
    """The output's change if b_V is 0 (`dropped`), and if its product with W_O is then added to b_O (`folded`)."""
    before = passed(trace)
    without = {"b_v": before["b_v"] * 0}
    folded = without | {"b_o": before["b_o"] + np.einsum("hv,hvm->m", before["b_v"], before["w_o"])}
    instead = {"folded": folded, "dropped": without}
    apart = {name: gap(passed(trace, **arrays)["output"], before["output"]) for name, arrays in instead.items()}
    return apart | {name: before[name].size for name in ("b_v", "b_o")}


def rotation(size: int, seed: int) -> np.ndarray:
    """A random rotation matrix of `size` axes; 1 for one axis."""
    turn, r = np.linalg.qr(np.random.default_rng([seed, 11]).standard_normal((size, size)))
    turn = turn * np.sign(np.diag(r))
    turn[:, 0] *= np.sign(np.linalg.det(turn))
    return turn


@experiment
def circuits(trace: Trace) -> dict:
    """Merges each head's W_Q W_Kᵀ and W_V W_O into one matrix. `scores`, `output`: the distance from the layer's. `merged`,
    `apart`: the numbers of all W_V W_O, merged and as factors; `ranks`: of head 1's products."""
    x, params, a = trace.x_query.values[0].astype(np.float64), trace.params, trace.weights.values[0]
    qk = np.einsum("mhk,nhk->hmn", params.w_q.values, params.w_k.values, dtype=np.float64)
    vo = np.einsum("mhv,hvn->hmn", params.w_v.values, params.w_o.values, dtype=np.float64)
    return {"scores": gap(x @ qk @ x.T, trace.scores.values[0]), "output": gap((a @ (x @ vo)).sum(0), trace.output.values[0]),
            "merged": vo.size, "apart": params.w_v.values.size + params.w_o.values.size,
            "ranks": [int(np.linalg.matrix_rank(one[0])) for one in (qk, vo)]}  # fmt: skip
