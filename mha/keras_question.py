"""One question to the worker, by value: which experiment, with which arguments."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.experiments import EXPERIMENTS
from mha.wire import MAX_HEADER

Tree = object  # plain JSON, or NumPy arrays anywhere in it
#: Characters of one question's arguments, arrays apart: a header must hold them.
MOST_CHARACTERS = MAX_HEADER // 4
#: Stands for an array in a tree of plain JSON.
PLACE = "array at"


@dataclass(frozen=True, slots=True)
class Question:
    """`text`: the arguments as JSON, arrays taken out of it; `arrays`: each one's shape and float32 bytes. Made by `question`."""

    name: str
    text: str
    arrays: tuple[tuple[tuple[int, ...], bytes], ...] = ()

    @property
    def bytes(self) -> int:
        return len(self.text) + sum(len(data) for _, data in self.arrays)

    def message(self) -> tuple[dict, dict[str, np.ndarray]]:
        """As it goes to the worker."""
        arrays = {str(i): np.frombuffer(data, "<f4").reshape(shape) for i, (shape, data) in enumerate(self.arrays)}
        return {"name": self.name, "arguments": json.loads(self.text)}, arrays


def question(name: str, **arguments: Tree) -> Question:
    """ValueError for an experiment that there is not, for arguments that are no JSON, and for too many of them."""
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {', '.join(EXPERIMENTS)}, got {name!r}")
    plain, arrays = lift(arguments)
    try:
        text = json.dumps(plain, sort_keys=True)
    except TypeError as error:
        raise ValueError(f"arguments of {name} must be plain JSON and arrays: {error}") from None
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"arguments of {name} must be at most {MOST_CHARACTERS} characters, got {len(text)}")
    return Question(name, text, tuple((values.shape, values.tobytes()) for values in arrays.values()))


def several(questions: Sequence[Question]) -> Question:
    """All of them as one question. ValueError where one of them carries arrays: those are asked one by one."""
    if any(asked.arrays for asked in questions):
        raise ValueError("questions with arrays cannot be asked together")
    return question("several", questions=[[asked.name, json.loads(asked.text)] for asked in questions])


def lift(tree: Tree) -> tuple[Tree, dict[str, np.ndarray]]:
    """The tree with a mark in each array's place, and the arrays by their numbers, as float32."""
    arrays: dict[str, np.ndarray] = {}

    def walk(node: Tree) -> Tree:
        if isinstance(node, np.ndarray) and node.ndim:
            arrays[str(len(arrays))] = np.ascontiguousarray(node, dtype="<f4")
            return {PLACE: str(len(arrays) - 1)}
        if isinstance(node, dict):
            return {str(key): walk(value) for key, value in node.items()}
        if isinstance(node, list | tuple):
            return [walk(value) for value in node]
        return node.item() if isinstance(node, np.generic | np.ndarray) else node

    return walk(tree), arrays


def lower(tree: Tree, arrays: dict[str, np.ndarray]) -> Tree:
    """The other way round: tuples have become lists."""
    if isinstance(tree, dict):
        return arrays[tree[PLACE]] if set(tree) == {PLACE} else {key: lower(value, arrays) for key, value in tree.items()}
    return [lower(value, arrays) for value in tree] if isinstance(tree, list) else tree
