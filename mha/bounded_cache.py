"""Values kept by key, bounded by count, by bytes and each by a time."""

import math
import threading
import time
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

from cachetools import TLRUCache

Value = TypeVar("Value")


class Entry(NamedTuple, Generic[Value]):
    value: Value
    size: int
    until: float


class BoundedCache(Generic[Value]):
    """The values last used, at most `count` of them and at most `size` bytes together. Thread-safe."""

    def __init__(self, count: int, size: int):
        self.count, self._lock = count, threading.Lock()
        self._entries: TLRUCache[Hashable, Entry[Value]] = TLRUCache(
            size, ttu=lambda _, entry, now: entry.until, timer=time.monotonic, getsizeof=lambda entry: entry.size
        )

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def bytes(self) -> int:
        return int(self._entries.currsize)

    def put(self, key: Hashable, value: Value, size: int = 0, until: float = math.inf) -> None:
        """Keeps the value while `time.monotonic()` is below `until`; not at all where it is above the bound by itself."""
        with self._lock:
            self._entries.pop(key, None)
            if size <= self._entries.maxsize:
                if len(self._entries) == self.count:
                    self._entries.popitem()
                self._entries[key] = Entry(value, size, until)

    def get(self, key: Hashable) -> Value | None:
        """Returns the value at `key`; None where there is none, or it has expired."""
        with self._lock:
            entry = self._entries.get(key)
        return None if entry is None else entry.value
