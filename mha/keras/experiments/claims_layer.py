"""Experiments for the claims page: what the real layer holds and what shapes it gives."""

import inspect
from collections.abc import Callable
from functools import partial

import keras
import numpy as np

from mha.arrays import Floats
from mha.keras.experiments.basics import attempt
from mha.keras.reply import Declined
from mha.keras.wire import Facts

#: Of one experiment here: sizes come from our own tables of claims, and a hand-made request must not take the machine.
MOST_SIZE, MOST_NUMBERS = 4096, 1 << 24


def whole(**sizes: int | None) -> None:
    """Declined where a size is no whole number from 1 to MOST_SIZE."""
    for name, size in sizes.items():
        if size is not None and not (type(size) is int and 1 <= size <= MOST_SIZE):
            raise Declined(f"{name} must be a whole number from 1 to {MOST_SIZE}, got {size!r}")


def seeded(seed: int, *shape: int) -> Floats:
    """Standard normal float32 numbers, of which there are not too many."""
    if np.prod(shape, dtype=float) > MOST_NUMBERS:
        raise Declined(f"an array must hold at most {MOST_NUMBERS} numbers, got {shape}")
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


def filled(layer: keras.layers.Layer, seed: int = 0) -> keras.layers.Layer:
    """A built layer with seeded weights; biases too, which Keras would start at 0."""
    rng = np.random.default_rng([seed, 1])

    def scale(shape: tuple[int, ...]) -> np.float32:
        return np.float32(shape[0] ** -0.5 if len(shape) > 2 else 0.5)

    layer.set_weights([scale(w.shape) * rng.standard_normal(w.shape, dtype=np.float32) for w in layer.weights])
    return layer


def variables(layer: keras.layers.Layer) -> list[tuple[str, list[int]]]:
    return [(w.path.removeprefix(f"{layer.name}/"), list(w.shape)) for w in layer.trainable_weights]


def claims_weights(d_model: int, num_heads: int, key_dim: int, value_dim: int | None = None, use_bias: bool = True,
                   output_shape: int | None = None, key_width: int | None = None) -> Facts:  # fmt: skip
    """Every variable of a built layer [path, shape], in order, its count, and how many there are before it is built."""
    whole(
        d_model=d_model, num_heads=num_heads, key_dim=key_dim, value_dim=value_dim, output_shape=output_shape, key_width=key_width
    )
    if 4 * d_model * num_heads * max(key_dim, value_dim or 1) > MOST_NUMBERS:
        raise Declined(f"the layer takes more than the {MOST_NUMBERS:,} numbers that are computed live")
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, value_dim, use_bias=use_bias, output_shape=output_shape)
    before, uncounted = len(layer.weights), attempt(lambda: {"count": layer.count_params()})
    refused = attempt(lambda: {"set": layer.set_weights([np.zeros(1)] * 8)})
    layer.build((None, None, d_model), (None, None, key_width or d_model))
    return {
        "before": before, "count_before": uncounted.get("error"), "set_before": refused.get("error"),
        "variables": variables(layer), "count": layer.count_params(),
    }  # fmt: skip


def claims_shapes(shape: list[int], num_heads: int, key_dim: int, value_dim: int | None = None, memory: list[int] | None = None,
                  output_shape: int | None = None) -> Facts:  # fmt: skip
    """Shapes that one call gives, with and without the scores; `memory`: of the sequence looked at, if it is another."""
    whole(num_heads=num_heads, key_dim=key_dim, value_dim=value_dim, output_shape=output_shape)
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, value_dim, output_shape=output_shape)
    query = seeded(1, *shape)
    value = query if memory is None else seeded(2, *memory)
    alone = layer(query, value)
    asked = layer(query, value, return_attention_scores=True)
    return {
        "returns": type(alone).__name__.removeprefix("Eager"), "output": list(alone.shape),
        "tuple": [list(part.shape) for part in asked], "count": layer.count_params(),
        "row_sum": float(np.asarray(asked[1][0, 0, 0]).sum()), "output_row_sum": float(np.asarray(alone[0, 0]).sum()),
    }  # fmt: skip


def claims_key_dims(d_model: int, num_heads: int, key_dims: list[int], length: int = 6) -> Facts:
    """For each key_dim: the output's shape and the count, or Keras's refusal."""
    whole(d_model=d_model, num_heads=num_heads, length=length, **{f"key_dim {i}": size for i, size in enumerate(key_dims)})
    runs = [attempt(partial(claims_shapes, [10, length, d_model], num_heads, size)) for size in key_dims]
    return {"runs": [{"key_dim": size, **run} for size, run in zip(key_dims, runs, strict=True)]}


def claims_signature() -> Facts:
    """The arguments of constructor and call with their defaults, "required" where there is none; and a constructor refused."""
    mha = keras.layers.MultiHeadAttention

    def arguments(function: Callable[..., object]) -> Facts:
        found = list(inspect.signature(function).parameters.values())[1:]
        return {a.name: "required" if a.default is a.empty else repr(a.default) for a in found if a.kind is not a.VAR_KEYWORD}

    refused = attempt(lambda: {"made": bool(mha(num_heads=2, key_dim=8, return_attention_scores=True))})
    return {"constructor": arguments(mha.__init__), "call": arguments(mha.call), "error": refused.get("error")}


def claims_symbolic(num_heads: int, key_dim: int, d_model: int, query_len: int, key_len: int) -> Facts:
    """Shapes of the scores: what Keras says of an Input, and what a call gives; self-attention and cross-attention."""
    whole(num_heads=num_heads, key_dim=key_dim, d_model=d_model, query_len=query_len, key_len=key_len)
    found: Facts = {}
    for name, length in (("self", query_len), ("cross", key_len)):
        layer = keras.layers.MultiHeadAttention(num_heads, key_dim)
        inputs = keras.Input((query_len, d_model)), keras.Input((length, d_model))
        _, said = layer(*inputs, return_attention_scores=True)
        _, real = layer(seeded(1, 3, query_len, d_model), seeded(2, 3, length, d_model), return_attention_scores=True)
        found[name] = {"symbolic": list(said.shape), "real": list(real.shape)}
    return found


def claims_start(d_model: int, num_heads: int, key_dim: int) -> Facts:
    """A fresh layer's W_Q by Keras's own initialiser: the largest weight, and the first two heads' pieces apart."""
    whole(d_model=d_model, num_heads=num_heads, key_dim=key_dim)
    keras.utils.set_random_seed(0)
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim)
    layer.build((None, None, d_model), (None, None, d_model))
    kernel = np.asarray(layer.weights[0])
    return {
        "largest": float(np.abs(kernel).max()),
        "apart": float(np.abs(kernel[:, 0] - kernel[:, 1]).max()) if num_heads > 1 else 0.0,
    }
