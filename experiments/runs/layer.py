"""Experiments about sizes, attention maps, outputs and trained heads."""

from dataclasses import replace

import numpy as np

from experiments.records import experiment
from headcount.arrays import Floats, axes_of
from headcount.config import Config
from headcount.cost import multiply_adds, score_cells
from headcount.forward import Trace, run
from headcount.ledger import count_parameters, keras_count, ledger, paper_count
from headcount.models.entry import entries
from headcount.numpy_backend import softmax
from headcount.reading import facts
from headcount.steps import steps_of
from headcount.timing import BASE, measured
from headcount.trained import sentence, stops, store
from headcount.trained.measures import measure, without_each
from headcount.trained.task import fixed_examples
from headcount.variations import without_head


def gap(one: Floats, other: Floats) -> float:
    """The largest absolute difference between two arrays."""
    return float(np.abs(one - other).max())


def projected(trace: Trace, weights: Floats) -> Floats:
    """The output that a layer with biases would have with these attention weights."""
    mixed = np.einsum("bhts,bshv->bthv", weights, trace.v.values)
    return np.einsum("bthv,hvm->btm", mixed, trace.params.w_o.values) + trace["b_o"].values


# Counted from the sizes alone


@experiment
def layers(sizes: list[dict]) -> dict:
    """Lists for each layer: parameter counts, shapes of variables and intermediate arrays, and the cost of a forward pass."""
    facts = []
    for settings in sizes:
        cfg = Config(**{"query_len": 1, **settings})
        rows, count = ledger(cfg), count_parameters(cfg)
        biases, last = sum(row.count for row in rows if row.is_bias), sum(row.count for row in rows if "output" in row.path)
        facts.append({
            "count": count, "biases": biases, "biases_share": biases / count, "qkv": count - last, "w_o": last,
            "arrays": len(rows), "variables": {row.path: list(row.shape) for row in rows},
            "shapes": {step.name: tuple(map(cfg.size, axes_of(step.axes))) for step in steps_of(cfg)},
            "out": cfg.d_model, "key_dim": cfg.key_dim, "concat": cfg.num_heads * cfg.value_dim,
            "multiply_adds": sum(multiply_adds(cfg).values()), "score_cells": score_cells(cfg),
        })  # fmt: skip
    return {"layers": facts}


@experiment
def heads_in_time(ways: list[str], tokens: int, heads: list[int]) -> dict:
    """Divides measured times by the time of 8 heads. `ways`: implementations. The last of `heads` is the largest number.
    - `times`: the results by implementation and number of heads, in the paper's convention.
    - `keras`: the result of the first implementation for the largest number of heads, in Keras's convention.
    - `count`, `maps`: parameters and scores, each with 8 heads and with the largest number of heads."""
    found, most = [measured()[way][tokens, True] for way in ways], heads[-1]
    both = [found[0].layer(h) for h in (BASE, most)]
    return {"machine": found[0].about.partition(";")[0], "times": [[one.times(h) for h in heads] for one in found],
            "count": [count_parameters(cfg) for cfg in both],
            "maps": [score_cells(cfg) for cfg in both], "keras": measured()[ways[0]][tokens, False].times(most)}  # fmt: skip


@experiment
def conventions(d_model: int, heads: list[int], key_dim: int) -> dict:
    """The parameter count for each number of heads: with d_k = d_model / h (`paper`), and with a fixed key_dim (`keras`)."""
    cfg = Config(d_model, 1, key_dim)
    return {"heads": heads, "paper": [paper_count(cfg, h) for h in heads], "keras": [keras_count(cfg, h) for h in heads],
            "paper_size": [None if d_model % h else d_model // h for h in heads]}  # fmt: skip


@experiment
def published_choices() -> dict:
    """Counts the published models whose parameters a class has counted, without those known only by formula. `unbiased`: those
    whose queries have no bias. `d_k_64`: those with heads of size 64. `untied`: those whose h · d_k is not d_model."""
    layers = [entry.model.attention for entry in entries().values() if entry.row == "model"]
    return {"models": len(layers), "unbiased": sum("q" not in one.bias for one in layers),
            "d_k_64": sum(layer.d_k == 64 for layer in layers),
            "untied": sum(layer.heads * layer.d_k != layer.d_model for layer in layers)}  # fmt: skip


# Queries, keys and values


@experiment
def reads_all(trace: Trace) -> dict:
    """Tests whether a head reads all of X. `moved`: for each head, the number of features of X that change the head's Q. `ranks`:
    for each head, the rank of W_Q W_Kᵀ. `head_size`: the width of a head's Q."""
    cfg = trace.cfg
    w_q, w_k = trace.params.w_q.values.astype(np.float64), trace.params.w_k.values
    changes = [np.einsum("m,mhk->hk", feature, w_q) for feature in np.eye(cfg.d_model)]  # of Q if a feature grows by 1
    moved = [sum(bool(np.abs(change[head]).max() > 1e-3) for change in changes) for head in range(cfg.num_heads)]
    ranks = [int(np.linalg.matrix_rank(w_q[:, head] @ w_k[:, head].T)) for head in range(cfg.num_heads)]
    return {"features": cfg.d_model, "moved": moved, "ranks": ranks, "head_size": cfg.key_dim}


@experiment
def one_product(trace: Trace) -> dict:
    """Compares two ways to compute Q (without bias): one product, or h products. `difference`: the largest difference.
    `between_heads`: the least distance between the first head's Q and another head's Q."""
    x, w = trace.x_query.values[0], trace.params.w_q.values
    d_model, heads, size = w.shape
    by_head = [x @ np.ascontiguousarray(w[:, head]) for head in range(heads)]
    at_once = x @ w.reshape(d_model, -1)
    return {"difference": max(gap(by_head[head], at_once[:, head * size : (head + 1) * size]) for head in range(heads)),
            "between_heads": min(gap(by_head[head], by_head[0]) for head in range(1, heads)), "heads": heads,
            "flat": [d_model, heads * size]}  # fmt: skip


@experiment
def one_input(trace: Trace) -> dict:
    """Compares Q with K and with V of the same X. `asymmetry`: the distance of one head's scores from their transpose."""
    scores = trace.scores.values[0, 0]
    return {"q_to_k": gap(trace.q.values, trace.k.values), "q_to_v": gap(trace.q.values, trace.v.values),
            "asymmetry": gap(scores, scores.T)}  # fmt: skip


@experiment
def two_views(tokens: int, width: int, num_heads: int) -> dict:
    """Splits the numbers 0, 1, 2, … into heads in two ways. `right`: head 1 after a reshape to (T, h, d) and a transpose.
    `direct`: head 1 after a reshape to (h, T, d). `agree`: the number of cells of all heads that are equal in both."""
    x = np.arange(tokens * width).reshape(tokens, width)
    right = x.reshape(tokens, num_heads, -1).transpose(1, 0, 2)
    direct = x.reshape(num_heads, tokens, -1)
    agree = int((right == direct).sum())
    return {"right": right[0].tolist(), "direct": direct[0].tolist(), "agree": agree, "cells": right.size,
            "one_of": right.size // agree}  # fmt: skip


@experiment
def one_kernel(trace: Trace, letters: str) -> dict:
    """Uses one matrix twice ("kv": W_V = W_K and b_V = b_K). `apart`: how much the output changes. `scores`, `weights`: how far
    these arrays are from their transposes. `plain`: the same for the scores without this change."""
    (first, second), params, count = letters, trace.params, count_parameters(trace.cfg)
    shared = run(trace.cfg, params=replace(params, **{f"{kind}_{second}": getattr(params, f"{kind}_{first}") for kind in "wb"}))
    saved = sum(params.by_name[f"{kind}_{second}"].size for kind in "wb")
    maps = {"scores": shared.scores.values, "weights": shared.weights.values, "plain": trace.scores.values}
    return {name: gap(values, values.swapaxes(-1, -2)) for name, values in maps.items()} | {
        "apart": gap(shared.output.values, trace.output.values), "saved": saved, "count": count,
    }  # fmt: skip


# Scores and maps


@experiment
def map_sums(trace: Trace) -> dict:
    """Sums one head's map by row, by column and over all cells. Then replaces all maps by one softmax over heads and keys
    together. `joint`: the sum of the first query's weights in each head. `output`: how much the layer's output changes."""
    weights, powers = trace.weights.values[0, 0].astype(np.float64), np.exp(trace.scaled.values.astype(np.float64))
    joint = powers / powers.sum(axis=(1, 3), keepdims=True)
    return {"rows": weights.sum(1).tolist(), "columns": weights.sum(0).tolist(), "total": float(weights.sum()),
            "joint": joint[0, :, 0].sum(-1).tolist(), "output": gap(projected(trace, joint), trace.output.values)}  # fmt: skip


@experiment
def mean_map(trace: Trace) -> dict:
    """The shapes of all maps and of their mean. `difference`: how much the output changes if every head uses the mean."""
    maps = trace.weights.values
    mean = maps.mean(1)
    output = projected(trace, np.broadcast_to(mean[:, None], maps.shape))
    return {"maps": maps.shape, "mean": mean.shape, "difference": gap(trace.output.values, output)}


# Outputs of heads and of the layer


@experiment
def head_off(trace: Trace) -> dict:
    """Counts the columns of Concat and of the output that change without head 1. `difference`: the largest difference between
    Concat · W_O and the output. `gpt2`: the parameter count of GPT-2's output projection."""
    off = without_head(trace, 0)
    changed = {
        name: int((np.abs(trace[name].values - off[name].values).max((0, 1)) > 1e-6).sum()) for name in ("concat", "output")
    }
    by_hand = trace.concat.values @ trace.params.w_o.values.reshape(trace.concat.shape[-1], -1)
    return {**changed, "width": trace.cfg.d_model, "difference": gap(by_hand, trace.output.values), "gpt2": 768 * 768 + 768}


@experiment
def packed_weights(trace: Trace) -> dict:
    """Computes the pass with weights packed as in PyTorch. `output`, `maps`: the largest differences from the layer's own."""
    cfg, width = trace.cfg, trace.cfg.d_model
    kernels = [getattr(trace.params, name).values for name in ("w_q", "w_k", "w_v")]
    in_proj_weight = np.vstack([kernel.reshape(width, -1).T for kernel in kernels])
    in_proj_bias = np.concatenate([getattr(trace.params, name).values.reshape(-1) for name in ("b_q", "b_k", "b_v")])
    out_proj = trace.params.w_o.values.reshape(-1, width).T
    parts = zip(np.split(in_proj_weight, 3), np.split(in_proj_bias, 3), (trace.x_query, trace.x_key, trace.x_key), strict=True)
    q, k, v = ((x.values @ w.T + b).reshape(1, -1, cfg.num_heads, cfg.key_dim).transpose(0, 2, 1, 3) for w, b, x in parts)
    weights = softmax(q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(cfg.key_dim)))
    context = (weights @ v).transpose(0, 2, 1, 3).reshape(1, -1, width)
    output = context @ out_proj.T + trace["b_o"].values
    return {"in_proj_weight": in_proj_weight.shape, "output": gap(output, trace.output.values),
            "maps": gap(weights, trace.weights.values)}  # fmt: skip


@experiment
def layouts(trace: Trace) -> dict:
    """The shapes of a layer's weights in PyTorch, GPT-2, GPT-NeoX and Keras. `apart`: the largest difference of Q (without bias)
    between Keras and another layout. `thirds`: the same, if GPT-NeoX's matrix, packed by head, is wrongly split in thirds."""
    x, (d_model, heads, size) = trace.x_query.values[0], trace.params.w_q.shape
    kernels = np.stack([getattr(trace.params, name).values.transpose(1, 2, 0) for name in ("w_q", "w_k", "w_v")])  # "3hkm"
    linear, by_head = kernels.reshape(3 * d_model, d_model), kernels.transpose(1, 0, 2, 3).reshape(3 * d_model, d_model)
    ways = [x @ linear[:d_model].T, x @ linear.T[:, :d_model],
            x @ by_head.reshape(heads, 3, size, d_model)[:, 0].reshape(d_model, d_model).T]  # fmt: skip
    q = np.einsum("tm,mhk->thk", x, trace.params.w_q.values).reshape(-1, d_model)
    return {"shapes": {"in_proj_weight": linear.shape, "c_attn, transposed": linear.T.shape, "query_key_value": by_head.shape,
                       "query/kernel in Keras": trace.params.w_q.shape, "attention_output/kernel": trace.params.w_o.shape},
            "apart": max(gap(one, q) for one in ways), "thirds": gap(x @ by_head[:d_model].T, q)}  # fmt: skip


# Heads after training


@experiment
def head_counts(task: str) -> dict:
    """A task's trained layers: heads, key sizes and the accuracy on the worst question. `parameters`: the counts that occur."""
    found = [store.manifest(task)["networks"][f"{task}-{heads}"] for heads in sentence.HEADS]
    return {"heads": [one["heads"] for one in found], "sizes": [sentence.D_MODEL // one["heads"] for one in found],
            "worst": [min(one["accuracy"]) for one in found],
            "parameters": sorted({one["parameters"] for one in found})}  # fmt: skip


@experiment
def slider_stops(slider: str) -> dict:
    """The trained layers along the slider "d_model" or "key_dim": the slider's values, the parameter counts, and the accuracy on
    each question. The other sizes have their defaults. Along d_model, the head sizes follow."""
    usual, follows = Config(), slider == "d_model"  # as wide as all heads together in the paper's convention
    layers = [Config(*sizes) for sizes in sorted(stops.NETWORKS) if sizes[1] == usual.num_heads]
    layers = [one for one in layers if one.follows_paper if follows] or [
        one for one in layers if (one.d_model, one.value_dim) == (usual.d_model, usual.value_dim)
    ]
    right = [facts(one)["accuracy"] for one in layers]
    return {"values": [getattr(one, slider) for one in layers], "counts": [count_parameters(one) for one in layers],
            "worst": [min(one) for one in right],
            **dict(zip(sentence.QUESTIONS, map(list, zip(*right, strict=True)), strict=True))}  # fmt: skip


@experiment
def without_each_head(network: str) -> dict:
    """Removes each head of a network in turn. `questions`: the question then answered worst. `left`, `whole`: the accuracy on
    this question without and with the head."""
    trained = store.load(network)
    examples = fixed_examples(trained.task)
    whole, without = measure(trained, examples).accuracy, without_each(trained, examples)
    worst = without.argmin(axis=1)
    return {"questions": [trained.task.questions[place] for place in worst], "left": without.min(axis=1).tolist(),
            "whole": whole[worst].tolist()}  # fmt: skip
