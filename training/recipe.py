"""Training of one network with the real Keras layers, starting from numbers that NumPy draws."""

import os

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import numpy as np
import tensorflow as tf

from headcount.trained.task import UNASKED, Task, lessons, start

BATCH = 64
WARM_UP = 100  # steps; then the rate falls along a cosine from RATE to FLOOR · RATE
RATE = 1e-2
FLOOR = 0.01


def settle() -> None:
    """Sets one thread and deterministic operations for this process, so that the same seed gives the same network."""
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    tf.config.experimental.enable_op_determinism()
    keras.utils.set_random_seed(0)  # Keras draws nothing; deterministic operations need a seed nevertheless


def build(task: Task, heads: int, weights: dict[str, np.ndarray], dtype: str = "float32") -> keras.Model:
    """Builds a network in Keras from these `weights`: a sum of embeddings, attention, and one dense layer. The output is logits
    with the axes (batch, position, question, answer)."""
    key_dim, value_dim = (weights[f"layer1_w_{letter}"].shape[-1] for letter in "qv")
    tokens = keras.Input((task.length, len(task.features)), dtype="int32")
    tables = [keras.layers.Embedding(rows, task.d_model, name=f"embed_{name}", dtype=dtype) for name, rows in task.features]
    x = keras.layers.Add(dtype=dtype)([table(tokens[:, :, column]) for column, table in enumerate(tables)])
    output = keras.layers.MultiHeadAttention(heads, key_dim, value_dim, name="layer1", dtype=dtype)(x, x)
    logits = keras.layers.Dense(task.outputs, name="answer", dtype=dtype)(output)
    shaped = keras.layers.Reshape((task.length, len(task.questions), len(task.answers)), dtype=dtype)(logits)
    model = keras.Model(tokens, shaped)
    for name, variable in zip(task.shapes(1), _variables(model, task), strict=True):
        variable.assign(weights[name])
    return model


def take(model: keras.Model, task: Task) -> dict[str, np.ndarray]:
    return {name: np.asarray(variable) for name, variable in zip(task.shapes(1), _variables(model, task), strict=True)}


def _variables(model: keras.Model, task: Task) -> list[keras.Variable]:
    """Lists the model's variables in the order of `Task.shapes`."""
    names = (*(f"embed_{name}" for name, _ in task.features), "layer1", "answer")
    return [variable for name in names for variable in model.get_layer(name).weights]


def train(
    task: Task, heads: int, seed: int, steps: int, key_dim: int | None = None, value_dim: int | None = None
) -> dict[str, np.ndarray]:
    """Trains a network for `steps` batches of new examples, and returns its weights by name."""
    keras.backend.clear_session()
    model = build(task, heads, start(task, heads, seed, key_dim, value_dim))
    rate = keras.optimizers.schedules.CosineDecay(0.0, steps - WARM_UP, alpha=FLOOR, warmup_target=RATE, warmup_steps=WARM_UP)
    model.compile(
        optimizer=keras.optimizers.Adam(rate),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=UNASKED),
        steps_per_execution=50,
    )
    seen = lessons(task, seed, BATCH * steps)
    model.fit(seen.tokens, seen.answers, batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
    return take(model, task)


def probabilities(model: keras.Model, tokens: np.ndarray) -> np.ndarray:
    """Returns the probabilities of the answers, axes (batch, position, question, answer)."""
    return np.asarray(tf.nn.softmax(model.predict(tokens, batch_size=500, verbose=0), axis=-1))


def attention_weights(model: keras.Model, task: Task, tokens: np.ndarray) -> np.ndarray:
    """Returns the attention weights of the layer, axes (batch, head, query, key)."""
    x = sum(model.get_layer(f"embed_{name}")(tokens[:, :, column]) for column, (name, _) in enumerate(task.features))
    return np.asarray(model.get_layer("layer1")(x, x, return_attention_scores=True)[1])
