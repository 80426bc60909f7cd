"""GroupQueryAttention, built by Keras for each number of key/value heads."""

from dataclasses import replace
from functools import partial

from mha.arrays import Floats
from mha.keras.backend import keras, np, tf, variables
from mha.keras.experiments.basics import attempt
from mha.keras.experiments.building import difference, with_weights
from mha.keras.grouped import GroupedLayer, grouped_inputs, grouped_weights
from mha.keras.layer import MOST_NUMBERS
from mha.keras.question import Declined
from mha.keras.wire import Facts

#: Numbers of key/value heads in one request: no head count up to 256 has more divisors than 240.
MOST_CHOICES = 20


def grouped_of(sizes: Facts) -> GroupedLayer:
    """From plain JSON, checked and bounded."""
    try:
        layer = GroupedLayer(**sizes)
    except (TypeError, ValueError) as error:
        raise Declined(f"{type(error).__name__}: {error}") from error
    if layer.too_large:
        heads = f"{layer.num_kv_heads} key/value head{'s' * (layer.num_kv_heads > 1)}"
        raise Declined(f"the layer with {heads} takes {layer.numbers:,} numbers; up to {MOST_NUMBERS:,} are computed live")
    return layer


def built_grouped_layer(layer: GroupedLayer) -> keras.layers.GroupQueryAttention:
    """With the numbers of its seed."""
    real_layer = keras.layers.GroupQueryAttention(
        layer.head_dim, layer.num_heads, layer.num_kv_heads, use_bias=layer.use_bias, use_gate=layer.use_gate,
        sliding_window=layer.sliding_window,
    )  # fmt: skip
    return with_weights(real_layer, (x.shape for x in grouped_inputs(layer)), grouped_weights(layer))


def grouped_call(real_layer: keras.layers.GroupQueryAttention, layer: GroupedLayer) -> tuple[Floats, Floats]:
    output, scores = real_layer(*map(tf.convert_to_tensor, grouped_inputs(layer)), return_attention_scores=True)
    return np.asarray(output), np.asarray(scores)


def grouped_facts(layer: Facts) -> Facts:
    """Variables, count, einsums, and `reads`: for each query head the key/value head it reads: the one at
    which a change of the key kernel changes its scores; -1 where none did. With a single key, or in a window of one, every score
    is 1 and nothing would change: two keys are used then, and no window."""
    sizes = grouped_of(layer)
    real_layer = built_grouped_layer(sizes)
    output, scores = grouped_call(real_layer, sizes)
    shapes = {"scores": list(scores.shape), "output": list(output.shape)}
    parts = grouped_parts(real_layer)
    if sizes.key_len == 1 or sizes.sliding_window is not None:
        sizes = replace(sizes, key_len=max(2, sizes.key_len), sliding_window=None)
        real_layer = built_grouped_layer(sizes)
        _, scores = grouped_call(real_layer, sizes)
    reads = [-1] * sizes.num_heads
    kernel = next(variable for variable in real_layer.weights if variable.path.endswith("key/kernel"))
    before = np.array(kernel)
    for head in range(sizes.num_kv_heads):
        changed = before.copy()
        changed[:, head] += 1.0
        kernel.assign(changed)
        moved = np.abs(grouped_call(real_layer, sizes)[1] - scores).max(axis=(0, 2, 3)) > 1e-6
        for query_head in np.flatnonzero(moved):
            reads[query_head] = head
    return {"reads": reads, **shapes, **parts}


def grouped_run(layer: Facts) -> Facts:
    """Output and scores of the layer with the numbers of its seed, its variables, count and einsums."""
    sizes = grouped_of(layer)
    real_layer = built_grouped_layer(sizes)
    output, scores = grouped_call(real_layer, sizes)
    return {"output": output, "scores": scores, **grouped_parts(real_layer)}


def grouped_parts(real_layer: keras.layers.GroupQueryAttention) -> Facts:
    gate = ("gate",) if real_layer.use_gate else ()
    einsums = [getattr(real_layer, f"_{name}_dense").equation for name in ("query", "key", *gate, "value", "output")]
    return {"variables": variables(real_layer), "count": real_layer.count_params(), "einsums": einsums}


def grouped_counts(layer: Facts, choices: list[int]) -> Facts:
    """Count and variables of the real layer for each number of key/value heads."""
    if len(choices) > MOST_CHOICES:
        raise Declined(f"choices must be at most {MOST_CHOICES}, got {len(choices)}")

    def one(kv: int) -> Facts:
        real_layer = built_grouped_layer(grouped_of({**layer, "num_kv_heads": kv}))
        return {"count": real_layer.count_params(), "variables": variables(real_layer)}

    return {"cases": [attempt(partial(one, kv)) for kv in choices]}


def grouped_and_full(layer: Facts) -> Facts:
    """The layer with as many key/value heads as query heads and MultiHeadAttention with the same numbers: the difference
    of their outputs."""
    sizes = grouped_of({**layer, "num_kv_heads": layer["num_heads"]})
    full = keras.layers.MultiHeadAttention(
        sizes.num_heads, sizes.head_dim, use_bias=sizes.use_bias, use_gate=sizes.use_gate, sliding_window=sizes.sliding_window
    )
    inputs = grouped_inputs(sizes)
    with_weights(full, (x.shape for x in inputs), grouped_weights(sizes))
    theirs = full(*map(tf.convert_to_tensor, inputs), return_attention_scores=True)
    return {"count": full.count_params(), "apart": difference(grouped_call(built_grouped_layer(sizes), sizes)[0], theirs[0])}
