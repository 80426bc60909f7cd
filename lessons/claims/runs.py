"""What the claims run here, by the ledger and by NumPy: functions of plain arguments that give plain numbers."""

import math
from collections.abc import Callable
from functools import partial
from statistics import median

import numpy as np

from mha.arrays import Floats
from mha.config import LEFT_OUT, Config
from mha.cost import multiply_adds, score_cells
from mha.forward import ARRAYS, PARAMS, run, run_steps
from mha.ledger import count_parameters, keras_count, ledger, paper_count
from mha.numpy_backend import OPS
from mha.published.table import entries
from mha.steps import Step


def table(vocab_size: int = 30522, heads: int = 12, positions: int = 512, types: int = 2, layers: int = 12, width: int = 768,
          inner: int = 3072) -> dict[str, list[list[int]]] | None:  # fmt: skip
    """Shapes by component, those of all layers together; None where the head count does not divide the width (ValueError there).

    The head count is in no shape: each head is `width / heads` columns of the same square matrices.
    """
    if width % heads:
        return None
    norm, square = [[width], [width]], [[width, heads * (width // heads)], [width]]
    encoder = dict.fromkeys(("W_Q, b_Q", "W_K, b_K", "W_V, b_V", "W_O, b_O"), square) | {
        "attention LayerNorm": norm, "FFN in": [[width, inner], [inner]], "FFN out": [[inner, width], [width]],
        "FFN LayerNorm": norm,
    }  # fmt: skip
    return {
        "word embeddings": [[vocab_size, width]], "position embeddings": [[positions, width]],
        "token-type embeddings": [[types, width]], "embedding LayerNorm": norm,
        **{f"{layers} × {name}": shapes * layers for name, shapes in encoder.items()},
        "LM head dense": [[width, width], [width]], "LM head LayerNorm": norm, "LM head bias": [[vocab_size]],
    }  # fmt: skip


def count(**sizes: int) -> int | None:
    """All trainable numbers; None where there is no such model."""
    found = table(**sizes)
    return None if found is None else sum(math.prod(shape) for shapes in found.values() for shape in shapes)


def costs(layers: list[dict]) -> dict:
    """For each layer: parameters, multiply-adds by step and in all, cells of the scores, width of the concatenation, paths."""
    found = []
    for sizes in layers:
        cfg = Config(**sizes)
        steps = multiply_adds(cfg)
        found.append({
            "count": count_parameters(cfg), "steps": steps, "macs": sum(steps.values()), "score_cells": score_cells(cfg),
            "concat": cfg.num_heads * cfg.value_dim, "out": cfg.d_model,
            "projected": cfg.num_heads * (2 * cfg.key_dim + cfg.value_dim),
            "shapes": {row.path: list(row.shape) for row in ledger(cfg)},
        })  # fmt: skip
    return {"layers": found}


def conventions(d_model: int, heads: list[int], key_dim: int) -> dict:
    """Parameters and head size for each head count: with d_k = d_model / h (paper, PyTorch), and with key_dim held (Keras)."""
    cfg = Config(d_model, 1, key_dim)
    paper = {h: Config(d_model, h).key_dim if d_model % h == 0 else None for h in heads}
    return {
        "heads": heads, "paper": [paper_count(cfg, h) for h in heads], "keras": [keras_count(cfg, h) for h in heads],
        "paper_size": list(paper.values()), "keras_size": [cfg.with_heads(h, paper=False).key_dim for h in heads],
    }  # fmt: skip


def divisibility(d_model: int, num_heads: int, key_dim: int) -> dict:
    """Whether such a layer exists by the paper's rule and by Keras's; its count and output width there."""
    cfg = Config(d_model, num_heads, key_dim, query_len=3)
    return {
        "paper": paper_count(cfg, num_heads), "keras": count_parameters(cfg), "output": list(run(cfg).output.shape[1:]),
        "joined": num_heads * key_dim,
    }  # fmt: skip


def one_head(d_model: int = 16, num_heads: int = 4, query_len: int = 6, value_dim: int | None = None) -> dict:
    """Shapes of one head's map A, its result Z and its V; how many maps there are; and how far Z is from A·V by hand."""
    trace = run(Config(d_model, num_heads, d_model // num_heads, LEFT_OUT if value_dim is None else value_dim, query_len))
    a, z, v = (trace[name].at(b=0) for name in ("weights", "context", "v"))
    by_hand = np.einsum("hts,shv->thv", a.values.astype(np.float64), v.values)
    concat = trace.concat.values[0]
    one = a.at(h=0)
    return {
        "map": list(one.shape), "result": list(z.at(h=0).shape), "maps": a.shape[0],
        "maps_of_one": one.values.size // (trace.cfg.query_len * trace.cfg.key_len),
        "to_by_hand": float(np.abs(z.values - by_hand).max()), "concat": list(concat.shape),
        "concat_to_results": float(np.abs(concat - z.values.reshape(concat.shape)).max()),
        "concat_of_maps": [a.shape[1], a.shape[0] * a.shape[2]], "row_sum": float(a.values[0, 0].sum()),
        "result_row_sum": float(z.values[0, 0].sum()), "w_o": list(trace.params.w_o.shape),
    }  # fmt: skip


def reads_all(d_model: int = 16, num_heads: int = 4) -> dict:
    """For every head, how many of X's features move its Q when they are changed; the rank through which it scores; and the
    widths that are cut: X's own for one head, and the projected one."""
    cfg = Config(d_model, num_heads, query_len=3)
    trace = run(cfg)
    w_q, w_k = trace.params.w_q.values.astype(np.float64), trace.params.w_k.values
    changed = [np.einsum("m,mhk->hk", feature, w_q) for feature in np.eye(d_model)]  # Q moves by this where a feature grows by 1
    moved = [sum(bool(np.abs(move[head]).max() > 1e-3) for move in changed) for head in range(num_heads)]
    ranks = [int(np.linalg.matrix_rank(w_q[:, head] @ w_k[:, head].T)) for head in range(num_heads)]
    return {"features": d_model, "moved": moved, "ranks": ranks, "head_size": cfg.key_dim, "read": w_q.shape[0]}


def one_product(d_model: int = 16, num_heads: int = 4, query_len: int = 6) -> dict:
    """Q by h products with the heads' own matrices, and by one product with all of them side by side."""
    trace = run(Config(d_model, num_heads, query_len=query_len, use_bias=False))
    x, w = trace.x_query.values[0], trace.params.w_q.values
    apart = [x @ np.ascontiguousarray(w[:, head]) for head in range(num_heads)]
    at_once = x @ w.reshape(d_model, -1)
    gap = max(np.abs(apart[i] - at_once[:, i * trace.cfg.key_dim : (i + 1) * trace.cfg.key_dim]).max() for i in range(num_heads))
    others = min(np.abs(apart[i] - apart[0]).max() for i in range(1, num_heads))
    return {"difference": float(gap), "between_heads": float(others), "products_apart": len(apart), "products_at_once": 1,
            "flat": [d_model, w[0].size]}  # fmt: skip


def _counted(asked: list, op: Callable, step: Step, *given: object) -> Floats:
    asked.append(step)
    return op(step, *given)


def side_by_side(heads: list[int], d_model: int = 16, query_len: int = 6) -> dict:
    """For each head count: contractions in the pass, maps, and the least difference between two heads' maps."""
    contractions, maps = [], []
    for h in heads:
        cfg, asked = Config(d_model, h, query_len=query_len), []
        trace = run(cfg)
        known = {name: trace[name].values for name in (*ARRAYS, *PARAMS)}
        counting = {name: partial(_counted, asked, op) for name, op in OPS.items()}
        maps.append(run_steps(cfg, known, counting)["weights"][0])
        contractions.append(sum(bool(step.einsum) for step in asked))
    gaps = [float(min((np.abs(m[i] - m[j]).max() for i in range(len(m)) for j in range(i)), default=0.0)) for m in maps]
    return {"heads": heads, "contractions": contractions, "maps": [len(m) for m in maps], "apart": gaps}


def projections(d_model: int = 16, num_heads: int = 4) -> dict:
    """Q, K and V of one X: how far each is from X times its kernel plus its bias, and from each other."""
    trace = run(Config(d_model, num_heads))
    made, x, far = {name: trace[name].values[0].astype(np.float64) for name in "qkv"}, trace.x_query.values[0], {}
    for name in "qkv":
        by_hand = np.einsum("tm,mhk->thk", x, trace[f"w_{name}"].values.astype(np.float64)) + trace[f"b_{name}"].values
        far[name] = float(np.abs(made[name] - by_hand).max())
    return {"to_by_hand": max(far.values()), "q_to_k": float(np.abs(made["q"] - made["k"]).max()),
            "q_to_v": float(np.abs(made["q"] - made["v"]).max())}  # fmt: skip


def roberta_counts(models: list[dict]) -> dict:
    """Parameters of each RobertaForMaskedLM by its table of arrays; shapes that mention the head count; refusals as None."""
    return {"counts": [count(**model) for model in models], "tables": [table(**model) for model in models]}


def published_choices() -> dict:
    """What the published models' attention layers are like: sizes counted over all of them, and within two families by width."""
    found = sorted(
        ((entry.model.attention, entry) for entry in entries().values() if entry.row == "model"), key=lambda pair: pair[0].d_model
    )
    layers, half = [layer for layer, _ in found], len(found) // 2
    family = lambda start: [layer.d_k for layer, entry in found if entry.name.startswith(start)]  # noqa: E731
    return {
        "models": len(layers), "d_k_64": sum(layer.d_k == 64 for layer in layers),
        "middle_width": int(median(layer.d_model for layer in layers)),
        "base_layer": [entry.name for layer, entry in found if (layer.d_model, layer.heads, layer.d_k) == (512, 8, 64)],
        "middle_d_k": [float(median(layer.d_k for layer in part)) for part in (layers[:half], layers[half:])],
        "gpt_2": family("GPT-2 "), "gemma_3": [family("Gemma-3-")[0], family("Gemma-3-")[-1]],
    }  # fmt: skip


def nothing() -> dict:
    """What is run for an opinion: there is no quantity in it to measure."""
    return {}


RUNS = {run.__name__: run for run in (
    costs, conventions, divisibility, one_head, reads_all, one_product, side_by_side, projections, roberta_counts,
    published_choices, nothing,
)}  # fmt: skip
