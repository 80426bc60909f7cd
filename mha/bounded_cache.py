"""What was asked before, bounded by count and by bytes."""

import time
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer, and until when that stands (`time.monotonic`).

    `state` as in `mha.keras.reply.Reply`; `words`: Keras's own where it refused, the bound where this app declined.
    """

    sentence: str
    until: float
    state: str = "failed"
    words: str = ""


class Shelf(Generic[Value]):
    """The values last used, at most `count` of them and at most `size` bytes together. Not thread-safe: its owner locks."""

    def __init__(self, count: int, size: int):
        self.count, self.size, self.bytes = count, size, 0
        self._held: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._held)

    def put(self, key: Hashable, value: Value, size: int = 0) -> None:
        """A value above the bound by itself is not kept."""
        self.drop(key)
        if size > self.size:
            return
        self._held[key] = value, size
        self.bytes += size
        while len(self._held) > self.count or self.bytes > self.size:
            self.drop(next(iter(self._held)))

    def get(self, key: Hashable) -> Value | None:
        """None for what is not there, or for a failure whose time is over."""
        if key not in self._held:
            return None
        value, _ = self._held[key]
        if isinstance(value, Failure) and value.until < time.monotonic():
            self.drop(key)
            return None
        self._held.move_to_end(key)
        return value

    def drop(self, key: Hashable) -> None:
        _, size = self._held.pop(key, (None, 0))
        self.bytes -= size
