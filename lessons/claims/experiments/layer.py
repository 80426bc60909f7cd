"""What claims and questions run here, by counting and by NumPy: functions of plain arguments that give plain numbers."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from statistics import median

import numpy as np

from lessons.claims.experiments.arrays import gap
from mha.arrays import Floats, axes_of
from mha.config import LEFT_OUT, Config
from mha.cost import multiply_adds, score_cells
from mha.forward import run, run_steps
from mha.ledger import count_parameters, keras_count, ledger, paper_count
from mha.models.attention import Refused
from mha.models.model import Model
from mha.models.table import BLOG_MODEL, entries
from mha.numpy_backend import OPS, softmax
from mha.steps import Step, steps_of
from mha.trained import sentence, store
from mha.trained.measures import measure, without_each
from mha.trained.network import forward
from mha.trained.task import UNASKED, fixed_examples
from mha.variations import without_head

# Counted from the sizes alone


def layers(sizes: list[dict]) -> dict:
    """Counts each layer without computing it: parameters, shapes of variables and intermediates, and what a pass costs."""
    facts = []
    for settings in sizes:
        cfg = Config(**{"query_len": 1, **settings})
        rows, costs = ledger(cfg), multiply_adds(cfg)
        facts.append({
            "count": count_parameters(cfg), "biases": sum(row.count for row in rows if row.is_bias), "arrays": len(rows),
            "variables": {row.path: list(row.shape) for row in rows},
            "shapes": {step.name: tuple(map(cfg.size, axes_of(step.axes))) for step in steps_of(cfg)},
            "x": (cfg.batch, cfg.query_len, cfg.d_model), "out": cfg.d_model, "key_dim": cfg.key_dim,
            "concat": cfg.num_heads * cfg.value_dim, "projected": cfg.num_heads * (2 * cfg.key_dim + cfg.value_dim),
            "multiply_adds": sum(costs.values()), "by_step": costs, "score_cells": score_cells(cfg),
        })  # fmt: skip
    return {"layers": facts}


def conventions(d_model: int, heads: list[int], key_dim: int) -> dict:
    """Parameters and head size for each head count: with d_k = d_model / h (paper, PyTorch), and with key_dim fixed (Keras)."""
    cfg = Config(d_model, 1, key_dim)
    paper = {h: Config(d_model, h).key_dim if d_model % h == 0 else None for h in heads}
    return {"heads": heads, "paper": [paper_count(cfg, h) for h in heads], "keras": [keras_count(cfg, h) for h in heads],
            "paper_size": list(paper.values()),
            "keras_size": [cfg.with_heads(h, paper=False).key_dim for h in heads]}  # fmt: skip


def roberta_model(num_attention_heads: int, vocab_size: int = 30_522) -> Model | None:
    """RobertaForMaskedLM as the blog built it, with so many heads and words; None where transformers raises a ValueError."""
    blog = entries()[BLOG_MODEL]
    words = blog.config["vocab_size"]
    parts = [replace(part, each=part.each // words * vocab_size) if part.each % words == 0 else part for part in blog.rest or ()]
    try:
        return replace(blog.model, rest=tuple(parts)).with_heads(num_attention_heads)
    except Refused:
        return None


def shapes_of(model: Model) -> dict[str, tuple[int, ...]]:
    """Sizes by component: rows, columns and biases of attention's matrices; of all others, size and number."""
    matrices = {matrix.name: (matrix.rows, matrix.cols, matrix.bias) for matrix in model.attention.matrices()}
    return matrices | {part.label: (part.each, part.times) for part in model.ledger() if part.kind != "attention"}


def roberta(models: list[dict]) -> dict:
    """Parameters and shapes of RoBERTa for each of these changes to its configuration; None where there is no such model."""
    built = [roberta_model(**settings) for settings in models]
    return {"counts": [model and model.total for model in built], "shapes": [model and shapes_of(model) for model in built]}


def published_choices() -> dict:
    """What the published models' attention layers are like: sizes counted over all of them, and within two families by width."""
    models = sorted(
        ((entry.model.attention, entry) for entry in entries().values() if entry.row == "model"), key=lambda pair: pair[0].d_model
    )
    layers, half = [layer for layer, _ in models], len(models) // 2
    family = lambda start: [layer.d_k for layer, entry in models if entry.name.startswith(start)]  # noqa: E731
    return {"models": len(layers), "d_k_64": sum(layer.d_k == 64 for layer in layers),
            "median_width": int(median(layer.d_model for layer in layers)),
            "base_layer": [entry.name for layer, entry in models if (layer.d_model, layer.heads, layer.d_k) == (512, 8, 64)],
            "median_d_k": [float(median(layer.d_k for layer in part)) for part in (layers[:half], layers[half:])],
            "gpt_2": family("GPT-2 "), "gemma_3": [family("Gemma-3-")[0], family("Gemma-3-")[-1]]}  # fmt: skip


def nothing() -> dict:
    """What is run for an opinion: there is no quantity in it to measure."""
    return {}


# Queries, keys and values


def reads_all(d_model: int, num_heads: int) -> dict:
    """Counts for every head how many of X's features move its Q when they are changed, and the rank through which it scores; and
    two widths: of what a head reads, and of what it makes."""
    cfg = Config(d_model, num_heads, query_len=3)
    trace = run(cfg)
    w_q, w_k = trace.params.w_q.values.astype(np.float64), trace.params.w_k.values
    changes = [np.einsum("m,mhk->hk", feature, w_q) for feature in np.eye(d_model)]  # of Q where a feature grows by 1
    moved = [sum(bool(np.abs(change[head]).max() > 1e-3) for change in changes) for head in range(num_heads)]
    ranks = [int(np.linalg.matrix_rank(w_q[:, head] @ w_k[:, head].T)) for head in range(num_heads)]
    return {"features": d_model, "moved": moved, "ranks": ranks, "head_size": cfg.key_dim, "read": w_q.shape[0]}


def one_product(d_model: int, num_heads: int, query_len: int) -> dict:
    """Q by h products with the heads' own matrices, and by one product with all of them side by side."""
    trace = run(Config(d_model, num_heads, query_len=query_len, use_bias=False))
    x, w, size = trace.x_query.values[0], trace.params.w_q.values, trace.cfg.key_dim
    by_head = [x @ np.ascontiguousarray(w[:, head]) for head in range(num_heads)]
    at_once = x @ w.reshape(d_model, -1)
    return {"difference": max(gap(by_head[head], at_once[:, head * size : (head + 1) * size]) for head in range(num_heads)),
            "between_heads": min(gap(by_head[head], by_head[0]) for head in range(1, num_heads)), "heads": len(by_head),
            "flat": [d_model, w[0].size]}  # fmt: skip


def one_input(d_model: int, num_heads: int, query_len: int) -> dict:
    """How far Q, K and V of one X are from each other, and one head's scores from their transpose."""
    trace = run(Config(d_model, num_heads, query_len=query_len, use_bias=False))
    scores = trace.scores.values[0, 0]
    return {"q_to_k": gap(trace.q.values, trace.k.values), "q_to_v": gap(trace.q.values, trace.v.values),
            "kernel": trace.params.w_q.shape, "asymmetry": gap(scores, scores.T)}  # fmt: skip


def columns_of_heads(d_model: int, num_heads: int, remaining: int) -> dict:
    """Whether a head's kernel is a run of columns of the flat matrix; and the count with only `remaining` heads of that size."""
    cfg, small = Config(d_model, num_heads, query_len=1), Config(8, 2, query_len=2)
    kernel = run(small).params.w_q.values
    ranges = [[head * small.key_dim, (head + 1) * small.key_dim - 1] for head in range(small.num_heads)]
    cuts = [kernel.reshape(8, -1)[:, first : last + 1] for first, last in ranges]
    return {"gap": max(gap(cut, kernel[:, head]) for head, cut in enumerate(cuts)), "key_dim": cfg.key_dim, "ranges": ranges,
            "count": count_parameters(cfg), "fewer": count_parameters(Config(d_model, remaining, cfg.key_dim, query_len=1)),
            "columns": remaining * cfg.key_dim, "kernel": (d_model, remaining, cfg.key_dim), "output": d_model}  # fmt: skip


def two_views(tokens: int, width: int, num_heads: int) -> dict:
    """Head 0 of 0, 1, 2, … by reshape (T, h, d) and transpose, and by reshaping to (h, T, d) at once; how many cells agree."""
    x = np.arange(tokens * width).reshape(tokens, width)
    right = x.reshape(tokens, num_heads, -1).transpose(1, 0, 2)
    direct = x.reshape(num_heads, tokens, -1)
    return {"right": right[0].tolist(), "direct": direct[0].tolist(), "agree": int((right == direct).sum()), "cells": right.size}


# Scores and maps


def variances(sizes: list[int], wide: int, keys: int, draws: int = 20000) -> dict:
    """Variances of the products of two standard normal vectors: as they are, over √d_k, over d_k; and the largest of `keys`
    weights, averaged, with and without the root, at d_k = `wide`."""
    rng, plain = np.random.default_rng(7), []
    for size in sizes:
        products = np.concatenate([
            (rng.standard_normal((1000, size)) * rng.standard_normal((1000, size))).sum(1) for _ in range(draws // 1000)
        ])  # fmt: skip
        plain.append(float(products.var()))
    scores = np.einsum("nk,nsk->ns", rng.standard_normal((500, wide)), rng.standard_normal((500, keys, wide)))
    largest = {name: float(softmax(scores / by).max(-1).mean()) for name, by in (("unscaled", 1.0), ("scaled", math.sqrt(wide)))}
    return {"sizes": sizes, "plain": plain, "root": [v / s for v, s in zip(plain, sizes, strict=True)],
            "full": [v / s**2 for v, s in zip(plain, sizes, strict=True)], **largest}  # fmt: skip


def start_bounds(width: int, num_heads: int, keys: int = 16) -> dict:
    """The largest initial weight by Glorot's rule, for three ways to count fans, as a formula and as drawn; and how peaked
    attention is at such a start: the largest of `keys` weights, averaged over the rows of all heads."""
    size = width // num_heads
    fans = {"packed": (width, 3 * width), "flat": (width, width), "per_axis": (width * num_heads, width * size)}
    bounds = {name: math.sqrt(6 / (fan_in + fan_out)) for name, (fan_in, fan_out) in fans.items()}
    rng, drawn, peaked = np.random.default_rng(0), {}, {}
    x = rng.standard_normal((keys, width))
    for name, bound in bounds.items():
        w_q, w_k = rng.uniform(-bound, bound, (2, width, num_heads, size))
        drawn[name] = float(np.abs(w_q).max())
        q, k = (np.einsum("tm,mhk->htk", x, w) for w in (w_q, w_k))
        peaked[name] = float(softmax(q @ k.transpose(0, 2, 1) / math.sqrt(size)).max(-1).mean())
    return {"bounds": bounds, "drawn": drawn, "peaked": peaked, "uniform": 1 / keys}


def map_sums(d_model: int, num_heads: int, query_len: int) -> dict:
    """Sums of one head's map: of its rows, of its columns, of all."""
    weights = run(Config(d_model, num_heads, query_len=query_len)).weights.values[0, 0].astype(np.float64)
    return {"rows": weights.sum(1).tolist(), "columns": weights.sum(0).tolist(), "total": float(weights.sum())}


def mean_map(d_model: int, num_heads: int, query_len: int, batch: int) -> dict:
    """Shapes of the heads' maps and of their mean; and how far the output would move if every head used the mean."""
    trace = run(Config(d_model, num_heads, query_len=query_len, batch=batch))
    mean = trace.weights.values.mean(1)
    mixed = np.matmul(mean[:, None], trace.v.values.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)
    output = mixed.reshape(batch, query_len, -1) @ trace.params.w_o.values.reshape(-1, d_model) + trace["b_o"].values
    return {"maps": trace.weights.shape, "mean": mean.shape, "difference": gap(trace.output.values, output)}


def words_looked_at(num_heads: int) -> dict:
    """The trained layer reads the default sentence in all 32 ways. `apart`: from how many of the verbs, of all, the heads do not
    all look most at the same word. `names`: how many heads bear each name, the first of each."""
    network, examples = store.load(f"sentence-{num_heads}"), sentence.combinations()
    most = forward(network, examples.tokens).trace.weights.values.argmax(axis=-1).transpose(0, 2, 1)  # axes "bth"
    most = most[examples.answers[..., 1] != UNASKED]
    names = sentence.head_names(np.array(store.manifest("sentence")["networks"][f"sentence-{num_heads}"]["on_answer"]))
    counts = {name: names.count(name) for name in dict.fromkeys(names)}
    return {"rows": len(most), "apart": int((most != most[:, :1]).any(axis=1).sum()), "names": counts}


def _counted(called: list[Step], op: Callable, step: Step, *arguments: object) -> Floats:
    called.append(step)
    return op(step, *arguments)


def side_by_side(heads: list[int], d_model: int = 16, query_len: int = 6) -> dict:
    """Counts einsum calls in the pass and maps for each head count, with the smallest difference between two heads' maps."""
    einsums, maps = [], []
    for h in heads:
        cfg, called = Config(d_model, h, query_len=query_len), []
        trace = run(cfg)
        counting = {name: partial(_counted, called, op) for name, op in OPS.items()}
        maps.append(run_steps(cfg, trace.known, counting)["weights"][0])
        einsums.append(sum(bool(step.einsum) for step in called))
    gaps = [min((gap(m[i], m[j]) for i in range(len(m)) for j in range(i)), default=0.0) for m in maps]
    return {"heads": heads, "einsums": einsums, "maps": [len(m) for m in maps], "between_heads": gaps}


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


# Results and the output


def one_head(d_model: int, num_heads: int, query_len: int, value_dim: int | None = None) -> dict:
    """How many maps there are, and how many a head makes; the shapes of the joined results, of the maps if they were joined, and
    of W_O."""
    trace = run(Config(d_model, num_heads, d_model // num_heads, LEFT_OUT if value_dim is None else value_dim, query_len))
    a = trace["weights"].at(b=0)
    return {"maps": a.shape[0], "maps_of_one": a.at(h=0).values.size // (trace.cfg.query_len * trace.cfg.key_len),
            "concat": list(trace.concat.values[0].shape), "concat_of_maps": [a.shape[1], a.shape[0] * a.shape[2]],
            "w_o": list(trace.params.w_o.shape)}  # fmt: skip


def head_off(d_model: int, num_heads: int, query_len: int) -> dict:
    """Columns of Concat and of the output that change when head 1 is set to 0; and Concat · W_O apart from the output."""
    trace = run(Config(d_model, num_heads, query_len=query_len, use_bias=False))
    off = without_head(trace, 0)
    changed = {
        name: int((np.abs(trace[name].values - off[name].values).max((0, 1)) > 1e-6).sum()) for name in ("concat", "output")
    }
    by_hand = trace.concat.values @ trace.params.w_o.values.reshape(-1, d_model)
    return {**changed, "width": d_model, "difference": gap(by_hand, trace.output.values), "gpt2": 768 * 768 + 768}


def packed_weights(d_model: int, num_heads: int, query_len: int, key_len: int) -> dict:
    """The layer's own weights packed as PyTorch keeps them, the pass written with those, and how far the results are apart."""
    cfg = Config(d_model, num_heads, query_len=query_len, key_len=key_len)
    trace, width = run(cfg), cfg.d_model
    kernels = [getattr(trace.params, name).values for name in ("w_q", "w_k", "w_v")]
    in_proj_weight = np.vstack([kernel.reshape(width, -1).T for kernel in kernels])
    in_proj_bias = np.concatenate([getattr(trace.params, name).values.reshape(-1) for name in ("b_q", "b_k", "b_v")])
    out_proj = trace.params.w_o.values.reshape(-1, width).T
    parts = zip(np.split(in_proj_weight, 3), np.split(in_proj_bias, 3), (trace.x_query, trace.x_key, trace.x_key), strict=True)
    q, k, v = (_by_head(x.values @ w.T + b, num_heads) for w, b, x in parts)
    weights = softmax(q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(cfg.key_dim)))
    context = (weights @ v).transpose(0, 2, 1, 3).reshape(1, query_len, width)
    output = context @ out_proj.T + trace["b_o"].values
    return {"in_proj_weight": in_proj_weight.shape, "in_proj_bias": in_proj_bias.shape,
            "output": gap(output, trace.output.values), "maps": gap(weights, trace.weights.values)}  # fmt: skip


def layouts(d_model: int, num_heads: int, query_len: int) -> dict:
    """Shapes of a layer's weights as libraries keep them: packed as Linear, as GPT-2's Conv1D, head by head, and Keras's; how far
    Q is apart by these ways, and by one packed head by head that is cut in thirds."""
    trace = run(Config(d_model, num_heads, query_len=query_len, use_bias=False))
    x, size = trace.x_query.values[0], d_model // num_heads
    kernels = np.stack([getattr(trace.params, name).values.transpose(1, 2, 0) for name in ("w_q", "w_k", "w_v")])  # "3hkm"
    linear = kernels.reshape(3 * d_model, d_model)
    conv = linear.T
    by_head = kernels.transpose(1, 0, 2, 3).reshape(3 * d_model, d_model)
    first = {"linear": x @ linear[:d_model].T, "conv": x @ conv[:, :d_model],
             "by_head": x @ by_head.reshape(num_heads, 3, size, d_model)[:, 0].reshape(d_model, d_model).T}  # fmt: skip
    q = trace.q.values[0].reshape(query_len, d_model)
    return {"shapes": {"in_proj_weight": linear.shape, "c_attn, transposed": conv.shape, "query_key_value": by_head.shape,
                       "query/kernel in Keras": trace.params.w_q.shape, "attention_output/kernel": trace.params.w_o.shape},
            "apart": max(gap(one, q) for one in first.values()), "thirds": gap(x @ by_head[:d_model].T, q)}  # fmt: skip


def _by_head(flat: Floats, num_heads: int) -> Floats:
    """Cuts (b, t, h·d) into heads: (b, h, t, d)."""
    return flat.reshape(*flat.shape[:2], num_heads, -1).transpose(0, 2, 1, 3)


def by_blocks(d_model: int, num_heads: int, query_len: int, block: int) -> dict:
    """Goes over the keys `block` at a time with a running maximum, sum and result for each query, as fused kernels do: how far
    the heads' results are from the layer's, and how many scores of a head are held at once, this way and in the layer."""
    trace = run(Config(d_model, num_heads, query_len=query_len))
    v = trace.v.values.transpose(0, 2, 1, 3)
    largest, total, result = np.float32(-np.inf), np.float32(0), np.zeros_like(v)
    for first in range(0, query_len, block):
        scores = trace.scaled.values[..., first : first + block]
        higher = np.maximum(largest, scores.max(-1, keepdims=True))
        shares, kept = np.exp(scores - higher), np.exp(largest - higher)
        total = total * kept + shares.sum(-1, keepdims=True)
        result = result * kept + shares @ v[:, :, first : first + block]
        largest = higher
    return {"apart": gap((result / total).transpose(0, 2, 1, 3), trace.context.values), "held": query_len * block,
            "whole": query_len**2}  # fmt: skip


# What training makes of heads


def head_counts(task: str) -> dict:
    """Heads and key sizes of the layers that are trained here with one count of parameters, and the share of right answers to the
    question that each answers worst."""
    found = [store.manifest(task)["networks"][f"{task}-{heads}"] for heads in sentence.HEADS]
    return {"heads": [one["heads"] for one in found], "sizes": [sentence.D_MODEL // one["heads"] for one in found],
            "worst": [min(one["accuracy"]) for one in found],
            "parameters": sorted({one["parameters"] for one in found})}  # fmt: skip


def without_each_head(network: str) -> dict:
    """A trained layer without each of its heads in turn: the question that suffers most, and the share of right answers to it
    then and with all heads."""
    trained = store.load(network)
    examples = fixed_examples(trained.task)
    whole, without = measure(trained, examples).accuracy, without_each(trained, examples)
    worst = without.argmin(axis=1)
    return {"questions": [trained.task.questions[place] for place in worst], "left": without.min(axis=1).tolist(),
            "whole": whole[worst].tolist()}  # fmt: skip
