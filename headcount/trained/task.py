"""Task of a trained network: its words, its questions, its sizes, and the random drawing of examples."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from headcount.arrays import Floats, Ints

UNASKED = -1


@dataclass(frozen=True, slots=True)
class Examples:
    """Examples of a task. `tokens`, axes (batch, position, feature): indices of words and positions. `answers`, axes (batch,
    position, question): indices of right answers, or UNASKED. `answer_at`, the same axes: positions of these answers."""

    tokens: Ints
    answers: Ints
    answer_at: Ints

    def __getitem__(self, here: slice) -> "Examples":
        return Examples(self.tokens[here], self.answers[here], self.answer_at[here])


@dataclass(frozen=True, slots=True)
class Task:
    """Definition of a task. `draw(rng, count)` makes random examples.
    - `features`: the embedding tables as (name, rows). An input is the sum of one row of each table.
    - `questions`: all are asked at each position. `answers`: the classes of each question's softmax."""

    name: str
    d_model: int
    features: tuple[tuple[str, int], ...]
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    length: int
    draw: Callable[[np.random.Generator, int], Examples]

    @property
    def outputs(self) -> int:
        """The number of logits per position: one for each pair of question and answer."""
        return len(self.questions) * len(self.answers)

    def shapes(self, heads: int, key_dim: int | None = None, value_dim: int | None = None) -> dict[str, tuple[int, ...]]:
        """Returns the shape of every weight by name, as in Keras, in the order of computation. `value_dim` defaults to `key_dim`,
        and `key_dim` to d_model / heads as in the paper. Raises ValueError if this default is no whole number."""
        width, size = self.d_model, self.d_model // heads if key_dim is None else key_dim
        values = size if value_dim is None else value_dim
        if key_dim is None and width % heads:
            raise ValueError(f"heads must divide {width}, got {heads}")
        shapes: dict[str, tuple[int, ...]] = {f"embed_{name}": (rows, width) for name, rows in self.features}
        for letter, numbers in (("q", size), ("k", size), ("v", values)):
            shapes |= {f"layer1_w_{letter}": (width, heads, numbers), f"layer1_b_{letter}": (heads, numbers)}
        shapes |= {"layer1_w_o": (heads, values, width), "layer1_b_o": (width,)}
        return shapes | {"answer_w": (width, self.outputs), "answer_b": (self.outputs,)}


#: Streams of random numbers of one seed. They are separate, so that drawing weights never changes the examples.
WEIGHTS, LESSONS = 1, 2
TEST_SEED = 77
TEST_COUNT = 2000


def _flat(rng: np.random.Generator, name: str, shape: tuple[int, ...], d_model: int) -> Floats:
    """Draws the initial numbers of one weight as a flat array: standard normal embeddings, Glorot-uniform matrices, zero biases.
    The numbers do not depend on the division into heads. Networks with smaller embeddings (Keras's 0.05) did not train."""
    count = math.prod(shape)
    if name.startswith("embed_"):
        return rng.standard_normal(count, dtype=np.float32)
    if "_b" in name:
        return np.zeros(count, dtype=np.float32)
    limit = math.sqrt(6 / (d_model + count // d_model))  # Glorot's, of the matrix before it is cut into heads
    return rng.uniform(-limit, limit, count).astype(np.float32)


def start(task: Task, heads: int, seed: int, key_dim: int | None = None, value_dim: int | None = None) -> dict[str, Floats]:
    """Draws the initial weights by name. In the paper's convention, the flat numbers are the same for every number of heads."""
    rng = np.random.default_rng([seed, WEIGHTS])
    shapes = task.shapes(heads, key_dim, value_dim)
    return {name: _flat(rng, name, shape, task.d_model).reshape(shape) for name, shape in shapes.items()}


def lessons(task: Task, seed: int, count: int) -> Examples:
    """Draws the training examples. One seed gives the same examples in the same order for every number of heads."""
    return task.draw(np.random.default_rng([seed, LESSONS]), count)


def fixed_examples(task: Task) -> Examples:
    """Draws the fixed examples on which every accuracy is measured."""
    return task.draw(np.random.default_rng(TEST_SEED), TEST_COUNT)
