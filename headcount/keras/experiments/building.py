"""Experiments with a layer that Keras builds from a `KerasLayer`.

They report what the layer has before and after the build, what calls return, and whether samples affect each other."""

from dataclasses import replace
from functools import partial

from headcount.arrays import Floats
from headcount.bounded_process import Facts
from headcount.keras import backend
from headcount.keras.backend import Attention, built_layer, keras, np, tf, unbuilt_layer, variables  # sets Keras's backend first
from headcount.keras.experiments.basics import attempt
from headcount.keras.layer import Inputs, KerasLayer, inputs_of
from headcount.params import sample


def call(real_layer: Attention, layer: KerasLayer, inputs: Inputs | None = None, **arguments: object) -> tuple[Floats, Floats]:
    """Calls the layer and returns the output and the scores. Without `inputs`, those of the layer's seed are used."""
    output, scores = backend.call(real_layer, *(inputs or inputs_of(layer)), return_attention_scores=True, **arguments)
    return np.asarray(output), np.asarray(scores)


def output_of(real_layer: Attention, layer: KerasLayer, inputs: Inputs | None = None, **arguments: object) -> Floats:
    """Calls the layer without asking for scores, and returns the output."""
    return np.asarray(backend.call(real_layer, *(inputs or inputs_of(layer)), **arguments))


def layer_facts(layer: KerasLayer) -> Facts:
    """Reports variables and parameter count before and after the build, Keras's einsums, and shapes of output and scores.
    `symbolic` has the shapes for an unknown batch size (None), and `real` those of a real call. `before["counted"]` has the
    parameter count before the build. Each of these three may be an error from `attempt` instead."""
    unbuilt, real_layer = unbuilt_layer(layer), built_layer(layer)
    return {
        "before": {"variables": len(unbuilt.weights), "counted": attempt(lambda: {"count": unbuilt.count_params()})},
        **layer_parts(real_layer, layer),
        "symbolic": attempt(lambda: symbolic_shapes(layer)),
        "real": attempt(lambda: shapes(*call(real_layer, layer))),
        "keras_version": keras.__version__,
    }


def layer_output(layer: KerasLayer, causal: bool = False, training: bool = False) -> Facts:
    """Reports the output of one call, or Keras's error."""
    real_layer = built_layer(layer)
    return attempt(lambda: {"output": call(real_layer, layer, use_causal_mask=causal, training=training)[0]})


def symbolic_shapes(layer: KerasLayer) -> Facts:
    """Reports the shapes of output and scores for an unknown batch size, as when a Functional model is built."""
    query, value, key = (
        keras.KerasTensor((None, *shape[1:])) for shape in (layer.query_shape, layer.value_shape, layer.key_shape)
    )
    return shapes(*unbuilt_layer(layer)(query, value, key, return_attention_scores=True))


def shapes(output: tf.Tensor, scores: tf.Tensor) -> Facts:
    return {"output": list(output.shape), "scores": list(scores.shape)}


def layer_parts(real_layer: Attention, layer: KerasLayer) -> Facts:
    """Reports the variables and parameter count of a built layer, and the einsums of its projections and of its two products."""
    names = ("query", "key", *("gate",) * layer.use_gate, "value", "output")
    return {
        "variables": variables(real_layer),
        "count": real_layer.count_params(),
        "einsums": [getattr(real_layer, f"_{name}_dense").equation for name in names],
        "products": [real_layer._dot_product_equation, real_layer._combine_equation],
    }


def difference(one: object, other: object) -> float:
    """Returns the largest absolute difference of two arrays."""
    return float(np.abs(np.asarray(one) - np.asarray(other)).max())


def row_sums(values: object, axes: int = 1) -> list[float]:
    """Returns the least and the largest sum over the last `axes` axes."""
    sums = np.asarray(values).sum(axis=tuple(range(-axes, 0)))
    return [float(sums.min()), float(sums.max())]


def rank_two(layer: KerasLayer) -> Facts:
    """Reports the output's shape for inputs of shape (batch, width), without an axis of positions, or Keras's error."""
    query, value = (sample(layer.seed, stream, (shape[0], shape[-1])) for stream, shape in
                    (("x", layer.query_shape), ("y", layer.value_shape)))  # fmt: skip
    real_layer = keras.layers.MultiHeadAttention(layer.num_heads, layer.key_dim, layer.value_dim)
    return attempt(lambda: {"output": list(backend.call(real_layer, query, value).shape)})


def call_forms(layer: KerasLayer) -> Facts:
    """Reports the results of several ways to call the layer. `constructor` passes return_attention_scores to the constructor.
    `one` is a call without scores, and `pair` one with scores; its `row_sums` are over all attended keys. `swapped` unpacks the
    pair in the wrong order. The others have the largest difference between two outputs. `named` (arguments by name) and
    `key_second` (query, key, value) are compared with (query, value, key), and `without_key` with (query, value, value)."""
    real_layer = built_layer(layer)
    shapes = ("x", layer.query_shape), ("y", layer.value_shape), ("z", layer.key_shape)
    query, value, key = (tf.convert_to_tensor(sample(layer.seed, stream, shape)) for stream, shape in shapes)
    output = real_layer(query, value, key)
    pair = real_layer(query, value, key, return_attention_scores=True)
    scores, _ = pair  # the tuple is (output, scores): this name is the wrong one, on purpose
    return {
        "constructor": attempt(
            lambda: {"layer": str(keras.layers.MultiHeadAttention(layer.num_heads, layer.key_dim, return_attention_scores=True))}
        ),
        "one": {"kind": type(output).__name__, "shape": list(output.shape)},
        "pair": {
            "kind": type(pair).__name__,
            "shapes": [list(part.shape) for part in pair],
            "row_sums": row_sums(pair[1], len(layer.axes)),
        },
        "swapped": {"shape": list(scores.shape), "row_sums": row_sums(scores)},
        "named": {"apart": difference(output, real_layer(query=query, key=key, value=value))},
        "key_second": attempt(lambda: {"apart": difference(output, real_layer(query, key, value))}),
        "without_key": attempt(lambda: {"apart": difference(real_layer(query, value), real_layer(query, value, value))}),
    }


def dropout_calls(layer: KerasLayer) -> Facts:
    """Calls the layer with `training` False and True. `returned` and `used` have the least and the largest row sum of two arrays:
    the weights that are returned, and those that multiply the values. `weights` counts the attention weights that are not 0, and
    `dropped` those of them that dropout sets to 0. `apart` is the largest difference from the output without dropout."""
    real_layer, used = built_layer(layer), list[Floats]()
    drop = real_layer._dropout_layer.call

    def seen(weights: tf.Tensor, training: bool = False) -> tf.Tensor:
        left = drop(weights, training=training)
        used.append(np.asarray(left))
        return left

    real_layer._dropout_layer.call = seen
    without, _ = call(built_layer(replace(layer, dropout=0.0)), layer)

    def one(training: bool) -> Facts:
        output, scores = call(real_layer, layer, training=training)
        axes = len(layer.axes)
        return {"returned": row_sums(scores, axes), "used": row_sums(used[-1], axes), "weights": int((scores != 0).sum()),
                "dropped": int(((scores != 0) & (used[-1] == 0)).sum()), "apart": difference(output, without)}  # fmt: skip

    return {str(training): attempt(partial(one, training)) for training in (False, True)}


def axes_leak(layer: KerasLayer) -> Facts:
    """Reports as `leak` how much the first sample's output changes if only the second sample's inputs change. It should not
    change."""
    real_layer = built_layer(layer)
    query, value, key = (x.copy() for x in inputs_of(layer))
    for x in (query, value, key):
        x[1] += 1.0
    output, changed = call(real_layer, layer)[0], call(real_layer, layer, (query, value, key))[0]
    return {"leak": difference(output[0], changed[0])}
