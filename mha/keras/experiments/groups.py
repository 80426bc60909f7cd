"""GroupQueryAttention, built by Keras for each number of key/value heads."""

from dataclasses import replace

from mha.keras.backend import built_layer, np
from mha.keras.experiments.building import call, difference, layer_of
from mha.keras.wire import Facts


def grouped_reads(layer: Facts) -> Facts:
    """`reads`: for each query head the key/value head it reads: the one at which a change of the key kernel changes its scores;
    -1 where none did. With a single key, or in a window of one, every score is 1 and nothing would change: two keys are used
    then, and no window."""
    sizes = layer_of(layer)
    queries, keys = sizes.query_shape[1], sizes.key_shape[1]
    sizes = replace(sizes.with_positions((queries,), (max(2, keys),)), sliding_window=None)
    real_layer = built_layer(sizes)
    _, scores = call(real_layer, sizes)
    reads = [-1] * sizes.num_heads
    kernel = next(variable for variable in real_layer.weights if variable.path.endswith("key/kernel"))
    before = np.array(kernel)
    for head in range(sizes.kv_heads):
        changed = before.copy()
        changed[:, head] += 1.0
        kernel.assign(changed)
        moved = np.abs(call(real_layer, sizes)[1] - scores).max(axis=(0, 2, 3)) > 1e-6
        for query_head in np.flatnonzero(moved):
            reads[query_head] = head
    return {"reads": reads}


def grouped_count(layer: Facts) -> Facts:
    """Count of the real layer."""
    return {"count": built_layer(layer_of(layer)).count_params()}


def grouped_and_full(layer: Facts) -> Facts:
    """The layer with as many key/value heads as query heads and MultiHeadAttention with the same numbers: the difference
    of their outputs."""
    sizes = layer_of({**layer, "num_kv_heads": layer["num_heads"]})
    alone = replace(sizes, num_kv_heads=None)
    full = built_layer(alone)
    return {"count": full.count_params(), "apart": difference(call(built_layer(sizes), sizes)[0], call(full, alone)[0])}
