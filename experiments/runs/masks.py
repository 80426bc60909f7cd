"""What questions run about axes, masks and dropout as PyTorch has them: which axis is which, what True means, where zeros go."""

from dataclasses import replace

import numpy as np

from experiments.runs.arrays import gap, plain_softmax, projected, read, with_input
from mha.arrays import Array, Bools, Floats, Ints
from mha.config import Config
from mha.forward import Trace, run
from mha.params import Inputs
from mha.torch_masks import module_refusal


def attended(trace: Trace, may: Bools) -> tuple[Floats, Floats]:
    """Weights and output of a layer whose queries may look at these keys."""
    weights = plain_softmax(np.where(may, trace.scaled.values, -np.inf))
    return weights, projected(trace, weights)


def axes_swapped(d_model: int, num_heads: int, batch: int, length: int, keys: int) -> dict:
    """An input (batch, length, d_model) whose first two axes are taken for each other: shapes of the maps, right and wrong, and
    of the output; how far the outputs are apart; and PyTorch's words where there are `keys` keys."""
    trace = run(Config(d_model, num_heads, query_len=length, batch=batch))
    x = trace.x_query.values.swapaxes(0, 1)
    inputs = Inputs(Array(x, "btm"), Array(x, "bsm"))
    wrong = run(Config(d_model, num_heads, query_len=batch, batch=length), params=trace.params, inputs=inputs)
    output = wrong.output.values.swapaxes(0, 1)
    view, size = [batch, length * num_heads, d_model // num_heads], batch * keys * d_model
    return {"maps": trace.weights.shape, "swapped": wrong.weights.shape, "output": output.shape,
            "apart": gap(output, trace.output.values),
            "refusal": f"shape '{view}' is invalid for input of size {size}"}  # fmt: skip


def turned_mask(trace: Trace) -> dict:
    """A causal mask, and the same with True for False: pairs that may look under each, head 1's second row under the first, its
    first and last under the other; and how many outputs change with the last token: causal, transposed, without a mask."""
    may, x = np.tril(np.ones_like(trace.weights.values[0, 0], bool)), trace.x_query.values.copy()
    x[:, -1] += 1
    changed = with_input(trace, x)
    masks = {"causal": may, "transposed": may.T, "none": may | True}
    rows = {name: np.abs(attended(trace, mask)[1] - attended(changed, mask)[1]).max((0, 2)) for name, mask in masks.items()}
    turned = attended(trace, ~may)[0][0, 0]
    return {"pairs": int(may.sum()), "turned": int((~may).sum()), "second": read(attended(trace, may)[0][0, 0, 1]),
            "first": read(turned[0]), "last": read(turned[-1]),
            "moved": {name: int((row > 1e-6).sum()) for name, row in rows.items()}}  # fmt: skip


def mask_shapes(batch: int, num_heads: int, length: int, padded: int) -> dict:
    """PyTorch's words for a mask without an axis of heads; of its batch · heads maps, how many get their own sample's mask if it
    is repeated sample by sample, and if all are repeated in turn; and a causal and a padding mask as one."""
    maps = np.arange(batch * num_heads)
    real = np.arange(length) < length - np.arange(batch)[:, None] * padded
    joined = np.tril(np.ones((length, length), bool)) & real[:, None, :]
    refusal = module_refusal((batch, num_heads, length, length), (batch, length, length))
    return {"refusal": refusal.partition(": ")[2],
            "maps": len(maps), "in_turn": int((maps % batch == maps // num_heads).sum()), "joined": joined.shape,
            "pairs": joined.sum((1, 2)).tolist()}  # fmt: skip


def dropout_places(trace: Trace, rate: float, draws: int = 4000) -> dict:
    """Dropout on head 1's weights, on its results, and on its scores before the softmax: how far the mean result is from the one
    without, how many numbers of a result one dropped number changes, and the least weight."""
    rng, weights, v = np.random.default_rng(5), trace.weights.values[0, 0].astype(float), trace.v.values[0, :, 0].astype(float)
    kept = rng.random((draws, *weights.shape)) >= rate
    stays = rng.random((draws, *v.shape)) >= rate
    cut = np.where(kept, trace.scaled.values[0, 0], 0)
    return {"factor": 1 / (1 - rate), "by_weight": gap((weights * kept / (1 - rate) @ v).mean(0), weights @ v),
            "by_result": gap((weights @ v * stays / (1 - rate)).mean(0), weights @ v), "changed": v.shape[1],
            "by_score": gap((plain_softmax(cut) @ v).mean(0), weights @ v),
            "least": float(plain_softmax(cut)[~kept].min())}  # fmt: skip


def causal_corners(queries: int, keys: int) -> dict:
    """How many keys each query sees under a causal mask that is not square, counted from the first key and from the last."""
    square = np.ones((queries, keys), bool)
    return {"first": np.tril(square).sum(1).tolist(), "last": np.tril(square, keys - queries).sum(1).tolist()}


def padding_left_in(trace: Trace, padded: int) -> dict:
    """The last `padded` places hold numbers, then zeros: what share of attention they get without a mask, on average; how far the
    other outputs move with what they hold, without a mask and with their keys masked; and the sum of a padded query's row."""
    length, x = trace.cfg.query_len, trace.x_query.values.copy()
    real = length - padded
    x[:, real:] = 0
    zeros, everywhere = with_input(trace, x), np.ones((1, length), bool)
    masks = {"none": everywhere, "keys": everywhere & (np.arange(length) < real)}
    found = {name: [attended(one, may) for one in (trace, zeros)] for name, may in masks.items()}
    shares = [float(weights[..., real:].sum(-1).mean()) for weights, _ in found["none"]]
    moved = {name: gap(one[1][:, :real], other[1][:, :real]) for name, (one, other) in found.items()}
    return {"share": shares[0], "of_zeros": shares[1], "moved": moved, "row": float(found["keys"][0][0][0, 0, -1].sum())}


def zeros_in_a_mask(trace: Trace, masked: int) -> dict:
    """The share that the last `masked` keys keep on average, where 1 and 0 are multiplied with the scores, or added to them, and
    where −1e-9, −1e9 or −∞ stands in place of theirs; the sum of a row whose weights are multiplied; and the factor of a weight
    to whose score 1 is added."""
    scores, length = trace.scaled.values.astype(float), trace.cfg.key_len
    keep = np.arange(length) < length - masked
    filled = {name: np.where(keep, scores, fill) for name, fill in (("tiny", -1e-9), ("large", -1e9), ("infinity", -np.inf))}
    rows = {"times": scores * keep, "added": scores + keep, "none": scores, **filled}
    weights = {name: plain_softmax(row) for name, row in rows.items()}
    return {"shares": {name: float(row[..., ~keep].sum(-1).mean()) for name, row in weights.items()},
            "after": float((weights["none"] * keep).sum(-1).mean()), "factor": float(np.exp(1))}  # fmt: skip


def diagonal_left_out(trace: Trace) -> dict:
    """Every token looks at all others and not at itself: pairs that are left; how far a token's output moves with its own X, and
    how much of that if its query stays as it was; and a causal map without its diagonal: how many rows are left without a key."""
    length, x = trace.cfg.query_len, trace.x_query.values.copy()
    others, earlier = ~np.eye(length, dtype=bool), np.tril(np.ones((length, length), bool), -1)
    x[:, -1] += 1
    changed = with_input(trace, x)
    outputs = [attended(one, others)[1][:, -1] for one in (trace, changed)]
    keys = changed["k"].values.astype(float)
    scores = np.einsum("bthk,bshk->bhts", trace["q"].values, keys) / np.sqrt(trace.cfg.key_dim)
    by_keys = projected(changed, plain_softmax(np.where(others, scores, -np.inf)))[:, -1]
    return {"pairs": int(others.sum()), "moved": gap(*outputs), "by_keys": gap(by_keys, outputs[0]),
            "empty": int((~earlier.any(1)).sum()), "row": read(attended(trace, earlier)[0][0, 0, 0])}  # fmt: skip


def padding_sides(trace: Trace, padded: int) -> dict:
    """Padding behind the real tokens, and before them, under a causal mask: how far their outputs move with what padding holds,
    without a padding mask and with one; and how many rows the two masks leave without a key."""
    length, places = trace.cfg.query_len, np.arange(trace.cfg.query_len)
    causal, found = np.tril(np.ones((length, length), bool)), {}
    for side, real in (("right", places < length - padded), ("left", places >= padded)):
        x = np.where(real[:, None], trace.x_query.values, 0)
        moved = {}
        for name, may in (("causal", causal), ("both", causal & real)):
            moved[name] = gap(*(attended(one, may)[1][:, real] for one in (trace, with_input(trace, x))))
        found[side] = {**moved, "empty": int((~(causal & real).any(1)).sum())}
    return found


def packed_documents(trace: Trace, first: int) -> dict:
    """Two documents in one sequence, `first` tokens and the rest, under a causal mask and under one of blocks: pairs that may
    look; how far the second's outputs move with the first's tokens; and how far its outputs by blocks are from those alone."""
    length, x = trace.cfg.query_len, trace.x_query.values.copy()
    doc, causal = np.arange(length) >= first, np.tril(np.ones((length, length), bool))
    masks = {"causal": causal, "blocks": causal & (doc[:, None] == doc)}
    second = Array(x[:, first:].copy(), "btm"), Array(x[:, first:].copy(), "bsm")
    x[:, :first] += 1
    changed, sizes = with_input(trace, x), {"query_len": length - first, "key_len": length - first}
    alone = run(replace(trace.cfg, **sizes, mask="causal"), params=trace.params, inputs=Inputs(*second)).output.values
    outputs = {name: [attended(one, may)[1][:, first:] for one in (trace, changed)] for name, may in masks.items()}
    return {"pairs": {name: int(may.sum()) for name, may in masks.items()},
            "moved": {name: gap(*pair) for name, pair in outputs.items()}, "alone": gap(alone, outputs["blocks"][0])}  # fmt: skip


def numbers_in_a_mask(trace: Trace, added: float) -> dict:
    """`added` to every query's score of the last key, after the scores are divided by √d_k and before: its weight beside another
    key's, times; and how far the weights of the two are apart, where −1e9 is added as well."""
    scores, last, root = trace.scores.values.astype(float), np.eye(trace.cfg.key_len)[-1], np.sqrt(trace.cfg.key_dim)

    def weights(after: float, before: float = 0) -> Floats:
        return plain_softmax((scores + before * last) / root + after * last)

    def ratio(row: Floats) -> float:
        beside = row[..., -1] / row[..., 0]
        return float((beside / (weights(0)[..., -1] / weights(0)[..., 0])).mean())

    return {"after": ratio(weights(added)), "before": ratio(weights(0, added)), "root": float(root),
            "apart": gap(weights(added), weights(0, added)), "large": gap(weights(-1e9), weights(0, -1e9))}  # fmt: skip


def dropout_left_on(trace: Trace, rate: float) -> dict:
    """How far two calls with the same input are apart where dropout stays on, and at a rate of 0; and a kept weight, times."""

    def call(rate: float, seed: int) -> Floats:
        kept = np.random.default_rng(seed).random(trace.weights.shape) >= rate
        return projected(trace, trace.weights.values * kept / (1 - rate))

    return {"on": gap(call(rate, 0), call(rate, 1)), "off": gap(call(0, 0), call(0, 1)), "factor": 1 / (1 - rate)}


def heads_by_turns(trace: Trace) -> dict:
    """Flat columns read as (d, h) and not as (h, d), in all four kernels: how far the output is from the layer's; how far, where
    the columns are put in that order before; and the columns in that order."""
    size, heads = trace.cfg.key_dim, trace.cfg.num_heads
    order = np.arange(heads * size).reshape(heads, size).T.ravel()

    def read_by_turns(columns: Ints) -> Floats:
        def cut(values: Floats, axis: int) -> Floats:
            flat = values.reshape(*values.shape[:axis], heads * size, *values.shape[axis + 2 :]).take(columns, axis)
            parts = flat.reshape(*values.shape[:axis], size, heads, *values.shape[axis + 2 :])
            return np.swapaxes(parts, axis, axis + 1)

        axes = {**dict.fromkeys(("w_q", "w_k", "w_v"), 1), **dict.fromkeys(("b_q", "b_k", "b_v"), 0), "w_o": 0}
        arrays = {name: Array(cut(array.values, axis), array.axes) for name, axis in axes.items()
                  if (array := getattr(trace.params, name))}  # fmt: skip
        return run(trace.cfg, params=replace(trace.params, **arrays)).output.values

    plain = np.arange(heads * size)
    return {"order": order.tolist(), "apart": gap(read_by_turns(plain), trace.output.values),
            "reordered": gap(read_by_turns(order), trace.output.values)}  # fmt: skip


def joined_heads(tokens: int, width: int, num_heads: int) -> dict:
    """How far apart in memory the neighbours along each axis are, in numbers: in the heads' results (T, h, d) as they lie in
    (h, T, d), in the same copied into its order, and in (T, h·d); and joined tokens that are right where no transpose is made."""
    x = np.arange(tokens * width, dtype=np.int64).reshape(num_heads, tokens, -1)
    turned = x.transpose(1, 0, 2)
    steps = {"turned": turned, "copied": np.ascontiguousarray(turned)}
    right, direct = turned.reshape(tokens, width), x.reshape(tokens, width)
    return {name: [step // array.itemsize for step in array.strides] for name, array in steps.items()} | {
        "joined": right.shape, "cells": right.size, "agree": int((right == direct).sum())}  # fmt: skip
