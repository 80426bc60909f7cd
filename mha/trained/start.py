"""The numbers a network starts from, and the examples it sees: drawn by NumPy, the same for every number of heads."""

import math

import numpy as np

from mha.arrays import Floats
from mha.trained.task import D_MODEL, Examples, Task

#: Streams of random numbers for one seed: a weight's draw never disturbs the examples.
WEIGHTS, LESSONS = 1, 2
TEST_SEED = 77
TEST_COUNT = 2000


def _flat(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> Floats:
    """Embeddings standard normal (0.05 wide, as Keras has it, they never leave the plateau), kernels as Glorot, biases 0.
    How many numbers are drawn depends on the size only, never on the cut."""
    count = math.prod(shape)
    if name.startswith("embed_"):
        return rng.standard_normal(count, dtype=np.float32)
    if "_b" in name:
        return np.zeros(count, dtype=np.float32)
    limit = math.sqrt(6 / (D_MODEL + count // D_MODEL))  # Glorot's, of the matrix before it is cut into heads
    return rng.uniform(-limit, limit, count).astype(np.float32)


def start(task: Task, heads: int, seed: int) -> dict[str, Floats]:
    """Every weight before training. For one seed the flat numbers are the same, bit by bit, for every number of heads."""
    rng = np.random.default_rng([seed, WEIGHTS])
    return {name: _flat(rng, name, shape).reshape(shape) for name, shape in task.shapes(heads).items()}


def lessons(task: Task, seed: int, count: int) -> Examples:
    """What a network is trained on: fresh examples, the same in the same order for every number of heads."""
    return task.draw(np.random.default_rng([seed, LESSONS]), count)


def fixed_examples(task: Task, count: int = TEST_COUNT) -> Examples:
    """The fixed examples that every accuracy is measured on."""
    return task.draw(np.random.default_rng(TEST_SEED), count)
