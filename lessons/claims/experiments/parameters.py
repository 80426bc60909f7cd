"""What questions run about parameters: what they change, which count and do nothing, and what they and the cache cost."""

from dataclasses import replace
from typing import Any

import numpy as np

from lessons.claims.experiments.arrays import gap, with_input
from mha.config import Config
from mha.cost import score_cells
from mha.forward import Trace, run
from mha.ledger import count_parameters, pinned_count
from mha.models.cost import cost
from mha.models.table import entries
from mha.redundancy import circuit_rank, factorised, idle
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
    return {"alone": found.alone, "all_layers": found.alone * layers, "b_v": found.b_v, "count": found.count,
            "effective": found.effective}  # fmt: skip


def two_factors(trace: Trace) -> dict:
    """Counts numbers in the factors of one head's W_Q W_Kᵀ and in a free matrix, its rank, and the same for all heads."""
    heads, (held, free) = trace.cfg.num_heads, factorised(trace.cfg)
    return {"factors": held, "free": free, "rank": circuit_rank(trace, "qk", 0), "all_factors": heads * held,
            "all_free": heads * free}  # fmt: skip


def merged(trace: Trace) -> dict:
    """One head as wide as the model, without biases: A X (W_V W_O) beside the layer, and how many numbers both forms hold."""
    product = trace.params.w_v.values[:, 0] @ trace.params.w_o.values[0]
    output = trace.weights.values[0, 0] @ trace.x_key.values[0] @ product
    return {"two": 2 * product.size, "one": product.size, "difference": gap(output, trace.output.values[0])}


def summed_up(trace: Trace) -> dict:
    """Heads added up instead of joined: widths, sizes of W_O and of the layer, the same output from equal blocks, and how far the
    layer's own is. And how far Concat · W_O is from the sum of each head's product with its block of W_O."""
    cfg, (equal_blocks, apart) = trace.cfg, combined(trace, "sum")
    rows, block, count = cfg.num_heads * cfg.value_dim, cfg.value_dim * cfg.d_model, count_parameters(cfg)
    saved = (rows - cfg.value_dim) * cfg.d_model
    return {"joined": rows, "added": cfg.value_dim, "w_o": rows * cfg.d_model, "block": block, "saved": saved, "count": count,
            "fewer": count - saved, "equal_blocks": equal_blocks, "apart": apart,
            "blocks": trace.params.w_o.shape, "flat": (rows, cfg.d_model), "by_block": largest_gap(trace)}  # fmt: skip


def shared_keys(d_model: int, num_heads: int, kv_heads: int, layers: int = 1) -> dict:
    """Parameters without biases where several heads share keys and values, and where none do, in one layer and in `layers`; and
    the columns of W_K."""
    cfg = Config(d_model, num_heads, query_len=1, use_bias=False)
    full, shared, kernel = count_parameters(cfg), pinned_count(cfg, num_heads, kv_heads) or 0, d_model * kv_heads * cfg.key_dim
    return {"full": full, "shared": shared, "saved": layers * (full - shared), "in_all": layers * shared,
            "columns": kv_heads * cfg.key_dim, "kernel": kernel, "kernels": 2 * kernel,
            "full_kernels": 2 * d_model**2}  # fmt: skip


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
    return {"numbers": numbers, "bytes": [4 * n for n in numbers], "in_float16": [2 * n for n in numbers]}


def shuffled(trace: Trace) -> dict:
    """The tokens in reverse order: how many rows of the output come back at the place of their token, without a mask and with the
    causal one; and the largest difference of each."""
    result: dict = {"tokens": trace.cfg.query_len}
    for mask in ("none", "causal"):
        own = run(replace(trace.cfg, mask=mask))
        turned_round = with_input(own, own.x_query.values[:, ::-1]).output.values[0, ::-1]
        rows = np.abs(turned_round - own.output.values[0]).max(axis=-1)
        result[mask] = {"same": int((rows < 1e-4).sum()), "difference": float(rows.max())}
    return result


def one_kernel(trace: Trace, letters: str) -> dict:
    """A layer whose second array is the first ("kv": W_V = W_K and b_V = b_K): how far the output is from the layer's, and scores
    and weights from symmetric, the layer's own scores, too (`plain`); how many rows look most at their own token; and what is
    saved."""
    (first, second), params, count = letters, trace.params, count_parameters(trace.cfg)
    shared = run(trace.cfg, params=replace(params, **{f"{kind}_{second}": getattr(params, f"{kind}_{first}") for kind in "wb"}))
    saved = sum(params.by_name[f"{kind}_{second}"].size for kind in "wb")
    most = shared.weights.values.argmax(-1) == np.arange(trace.cfg.query_len)
    maps = {"scores": shared.scores.values, "weights": shared.weights.values, "plain": trace.scores.values}
    return {name: gap(values, values.swapaxes(-1, -2)) for name, values in maps.items()} | {
        "apart": gap(shared.output.values, trace.output.values), "saved": saved, "count": count, "left": count - saved,
        "own": int(most.sum()), "rows": most.size,
    }  # fmt: skip


def dropped(rate: float, keys: int, rows: int = 2000) -> dict:
    """Dropout after the softmax of uniform weights: which weights are left, and the least, mean and largest row sum."""
    kept = np.random.default_rng(0).random((rows, keys)) >= rate
    weights = np.where(kept, 1 / keys / (1 - rate), 0.0)
    sums = weights.sum(-1)
    return {"weights": sorted({round(float(w), 9) for w in weights.ravel()}), "mean": float(sums.mean()),
            "least": float(sums.min()), "largest": float(sums.max())}  # fmt: skip


def value_bias_folded(trace: Trace) -> dict:
    """b_V set to 0 and its rows through W_O added to b_O: how far the output moves; and how far without that addition."""
    arrays = in_float64(trace)
    before = forward(trace.cfg, arrays)["output"]
    without = arrays | {"b_v": arrays["b_v"] * 0}
    folded = without | {"b_o": arrays["b_o"] + np.einsum("hv,hvm->m", arrays["b_v"], arrays["w_o"])}
    apart = {name: gap(forward(trace.cfg, other)["output"], before) for name, other in (("folded", folded), ("dropped", without))}
    return apart | {name: arrays[name].size for name in ("b_v", "b_o")}


def rotation(size: int, seed: int) -> np.ndarray:
    """Draws a rotation of so many axes from the seed: the number 1 for one axis."""
    turn, r = np.linalg.qr(np.random.default_rng([seed, 11]).standard_normal((size, size)))
    turn = turn * np.sign(np.diag(r))
    turn[:, 0] *= np.sign(np.linalg.det(turn))
    return turn


def heads_turned(trace: Trace) -> dict:
    """W_V and W_O turned head by head, and across heads by one rotation of all columns: how far the output moves. W_Q and W_K
    turned within each head: how far scores move."""
    cfg, arrays = trace.cfg, in_float64(trace)
    before, size, heads = forward(cfg, arrays), cfg.value_dim, range(cfg.num_heads)

    def output(turn: np.ndarray) -> float:
        """`turn`: of all columns of V side by side."""
        turned = {"w_v": arrays["w_v"].reshape(cfg.d_model, -1) @ turn, "b_v": arrays["b_v"].reshape(-1) @ turn,
                  "w_o": turn.T @ arrays["w_o"].reshape(-1, cfg.d_model)}  # fmt: skip
        after = forward(cfg, arrays | {n: t.reshape(arrays[n].shape) for n, t in turned.items()})
        return gap(after["output"], before["output"])

    own = np.zeros((len(heads) * size, len(heads) * size))
    for head in heads:
        own[head * size : (head + 1) * size, head * size : (head + 1) * size] = rotation(size, head)
    compared = {name: arrays[name] @ rotation(cfg.key_dim, 0) for name in ("w_q", "b_q", "w_k", "b_k")}
    found, scores = idle(cfg), forward(cfg, arrays | compared)["scores"]
    return {"by_head": output(own), "across": output(rotation(len(own), 0)), "scores": gap(scores, before["scores"]),
            "w_q": gap(compared["w_q"], arrays["w_q"]), "qk": found.qk, "vo": found.vo}  # fmt: skip
