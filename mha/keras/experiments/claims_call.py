"""Experiments for the claims page: what a call of the real layer takes, in which order, and what it computes."""

import re
from collections.abc import Callable

import keras
import numpy as np
import tensorflow as tf

from mha.arrays import Floats
from mha.keras.experiments.basics import attempt
from mha.keras.experiments.claims_layer import filled, seeded, variables
from mha.keras.reply import Declined
from mha.keras.wire import Facts

T, S, WIDTH = 6, 5, 8


def _layer(num_heads: int = 2, key_dim: int = 8, width: int = WIDTH, **options: object) -> keras.layers.MultiHeadAttention:
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, **options)
    layer.build((None, None, width), (None, None, width))
    return filled(layer)


def _far(a: object, b: object) -> float:
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def _refusal(act: Callable[[], object]) -> str | None:
    """What Keras says when it refuses inside a call: below a first line that only says where."""
    try:
        act()
    except Exception as error:  # whatever Keras raises is what is shown
        lines = [line.strip() for line in re.sub(r"\x1b\[\d+m", "", str(error)).splitlines() if line.strip()]
        return f"{type(error).__name__}: {lines[1] if len(lines) > 1 else lines[0]}"
    return None


def claims_inputs() -> Facts:
    """Shapes or refusals: one input, two, three of different widths, key and value of different lengths, two sequences."""

    def call(*shapes: tuple[int, ...]) -> Facts:
        layer = keras.layers.MultiHeadAttention(2, 8)
        output = layer(*(seeded(i, 10, *shape) for i, shape in enumerate(shapes)))
        return {"output": list(output.shape), "variables": variables(layer), "count": layer.count_params()}

    return {
        "one": attempt(lambda: call((T, WIDTH))), "two": attempt(lambda: call((T, WIDTH), (T, WIDTH))),
        "widths": attempt(lambda: call((T, 8), (T, 5), (T, 7))), "lengths": attempt(lambda: call((T, 8), (T, 8), (S, 8))),
        "two_sequences": attempt(lambda: call((T, 8), (9, 5))),
    }  # fmt: skip


def claims_order() -> Facts:
    """Largest differences of layer(q, k, v) to the call that was meant, by keywords, and to one with keys and values swapped."""
    layer, q, k, v = _layer(), seeded(1, 10, T, WIDTH), seeded(2, 10, T, WIDTH), seeded(3, 10, T, WIDTH)
    positional = layer(q, k, v)
    return {
        "shape": list(positional.shape), "to_meant": _far(positional, layer(query=q, key=k, value=v)),
        "to_swapped": _far(positional, layer(query=q, key=v, value=k)),
    }  # fmt: skip


def claims_folding() -> Facts:
    """Three Dense layers without activation before the layer, and the same layer with them folded into its kernels."""
    x, dense = seeded(1, 10, T, WIDTH), {name: keras.layers.Dense(WIDTH) for name in ("query", "key", "value")}
    for layer in dense.values():
        layer.build((None, T, WIDTH))
        filled(layer, seed=len(layer.name))
    stacked, alone = _layer(), _layer()
    weights = dict(zip((path for path, _ in variables(alone)), stacked.get_weights(), strict=True))
    for name, layer in dense.items():
        kernel, bias = layer.get_weights()
        weights[f"{name}/bias"] = np.einsum("m,mhk->hk", bias, weights[f"{name}/kernel"]) + weights[f"{name}/bias"]
        weights[f"{name}/kernel"] = np.einsum("dm,mhk->dhk", kernel, weights[f"{name}/kernel"])
    alone.set_weights(list(weights.values()))
    before = stacked(dense["query"](x), dense["value"](x), dense["key"](x))
    return {
        "difference": _far(before, alone(x, x)), "scale": float(np.abs(before).max()),
        "count": alone.count_params(), "count_with_dense": stacked.count_params() + sum(d.count_params() for d in dense.values()),
    }  # fmt: skip


def claims_value_dim() -> Facts:
    """Scores of two layers with the same W_Q and W_K but value_dim 64 and 32."""
    x = seeded(1, 2, 16, 512)
    scores: list[Floats] = []
    for value_dim in (64, 32):
        layer = _layer(8, 64, 512, value_dim=value_dim)
        for variable, i in ((layer.weights[i], i) for i in range(4)):
            variable.assign(seeded(10 + i, *variable.shape) / 20)
        scores.append(np.asarray(layer(x, x, return_attention_scores=True)[1]))
    return {"difference": _far(scores[0], scores[1]), "largest": float(scores[0].max())}


def claims_heads_apart() -> Facts:
    """The layer beside sums of our own, in float64: softmax(QKᵀ/√d_k)V, concatenated and times W_O; and as a sum over heads."""
    layer, x = _layer(2, 3, value_dim=5), seeded(1, 3, 7, WIDTH)
    w_q, b_q, w_k, b_k, w_v, b_v, w_o, b_o = (w.astype(np.float64) for w in layer.get_weights())
    q, k, v = (np.einsum("btm,mhk->bhtk", x, w) + b[None, :, None] for w, b in ((w_q, b_q), (w_k, b_k), (w_v, b_v)))
    scores = np.einsum("bhtk,bhsk->bhts", q, k) / np.sqrt(3)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    z = weights / weights.sum(-1, keepdims=True) @ v
    concat = z.transpose(0, 2, 1, 3).reshape(3, 7, -1)
    output = np.asarray(layer(x, x))
    summed = sum(z[:, i] @ w_o[i] for i in range(2)) + b_o
    unscaled = np.exp(np.einsum("bhtk,bhsk->bhts", q, k))
    unscaled = np.einsum("bthv,hvm->btm", (unscaled / unscaled.sum(-1, keepdims=True) @ v).transpose(0, 2, 1, 3), w_o) + b_o
    return {
        "concat": list(concat.shape), "to_concat": _far(output, concat @ w_o.reshape(-1, WIDTH) + b_o),
        "to_sum": _far(output, summed), "without_scale": _far(output, unscaled), "kernel": list(w_o.shape),
    }  # fmt: skip


def claims_asked_for_scores() -> Facts:
    """What asking for the scores changes: on an ordinary call, where a query may see no key, and with flash attention."""
    layer, x = _layer(2, 4), seeded(1, 3, 4, WIDTH)
    mask = np.ones((3, 4, 4), bool)
    mask[:, 2] = False

    def both(**given: object) -> tuple[Floats, Floats, Floats]:
        output, scores = layer(x, x, return_attention_scores=True, **given)
        return np.asarray(layer(x, x, **given)), np.asarray(output), np.asarray(scores)

    plain, asked, _ = both()
    masked, masked_asked, scores = both(attention_mask=mask)
    values = np.einsum("bsm,mhv->bshv", x, layer.get_weights()[4]) + layer.get_weights()[5]
    uniform = np.einsum("bhv,hvm->bm", values.mean(1), layer.get_weights()[6]) + layer.get_weights()[7]
    flash = keras.layers.MultiHeadAttention(2, 4, flash_attention=True)
    return {
        "ordinary": _far(plain, asked), "masked_row": _far(masked, masked_asked), "row_sum": float(scores[0, 0, 2].sum()),
        "asked_to_bias": _far(masked_asked[:, 2], layer.get_weights()[7]), "unasked_to_mean": _far(masked[:, 2], uniform),
        "finite": bool(np.isfinite(masked).all() and np.isfinite(masked_asked).all()),
        "flash": _refusal(lambda: flash(x, x, return_attention_scores=True)),
    }  # fmt: skip


def claims_twins(steps: int = 50) -> Facts:
    """Two heads that start alike, and two that do not, after gradient steps to random targets: how far apart each pair is."""
    if not (type(steps) is int and 1 <= steps <= 200):
        raise Declined(f"steps must be a whole number from 1 to 200, got {steps!r}")
    x, target = tf.constant(seeded(1, 4, 6, 8)), tf.constant(seeded(2, 4, 6, 8))
    apart: Facts = {}
    for name, alike in (("alike", True), ("drawn", False)):
        layer = _layer(2, 4, use_bias=False)
        kernels = layer.get_weights()
        if alike:
            kernels = [np.repeat(w[:, :1], 2, 1) for w in kernels[:3]] + [np.repeat(kernels[3][:1], 2, 0)]
        layer.set_weights(kernels)
        before = _heads_apart(kernels)
        for _ in range(steps):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((layer(x, x) - target) ** 2)
            for variable, slope in zip(layer.trainable_weights, tape.gradient(loss, layer.trainable_weights), strict=True):
                variable.assign_sub(0.1 * slope)
        moved = max(_far(a, b) for a, b in zip(kernels, layer.get_weights(), strict=True))
        apart[name] = {"before": before, "after": _heads_apart(layer.get_weights()), "moved": moved}
    return apart


def _heads_apart(kernels: list[Floats]) -> float:
    return max(*(_far(w[:, 0], w[:, 1]) for w in kernels[:3]), _far(kernels[3][0], kernels[3][1]))
