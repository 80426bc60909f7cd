"""What questions run about parameters: what they change, which count and do nothing, and what they and the cache cost."""

from dataclasses import replace
from typing import Any

import numpy as np

from lessons.claims.experiments.arrays import gap
from mha.arrays import Array
from mha.config import Config
from mha.cost import score_cells
from mha.forward import run
from mha.ledger import count_parameters, pinned_count
from mha.models.cost import cost
from mha.models.table import entries
from mha.params import Inputs
from mha.redundancy import circuit_rank, factorised, idle, turned, turning_matrix
from mha.sensitivity import WATCHED, forward, in_float64, moved
from mha.variations import combined, largest_gap


def array_off(array: str, **layer: Any) -> dict:
    """The layer without one of its arrays: largest change of scores, weights and output."""
    cfg = Config(**layer)
    arrays = in_float64(run(cfg))
    without = moved(cfg, arrays, array, 0.0)
    return {"count": arrays[array].size, "parameters": count_parameters(cfg), **{name: without.largest(name) for name in WATCHED}}


def idle_parameters(layers: int = 1, **layer: Any) -> dict:
    """Parameters that count and do nothing: in each of `layers` such layers, and in all of them."""
    found = idle(Config(**layer))
    return {"alone": found.alone, "all_layers": found.alone * layers, "qk": found.qk, "vo": found.vo, "b_k": found.b_k,
            "b_v": found.b_v, "together": found.together, "count": found.count, "effective": found.effective}  # fmt: skip


def two_factors(d_model: int, num_heads: int, key_dim: int) -> dict:
    """Counts numbers in the factors of one head's W_Q W_Kᵀ and in a free matrix, its rank, and the same for all heads."""
    cfg = Config(d_model, num_heads, key_dim, query_len=1, use_bias=False)
    held, free = factorised(cfg, "qk")
    return {"factors": held, "free": free, "rank": circuit_rank(run(cfg), "qk", 0), "all_factors": num_heads * held,
            "all_free": num_heads * free}  # fmt: skip


def merged(d_model: int, query_len: int) -> dict:
    """One head as wide as the model: A X (W_V W_O) beside the layer, and how many numbers both forms hold."""
    trace = run(Config(d_model, 1, query_len=query_len, use_bias=False))
    product = trace.params.w_v.values[:, 0] @ trace.params.w_o.values[0]
    output = trace.weights.values[0, 0] @ trace.x_key.values[0] @ product
    return {"two": 2 * d_model**2, "one": d_model**2, "difference": gap(output, trace.output.values[0])}


def summed_up(d_model: int, num_heads: int, query_len: int) -> dict:
    """Heads added up instead of joined: widths, sizes of W_O and of the layer, the same output from equal blocks, and how far the
    layer's own is."""
    cfg = Config(d_model, num_heads, query_len=query_len)
    equal_blocks, apart = combined(run(cfg), "sum")
    rows, block = num_heads * cfg.value_dim, cfg.value_dim * d_model
    return {"joined": rows, "added": cfg.value_dim, "w_o": rows * d_model, "block": block, "count": count_parameters(cfg),
            "fewer": count_parameters(cfg) - rows * d_model + block, "equal_blocks": equal_blocks,
            "apart": apart}  # fmt: skip


def sum_of_heads(d_model: int, num_heads: int, query_len: int) -> dict:
    """Concat · W_O beside the sum of each head's product with its block of W_O."""
    trace = run(Config(d_model, num_heads, query_len=query_len))
    return {"difference": largest_gap(trace), "w_o": trace.params.w_o.shape, "flat": (trace.concat.shape[-1], d_model)}


def shared_keys(d_model: int, num_heads: int, kv_heads: int) -> dict:
    """Parameters without biases where several heads share keys and values, and where none do; and the columns of W_K."""
    cfg = Config(d_model, num_heads, query_len=1, use_bias=False)
    return {"full": count_parameters(cfg), "shared": pinned_count(cfg, num_heads, kv_heads), "columns": kv_heads * cfg.key_dim,
            "kernel": d_model * kv_heads * cfg.key_dim, "full_kernel": d_model**2}  # fmt: skip


def cache(model: str, contexts: list[int]) -> dict:
    """Bytes of a published model's key/value cache at 2 bytes a number: for one token, and for each of these contexts."""
    found = entries()[model].model
    attention, layers = found.attention, found.groups[0].layers
    wrong = 2 * layers * attention.kv_heads * (attention.d_model // attention.heads) * 2
    return {"token": cost(found, 1).token_bytes, "contexts": [cost(found, context).cache_bytes for context in contexts],
            "layers": layers, "kv_heads": attention.kv_heads, "d_k": attention.d_k, "d_model": attention.d_model,
            "heads": attention.heads, "divided": attention.d_model // attention.heads, "token_if_divided": wrong}  # fmt: skip


def map_bytes(d_model: int, heads: list[int], length: int, batch: int) -> dict:
    """Bytes of all attention maps of one layer in float32, for each head count; and how many numbers they are."""
    numbers = [batch * score_cells(Config(d_model, h, query_len=length)) for h in heads]
    return {"numbers": numbers, "bytes": [4 * n for n in numbers]}


def shuffled(d_model: int, num_heads: int, query_len: int) -> dict:
    """The tokens in reverse order: how many rows of the output come back at the place of their token, without a mask and with the
    causal one; and the largest difference without."""
    result: dict = {"tokens": query_len}
    for mask in ("none", "causal"):
        cfg = Config(d_model, num_heads, query_len=query_len, mask=mask)
        trace = run(cfg)
        x = trace.x_query.values[:, ::-1]
        turned_round = run(cfg, inputs=Inputs(Array(x, "btm"), Array(x, "bsm"))).output.values[0, ::-1]
        rows = np.abs(turned_round - trace.output.values[0]).max(axis=-1)
        result[mask] = {"same": int((rows < 1e-4).sum()), "difference": float(rows.max())}
    return result


def one_kernel_for_both(d_model: int, num_heads: int, query_len: int) -> dict:
    """W_K = W_Q and b_K = b_Q: how far scores and weights are from symmetric, and what is saved."""
    cfg = Config(d_model, num_heads, query_len=query_len)
    trace = run(cfg)
    shared = run(cfg, params=replace(trace.params, w_k=trace.params.w_q, b_k=trace.params.b_q))
    apart = {name: gap(shared[name].values, shared[name].values.swapaxes(-1, -2)) for name in ("scores", "weights")}
    saved = trace.params.w_k.values.size + (0 if trace.params.b_k is None else trace.params.b_k.values.size)
    return {**apart, "plain": gap(trace.scores.values, trace.scores.values.swapaxes(-1, -2)), "saved": saved,
            "count": count_parameters(cfg), "left": count_parameters(cfg) - saved}  # fmt: skip


def dropped(rate: float, keys: int, rows: int = 2000) -> dict:
    """Dropout after the softmax of uniform weights: which weights are left, and the least, mean and largest row sum."""
    kept = np.random.default_rng(0).random((rows, keys)) >= rate
    weights = np.where(kept, 1 / keys / (1 - rate), 0.0)
    sums = weights.sum(-1)
    return {"weights": sorted({round(float(w), 9) for w in weights.ravel()}), "mean": float(sums.mean()),
            "least": float(sums.min()), "largest": float(sums.max())}  # fmt: skip


def value_bias_folded(d_model: int, num_heads: int, query_len: int) -> dict:
    """b_V set to 0 and its rows through W_O added to b_O: how far the output moves; and how far without that addition."""
    cfg = Config(d_model, num_heads, query_len=query_len)
    arrays = in_float64(run(cfg))
    before = forward(cfg, arrays)["output"]
    without = arrays | {"b_v": arrays["b_v"] * 0}
    folded = without | {"b_o": arrays["b_o"] + np.einsum("hv,hvm->m", arrays["b_v"], arrays["w_o"])}
    return {"folded": gap(forward(cfg, folded)["output"], before), "dropped": gap(forward(cfg, without)["output"], before),
            "b_v": arrays["b_v"].size, "b_o": arrays["b_o"].size}  # fmt: skip


def heads_turned(d_model: int, num_heads: int, query_len: int) -> dict:
    """W_V and W_O turned head by head, and across heads by one rotation of all columns; W_Q and W_K of head 1 turned: how far the
    output, or the scores, move."""
    cfg = Config(d_model, num_heads, query_len=query_len)
    trace = run(cfg)
    arrays = in_float64(trace)
    before, size = forward(cfg, arrays)["output"], cfg.value_dim

    def output(turn: np.ndarray) -> float:
        """`turn`: of all columns of V side by side."""
        wide, tall = arrays["w_v"].reshape(d_model, -1) @ turn, turn.T @ arrays["w_o"].reshape(-1, d_model)
        parts = {"w_v": wide.reshape(arrays["w_v"].shape), "w_o": tall.reshape(arrays["w_o"].shape)}
        biases = {"b_v": (arrays["b_v"].reshape(-1) @ turn).reshape(arrays["b_v"].shape)}
        return gap(forward(cfg, {**arrays, **parts, **biases})["output"], before)

    own = np.zeros((num_heads * size, num_heads * size))
    for head in range(num_heads):
        own[head * size : (head + 1) * size, head * size : (head + 1) * size] = turning_matrix(size, "rotation", head)
    one, found = turned(trace, 0, "invertible"), idle(cfg)
    return {"by_head": output(own), "across": output(turning_matrix(num_heads * size, "rotation", 0)), "scores": gap(*one.scores),
            "w_q": gap(*one.w_q), "qk": found.qk, "vo": found.vo}  # fmt: skip
