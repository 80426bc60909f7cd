"""TensorFlow's implementation of the layer's steps, and the real Keras layer with this project's weights."""

import os
import warnings
from dataclasses import replace
from functools import partial
from typing import Any

os.environ["KERAS_BACKEND"] = "tensorflow"  # overrides the machine's keras.json: the page compares with this one
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # read at import only

import keras
import numpy as np
import tensorflow as tf

from headcount.arrays import Floats
from headcount.bounded_process import Message
from headcount.config import Config
from headcount.keras.layer import KerasLayer, layer_of_config, weights_of
from headcount.ledger import ledger
from headcount.names import MASKS
from headcount.numpy_backend import dropout, multiply
from headcount.params import Inputs, Params, make_inputs, make_params
from headcount.steps import Ops, Step, attention_mask, dropout_factors
from headcount.switches import EPSILON, angles, distances, gain, slopes

tf.get_logger().setLevel("ERROR")


def contract(step: Step, cfg: Config, a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    return tf.einsum(step.einsum.replace("(hv)", "c"), a, b)  # a joined axis needs one letter here


def project(step: Step, cfg: Config, x: tf.Tensor, kernel: Floats, bias: Floats | None = None) -> tf.Tensor:
    if "(hv)m" in step.einsum:
        kernel = tf.reshape(kernel, (cfg.size("(hv)"), cfg.d_model))
    projected = contract(step, cfg, x, kernel)
    return projected if bias is None else projected + bias


def scale(step: Step, cfg: Config, scores: tf.Tensor) -> tf.Tensor:
    return scores / tf.sqrt(tf.cast(cfg.key_dim, scores.dtype))


def mask(step: Step, cfg: Config, scaled: tf.Tensor) -> tf.Tensor:
    return tf.where(attention_mask(cfg), scaled, -np.inf) if cfg.masked else scaled


def softmax(step: Step, cfg: Config, masked: tf.Tensor, sinks: Floats | None = None) -> tf.Tensor:
    if sinks is None:
        shares = tf.nn.softmax(masked, axis=-1)
        looks = attention_mask(cfg).any(axis=-1, keepdims=True)
        return shares if looks.all() else tf.where(looks, shares, 0.0)  # minus infinity alone has no softmax
    sink = tf.broadcast_to(sinks[None, :, None, None], (*masked.shape[:-1], 1))
    return tf.nn.softmax(tf.concat([masked, sink], axis=-1), axis=-1)[..., :-1]


def norm(step: Step, cfg: Config, x: tf.Tensor, gain: Floats, shift: Floats | None = None) -> tf.Tensor:
    together = (-2, -1) if gain.ndim == 2 else -1
    centred = x if shift is None else x - tf.reduce_mean(x, axis=-1, keepdims=True)
    normed = centred * tf.math.rsqrt(tf.reduce_mean(centred * centred, axis=together, keepdims=True) + EPSILON) * gain
    return normed if shift is None else normed + shift


def rotate(step: Step, cfg: Config, x: tf.Tensor) -> tf.Tensor:
    turn = angles(cfg, x.shape[1])[:, None, :]
    cos, sin = (tf.cast(part, x.dtype) for part in (gain(cfg) * np.cos(turn), gain(cfg) * np.sin(turn)))
    if cfg.rotary == "halves":
        one, other = tf.split(x, 2, axis=-1)
        return tf.concat([one * cos - other * sin, other * cos + one * sin], axis=-1)
    one, other = x[..., 0::2], x[..., 1::2]
    return tf.reshape(tf.stack([one * cos - other * sin, other * cos + one * sin], axis=-1), x.shape)


def cap(step: Step, cfg: Config, scaled: tf.Tensor) -> tf.Tensor:
    return cfg.soft_cap * tf.tanh(scaled / cfg.soft_cap)


def alibi(step: Step, cfg: Config, scaled: tf.Tensor) -> tf.Tensor:
    return scaled - tf.cast(slopes(cfg.num_heads)[:, None, None] * distances(cfg), scaled.dtype)


def sigmoid(step: Step, cfg: Config, g: tf.Tensor) -> tf.Tensor:
    return tf.sigmoid(g)


def join(step: Step, cfg: Config, context: tf.Tensor) -> tf.Tensor:
    return tf.reshape(context, (cfg.batch, cfg.query_len, cfg.size("(hv)")))


OPS: Ops = {
    "project": project, "contract": contract, "scale": scale, "mask": mask, "softmax": softmax, "join": join,
    "sigmoid": sigmoid, "multiply": multiply, "norm": norm, "rotate": rotate, "cap": cap, "alibi": alibi,
    "dropout": dropout,
}  # fmt: skip


Attention = keras.layers.MultiHeadAttention


def unbuilt_layer(layer: KerasLayer) -> Attention:
    """Makes the real Keras layer without building it. An unbuilt layer has no weights."""
    return keras.layers.MultiHeadAttention(
        layer.num_heads, layer.key_dim, value_dim=layer.value_dim, use_bias=layer.use_bias,
        output_shape=layer.output_shape or None, attention_axes=layer.attention_axes or None, use_gate=layer.use_gate,
        sliding_window=layer.sliding_window, dropout=layer.dropout, seed=layer.dropout_seed if layer.dropout else None,
    )  # fmt: skip


def built_layer(layer: KerasLayer) -> Attention:
    """Builds the real Keras layer and gives it the weights from `weights_of`: the layer's own, or weights drawn from its seed."""
    real_layer = unbuilt_layer(layer)
    real_layer.build(layer.query_shape, layer.value_shape, layer.key_shape)
    for variable, values in zip(real_layer.weights, weights_of(layer).values(), strict=True):
        variable.assign(values)
    return real_layer


def build_layer(cfg: Config, params: Params) -> Attention:
    """Builds the real Keras layer with these parameters. Dropout uses this project's factors, because Keras would draw others."""
    weights = {row.name: getattr(params, row.name).values for row in ledger(cfg)}
    layer = built_layer(replace(layer_of_config(cfg), weights=weights))
    if cfg.drops:
        layer._dropout_layer.call = partial(_drop, dropout_factors(cfg))
    return layer


def _drop(factors: Floats, weights: tf.Tensor, training: bool = False) -> tf.Tensor:
    return weights * factors if training else weights


def variables(layer: keras.layers.Layer) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Lists path (without the layer's name) and shape of each variable, in Keras's order: ("query/kernel", (16, 4, 4)), …."""
    return tuple((variable.path.removeprefix(f"{layer.name}/"), tuple(variable.shape)) for variable in layer.weights)


def call(layer: keras.layers.Layer, *inputs: Floats, **arguments: object) -> Any:
    """Calls the layer eagerly. Returns the output or, if `arguments` ask for scores, a pair of output and scores."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "You are using a softmax over axis")  # with one key every weight is 1, as it must be
        return layer(*map(tf.convert_to_tensor, inputs), **arguments)


def call_layer(layer: keras.layers.Layer, inputs: Inputs, cfg: Config) -> tuple[Floats, Floats]:
    """Calls the layer. Returns output, axes (batch, query, d_model), and attention weights, axes (batch, head, query, key)."""
    own = {} if cfg.mask in MASKS else {"attention_mask": attention_mask(replace(cfg, sliding_window=None))[None]}
    arguments = {"use_causal_mask": cfg.mask == "causal", "training": cfg.training, "return_attention_scores": True}
    output, weights = call(layer, inputs.x_query.values, inputs.x_key.values, **arguments, **own)
    return np.asarray(output), np.asarray(weights)


def answer_arrays(cfg: Config, params: Params | None = None, inputs: Inputs | None = None) -> Message:
    """Returns facts and arrays of a `KerasAnswer` for a layer. Missing weights or inputs are drawn from the seed."""
    layer = build_layer(cfg, params or make_params(cfg))
    output, weights = call_layer(layer, inputs or make_inputs(cfg), cfg)
    facts = {"count": int(layer.count_params()), "variables": variables(layer), **versions()}
    return facts, {"output": output, "weights": weights}


def forget() -> None:
    """Frees every layer built so far. Without this, Keras would keep 0.5 MB for each layer with d_model 256."""
    keras.backend.clear_session()


def versions() -> dict[str, str]:
    return {"keras_version": keras.__version__, "tensorflow_version": tf.__version__}
