"""Cache with limits on the number, the bytes and the age of its values."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")


class Held(NamedTuple, Generic[Value]):
    value: Value
    size: int
    until: float


class BoundedCache(Generic[Value]):
    """A thread-safe cache of the most recently used values: at most `count` values and at most `size` bytes together."""

    def __init__(self, count: int, size: int):
        self.count, self.size, self.bytes, self._lock = count, size, 0, threading.Lock()
        self._entries: OrderedDict[Hashable, Held[Value]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def put(self, key: Hashable, value: Value, size: int = 0, until: float = math.inf) -> None:
        """Stores a value of `size` bytes, which expires when `time.monotonic()` reaches `until`. Removes the least recently used
        values if there is no room. Does not store a value that is larger than the whole cache."""
        with self._lock:
            self._drop(key)
            if size > self.size:
                return
            while len(self) >= self.count or self.bytes + size > self.size:
                self._drop(next(iter(self._entries)))
            self._entries[key] = Held(value, size, until)
            self.bytes += size

    def get(self, key: Hashable) -> Value | None:
        """Returns the value at `key`. Returns None if `key` has no value or the value has expired."""
        with self._lock:
            if (entry := self._entries.get(key)) is None:
                return None
            if entry.until <= time.monotonic():
                return self._drop(key)
            self._entries.move_to_end(key)
            return entry.value

    def _drop(self, key: Hashable) -> None:
        if (entry := self._entries.pop(key, None)) is not None:
            self.bytes -= entry.size
