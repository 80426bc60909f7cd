"""The layer a `KerasLayer` describes, built by Keras with its numbers, and what it says about itself before and after."""

import warnings

from mha.keras.backend import keras, np, tf  # it sets Keras's backend before Keras is imported
from mha.keras.experiments.basics import attempt
from mha.keras.layer import MOST_NUMBERS, KerasLayer
from mha.keras.layer_numpy import inputs_of, weights_of
from mha.keras.reply import Declined


def layer_of(sizes: dict, what: str = "the layer") -> KerasLayer:
    """From plain JSON, checked and bounded. Declined for what is not allowed or too large; `what` is what the sentence names."""
    try:
        layer = KerasLayer(**{key: tuple(value) if isinstance(value, list) else value for key, value in sizes.items()})
    except (TypeError, ValueError) as error:
        raise Declined(f"{type(error).__name__}: {error}") from error
    if layer.too_large:
        raise Declined(f"{what} takes {layer.numbers:,} numbers; up to {MOST_NUMBERS:,} are computed live")
    return layer


def bare(layer: KerasLayer) -> keras.layers.MultiHeadAttention:
    """As its constructor leaves it."""
    return keras.layers.MultiHeadAttention(
        layer.num_heads, layer.key_dim, value_dim=layer.value_dim, use_bias=layer.use_bias,
        output_shape=layer.output_shape or None, attention_axes=layer.attention_axes or None,
    )  # fmt: skip


def built(layer: KerasLayer) -> keras.layers.MultiHeadAttention:
    """With the numbers of its seed; `assign` refuses any that have another shape."""
    made = bare(layer)
    made.build(layer.query_shape, layer.value_shape, layer.key_shape)
    for variable, values in zip(made.weights, weights_of(layer).values(), strict=True):
        variable.assign(values)
    return made


def call(
    made: keras.layers.Layer, layer: KerasLayer, inputs: tuple | None = None, *, scores: bool = True, **arguments: object
) -> tuple[np.ndarray, np.ndarray | None]:
    """Output and scores (None where they are not asked for), for the inputs of the layer's seed unless others are given."""
    query, value, key = map(tf.convert_to_tensor, inputs or inputs_of(layer))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "You are using a softmax over axis")  # with one key every weight is 1
        found = made(query, value, key, return_attention_scores=scores, **arguments)
    return (np.asarray(found[0]), np.asarray(found[1])) if scores else (np.asarray(found), None)


def named(made: keras.layers.Layer) -> list:
    """Path and shape of each variable in the layer's own order, without the layer's own name."""
    return [[variable.path.removeprefix(f"{made.name}/"), list(variable.shape)] for variable in made.weights]


def layer_facts(layer: dict) -> dict:
    """Variables and count before and after build, einsums, and the shapes of output and scores: said with None for the batch,
    and real.

    `symbolic` and `real` are {"output": shape, "scores": shape}, `before["counted"]` is {"count": number}, each by an `attempt`
    of its own.
    """
    sizes = layer_of(layer)
    made = bare(sizes)
    before = {"variables": len(made.weights), "counted": attempt(lambda: {"count": made.count_params()})}
    symbolic = attempt(lambda: said(sizes))
    made = built(sizes)
    return {
        "before": before,
        **parts(made),
        "symbolic": symbolic,
        "real": attempt(lambda: shapes(*call(made, sizes))),
        "keras_version": keras.__version__,
    }


def said(layer: KerasLayer) -> dict:
    """The shapes of a call on inputs whose batch is not known, as building a Functional model makes it."""
    query, value, key = (
        keras.KerasTensor((None, *shape[1:])) for shape in (layer.query_shape, layer.value_shape, layer.key_shape)
    )
    return shapes(*bare(layer)(query, value, key, return_attention_scores=True))


def shapes(output: object, scores: object) -> dict:
    return {"output": list(output.shape), "scores": list(scores.shape)}


def layer_run(layer: dict, causal: bool = False) -> dict:
    """Output and scores of the layer with the numbers of its seed, its variables, count and einsums."""
    sizes = layer_of(layer)
    made = built(sizes)
    output, scores = call(made, sizes, use_causal_mask=causal)
    return {"output": output, "scores": scores, **parts(made)}


def parts(made: keras.layers.MultiHeadAttention) -> dict:
    """Variables and count of a built layer, its projections' einsums and its two products'."""
    sublayers = (made.query_dense, made.key_dense, made.value_dense, made.output_dense)
    return {
        "variables": named(made),
        "count": made.count_params(),
        "einsums": [sublayer.equation for sublayer in sublayers],
        "products": [made._dot_product_equation, made._combine_equation],
    }
