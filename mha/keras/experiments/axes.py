"""attention_axes: what a query gives to each position, and what wrong choices do that Keras accepts."""

from mha.arrays import Floats
from mha.keras.backend import built_layer, np
from mha.keras.experiments.building import call, difference, layer_of, output_of
from mha.keras.layer import KerasLayer, inputs_of
from mha.keras.wire import Facts


def axes_view(layer: Facts) -> Facts:
    """Calls the layer: the shape of the real `scores`, and for axes of positions a `view`: what the query in the middle gives to
    each position (first sample and head), in their shape; NaN: not seen."""
    sizes = layer_of(layer)
    _, scores = call(built_layer(sizes), sizes)
    return {"scores": list(scores.shape)} | ({"view": view(sizes, scores)} if sizes.attends_positions else {})


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


def axes_leak(layer: Facts) -> Facts:
    """Shows what axes do that are not axes of positions: `scores` the shape they give, `leak` how much the first sample's output
    changes with the second sample's input in a call with scores, `leak_without_scores` in one without, `apart` the difference
    between the two outputs."""
    sizes = layer_of(layer)
    real_layer, inputs = built_layer(sizes), inputs_of(sizes)
    query, value, key = (x.copy() for x in inputs)
    for x in (query, value, key):
        x[1] += 1.0
    with_scores, scores = call(real_layer, sizes)
    without = output_of(real_layer, sizes)
    return {
        "scores": list(scores.shape),
        "leak": difference(with_scores[0], call(real_layer, sizes, (query, value, key))[0][0]),
        "leak_without_scores": difference(without[0], output_of(real_layer, sizes, (query, value, key))[0]),
        "apart": difference(with_scores, without),
    }
