"""Experiments for the claims page: padding, causal masks, and inputs of rank 4."""

import keras
import numpy as np

from mha.arrays import Floats
from mha.keras.experiments.basics import attempt
from mha.keras.experiments.claims_layer import filled, seeded
from mha.keras.reply import Declined
from mha.keras.wire import Facts


def _layer(d_model: int, num_heads: int, key_dim: int, **options: object) -> keras.layers.MultiHeadAttention:
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, **options)
    layer.build((None, None, d_model), (None, None, d_model))
    return filled(layer)


def _far(a: object, b: object) -> float:
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def claims_padding() -> Facts:
    """Two samples with 3 and 5 real keys of 5: the same mask in five shapes, what each gives, and an embedding's own mask."""
    batch, t, s, heads = 2, 3, 5, 4
    layer, query, value = _layer(8, heads, 4), seeded(1, batch, t, 8), seeded(2, batch, s, 8)
    real = np.arange(s)[None] < np.array([3, 5])[:, None]  # (B, S)
    shapes = {"B,T,S": (batch, t, s), "B,1,S": (batch, 1, s), "B,1,1,S": (batch, 1, 1, s), "B,h,T,S": (batch, heads, t, s)}

    def masked(shape: tuple[int, ...]) -> Floats:
        fitting = real.reshape(batch, *([1] * (len(shape) - 2)), s)
        return np.asarray(layer(query, value, attention_mask=np.broadcast_to(fitting, shape), return_attention_scores=True)[1])

    scores = {name: masked(shape) for name, shape in shapes.items()}
    first = scores["B,T,S"]
    square, square_mask = seeded(3, 5, 5, 8), np.arange(5)[None] < np.array([3, 5, 2, 4, 1])[:, None]  # B = T = S
    misread = layer(square, square, attention_mask=square_mask), layer(square, square, attention_mask=square_mask[:, None])
    embedding = keras.layers.Embedding(9, 8, mask_zero=True)
    own = layer(*[embedding(np.array([[1, 2, 3, 0, 0]]))] * 2, return_attention_scores=True)[1]
    return {
        "apart": {name: _far(first, found) for name, found in scores.items()},
        "zero_columns": np.flatnonzero((first[0] == 0).all((0, 1))).tolist(), "row_sums": _far(first.sum(-1), 1),
        "two_axes": attempt(lambda: {"shape": list(layer(query, value, attention_mask=real).shape)}).get("error"),
        "misread": _far(*misread), "embedding_rows": np.asarray(own)[0, 0].sum(-1).round(6).tolist(),
    }  # fmt: skip


def claims_causal(length: int = 6) -> Facts:
    """Zeros above the diagonal, the first row, and what scores, dropout or a changed last token do to the output."""
    if not (type(length) is int and 2 <= length <= 64):
        raise Declined(f"length must be a whole number from 2 to 64, got {length!r}")
    layer, x = _layer(8, 1, 4), seeded(1, 1, length, 8)
    output = np.asarray(layer(x, x, use_causal_mask=True))
    asked, scores = layer(x, x, use_causal_mask=True, return_attention_scores=True)
    dropped = _layer(8, 1, 4, dropout=0.5)
    changed = x.copy()
    changed[:, -1] += 1
    moved = np.abs(np.asarray(layer(changed, changed, use_causal_mask=True)) - output).max(-1)[0]
    upper = np.triu(np.ones((length, length), bool), 1)
    scores = np.asarray(scores)[0, 0]
    return {
        "zeros": int((scores[upper] == 0).sum()), "cells_above": int(upper.sum()), "first_row": scores[0].tolist(),
        "asked": _far(output, asked), "dropout": _far(output, dropped(x, x, use_causal_mask=True)),
        "moved": np.flatnonzero(moved).tolist(),
    }  # fmt: skip


def claims_rank_four() -> Facts:
    """A (2, 3, 4, 16) input: scores, kernels and counts for each choice of axes, and the same numbers as one sequence of 12."""
    x = seeded(1, 2, 3, 4, 16)
    found: Facts = {}
    for name, axes in (("none", None), ("2", (2,)), ("1", (1,))):
        layer = keras.layers.MultiHeadAttention(2, 2, attention_axes=axes)
        layer.build(x.shape, x.shape)
        filled(layer)
        output, scores = layer(x, x, return_attention_scores=True)
        found[name] = {
            "input": list(x.shape), "scores": list(scores.shape), "output": list(output.shape), "count": layer.count_params(),
            "kernel": list(layer.weights[0].shape), "symbolic": None,
        }  # fmt: skip
        if axes is None:
            flat = _layer(16, 2, 2)
            flat.set_weights(layer.get_weights())
            sequence = x.reshape(2, 12, 16)
            found["difference"] = _far(np.asarray(output).reshape(2, 12, 16), flat(sequence, sequence))
            inputs = keras.Input((3, 4, 16))
            found[name]["symbolic"] = list(layer(inputs, inputs, return_attention_scores=True)[1].shape)
    return found
