"""One question to the worker, by value: which experiment, with which arguments."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from mha.bounded_cache import BoundedCache
from mha.keras.experiments import EXPERIMENTS
from mha.keras.wire import MAX_HEADER, Arrays, Facts, Message

Tree = Any  # plain JSON, or NumPy arrays anywhere in it
#: Characters of one question's arguments, arrays apart: a header must hold them.
MOST_CHARACTERS = MAX_HEADER // 4
#: Stands for an array in a tree of plain JSON.
PLACE = "array at"


@dataclass(frozen=True, slots=True)
class Question:
    """`text`: the arguments as JSON, arrays taken out of it; `arrays`: each one's shape and float32 bytes. Made by `question`.

    `known`: where the answer is kept, if it must be in no cache that visitors share.
    """

    name: str
    text: str
    arrays: tuple[tuple[tuple[int, ...], bytes], ...] = ()
    known: BoundedCache[Any] | None = field(default=None, compare=False, repr=False)

    @property
    def bytes(self) -> int:
        return len(self.text) + sum(len(data) for _, data in self.arrays)

    def message(self) -> Message:
        """As it goes to the worker."""
        arrays = {str(i): np.frombuffer(data, "<f4").reshape(shape) for i, (shape, data) in enumerate(self.arrays)}
        return {"name": self.name, "arguments": json.loads(self.text)}, arrays

    @property
    def arguments(self) -> Facts:
        """As they were given; tuples have become lists."""
        plain, arrays = self.message()
        return lower(plain["arguments"], arrays)


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
    """All of them as one question. An array that several carry is sent once."""
    return question("several", questions=[[asked.name, asked.arguments] for asked in questions])


def lift(tree: Tree) -> tuple[Tree, Arrays]:
    """The tree with a mark in each array's place, and the arrays by their numbers, as float32, equal ones once."""
    arrays: Arrays = {}
    places: dict[tuple[tuple[int, ...], bytes], str] = {}

    def walk(node: Tree) -> Tree:
        if isinstance(node, np.ndarray) and node.ndim:
            values = np.ascontiguousarray(node, dtype="<f4")
            place = places.setdefault((values.shape, values.tobytes()), str(len(arrays)))
            arrays.setdefault(place, values)
            return {PLACE: place}
        if isinstance(node, Mapping):
            return {str(key): walk(value) for key, value in cast(Mapping[str, Tree], node).items()}
        if isinstance(node, list | tuple):
            return [walk(value) for value in cast(Sequence[Tree], node)]
        if isinstance(node, np.generic | np.ndarray):
            return cast(np.generic, node).item()
        return node

    return walk(tree), arrays


def lower(tree: Tree, arrays: Arrays) -> Tree:
    """The other way round: tuples have become lists."""
    if isinstance(tree, dict):
        named = cast(Facts, tree)
        return arrays[named[PLACE]] if set(named) == {PLACE} else {key: lower(value, arrays) for key, value in named.items()}
    return [lower(value, arrays) for value in cast(list[Tree], tree)] if isinstance(tree, list) else tree
