"""What questions run about parameters: what they change, which count and do nothing, and what they and the cache cost."""

from dataclasses import replace
from typing import Any

import numpy as np

from experiments.runs.arrays import gap, plain_softmax, projected, with_input
from mha.arrays import Array, Floats
from mha.config import Config
from mha.cost import score_cells
from mha.forward import Trace, run
from mha.ledger import count_parameters, pinned_count
from mha.models.cost import cost
from mha.models.table import entries
from mha.params import Inputs
from mha.redundancy import circuit_rank, factorised, idle
from mha.sensitivity import WATCHED, forward, in_float64, moved
from mha.trained import store
from mha.trained.network import forward as trained_pass
from mha.trained.task import UNASKED, fixed_examples
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
    token, caches = cost(found, 1).token_bytes, [cost(found, context).cache_bytes for context in contexts]
    return {"token": token, "int8": token // 2, "int4": token // 4, "contexts": caches,
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


def by_formula(trace: Trace) -> dict:
    """softmax(QKᵀ / √d_k) V of every head written out, joined and times W_O: how far the output is; the maps' shape and the
    count."""
    q, k, v = (trace[name].values.transpose(0, 2, 1, 3).astype(np.float64) for name in "qkv")
    weights = plain_softmax(q @ k.swapaxes(-1, -2) / np.sqrt(trace.cfg.key_dim))
    joined = (weights @ v).transpose(0, 2, 1, 3).reshape(*trace.concat.shape)
    output = joined @ trace.params.w_o.values.reshape(joined.shape[-1], -1) + trace["b_o"].values
    return {"apart": gap(output, trace.output.values), "maps": weights.shape, "count": count_parameters(trace.cfg)}


def circuits(trace: Trace) -> dict:
    """Each head's W_Q W_Kᵀ and W_V W_O as one matrix, without biases: how far scores and output are, numbers in both forms of one
    pair over all heads, and the rank of head 1's."""
    x, params, a = trace.x_query.values[0].astype(np.float64), trace.params, trace.weights.values[0]
    qk = np.einsum("mhk,nhk->hmn", params.w_q.values, params.w_k.values, dtype=np.float64)
    vo = np.einsum("mhv,hvn->hmn", params.w_v.values, params.w_o.values, dtype=np.float64)
    return {"scores": gap(x @ qk @ x.T, trace.scores.values[0]), "output": gap((a @ (x @ vo)).sum(0), trace.output.values[0]),
            "merged": vo.size, "apart": params.w_v.values.size + params.w_o.values.size,
            "ranks": [int(np.linalg.matrix_rank(one[0])) for one in (qk, vo)]}  # fmt: skip


def reordered(trace: Trace) -> dict:
    """Keys and values in reverse order, both and the values alone: how far the output is; and how far the map is from the layer's
    with its columns in that order."""
    turned = run(trace.cfg, params=trace.params, inputs=Inputs(trace.x_query, Array(trace.x_key.values[:, ::-1], "bsm")))
    alone = projected(trace, trace.weights.values[..., ::-1])
    return {"both": gap(turned.output.values, trace.output.values), "alone": gap(alone, trace.output.values),
            "columns": gap(turned.weights.values[..., ::-1], trace.weights.values)}  # fmt: skip


def same_token(trace: Trace, first: int, second: int) -> dict:
    """One token in two places: how far its two outputs are from each other, without a mask and with the causal one."""
    x = trace.x_query.values.copy()
    x[:, second] = x[:, first]
    found = {mask: with_input(run(replace(trace.cfg, mask=mask)), x).output.values for mask in ("none", "causal")}
    return {mask: gap(output[:, first], output[:, second]) for mask, output in found.items()}


def copied(trace: Trace) -> dict:
    """The layer in float32 beside the same in float64, and beside one whose W_O is not transposed: how far the outputs are; and
    the largest output."""
    arrays, output = in_float64(trace), trace.output.values
    w_o = arrays["w_o"].reshape(trace.cfg.d_model, -1).T.reshape(arrays["w_o"].shape)
    wrong = forward(trace.cfg, arrays | {"w_o": w_o})["output"]
    return {"rounding": gap(forward(trace.cfg, arrays)["output"], output), "wrong": gap(wrong, output),
            "largest": float(np.abs(output).max())}  # fmt: skip


def cut_fused(trace: Trace) -> dict:
    """One product with W_Q, W_K and W_V side by side, cut by (B, T, 3, h, d), in thirds, and wrongly by (B, T, h, 3, d): how far
    Q is from the layer's, without its bias; and the fused kernel's and product's shapes."""
    x, params, (d_model, heads, size) = trace.x_query.values, trace.params, trace.params.w_q.shape
    fused = np.concatenate([w.values.reshape(d_model, -1) for w in (params.w_q, params.w_k, params.w_v)], 1)
    product, q = x @ fused, np.einsum("btm,mhk->bhtk", x, params.w_q.values)
    by_axes = product.reshape(*x.shape[:2], 3, heads, size).transpose(2, 0, 3, 1, 4)
    thirds = np.split(product, 3, -1)[0].reshape(*x.shape[:2], heads, size).transpose(0, 2, 1, 3)
    by_head = product.reshape(*x.shape[:2], heads, 3, size)[:, :, :, 0].transpose(0, 2, 1, 3)
    return {"kernel": fused.shape, "product": product.shape, "axes": by_axes.shape, "by_axes": gap(by_axes[0], q),
            "thirds": gap(thirds, q), "by_head": gap(by_head, q), "own": params.w_q.shape}  # fmt: skip


def rounded_cache(trace: Trace, bits: list[int]) -> dict:
    """Keys kept in so many bits with a scale for each column, values with one for each token: the largest change of the output,
    as a share of the largest output."""

    def output(steps: int) -> Floats:
        """`steps`: on each side of 0."""
        k, v = known["k"], known["v"]
        k, v = (np.round(one / scale) * scale for one, scale in (
            (k, np.abs(k).max(1, keepdims=True) / steps), (v, np.abs(v).max(-1, keepdims=True) / steps),
        ))  # fmt: skip
        weights = plain_softmax(np.einsum("bthk,bshk->bhts", known["q"], k) / np.sqrt(trace.cfg.key_dim))
        return np.einsum("bhts,bshv,hvm->btm", weights, v, known["w_o"], optimize=True) + known["b_o"]

    known = forward(trace.cfg, in_float64(trace))
    largest = float(np.abs(known["output"]).max())
    return {"shares": [gap(output(2 ** (number - 1) - 1), known["output"]) / largest for number in bits]}


def linear_start(width: int) -> dict:
    """The largest number with which PyTorch's Linear starts: kaiming_uniform_ with a = √5."""
    return {"linear": np.sqrt(6 / ((1 + 5) * width)).item()}


def biases(models: list[str]) -> dict:
    """Which of q, k, v and o have a bias in these published models."""
    own = {
        name: [f"b_{letter.upper()}" for letter in "qkvo" if letter in entries()[name].model.attention.bias] for name in models
    }
    return {"of": {name: ", ".join(letters) or "none" for name, letters in own.items()}}


def gated(network: str) -> dict:
    """A gate of 1 on each head of a trained network: the mean size of the loss's slope by it, head by head, and the share of
    right answers without each head; of the head of the least slope, and without the two of the least."""
    trained = store.load(network)
    examples = fixed_examples(trained.task)[:128]
    result, asked = trained_pass(trained, examples.tokens), examples.answers != UNASKED
    results, to_logits = result.trace.context.values, result.trace.params.w_o.values @ trained.weights["answer_w"]
    shares = [(results[:, :, head] @ to_logits[head]).reshape(result.logits.shape) for head in range(trained.heads)]
    surplus = result.probabilities - np.eye(result.logits.shape[-1])[np.where(asked, examples.answers, 0)]
    slopes = [float(np.abs((surplus * share).sum(-1)[asked]).mean()) for share in shares]

    def right(*off: int) -> float:
        logits = result.logits - sum(shares[head] for head in off)
        return float((logits.argmax(-1) == examples.answers)[asked].mean())

    left, (first, second) = [right(head) for head in range(trained.heads)], np.argsort(slopes)[:2].tolist()
    return {"slopes": slopes, "left": left, "whole": right(), "of_least": left[first], "lowest": min(left), "highest": max(left),
            "without_two": right(first, second)}  # fmt: skip
