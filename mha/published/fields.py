"""Fields of a configuration, each checked where it is read: name, bounds, type."""

import json
from collections.abc import Mapping
from typing import cast

#: What each size may be at most; far above any model, and small enough that every count stays a number one can read.
MOST = {
    "d_model": 1 << 20, "heads": 4096, "layers": 10_000, "head size": 1 << 16, "rank": 1 << 20, "width": 1 << 24,
    "positions": 1 << 27,
}  # fmt: skip


class UnreadableConfig(ValueError):
    """A configuration that cannot be read. `field` and `allowed` are our own words, `actual` is what stood there, as text."""

    def __init__(self, field: str, allowed: str, actual: str | None = None):
        self.field, self.allowed, self.actual = field, allowed, actual
        super().__init__(f"{field} {allowed}" + ("" if actual is None else f", found {actual}"))


def described(value: object) -> str:
    """A value in words that tell a number from a text that looks like one."""
    if isinstance(value, str):
        return f'the text "{value[:60]}"'
    if isinstance(value, Mapping):
        return f"an object with {len(cast(Mapping[str, object], value))} fields"
    if isinstance(value, list):
        return f"a list of {len(cast(list[object], value))}"
    return json.dumps(value)[:60]


class Fields:
    """A configuration's fields by their various names. `assumed`: a sentence for each guess of its reader."""

    def __init__(self, config: Mapping[str, object]):
        self._config = dict(config)
        self._read: set[str] = set()
        self.assumed: list[str] = []

    def merge(self, name: str) -> None:
        """Takes the fields of an object inside as if they stood beside the others."""
        if isinstance(inner := self._config.get(name), Mapping):
            self._config = dict(cast(Mapping[str, object], inner)) | self._config

    def has(self, *names: str) -> bool:
        """Whether one of them is there and not null."""
        return any(self._config.get(name) is not None for name in names)

    def names(self) -> list[str]:
        return list(self._config)

    def unread(self) -> list[tuple[str, object]]:
        """Fields that nobody has asked for."""
        return [(name, value) for name, value in self._config.items() if name not in self._read]

    def raw(self, name: str) -> object:
        """Its value; None where it is not there."""
        self._read.add(name)
        return self._config.get(name)

    def whole(self, kind: str, *names: str, default: int | None = None, least: int = 1) -> int:
        """The first of these that is there, a whole number from `least` to MOST[kind]. None of them: `default`, or
        UnreadableConfig."""
        name = next((name for name in names if self.has(name)), None)
        self._read |= set(names)
        if name is None:
            if default is None:
                if null := next((name for name in names if name in self._config), ""):
                    raise UnreadableConfig(null, "must be there", "null")
                called = names[0] if len(names) == 1 else f"{names[0]} (or {', '.join(names[1:])})"
                raise UnreadableConfig(called, "must be there", "no such field")
            return default
        value = self._config[name]
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST[kind]:
            raise UnreadableConfig(name, f"must be a whole number from {least:,} to {MOST[kind]:,}", described(value))
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        """true or false; `default` where it is null or missing."""
        value = self.raw(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise UnreadableConfig(name, "must be true or false", described(value))
        return value

    def wholes(self, name: str) -> list[int]:
        """A list of whole numbers."""
        value = self.raw(name)
        listed: list[object] = cast(list[object], value) if isinstance(value, list) else [value]
        if not all(isinstance(one, int) and not isinstance(one, bool) for one in listed):
            raise UnreadableConfig(name, "must be a list of whole numbers", described(cast(object, value)))
        return cast(list[int], listed)

    def architecture(self) -> str:
        """The class that `architectures` names first; "" where it names none."""
        value = self.raw("architectures")
        named: list[object] = cast(list[object], value) if isinstance(value, list) else [value]
        first = named[0] if named else None
        return first[:99] if isinstance(first, str) else ""
