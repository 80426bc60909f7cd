"""Fields of a configuration, each checked where it is read: name, bounds, type."""

import json
from collections.abc import Mapping
from typing import cast

#: What each size may be at most; far above any model, and small enough that every count stays a number one can read.
MOST = {
    "d_model": 1 << 20, "heads": 4096, "layers": 10_000, "head size": 1 << 16, "rank": 1 << 20, "width": 1 << 24,
    "vocabulary": 1 << 26, "positions": 1 << 27, "experts": 1 << 16,
}  # fmt: skip
MISSING = object()
MISSING_FIELD = "no such field"


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
    """A configuration's fields by their various names. `assumed`: a sentence for each guess at a missing field; `used`: the
    fields that were read, with their values."""

    def __init__(self, config: Mapping[str, object]):
        self._config = config
        self.assumed: list[str] = []
        self.used: dict[str, object] = {}

    def has(self, *names: str) -> bool:
        """Whether one of them is there and not null."""
        return any(self.raw(name)[1] not in (None, MISSING) for name in names)

    def raw(self, *names: str) -> tuple[str, object]:
        """The first of these that is there, and its value; the first name and MISSING where none is."""
        for name in names:
            if name in self._config:
                self.used[name] = self._config[name]
                return name, self._config[name]
        return names[0], MISSING

    def whole(self, kind: str, *names: str, default: int | None = None, why: str = "", least: int = 1) -> int:
        """A whole number from `least` to MOST[kind]. Missing or null: `default`, noted with a `why`, or UnreadableConfig."""
        name, value = self.raw(*names)
        if value is None or value is MISSING:
            if default is None:
                called = name if len(names) == 1 else f"{name} (or {', '.join(names[1:])})"
                raise UnreadableConfig(called, "must be there", "null" if value is None else MISSING_FIELD)
            if why:
                self.assumed.append(f"{name} is not there: {default} {why}")
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST[kind]:
            raise UnreadableConfig(name, f"must be a whole number from {least:,} to {MOST[kind]:,}", described(value))
        return value

    def flag(self, *names: str, default: bool, why: str = "") -> bool:
        """true or false."""
        name, value = self.raw(*names)
        if value is None or value is MISSING:
            if why:
                self.assumed.append(f"{name} is not there: {why}")
            return default
        if not isinstance(value, bool):
            raise UnreadableConfig(name, "must be true or false", described(value))
        return value

    def word(self, name: str, default: str = "") -> str:
        """A text; `default` where the field is missing or no text."""
        value = self.raw(name)[1]
        return value if isinstance(value, str) else default
