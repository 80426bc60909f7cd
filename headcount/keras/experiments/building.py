"""The layer that a `KerasLayer` describes, built by Keras with its numbers: what it reports before and after it is built, right
and wrong ways to call it, which axes it attends along, and heads that share keys and values."""

from dataclasses import replace
from functools import partial

from headcount.arrays import Floats
from headcount.bounded_process import Facts
from headcount.keras import backend
from headcount.keras.backend import Attention, built_layer, keras, np, tf, unbuilt_layer, variables  # sets Keras's backend first
from headcount.keras.experiments.basics import attempt, layer_of
from headcount.keras.layer import Inputs, KerasLayer, inputs_of
from headcount.params import sample


def call(real_layer: Attention, layer: KerasLayer, inputs: Inputs | None = None, **arguments: object) -> tuple[Floats, Floats]:
    """Output and scores, for these inputs, or those of the layer's seed."""
    output, scores = backend.call(real_layer, *(inputs or inputs_of(layer)), return_attention_scores=True, **arguments)
    return np.asarray(output), np.asarray(scores)


def output_of(real_layer: Attention, layer: KerasLayer, inputs: Inputs | None = None, **arguments: object) -> Floats:
    """The output of a call that does not ask for scores."""
    return np.asarray(backend.call(real_layer, *(inputs or inputs_of(layer)), **arguments))


def layer_facts(layer: KerasLayer) -> Facts:
    """Variables and count before and after build, einsums, and the shapes of output and scores: symbolic, with None for the
    batch, and real.

    `symbolic` and `real` are {"output": shape, "scores": shape}, `before["counted"]` is {"count": number}, each by an `attempt`
    of its own.
    """
    unbuilt, real_layer = unbuilt_layer(layer), built_layer(layer)
    return {
        "before": {"variables": len(unbuilt.weights), "counted": attempt(lambda: {"count": unbuilt.count_params()})},
        **layer_parts(real_layer, layer),
        "symbolic": attempt(lambda: symbolic_shapes(layer)),
        "real": attempt(lambda: shapes(*call(real_layer, layer))),
        "keras_version": keras.__version__,
    }


def symbolic_shapes(layer: KerasLayer) -> Facts:
    """The shapes of a call on inputs whose batch is not known, as building a Functional model makes it."""
    query, value, key = (
        keras.KerasTensor((None, *shape[1:])) for shape in (layer.query_shape, layer.value_shape, layer.key_shape)
    )
    return shapes(*unbuilt_layer(layer)(query, value, key, return_attention_scores=True))


def shapes(output: tf.Tensor, scores: tf.Tensor) -> Facts:
    return {"output": list(output.shape), "scores": list(scores.shape)}


def layer_parts(real_layer: Attention, layer: KerasLayer) -> Facts:
    """Variables and count of a built layer, its projections' einsums and its two products'."""
    names = ("query", "key", *("gate",) * layer.use_gate, "value", "output")
    return {
        "variables": variables(real_layer),
        "count": real_layer.count_params(),
        "einsums": [getattr(real_layer, f"_{name}_dense").equation for name in names],
        "products": [real_layer._dot_product_equation, real_layer._combine_equation],
    }


def difference(one: object, other: object) -> float:
    """The largest absolute difference."""
    return float(np.abs(np.asarray(one) - np.asarray(other)).max())


def row_sums(values: object, axes: int = 1) -> list[float]:
    """Least and largest sum over so many last axes."""
    sums = np.asarray(values).sum(axis=tuple(range(-axes, 0)))
    return [float(sums.min()), float(sums.max())]


def rank_two(layer: KerasLayer) -> Facts:
    """The layer called with (batch, width), without any axis of positions: the output's shape, or what Keras says."""
    query, value = (sample(layer.seed, stream, (shape[0], shape[-1])) for stream, shape in
                    (("x", layer.query_shape), ("y", layer.value_shape)))  # fmt: skip
    real_layer = keras.layers.MultiHeadAttention(layer.num_heads, layer.key_dim, layer.value_dim)
    return attempt(lambda: {"output": list(backend.call(real_layer, query, value).shape)})


def call_forms(layer: KerasLayer) -> Facts:
    """`constructor`: what return_attention_scores does there. `one`, `pair`, `swapped`: what comes out of a call without
    scores, with them (`row_sums` over all attended keys), and unpacked the wrong way round. `named`, `key_second`,
    `without_key`: the largest difference to layer(query, value, key) of the same by name, of (query, key, value), and of
    layer(query, value) to layer(query, value, value)."""
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
    """Calls the layer with `training` False and True, by "False" and "True": sums of the rows that it returns (`returned`) and of
    those that mix the values (`used`), how many of all `weights` are `dropped`, and how far the output is from a layer without
    dropout."""
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


# attention_axes: what a query gives to each position, and what wrong choices do that Keras accepts.


def axes_view(layer: KerasLayer) -> Facts:
    """Calls the layer: the shape of the real `scores`, and for axes of positions a `view`: what the query in the middle gives to
    each position (first sample and head), in their shape; NaN: not seen."""
    _, scores = call(built_layer(layer), layer)
    return {"scores": list(scores.shape)} | ({"view": view(layer, scores)} if layer.attends_positions else {})


def view(layer: KerasLayer, scores: Floats) -> Floats:
    """One query's weights laid out as the positions are. Queries and keys must have the same positions."""
    positions = layer.query_shape[1:-1]
    query = tuple(size // 2 for size in positions)
    outer = tuple(place for axis, place in enumerate(query, 1) if axis not in layer.axes)
    weights = scores[(0, *outer, 0, *(query[axis - 1] for axis in layer.axes))]  # the attended axes of the keys are left
    spread = np.full(positions, np.nan, np.float32)
    seen = tuple(slice(None) if axis in layer.axes else place for axis, place in enumerate(query, 1))
    spread[seen] = np.transpose(weights, np.argsort(layer.axes))  # Keras keeps the axes in the order of its argument
    return spread


def axes_leak(layer: KerasLayer) -> Facts:
    """Shows what axes do that are not axes of positions: `scores` the shape they give, `leak` how much the first sample's output
    changes with the second sample's input in a call with scores, `leak_without_scores` in one without, `apart` the difference
    between the two outputs."""
    real_layer = built_layer(layer)
    query, value, key = (x.copy() for x in inputs_of(layer))
    for x in (query, value, key):
        x[1] += 1.0
    with_scores, scores = call(real_layer, layer)
    without = output_of(real_layer, layer)
    return {
        "scores": list(scores.shape),
        "leak": difference(with_scores[0], call(real_layer, layer, (query, value, key))[0][0]),
        "leak_without_scores": difference(without[0], output_of(real_layer, layer, (query, value, key))[0]),
        "apart": difference(with_scores, without),
    }


# GroupQueryAttention.


def grouped_reads(layer: KerasLayer) -> Facts:
    """`reads`: for each query head the key/value head it reads: the one at which a change of the key kernel changes its scores;
    -1 where none did. With a single key, or in a window of one, every score is 1 and nothing would change: two keys are used
    then, and no window."""
    queries, keys = layer.query_shape[1], layer.key_shape[1]
    layer = replace(layer.with_positions((queries,), (max(2, keys),)), sliding_window=None)
    real_layer = built_layer(layer)
    _, scores = call(real_layer, layer)
    reads = [-1] * layer.num_heads
    kernel = next(variable for variable in real_layer.weights if variable.path.endswith("key/kernel"))
    before = np.array(kernel)
    for head in range(layer.kv_heads):
        changed = before.copy()
        changed[:, head] += 1.0
        kernel.assign(changed)
        moved = np.abs(call(real_layer, layer)[1] - scores).max(axis=(0, 2, 3)) > 1e-6
        for query_head in np.flatnonzero(moved):
            reads[query_head] = head
    return {"reads": reads}


def grouped_count(layer: KerasLayer) -> Facts:
    """Count of the real layer."""
    return {"count": built_layer(layer).count_params()}


def grouped_and_full(layer: KerasLayer) -> Facts:
    """The layer with as many key/value heads as query heads and MultiHeadAttention with the same numbers: the difference
    of their outputs."""
    grouped = layer_of(replace(layer, num_kv_heads=layer.num_heads).plain())
    full = built_layer(alone := replace(layer, num_kv_heads=None))
    return {"count": full.count_params(), "apart": difference(call(built_layer(grouped), grouped)[0], call(full, alone)[0])}
