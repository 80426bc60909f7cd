"""Experiments with the real Keras layer: its variables, the inputs and results of a call, padding and masks."""

import inspect
import re
from dataclasses import replace
from functools import partial

from headcount.arrays import Floats
from headcount.bounded_process import Facts
from headcount.keras.backend import built_layer, forget, keras, np, tf, variables
from headcount.keras.experiments.basics import attempt
from headcount.keras.experiments.building import call, difference, output_of
from headcount.keras.layer import KerasLayer, inputs_of, weights_of
from headcount.params import sample

T, WIDTH = 6, 8
#: Two heads of 4 on T tokens, with the numbers of its seed.
SIZES = KerasLayer(2, 4, 4, (1, T, WIDTH), (1, T, WIDTH))


def result(name: str, arguments: Facts) -> Facts:
    """Returns the result of an experiment of this file."""
    forget()  # no name and no number of an earlier layer
    return globals()[name](**arguments)


def versions() -> dict[str, str]:
    return {"Keras": keras.__version__, "TensorFlow": tf.__version__}


def weights(d_model: int, num_heads: int, key_dim: int, use_bias: bool = True, key_width: int | None = None) -> Facts:
    """A layer's variables as [path, shape], and its parameter count, both after the build. `before`: the number of variables
    before the build. `count_before`, `set_before`: what happens if one counts parameters, or sets weights, before the build."""
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, use_bias=use_bias)
    before, uncounted = len(layer.weights), attempt(lambda: {"count": layer.count_params()})
    refused = attempt(lambda: {"set": layer.set_weights([np.zeros(1)] * 8)})
    layer.build((None, None, d_model), (None, None, key_width or d_model))
    return {
        "before": before, "count_before": "raises an error" if "error" in uncounted else "counts",
        "set_before": re.sub(".*?(?=expecting)", "", refused.get("error", "no error")), "count": layer.count_params(),
        "variables": variables(layer),
    }  # fmt: skip


def shapes(shape: list[int], num_heads: int, key_dim: int, value_dim: int | None = None, memory: list[int] | None = None,
                  output_shape: int | None = None) -> Facts:  # fmt: skip
    """The shapes that a call returns, with and without scores. `memory`: the shape of another input for keys and values."""
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, value_dim, output_shape=output_shape)
    query = sample(0, "x", tuple(shape))
    value = query if memory is None else sample(0, "y", tuple(memory))
    alone = layer(query, value)
    pair = layer(query, value, return_attention_scores=True)
    return {
        "returns": type(alone).__name__.removeprefix("Eager"), "output": list(alone.shape),
        "tuple": [list(part.shape) for part in pair], "count": layer.count_params(),
    }  # fmt: skip


def key_dims(d_model: int, num_heads: int, key_dims: list[int], length: int = 6) -> Facts:
    """Calls a layer with each of `key_dims`. Returns the key_dims that run, their parameter counts, and the output widths."""
    runs = {size: attempt(partial(shapes, [10, length, d_model], num_heads, size)) for size in key_dims}
    ran = {size: found for size, found in runs.items() if "output" in found}
    return {"ran": [*ran], "counts": [found["count"] for found in ran.values()],
            "widths": sorted({found["output"][-1] for found in ran.values()})}  # fmt: skip


def signature() -> Facts:
    """Says which function takes `return_attention_scores`: "constructor", "call", or "constructor and call"."""
    mha = keras.layers.MultiHeadAttention
    takes = {name: "return_attention_scores" in inspect.signature(one).parameters
             for name, one in (("constructor", mha.__init__), ("call", mha.call))}  # fmt: skip
    return {"scores_in": " and ".join(name for name, has in takes.items() if has)}


def start(d_model: int, num_heads: int, key_dim: int) -> Facts:
    """The difference between the first two heads in a new layer's W_Q, before any training."""
    keras.utils.set_random_seed(0)
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim)
    layer.build((None, None, d_model), (None, None, d_model))
    kernel = np.asarray(layer.weights[0])
    return {"apart": difference(kernel[:, 0], kernel[:, 1])}


def inputs() -> Facts:
    """Calls a layer with different inputs. `kernels`: shapes of Keras's kernels for three widths. `lengths_end`: what happens
    with fewer keys than values. `of_two_sequences`: the output's shape if keys and values come from a second sequence."""

    def call(*shapes: tuple[int, ...]) -> Facts:
        layer = keras.layers.MultiHeadAttention(2, 8)
        output = layer(*(sample(i, "x", (10, *shape)) for i, shape in enumerate(shapes)))
        return {"output": list(output.shape), "kernels": [shape for path, shape in variables(layer) if path.endswith("kernel")]}

    lengths = attempt(lambda: call((T, 8), (T, 8), (5, 8)))
    return {"kernels": call((T, 8), (T, 5), (T, 7))["kernels"][:3], "lengths_end": "an error" if "error" in lengths else "runs",
            "of_two_sequences": call((T, 8), (9, 5))["output"]}  # fmt: skip


def with_scores() -> Facts:
    """Tests whether `return_attention_scores` changes the output: in an ordinary call, and for a query that may see no key. The
    output of such a query is also compared with b_O, and with the output for the mean of the values."""
    sizes = KerasLayer(2, 4, 4, (3, 4, WIDTH), (3, 4, WIDTH))
    layer, weights, (_, value, _) = built_layer(sizes), weights_of(sizes), inputs_of(sizes)
    mask = np.ones((1, 4, 4), bool)
    mask[:, -1] = False
    asked, scores = call(layer, sizes, attention_mask=mask)
    plain = output_of(layer, sizes, attention_mask=mask)
    dropped = output_of(built_layer(replace(sizes, dropout=0.1)), sizes, attention_mask=mask)[0, -1]
    mean = np.einsum("bm,mhv->bhv", value.mean(axis=1), weights["w_v"]) + weights["b_v"]
    uniform = np.einsum("bhv,hvm->bm", mean, weights["w_o"]) + weights["b_o"]
    return {
        "ordinary": difference(output_of(layer, sizes), call(layer, sizes)[0]), "row_sum": float(scores[0, 0, -1].sum()),
        "masked_row": difference(asked[:, -1], plain[:, -1]), "with_scores_to_bias": difference(asked[:, -1], weights["b_o"]),
        "dropout_to_bias": difference(dropped, weights["b_o"]), "without_scores_to_mean": difference(plain[:, -1], uniform),
        "finite": bool(np.isfinite(asked).all() and np.isfinite(plain).all()),
    }  # fmt: skip


def twins(steps: int = 50) -> Facts:
    """Compares two heads before and after training on random targets. `alike`: from equal starts. `drawn`: from unequal
    starts."""
    x, target = (tf.constant(sample(0, stream, (4, T, WIDTH))) for stream in "xy")
    result: Facts = {}
    for name, alike in (("alike", True), ("drawn", False)):
        layer = built_layer(replace(SIZES, use_bias=False))
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
        moved = max(difference(a, b) for a, b in zip(kernels, layer.get_weights(), strict=True))
        result[name] = {"before": before, "after": _heads_apart(layer.get_weights()), "moved": moved}
    return result


def _heads_apart(kernels: list[Floats]) -> float:
    return max(*(difference(w[:, 0], w[:, 1]) for w in kernels[:3]), difference(kernels[3][0], kernels[3][1]))


def padding() -> Facts:
    """Masks two samples with 3 and 5 real keys out of 5. `one_query`: an output's shape for one query and a mask (B, S).
    - `equal`: the shapes of a mask that give equal attention weights.
    - `misread` (B = T = S), `one_sample` (B = 1): the distance between the outputs for masks (B, S) and (B, 1, S)."""
    batch, t, s, heads = 2, 3, 5, 4
    sizes = KerasLayer(heads, 4, 4, (batch, t, WIDTH), (batch, s, WIDTH))
    layer, (query, value, _) = built_layer(sizes), inputs_of(sizes)
    real = np.arange(s)[None] < np.array([3, 5])[:, None]  # axes (B, S)
    shapes = {"B,T,S": (batch, t, s), "B,1,S": (batch, 1, s), "B,1,1,S": (batch, 1, 1, s), "B,h,T,S": (batch, heads, t, s)}

    def masked(shape: tuple[int, ...]) -> Floats:
        fitting = real.reshape(batch, *([1] * (len(shape) - 2)), s)
        return np.asarray(layer(query, value, attention_mask=np.broadcast_to(fitting, shape), return_attention_scores=True)[1])

    scores = {name: masked(shape) for name, shape in shapes.items()}
    first = scores["B,T,S"]
    square, square_mask = sample(0, "z", (5, 5, WIDTH)), np.arange(5)[None] < np.array([3, 5, 2, 4, 1])[:, None]  # B = T = S
    keras.utils.set_random_seed(0)
    embedded = keras.layers.Embedding(9, WIDTH, mask_zero=True)(np.array([[1, 2, 3, 0, 0]]))
    masked_rows = np.asarray(built_layer(SIZES)(embedded, embedded, return_attention_scores=True)[1])[0, 0].sum(-1)
    misread = layer(square, square, attention_mask=square_mask), layer(square, square, attention_mask=square_mask[:, None])
    return {
        "equal": [f"({name})" for name, other in scores.items() if difference(first, other) == 0],
        "zero_columns": np.flatnonzero((first[0] == 0).all((0, 1))).tolist(), "row_sums": difference(first.sum(-1), 1),
        "two_axes": "an error" if "error" in attempt(lambda: {"output": layer(query, value, attention_mask=real)}) else "runs",
        "misread": difference(*misread), "embedding_rows": masked_rows.round(6).tolist(),
        "one_sample": difference(*(layer(query[:1], value[:1], attention_mask=mask) for mask in (real[:1], real[:1, None]))),
        "one_query": list(layer(query[:, :1], value, attention_mask=real).shape), "output": [batch, 1, WIDTH],
    }  # fmt: skip
