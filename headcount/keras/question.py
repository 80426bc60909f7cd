"""Questions to the Keras worker as hashable values, and replies. A reply is an answer, or the reason why there is none."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from headcount.bounded_cache import BoundedCache
from headcount.bounded_process import MAX_HEADER, Arrays, Facts, Message
from headcount.keras.experiments import EXPERIMENTS

Tree = Any  # plain JSON, or NumPy arrays anywhere in it
#: Most characters of one question's arguments, without arrays, so that they fit a message's header.
MAX_ARGUMENTS = MAX_HEADER // 4
#: The start of a sentence on how to get the real Keras layer if TensorFlow is missing.
REMEDY = "A server with TensorFlow adds" if sys.platform == "emscripten" else "`pip install tensorflow` adds"
#: The key of a dict that replaces an array in plain JSON.
PLACE = "array at"


@dataclass(frozen=True, slots=True)
class KerasQuestion:
    """A call of an experiment, made by `question`. `text` has the arguments as JSON, and `arrays` has the shape and float32 bytes
    of each array. `known` is a private cache for an answer that other visitors must not see."""

    name: str
    text: str
    arrays: tuple[tuple[tuple[int, ...], bytes], ...] = ()
    known: BoundedCache[Any] | None = field(default=None, compare=False, repr=False)

    @property
    def bytes(self) -> int:
        return len(self.text) + sum(len(data) for _, data in self.arrays)

    def message(self) -> Message:
        """Returns the message to the worker: the name and arguments as plain JSON, and float32 arrays by number."""
        arrays = {str(i): np.frombuffer(data, "<f4").reshape(shape) for i, (shape, data) in enumerate(self.arrays)}
        return {"name": self.name, "arguments": json.loads(self.text)}, arrays

    @property
    def arguments(self) -> Facts:
        """The arguments that were given to `question`. Tuples have become lists, and arrays float32."""
        plain, arrays = self.message()
        return lower(plain["arguments"], arrays)


def question(name: str, **arguments: Tree) -> KerasQuestion:
    """Makes a question. Raises ValueError for an unknown experiment, and for arguments too long or other than JSON and arrays."""
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {', '.join(EXPERIMENTS)}, got {name!r}")
    plain, arrays = lift(arguments)
    try:
        text = json.dumps(plain, sort_keys=True)
    except TypeError as error:
        raise ValueError(f"arguments of {name} must be plain JSON and arrays: {error}") from None
    if len(text) > MAX_ARGUMENTS:
        raise ValueError(f"arguments of {name} must be at most {MAX_ARGUMENTS} characters, got {len(text)}")
    return KerasQuestion(name, text, tuple((values.shape, values.tobytes()) for values in arrays.values()))


def several(questions: Sequence[KerasQuestion]) -> KerasQuestion:
    """Joins questions into one. Its answer has a list "results". The result of a failure has the key "error" or "declined"."""
    return question("several", questions=[[one.name, one.arguments] for one in questions])


def lift(tree: Tree) -> tuple[Tree, Arrays]:
    """Replaces the arrays in a tree of JSON by references. Returns the tree, and each distinct array as float32 by number."""
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
    """Puts arrays back into a tree in which `lift` replaced them by references. Tuples have become lists."""
    if isinstance(tree, dict):
        named = cast(Facts, tree)
        return arrays[named[PLACE]] if set(named) == {PLACE} else {key: lower(value, arrays) for key, value in named.items()}
    return [lower(value, arrays) for value in cast(list[Tree], tree)] if isinstance(tree, list) else tree


#: Keys of a dict that replaces an answer: an error of Keras, or a refusal by this app.
ERROR, DECLINED = "error", "declined"


class Declined(ValueError):
    """Error: this app, not Keras, refuses a question, for example because it is too large to compute or describes no layer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a question, or the reason (in `why`) why there is none. `state` is one of these:
    - "answered": the answer is in `facts`. "loading", "running": an answer may come.
    - "refused": Keras raised an error. "declined": this app does not ask.
    - "failed": the worker ended or was stopped. "missing": TensorFlow is not installed."""

    state: str
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    why: str = ""

    @property
    def answered(self) -> bool:
        return self.state == "answered"

    @property
    def awaited(self) -> bool:
        return self.state in ("loading", "running")

    @property
    def sentence(self) -> str:
        """A sentence on why there is no answer. It is "" if there is an answer or one may come."""
        begins = {"refused": "Keras refused this layer: {}", "declined": "This app does not ask Keras for it: {}."}
        return begins.get(self.state, "{}").format(self.why)

    def __getitem__(self, key: str) -> Any:
        """Returns the fact `key` of the answer. Raises KeyError if there is no answer, or no such fact in it."""
        return self.facts[key]

    def part(self, key: str) -> "Reply":
        """Returns a part of the answer as a Reply. If there is no answer, the part has the same reason."""
        return reply_of(self.facts[key]) if self.answered else replace(self, facts={})

    def parts(self, count: int) -> list["Reply"]:
        """Returns the results of joined questions as Replies. If there is no answer, returns `count` Replies with the reason."""
        return [reply_of(one) for one in self.facts["results"]] if self.answered else [replace(self, facts={})] * count

    def declined(self) -> list[str]:
        """Lists the reasons why joined questions were declined, each reason once."""
        return list(dict.fromkeys(part[DECLINED] for part in self.facts.get("results", ()) if DECLINED in part))


def reply_of(facts: Mapping[str, Any]) -> Reply:
    """Makes a Reply from a worker's answer or part of one. If all joined questions were declined, the Reply is "declined"."""
    if DECLINED in facts:
        return Reply("declined", why=str(facts[DECLINED]))
    if ERROR in facts:
        return Reply("refused", why=str(facts[ERROR]))
    results = facts.get("results", ())
    return reply_of(results[0]) if results and all(DECLINED in one for one in results) else Reply("answered", facts)
