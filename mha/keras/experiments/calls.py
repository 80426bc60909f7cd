"""The right and the wrong ways to call the layer, each run."""

from mha.keras.backend import keras, np, tf
from mha.keras.experiments.basics import attempt
from mha.keras.experiments.building import built, layer_of
from mha.keras.wire import Facts
from mha.params import draw


def apart(one: object, other: object) -> float:
    """The largest absolute difference."""
    return float(np.abs(np.asarray(one) - np.asarray(other)).max())


def row_sums(values: object, axes: int = 1) -> list[float]:
    """Least and largest sum over so many last axes."""
    sums = np.asarray(values).sum(axis=tuple(range(-axes, 0)))
    return [float(sums.min()), float(sums.max())]


def rank_two(layer: Facts) -> Facts:
    """The layer called with (batch, width), without any axis of positions: the output's shape, or what Keras says."""
    sizes = layer_of(layer)
    query, value = (draw(sizes.seed, stream, (shape[0], shape[-1])) for stream, shape in
                    (("x", sizes.query_shape), ("y", sizes.value_shape)))  # fmt: skip
    made = keras.layers.MultiHeadAttention(sizes.num_heads, sizes.key_dim, sizes.value_dim)
    return attempt(lambda: {"output": list(made(tf.convert_to_tensor(query), tf.convert_to_tensor(value)).shape)})


def call_forms(layer: Facts) -> Facts:
    """`constructor`: what return_attention_scores does there. `one`, `pair`, `swapped`: what comes out of a call without
    scores, with them (`row_sums` over all attended keys), and unpacked the wrong way round. `named`, `key_second`,
    `without_key`: the largest difference to layer(query, value, key) of the same by name, of (query, key, value), and of
    layer(query, value) to layer(query, value, value)."""
    sizes = layer_of(layer)
    made = built(sizes)
    shapes = ("x", sizes.query_shape), ("y", sizes.value_shape), ("z", sizes.key_shape)
    query, value, key = (tf.convert_to_tensor(draw(sizes.seed, stream, shape)) for stream, shape in shapes)
    output = made(query, value, key)
    pair = made(query, value, key, return_attention_scores=True)
    scores, swapped_output = pair  # the tuple is (output, scores): these names are the wrong way round, on purpose
    return {
        "constructor": attempt(
            lambda: {"made": str(keras.layers.MultiHeadAttention(sizes.num_heads, sizes.key_dim, return_attention_scores=True))}
        ),
        "one": {"kind": type(output).__name__, "shape": list(output.shape)},
        "pair": {"kind": type(pair).__name__, "shapes": [list(part.shape) for part in pair],
                 "row_sums": row_sums(pair[1], len(sizes.axes))},
        "swapped": {"shape": list(scores.shape), "row_sums": row_sums(scores), "other": list(swapped_output.shape)},
        "named": {"apart": apart(output, made(query=query, key=key, value=value))},
        "key_second": attempt(lambda: {"apart": apart(output, made(query, key, value))}),
        "without_key": attempt(lambda: {"apart": apart(made(query, value), made(query, value, value))}),
    }
