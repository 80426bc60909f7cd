"""Runs about layers in use and adapted: kernels (CUDA), devices, grouped heads, adapters, pruned heads."""

from dataclasses import replace

import numpy as np

from experiments.records import experiment
from experiments.runs.arrays import gap
from headcount.arrays import Array, Floats
from headcount.config import Config, divisors
from headcount.forward import Trace, run
from headcount.ledger import count_parameters
from headcount.models.attention import Attention
from headcount.models.cost import cost
from headcount.models.entry import entries
from headcount.numpy_backend import softmax
from headcount.params import make_params


@experiment
def heads_that_fit(d_model: int, wrong: int) -> dict:
    """The head counts that divide the width, and the columns that are left over with a `wrong` number of heads."""
    return {"counts": divisors(d_model), "left": d_model % wrong}


def out_in(attention: Attention) -> dict[str, list[int]]:
    """The shapes (out, in) of a layer's Linear weights by name, as PyTorch stores them."""
    return {matrix.name: [matrix.cols, matrix.rows] for matrix in attention.matrices()}


@experiment
def groups(model: str, kv_heads: list[int]) -> dict:
    """A published model with other numbers of key/value heads. `sharing`: the query heads for each; `shapes`: Linear weights as
    (out, in). `counts`, `in_all`: the parameters of one layer and of all; `tokens`: the cache's bytes for one token."""
    found = entries()[model].model
    shapes, counts, tokens = [], [], []
    for number in kv_heads:
        attention = found.attention.with_heads(found.attention.heads, number)
        shapes.append(out_in(attention))
        counts.append(attention.count)
        tokens.append(cost(found.with_heads(attention.heads, number), 1).token_bytes)
    own, layers = found.attention, found.groups[0].layers
    return {"kv_heads": kv_heads, "sharing": [own.heads // number for number in kv_heads], "shapes": shapes,
            "rows": [each["W_K"][0] for each in shapes], "counts": counts, "in_all": [layers * count for count in counts],
            "tokens": tokens, "heads": own.heads, "d_k": own.d_k, "own": own.kv_heads, "layers": layers}  # fmt: skip


def results_by(trace: Trace, places: np.ndarray) -> Floats:
    """The head outputs if each head has the keys and values of the head in `places`."""
    k, v = (trace[name].values[:, :, places] for name in "kv")
    weights = softmax(np.einsum("bthk,bshk->bhts", trace.q.values, k) / np.float32(trace.cfg.key_dim**0.5))
    return np.einsum("bhts,bshv->bthv", weights, v)


@experiment
def pruned_model(model: str, removed: int) -> dict:
    """Counts the parameters of a layer's attention (`left`) and of a model (`after`) without `removed` heads in each layer."""
    found = entries()[model].model
    attention, layers = found.attention, found.groups[0].layers
    left = replace(attention, heads=attention.heads - removed, kv_heads=attention.kv_heads - removed, tied=False)
    each, total = attention.count - left.count, found.total or 0
    gone = layers * each
    return {"layer": attention.count, "left": left.count, "removed": each, "one": each // removed, "gone": gone,
            "share": gone / total, "total": total, "after": total - gone, "layers": layers, "shapes": out_in(left)}  # fmt: skip


@experiment
def recut(d_model: int, heads: list[int], query_len: int) -> dict:
    """The parameters with the same flat matrices cut into two head counts, and the distance of both outputs (`apart`)."""
    one, other = (Config(d_model, h, query_len=query_len) for h in heads)
    trace, shapes = run(one), make_params(other)
    cut = {
        name: Array(array.values.reshape(getattr(shapes, name).shape), array.axes)
        for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v")
        if (array := getattr(trace.params, name))
    }
    again = run(other, params=replace(trace.params, **cut))
    return {"counts": [count_parameters(one), count_parameters(other)], "apart": gap(again.output.values, trace.output.values)}


@experiment
def repeated_heads(trace: Trace, kv_heads: int) -> dict:
    """Repeats key/value heads for all query heads, each in its place (`each`) or all in turn (`turn`). `apart`: the distance of
    both outputs; `once`: with as many key/value heads as heads. `of_two`, `values`: the first two heads' distances."""
    heads = trace.cfg.num_heads

    def orders(number: int) -> tuple[np.ndarray, np.ndarray]:
        times = heads // number
        return np.repeat(np.arange(number), times), np.tile(np.arange(number), times)

    each, turn = orders(kv_heads)
    results, v = results_by(trace, each), trace.v.values[:, :, each]
    return {"each": each.tolist(), "turn": turn.tolist(), "agree": int((each == turn).sum()),
            "number": heads, "apart": gap(results, results_by(trace, turn)),
            "of_two": gap(results[:, :, 0], results[:, :, 1]), "values": gap(v[:, :, 0], v[:, :, 1]),
            "once": gap(*(results_by(trace, places) for places in orders(heads)))}  # fmt: skip


@experiment
def grouped_models(models: list[str]) -> dict:
    """Counts the published models with fewer key/value heads than heads, and with a single one. `some`: both numbers of
    `models`."""
    every = {slug: entry.model.attention for slug, entry in entries().items() if entry.row == "model"}
    return {"models": len(every), "grouped": sum(one.kv_heads < one.heads for one in every.values()),
            "single": sum(one.kv_heads == 1 for one in every.values()),
            "some": [[every[slug].heads, every[slug].kv_heads] for slug in models]}  # fmt: skip
