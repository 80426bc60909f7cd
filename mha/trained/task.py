"""What a trained network is asked: a task is its words, its questions, its sizes and how examples are drawn."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mha.arrays import Ints

D_MODEL = 24
#: Every head count that divides d_model = 24.
HEADS = (1, 2, 3, 4, 6, 8, 12, 24)
UNASKED = -1


@dataclass(frozen=True, slots=True)
class Examples:
    """`tokens`, axes "btf": per position one number for each feature. `answers`, axes "btr": per position and question
    the right answer, `UNASKED` where nothing is asked. `asked`, axes "btr": the position at which that answer stands."""

    tokens: Ints
    answers: Ints
    asked: Ints


@dataclass(frozen=True, slots=True)
class Task:
    """`features` are the embedding tables (name, rows); their rows for a position are summed to its vector.
    `questions` are answered at each position at once, each by a softmax over `answers`. `draw(rng, count)` makes examples."""

    name: str
    features: tuple[tuple[str, int], ...]
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    length: int
    draw: Callable[[np.random.Generator, int], Examples]
    layers: int = 1
    causal: bool = False

    @property
    def outputs(self) -> int:
        """Numbers that come out per position: one per question and answer."""
        return len(self.questions) * len(self.answers)

    def shapes(self, heads: int) -> dict[str, tuple[int, ...]]:
        """Name and shape of every weight, in the order of computation, kernels shaped as Keras shapes them."""
        size = D_MODEL // heads
        if D_MODEL % heads:
            raise ValueError(f"heads must divide {D_MODEL}, got {heads}")
        made: dict[str, tuple[int, ...]] = {f"embed_{name}": (rows, D_MODEL) for name, rows in self.features}
        for layer in range(1, self.layers + 1):
            for letter in "qkv":
                made[f"layer{layer}_w_{letter}"] = (D_MODEL, heads, size)
                made[f"layer{layer}_b_{letter}"] = (heads, size)
            made[f"layer{layer}_w_o"] = (heads, size, D_MODEL)
            made[f"layer{layer}_b_o"] = (D_MODEL,)
        return {**made, "answer_w": (D_MODEL, self.outputs), "answer_b": (self.outputs,)}
