"""What the questions run here, by the ledger and by NumPy: functions of plain arguments that give plain numbers."""

import math

import numpy as np

from mha.arrays import Floats, axes_of
from mha.config import Config
from mha.forward import run
from mha.ledger import count_parameters, ledger
from mha.numpy_backend import softmax
from mha.steps import STEPS
from mha.variations import without_head


def layers(sizes: list[dict]) -> dict:
    """For each layer: count, kernels' and biases' shapes, shapes of every intermediate, width of Concat. Nothing is computed."""
    found = []
    for one in sizes:
        cfg = Config(**{"query_len": 1, **one})
        rows = ledger(cfg)
        found.append({
            "count": count_parameters(cfg), "biases": sum(row.count for row in rows if row.is_bias), "arrays": len(rows),
            "paths": {row.path: row.shape for row in rows}, "concat": cfg.num_heads * cfg.value_dim, "key_dim": cfg.key_dim,
            "x": (cfg.batch, cfg.query_len, cfg.d_model),
            "steps": {step.name: tuple(map(cfg.size, axes_of(step.axes))) for step in STEPS},
        })  # fmt: skip
    return {"layers": found}


def map_sums(d_model: int, num_heads: int, query_len: int) -> dict:
    """Sums of one head's map: of its rows, of its columns, of all."""
    one = run(Config(d_model, num_heads, query_len=query_len)).weights.values[0, 0].astype(np.float64)
    return {"rows": one.sum(1).tolist(), "columns": one.sum(0).tolist(), "total": float(one.sum())}


def averaged(d_model: int, num_heads: int, query_len: int, batch: int) -> dict:
    """Maps of each head and their mean, and the output that the mean would give if every head used it."""
    trace = run(Config(d_model, num_heads, query_len=query_len, batch=batch))
    mean = trace.weights.values.mean(1)
    mixed = np.matmul(mean[:, None], trace.v.values.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)
    output = mixed.reshape(batch, query_len, -1) @ trace.params.w_o.values.reshape(-1, d_model) + trace["b_o"].values
    return {"maps": trace.weights.shape, "mean": mean.shape, "apart": float(np.abs(trace.output.values - output).max())}


def nothing_to_see(length: int) -> dict:
    """The softmax of a row in which every key is masked, by its definition: 0 / 0."""
    with np.errstate(invalid="ignore"):
        exponentials = np.exp(np.full(length, -np.inf))
        shares = exponentials / exponentials.sum()
    return {"row": ["NaN" if np.isnan(share) else float(share) for share in shares]}


def packed(d_model: int, num_heads: int, query_len: int, key_len: int) -> dict:
    """The layer's own weights packed as PyTorch keeps them, the pass written with those, and how far the results are apart."""
    cfg = Config(d_model, num_heads, query_len=query_len, key_len=key_len)
    trace, width = run(cfg), cfg.d_model
    kernels = [getattr(trace.params, name).values for name in ("w_q", "w_k", "w_v")]
    in_proj_weight = np.vstack([kernel.reshape(width, -1).T for kernel in kernels])
    in_proj_bias = np.concatenate([getattr(trace.params, name).values.reshape(-1) for name in ("b_q", "b_k", "b_v")])
    out_proj = trace.params.w_o.values.reshape(-1, width).T
    parts = zip(np.split(in_proj_weight, 3), np.split(in_proj_bias, 3), (trace.x_query, trace.x_key, trace.x_key), strict=True)
    q, k, v = (_heads(x.values @ w.T + b, num_heads) for w, b, x in parts)
    weights = softmax(q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(cfg.key_dim)))
    context = (weights @ v).transpose(0, 2, 1, 3).reshape(1, query_len, width)
    output = context @ out_proj.T + trace["b_o"].values
    return {
        "in_proj_weight": in_proj_weight.shape, "in_proj_bias": in_proj_bias.shape,
        "output": float(np.abs(output - trace.output.values).max()),
        "scores": float(np.abs(weights - trace.weights.values).max()),
    }  # fmt: skip


def _heads(flat: Floats, num_heads: int) -> Floats:
    return flat.reshape(*flat.shape[:2], num_heads, -1).transpose(0, 2, 1, 3)


def start_bounds(width: int, num_heads: int, keys: int = 16) -> dict:
    """Largest first weight by Glorot's rule for three ways to count fans, as a formula and as drawn; and how peaked attention
    is at such a start: the largest of `keys` weights, meant over rows of all heads."""
    size = width // num_heads
    fans = {"packed": (width, 3 * width), "flat": (width, width), "per_axis": (width * num_heads, width * size)}
    bounds = {name: math.sqrt(6 / (one + other)) for name, (one, other) in fans.items()}
    rng, drawn, peaked = np.random.default_rng(0), {}, {}
    x = rng.standard_normal((keys, width))
    for name, bound in bounds.items():
        w_q, w_k = rng.uniform(-bound, bound, (2, width, num_heads, size))
        drawn[name] = float(np.abs(w_q).max())
        q, k = (np.einsum("tm,mhk->htk", x, w) for w in (w_q, w_k))
        peaked[name] = float(softmax(q @ k.transpose(0, 2, 1) / math.sqrt(size)).max(-1).mean())
    return {"bounds": bounds, "drawn": drawn, "peaked": peaked, "uniform": 1 / keys}


def two_views(tokens: int, width: int, num_heads: int) -> dict:
    """Head 0 of 0, 1, 2, … by reshape (T, h, d) and transpose, and by reshaping to (h, T, d) at once; how many cells agree."""
    x = np.arange(tokens * width).reshape(tokens, width)
    right = x.reshape(tokens, num_heads, -1).transpose(1, 0, 2)
    direct = x.reshape(num_heads, tokens, -1)
    return {"right": right[0].tolist(), "direct": direct[0].tolist(), "same_shape": right.shape == direct.shape,
            "agree": int((right == direct).sum()), "cells": right.size}  # fmt: skip


def columns_of_heads(d_model: int, num_heads: int, kept: int) -> dict:
    """Whether a head's kernel is a run of columns of the flat matrix; and the count with only `kept` heads of that size."""
    cfg = Config(d_model, num_heads, query_len=1)
    kernel = run(Config(8, 2, query_len=2)).params.w_q.values
    flat = kernel.reshape(8, -1)
    gap = max(float(np.abs(flat[:, 4 * i : 4 * i + 4] - kernel[:, i]).max()) for i in range(2))
    toy = Config(8, 2)
    ranges = [[head * toy.key_dim, (head + 1) * toy.key_dim - 1] for head in range(toy.num_heads)]
    fewer = Config(d_model, kept, cfg.key_dim, query_len=1)
    return {"gap": gap, "key_dim": cfg.key_dim, "ranges": ranges, "count": count_parameters(cfg),
            "fewer": count_parameters(fewer), "columns": kept * cfg.key_dim,
            "kernel": (d_model, kept, cfg.key_dim), "output": d_model}  # fmt: skip


def head_off(d_model: int, num_heads: int, query_len: int) -> dict:
    """Columns of Concat and of the output that change when head 1 is set to 0; and Concat · W_O apart from the output."""
    trace = run(Config(d_model, num_heads, query_len=query_len, use_bias=False))
    off = without_head(trace, 0)
    changed = {
        name: int((np.abs(trace[name].values - off[name].values).max((0, 1)) > 1e-6).sum()) for name in ("concat", "output")
    }
    by_hand = trace.concat.values @ trace.params.w_o.values.reshape(-1, d_model)
    return {**changed, "width": d_model, "apart": float(np.abs(by_hand - trace.output.values).max()), "gpt2": 768 * 768 + 768}


def variances(sizes: list[int], wide: int, keys: int, draws: int = 20000) -> dict:
    """Of the products of two standard normal vectors: as they are, over √d_k, over d_k; and the mean largest of `keys` weights
    with and without the root, at d_k = `wide`."""
    rng, found = np.random.default_rng(7), []
    for size in sizes:
        products = np.concatenate([
            (rng.standard_normal((1000, size)) * rng.standard_normal((1000, size))).sum(1) for _ in range(draws // 1000)
        ])  # fmt: skip
        found.append(float(products.var()))
    scores = np.einsum("nk,nsk->ns", rng.standard_normal((500, wide)), rng.standard_normal((500, keys, wide)))
    largest = {name: float(softmax(scores / by).max(-1).mean()) for name, by in (("unscaled", 1.0), ("scaled", math.sqrt(wide)))}
    return {"sizes": sizes, "plain": found, "root": [v / s for v, s in zip(found, sizes, strict=True)],
            "full": [v / s**2 for v, s in zip(found, sizes, strict=True)], **largest}  # fmt: skip


def one_input(d_model: int, num_heads: int, query_len: int) -> dict:
    """Q, K and V of one X apart from each other, and one head's scores apart from their transpose."""
    trace = run(Config(d_model, num_heads, query_len=query_len, use_bias=False))
    scores = trace.scores.values[0, 0]
    far = lambda name: float(np.abs(trace.q.values - trace[name].values).max())  # noqa: E731
    return {"q_to_k": far("k"), "q_to_v": far("v"), "kernel": trace.params.w_q.shape,
            "asymmetry": float(np.abs(scores - scores.T).max())}  # fmt: skip


def zero_key(d_model: int, num_heads: int, query_len: int) -> dict:
    """A strictly causal map with one more key of zeros that every query may see (PyTorch's add_zero_attn): shapes, two rows of
    head 1, and the counts without it, with it and with add_bias_kv (one learned key and value, each d_model long)."""
    trace = run(Config(d_model, num_heads, query_len=query_len))
    scaled = np.concatenate([trace.scaled.values, np.zeros((1, num_heads, query_len, 1), np.float32)], -1)
    may = np.concatenate([np.tril(np.ones((query_len, query_len), bool), -1), np.ones((query_len, 1), bool)], 1)
    weights = softmax(np.where(may, scaled, -np.inf))
    count = count_parameters(trace.cfg)
    return {"zero": weights.shape, "both": (*weights.shape[:3], query_len + 2), "rows": weights[0, 0, :2].tolist(),
            "plain": count, "with_zero": count, "with_bias": count + 2 * d_model}  # fmt: skip


ASKED = {run.__name__: run for run in (
    layers, map_sums, averaged, nothing_to_see, packed, start_bounds, two_views, columns_of_heads, head_off, variances, one_input,
    zero_key,
)}  # fmt: skip
