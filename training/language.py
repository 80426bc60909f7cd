"""How a language model is trained: real Keras layers, numbers and windows of text drawn by NumPy."""

import os

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import math

import keras
import numpy as np

from mha.arrays import Floats, Ints
from mha.language.network import EPSILON, LAYERS, LENGTH, Pass, shapes
from training.novels import Novels
from training.perplexity import windows

STEPS = {64: 2000, 16: 2000}  # by d_model
BATCH = 32  # windows of LENGTH words
RATE = {64: 1e-2, 16: 2.5e-2}  # by d_model; a higher one than is usual, as the training is short
WARM_UP = 200  # steps; then the rate falls along a cosine to FLOOR of its height
FLOOR = 0.01
DECAY = 0.01  # of the weights, by AdamW
#: Streams of random numbers for one seed.
WEIGHTS, WINDOWS = 3, 4


def start(words: int, d_model: int, heads: int, seed: int) -> dict[str, Floats]:
    """Every weight before training: tables N(0, 0.05²), kernels Glorot uniform, gains 1, biases 0. For one seed the flat numbers
    are the same for every number of heads."""
    rng = np.random.default_rng([seed, WEIGHTS])
    return {name: _flat(rng, name, shape, d_model).reshape(shape) for name, shape in shapes(words, d_model, heads).items()}


def _flat(rng: np.random.Generator, name: str, shape: tuple[int, ...], d_model: int) -> Floats:
    count = math.prod(shape)
    if name in ("words", "positions"):
        return 0.05 * rng.standard_normal(count, dtype=np.float32)
    if name.endswith("_gain"):
        return np.ones(count, dtype=np.float32)
    if "_b" in name:
        return np.zeros(count, dtype=np.float32)
    limit = math.sqrt(6 / (2 * d_model))  # Glorot's, of the matrix before it is cut into heads
    return rng.uniform(-limit, limit, count).astype(np.float32)


def build(weights: dict[str, Floats], heads: int, dtype: str = "float32", every: bool = False) -> keras.Model:
    """The network in Keras, holding `weights`. Out come the logits, axes (batch, position, word); with `every`, a dictionary of
    what enters and leaves each layer, its weights, and the end. `dtype`: "float64" to compare beyond rounding."""
    words, d_model = weights["words"].shape
    tokens = keras.Input((None,), dtype="int32")
    table = keras.layers.ReversibleEmbedding(words, d_model, name="words", dtype=dtype)
    places = keras.layers.Embedding(LENGTH, d_model, name="positions", dtype=dtype)
    counted = keras.ops.cumsum(keras.ops.ones_like(tokens), axis=1) - 1
    x = keras.layers.Add(dtype=dtype)([table(tokens), places(counted)])
    found = {}
    for layer in range(1, LAYERS + 1):
        entering = keras.layers.LayerNormalization(epsilon=EPSILON, name=f"norm{layer}", dtype=dtype)(x)
        attention = keras.layers.MultiHeadAttention(heads, d_model // heads, name=f"layer{layer}", dtype=dtype)
        output = attention(entering, entering, use_causal_mask=True, return_attention_scores=every)
        if every:
            output, scores = output
            found |= {f"input{layer}": entering, f"weights{layer}": scores, f"output{layer}": output}
        x = keras.layers.Add(dtype=dtype)([x, output])
    last = keras.layers.LayerNormalization(epsilon=EPSILON, name="last", dtype=dtype)(x)
    logits = table(last, reverse=True)
    model = keras.Model(tokens, {**found, "last": last, "logits": logits} if every else logits)
    for name, variable in zip(shapes(words, d_model, heads), _variables(model), strict=True):
        variable.assign(weights[name])
    return model


def _variables(model: keras.Model) -> list[keras.Variable]:
    """In the order of `shapes`, which has the attention's variables in Keras's own order."""
    names = ["words", "positions", *(f"{part}{layer}" for layer in range(1, LAYERS + 1) for part in ("norm", "layer")), "last"]
    return [variable for name in names for variable in model.get_layer(name).weights]


def take(model: keras.Model, heads: int) -> dict[str, Floats]:
    """The model's weights by name."""
    words, d_model = model.get_layer("words").weights[0].shape
    return {name: np.asarray(one) for name, one in zip(shapes(words, d_model, heads), _variables(model), strict=True)}


def train(text: Novels, d_model: int, heads: int, seed: int, steps: int) -> dict[str, Floats]:
    """The weights after `steps` batches of windows that begin at random places of those to be learnt."""
    keras.backend.clear_session()
    keras.utils.set_random_seed(0)  # Keras draws nothing here; deterministic operations ask for a seed all the same
    model = build(start(len(text.vocabulary), d_model, heads, seed), heads)
    rate = keras.optimizers.schedules.CosineDecay(
        0.0, steps - WARM_UP, alpha=FLOOR, warmup_target=RATE[d_model], warmup_steps=WARM_UP)
    model.compile(
        optimizer=keras.optimizers.AdamW(rate, weight_decay=DECAY, global_clipnorm=1.0),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        steps_per_execution=20, jit_compile=False,  # 24 ms a step; compiled, 37
    )  # fmt: skip
    seen, wanted = windows(text.ids, np.random.default_rng([seed, WINDOWS]).choice(text.learnt, BATCH * steps))
    model.fit(seen, wanted, batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
    return take(model, heads)


def keras_intermediates(weights: dict[str, Floats], heads: int, tokens: Ints, dtype: str) -> dict[str, Floats]:
    """All that Keras tells of one pass, by the names of `intermediates`."""
    model = build(weights, heads, dtype, every=True)
    found = dict(model(tokens))
    for number in range(1, LAYERS + 1):
        attention = model.get_layer(f"layer{number}")
        denses = {"q": attention.query_dense, "k": attention.key_dense, "v": attention.value_dense}
        found |= {f"{name}{number}": dense(found[f"input{number}"]) for name, dense in denses.items()}
    return {name: keras.ops.convert_to_numpy(one) for name, one in found.items()}


def intermediates(result: Pass) -> dict[str, Floats]:
    """NumPy's pass by name: what enters each layer, its Q, K, V, weights and output, and the end."""
    found = {"last": result.last, "logits": result.logits}
    for layer, (entering, trace) in enumerate(zip(result.inputs, result.traces, strict=True), 1):
        found[f"input{layer}"] = entering
        found |= {f"{name}{layer}": trace[name].values for name in ("q", "k", "v", "weights", "output")}
    return found
