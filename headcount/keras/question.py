"""A question to the worker as a hashable value, and its reply: an answer, or the reason why there is none."""

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
#: Most characters of one question's arguments without arrays, because they must fit into a message's header.
MAX_ARGUMENTS = MAX_HEADER // 4
#: The beginning of a sentence that says how to get the real layer if it is missing.
REMEDY = "A server with TensorFlow adds" if sys.platform == "emscripten" else "`pip install tensorflow` adds"
#: The key that marks an array in a tree of plain JSON.
PLACE = "array at"


@dataclass(frozen=True, slots=True)
class KerasQuestion:
    """One question, made by `question`. `text` has the arguments as JSON. `arrays` has the shape and the float32 bytes of each
    array.

    `known` is a private place for the answer, if the cache that visitors share must not have it.
    """

    name: str
    text: str
    arrays: tuple[tuple[tuple[int, ...], bytes], ...] = ()
    known: BoundedCache[Any] | None = field(default=None, compare=False, repr=False)

    @property
    def bytes(self) -> int:
        return len(self.text) + sum(len(data) for _, data in self.arrays)

    def message(self) -> Message:
        """Returns the message to the worker: name and arguments in plain JSON, and arrays by number, float32."""
        arrays = {str(i): np.frombuffer(data, "<f4").reshape(shape) for i, (shape, data) in enumerate(self.arrays)}
        return {"name": self.name, "arguments": json.loads(self.text)}, arrays

    @property
    def arguments(self) -> Facts:
        """The arguments as `question` took them, with lists in place of tuples."""
        plain, arrays = self.message()
        return lower(plain["arguments"], arrays)


def question(name: str, **arguments: Tree) -> KerasQuestion:
    """Makes a question. Raises ValueError for an unknown experiment, and for arguments that are not JSON or too long."""
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
    """Joins questions into one, whose result has a list "results". One that fails has {"error": sentence} in the list. An array
    in several questions is sent once."""
    return question("several", questions=[[one.name, one.arguments] for one in questions])


def lift(tree: Tree) -> tuple[Tree, Arrays]:
    """Replaces each array in a tree by a mark. Also returns the arrays by number, as float32; equal arrays occur once."""
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
    """Returns a tree with the arrays that `lift` took out put back. Tuples have become lists."""
    if isinstance(tree, dict):
        named = cast(Facts, tree)
        return arrays[named[PLACE]] if set(named) == {PLACE} else {key: lower(value, arrays) for key, value in named.items()}
    return [lower(value, arrays) for value in cast(list[Tree], tree)] if isinstance(tree, list) else tree


#: Keys of a dict in place of an answer: the error of Keras, or the refusal by this app.
ERROR, DECLINED = "error", "declined"


class Declined(ValueError):
    """Error: this app, not Keras, refused the question, because it is too large to compute or describes no layer."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, or a part of one. Every reader uses this class, so that none mistakes an incomplete answer for a complete one.
    `state` "answered" has the answer in `facts`, and with "loading" or "running" an answer may come. In the other states `why` is
    the reason: Keras's error ("refused"), the bound of this app ("declined"), or what happened to the process ("failed").
    "missing" means that TensorFlow is not installed."""

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
        """A sentence that says why there is no answer."""
        begins = {"refused": "Keras refused this layer: {}", "declined": "This app does not ask Keras for it: {}."}
        return begins.get(self.state, "{}").format(self.why)

    def __getitem__(self, key: str) -> Any:
        """Returns the fact at `key`. Raises KeyError without an answer, so check `answered` first."""
        return self.facts[key]

    def part(self, key: str) -> "Reply":
        """Returns the part of the answer under this key. Without an answer, the part has the same reason."""
        return reply_of(self.facts[key]) if self.answered else replace(self, facts={})

    def parts(self, count: int) -> list["Reply"]:
        """Returns the results of several joined questions as Replies. Without an answer, returns `count` replies with the
        reason."""
        return [reply_of(one) for one in self.facts["results"]] if self.answered else [replace(self, facts={})] * count

    def declined(self) -> list[str]:
        """Lists the reasons for which some of several joined questions were declined, each once."""
        return list(dict.fromkeys(part[DECLINED] for part in self.facts.get("results", ()) if DECLINED in part))


def reply_of(facts: Mapping[str, Any]) -> Reply:
    """Makes a Reply of an answer from the worker, or of a part of one. If several joined questions were all declined, it has the
    first one's reason."""
    if DECLINED in facts:
        return Reply("declined", why=str(facts[DECLINED]))
    if ERROR in facts:
        return Reply("refused", why=str(facts[ERROR]))
    results = facts.get("results", ())
    return reply_of(results[0]) if results and all(DECLINED in one for one in results) else Reply("answered", facts)
