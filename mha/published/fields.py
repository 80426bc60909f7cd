"""Fields of a configuration, each checked where it is read: name, bounds, type. And what transformers' class knows of them.

`classes.json` holds, for each `model_type`, what transformers 5.23 declares: the fields that change a count and those that do
not, with their defaults, and other spellings. `python -m parity.fields` writes it by trying every field of the real classes.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
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


@dataclass(frozen=True, slots=True)
class ConfigClass:
    """A configuration class of transformers. `fields` may change a count, `inert` do not: name and default. `aliases`: another
    spelling and the field. `classes`: the models that can be built from it."""

    name: str
    fields: Mapping[str, object]
    inert: Mapping[str, object]
    aliases: Mapping[str, str]
    classes: tuple[str, ...]

    def default(self, name: str) -> object:
        """MISSING where the class does not know the field."""
        return self.fields.get(name, self.inert.get(name, MISSING))


def _read_classes() -> dict[str, ConfigClass]:
    rows = json.loads((Path(__file__).parent / "classes.json").read_text(encoding="utf-8"))
    return {kind: ConfigClass(**row | {"classes": tuple(row["classes"])}) for kind, row in rows.items()}


#: By `model_type`; under "" what every configuration may hold.
CONFIG_CLASSES = _read_classes()
UNKNOWN = ConfigClass("", {}, {}, {}, ())
#: Fields that a class does not know: how many of them an address keeps, and characters of a value as it is.
MOST_IGNORED, MOST_VALUE = 16, 60
#: Read by every class with a classifier, of no size in the others.
LABELS = ("id2label", "num_labels")


@dataclass(frozen=True, slots=True)
class FieldValue:
    """A field and its value in words, as the visitor wrote them."""

    name: str
    value: str


class Fields:
    """A configuration's fields by their various names; what is left out has the default of its class. `assumed`: a sentence for
    each guess; `used`: the fields that were read, with their values; `defaults`: those that were left out, with theirs."""

    def __init__(self, config: Mapping[str, object], kind: str = ""):
        self.known = CONFIG_CLASSES.get(kind, UNKNOWN) if kind else UNKNOWN
        self._config = dict(config)
        self._spelt: dict[str, str] = {}
        for alias, name in self.known.aliases.items():
            if alias in config:
                self._config[name] = config[alias]  # transformers sets other spellings last, so they win
                self._spelt[name] = alias
        self._given = config
        self.assumed: list[str] = []
        self.used: dict[str, object] = {}
        self.defaults: dict[str, object] = {}
        self._inside: dict[str, Fields] = {}
        self._beside: Fields | None = None

    def has(self, *names: str) -> bool:
        """Whether one of them is there and not null."""
        return any(self.raw(name)[1] not in (None, MISSING) for name in names)

    def raw(self, *names: str) -> tuple[str, object]:
        """The first of these that is there, and its value; else the first that has a default; the first name and MISSING."""
        for name in names:
            if name in self._config:
                spelt = self._spelt.get(name, name)
                self.used[spelt] = self._config[name]
                if name in self._given:
                    self.used[name] = self._given[name]
                return spelt, self._config[name]
        for name in names:
            default = self.known.default(name)
            if default is not MISSING:
                self.defaults[name] = default
                return name, default
        return names[0], MISSING

    def whole(self, kind: str, *names: str, default: int | None = None, least: int = 1) -> int:
        """A whole number from `least` to MOST[kind]. Missing or null: `default`, or UnreadableConfig."""
        name, value = self.raw(*names)
        if value is None or value is MISSING:
            if default is None:
                called = name if len(names) == 1 else f"{name} (or {', '.join(names[1:])})"
                raise UnreadableConfig(called, "must be there", "null" if value is None else MISSING_FIELD)
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MOST[kind]:
            raise UnreadableConfig(name, f"must be a whole number from {least:,} to {MOST[kind]:,}", described(value))
        return value

    def flag(self, *names: str, default: bool = False) -> bool:
        """true or false; `default` where it is null or missing."""
        name, value = self.raw(*names)
        if value is None or value is MISSING:
            return default
        if not isinstance(value, bool):
            raise UnreadableConfig(name, "must be true or false", described(value))
        return value

    def word(self, name: str, default: str = "") -> str:
        """A text; `default` where the field is missing or no text."""
        value = self.raw(name)[1]
        return value if isinstance(value, str) else default

    def wholes(self, name: str) -> list[int]:
        """A list of whole numbers; empty where it is null or missing."""
        value = self.raw(name)[1]
        if value is None or value is MISSING:
            return []
        listed = cast(list[object], value) if isinstance(value, list) else [value]
        if not all(isinstance(one, int) and not isinstance(one, bool) for one in listed):
            raise UnreadableConfig(name, "must be a list of whole numbers", described(cast(object, value)))
        return cast(list[int], listed)

    def labels(self, usual: int = 2) -> int:
        """Of a classifier: `num_labels`, which wins over `id2label` where both are there; without either `usual`."""
        names = self.raw("id2label")[1]
        self.used.pop("id2label", None)  # long, and its count is enough to build the same model again
        if self.has("num_labels") or not isinstance(names, Mapping):
            return self.whole("vocabulary", "num_labels", default=usual)
        count = len(cast(Mapping[str, object], names))
        self.used["num_labels"] = count
        return count

    def inner(self, name: str, kind: str, usual: Mapping[str, object] | None = None) -> "Fields":
        """The fields of an object inside this one; `usual`, or those of an empty one, where it is left out."""
        value = self._config.get(name)
        if value is not None and not isinstance(value, Mapping):
            raise UnreadableConfig(name, "must be an object", described(value))
        return Fields(cast(Mapping[str, object], (usual or {}) if value is None else value), kind)

    def keep(self, name: str, inner: "Fields") -> None:
        """What is read inside an object is used here, too."""
        self._inside[name] = inner

    def flat(self, kind: str) -> "Fields":
        """The same fields as another class reads them: older files have the text model's beside those of the whole."""
        self._beside = Fields(self._given, kind)
        return self._beside

    def kept(self) -> dict[str, object]:
        """What is read again as the same model: every field that was used or is not followed, with its value; and what the class
        does not know, shortened."""
        mine = self.used | {said.name: self._given[said.name] for said in self._unfollowed_here()}
        for said in [one for one in self.ignored() if one.name in self._given][:MOST_IGNORED]:
            value = self._given[said.name]
            mine[said.name] = value if len(json.dumps(value)) < MOST_VALUE else said.value
        beside = self._beside.kept() if self._beside else {}
        return beside | mine | {name: inner.kept() for name, inner in self._inside.items()}

    def unfollowed(self) -> list[FieldValue]:
        """Fields of the class that may change a count and that nobody read, where they are not as in the class."""
        beside = self._beside.unfollowed() if self._beside else []
        return [*self._unfollowed_here(), *beside, *self._of_inside("unfollowed")]

    def left_out(self) -> list[FieldValue]:
        """Fields that were read and are not there, with the defaults of the class."""
        mine = [
            FieldValue(name, described(value)) for name, value in self.defaults.items()
            if value is not None and name not in LABELS and name not in self._inside
        ]  # fmt: skip
        beside = self._beside.left_out() if self._beside else []
        return [*mine, *beside, *self._of_inside("left_out")]

    def ignored(self) -> list[FieldValue]:
        """Fields that the class does not know."""
        if self.known is UNKNOWN:
            return []
        mine = [
            FieldValue(name, described(value)) for name, value in self._unread()
            if self.known.default(name) is MISSING and name not in self.known.aliases and name not in self._inside
        ]  # fmt: skip
        if self._beside:
            also = self._names(self._beside.ignored())
            mine = [said for said in mine if said.name in also]
        return [*mine, *self._of_inside("ignored")]

    def _of_inside(self, what: str) -> list[FieldValue]:
        """What the objects inside say, with their names before."""
        return [
            FieldValue(f"{name}.{field.name}", field.value)
            for name, inner in self._inside.items() for field in cast(list[FieldValue], getattr(inner, what)())
        ]  # fmt: skip

    def _names(self, said: list[FieldValue]) -> set[str]:
        return {one.name for one in said}

    def _unfollowed_here(self) -> list[FieldValue]:
        return [FieldValue(name, described(value)) for name, value in self._unread() if self._matters(name, value)]

    def _matters(self, name: str, value: object) -> bool:
        common = CONFIG_CLASSES[""].fields
        if name in common:
            return value != common[name]
        name = self.known.aliases.get(name, name)
        return name in self.known.fields and name not in self._inside and value != self.known.fields[name]

    def _unread(self) -> list[tuple[str, object]]:
        everywhere = CONFIG_CLASSES[""]
        return [
            (name, value) for name, value in self._given.items()
            if name not in self.used and name not in everywhere.inert and name not in LABELS
        ]  # fmt: skip
