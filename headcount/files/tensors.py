"""An array of a file, limits on files, and the error for a file that cannot be read."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from headcount.arrays import Floats
from headcount.names import counted

#: Most characters of a name from a file; the rest is cut off.
MAX_NAME = 120
#: Most bytes of a file, and most numbers in one of its arrays. A layer of GPT-2 has 9 MB, all of a small BERT 17 MB.
MAX_FILE, MAX_NUMBERS = 64 << 20, 1 << 25


class UnreadableFile(ValueError):
    """Error: a file cannot be read. `sentence` says why, with a {} for each of `names`. The names may come from the file, so
    quote them on a page."""

    def __init__(self, sentence: str, *names: object):
        self.sentence = sentence
        self.names = tuple(str(name)[:MAX_NAME] for name in names)
        super().__init__(self.said(repr))

    def said(self, quote: Callable[[str], str]) -> str:
        """Returns the sentence with its names. The function `quote` quotes a name."""
        return self.sentence.format(*map(quote, self.names))


def read_json(text: bytes | str, what: str, most: int) -> dict[str, object]:
    """Parses a JSON object. Error messages call the text `what`. Raises UnreadableFile for a text that is not a JSON object, has
    more than `most` characters or repeats a key."""
    try:
        if len(text) > most:
            raise UnreadableFile(f"{what} must have at most {most:,} characters, found {{}}.", len(text))
        tree = json.loads(text.encode() if isinstance(text, str) else text, object_pairs_hook=_each_key_once)
    except json.JSONDecodeError as fault:
        near = fault.doc[max(fault.pos - 12, 0) : fault.pos + 12].strip() or "nothing"
        raise UnreadableFile(f"{what} is not JSON at line {fault.lineno}, column {fault.colno}: found {{}}.", near) from None
    except UnreadableFile:
        raise
    except (ValueError, RecursionError):
        raise UnreadableFile(f"{what} is not JSON of a few levels, in UTF-8, with numbers of a readable length.") from None
    if not isinstance(tree, dict):
        raise UnreadableFile(f"{what} must hold one JSON object, {{{{ … }}}}, found {{}}.", json.dumps(tree)[:60])
    return cast(dict[str, object], tree)


def _each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    entries: dict[str, object] = {}
    for key, value in pairs:
        if key in entries:
            raise UnreadableFile("{} stands twice in one JSON object of the file; each key may stand once.", key)
        entries[key] = value
    return entries


@dataclass(frozen=True, slots=True)
class Tensor:
    """An array of a file. If numbers of its type cannot be read, only the shape of `values` is right."""

    name: str
    values: NDArray[Any]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def numbers(self) -> Floats:
        """Returns the values as finite float32. Raises UnreadableFile if that is impossible, or if there are too many values."""
        if self.values.dtype.kind != "f":
            raise UnreadableFile("{} holds no floating-point numbers of 16, 32 or 64 bits.", self.name)
        if self.values.size > MAX_NUMBERS:
            raise UnreadableFile("{} has " + f"{self.values.size:,} numbers; at most {MAX_NUMBERS:,} are read.", self.name)
        with np.errstate(over="ignore"):
            values = np.ascontiguousarray(self.values, dtype=np.float32)
        if wrong := int(values.size - np.isfinite(values).sum()):
            numbers = counted(wrong, "number that is", "numbers that are")
            raise UnreadableFile("{} holds " + f"{numbers} NaN, infinite or beyond float32 (3.4e38).", self.name)
        return values
