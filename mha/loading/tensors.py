"""One array of a file: its name and shape first, its numbers only when they are wanted. And the error for what cannot be read."""

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mha.arrays import Floats

#: Characters of a name out of a file that are kept; longer ones are cut.
MOST_NAME = 120
#: What a file may be, and what it may unpack to, in bytes. One layer of GPT-2 has 9 MB, all of a small BERT 17 MB.
MOST_FILE, MOST_UNPACKED = 64 << 20, 256 << 20
#: Arrays in one file, axes of one array, numbers in one array: more is no attention layer of ours.
MOST_TENSORS, MOST_AXES, MOST_NUMBERS = 10_000, 8, 1 << 25
#: Bytes of a number, by the kinds of numbers that are read.
FLOAT_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}


class UnreadableFile(ValueError):
    """`sentence` has a {} for each of `names`. Those came out of the file: quote them before they are shown."""

    def __init__(self, sentence: str, *names: object):
        self.sentence = sentence
        self.names = tuple(str(name)[:MOST_NAME] for name in names)
        super().__init__(sentence.format(*(repr(name) for name in self.names)))


def each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """json's `object_pairs_hook` that refuses a repeated key: Python would take the last of them, other readers the first."""
    entries: dict[str, object] = {}
    for key, value in pairs:
        if key in entries:
            raise UnreadableFile("{} stands twice in one JSON object of the file; each key may stand once.", key)
        entries[key] = value
    return entries


def read_json(text: bytes, what: str) -> object:
    """UnreadableFile where it is no JSON, or an object in it repeats a key; `what` is what the sentence names."""
    try:
        return json.loads(text, object_pairs_hook=each_key_once)
    except UnreadableFile:
        raise
    except (ValueError, RecursionError):
        raise UnreadableFile(f"{what} is not JSON.") from None


@dataclass(frozen=True, slots=True)
class Tensor:
    """`shape` is as the file declares it, checked; `raw` reads the numbers as they are stored (bfloat16 as uint16)."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    raw: Callable[[], NDArray[Any]]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def numbers(self) -> Floats:
        """The values as float32. UnreadableFile: not floating point, too many, NaN or infinite, or not what the file declares."""
        if self.dtype not in FLOAT_BYTES:
            raise UnreadableFile("{} holds {}, not floating-point numbers.", self.name, self.dtype)
        if self.size > MOST_NUMBERS:
            raise UnreadableFile("{} has " + f"{self.size:,} numbers; at most {MOST_NUMBERS:,} are read.", self.name)
        values = self.raw()
        if values.shape != self.shape:
            raise UnreadableFile("{} is declared as {} and is not.", self.name, self.shape)
        if self.dtype == "bfloat16":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        if wrong := int(values.size - np.isfinite(values).sum()):
            numbers = f"{wrong:,} number{'s that are' if wrong > 1 else ' that is'} NaN or infinite"
            raise UnreadableFile("{} holds " + f"{numbers}; all must be finite.", self.name)
        with np.errstate(over="ignore"):
            values = np.ascontiguousarray(values, dtype=np.float32)
        if not np.isfinite(values).all():
            raise UnreadableFile("{} holds numbers beyond 3.4e38, too large for float32.", self.name)
        return values


def checked_shape(name: str, shape: object) -> tuple[int, ...]:
    """The shape as whole numbers from 0, a few axes. UnreadableFile for anything else."""
    declared = tuple(cast(Iterable[object], shape)) if isinstance(shape, Iterable) else None
    lengths = tuple(n for n in declared or () if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 62)
    if declared is None or len(lengths) < len(declared):
        raise UnreadableFile("{} has the shape {}; lengths must be whole numbers from 0.", name, cast(object, shape))
    if len(lengths) > MOST_AXES:
        raise UnreadableFile("{} has " + f"{len(lengths)} axes; at most {MOST_AXES} are read.", name)
    return lengths


def checked_count(count: int) -> None:
    if count > MOST_TENSORS:
        raise UnreadableFile(f"The file holds {count:,} arrays; at most {MOST_TENSORS:,} are looked at.")
