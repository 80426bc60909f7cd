"""One array of a file: its name and shape first, its numbers only when they are asked for; and why a file cannot be read."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mha.arrays import Floats

#: Characters of a name out of a file that are kept; longer ones are cut.
MOST_NAME = 120


class Unreadable(ValueError):
    """`sentence` has a {} for each of `names`. Those came out of the file: who shows them must quote them first."""

    def __init__(self, sentence: str, *names: object):
        self.sentence = sentence
        self.names = tuple(str(name)[:MOST_NAME] for name in names)
        super().__init__(sentence.format(*(repr(name) for name in self.names)))


def each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """For `object_pairs_hook` of json: of a key that stands twice in its object Python would take the last, others the first."""
    made: dict[str, object] = {}
    for key, value in pairs:
        if key in made:
            raise Unreadable("{} stands twice in one JSON object of the file; each key may stand once.", key)
        made[key] = value
    return made


#: What a file may be, and what it may unpack to, in bytes. One layer of GPT-2 has 9 MB, all of a small BERT 17 MB.
MOST_FILE, MOST_UNPACKED = 64 << 20, 256 << 20
#: Arrays in one file, axes of one array, numbers in one array: more is no attention layer of ours.
MOST_TENSORS, MOST_AXES, MOST_NUMBERS = 10_000, 8, 1 << 25
FLOATS = ("float16", "bfloat16", "float32", "float64")
FLOAT_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}


@dataclass(frozen=True, slots=True)
class Tensor:
    """`shape` is as the file declares it, checked; `dtype` is a word; `raw` reads the bytes' own numbers (bfloat16 as uint16)."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    raw: Callable[[], NDArray[Any]]

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def numbers(self) -> Floats:
        """The values as float32. Unreadable: not floating point, too many, NaN or infinite, or not what the file declares."""
        if self.dtype not in FLOATS:
            raise Unreadable("{} holds {}, not floating-point numbers.", self.name, self.dtype)
        if self.size > MOST_NUMBERS:
            raise Unreadable("{} has " + f"{self.size:,} numbers; at most {MOST_NUMBERS:,} are read.", self.name)
        values = self.raw()
        if values.shape != self.shape:
            raise Unreadable("{} is declared as {} and is not.", self.name, self.shape)
        if self.dtype == "bfloat16":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        if wrong := int(values.size - np.isfinite(values).sum()):
            numbers = f"{wrong:,} number{'s that are' if wrong > 1 else ' that is'} NaN or infinite"
            raise Unreadable("{} holds " + f"{numbers}; all must be finite.", self.name)
        with np.errstate(over="ignore"):
            values = np.ascontiguousarray(values, dtype=np.float32)
        if not np.isfinite(values).all():
            raise Unreadable("{} holds numbers beyond 3.4e38, too large for float32.", self.name)
        return values


def checked_shape(name: str, shape: object) -> tuple[int, ...]:
    """The shape as whole numbers from 0, a few axes. Unreadable for anything else."""
    declared = tuple(cast(Iterable[object], shape)) if isinstance(shape, Iterable) else None
    lengths = tuple(n for n in declared or () if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 1 << 62)
    if declared is None or len(lengths) < len(declared):
        raise Unreadable("{} has the shape {}; lengths must be whole numbers from 0.", name, cast(object, shape))
    if len(lengths) > MOST_AXES:
        raise Unreadable("{} has " + f"{len(lengths)} axes; at most {MOST_AXES} are read.", name)
    return lengths


def checked_count(count: int) -> None:
    if count > MOST_TENSORS:
        raise Unreadable(f"The file holds {count:,} arrays; at most {MOST_TENSORS:,} are looked at.")
