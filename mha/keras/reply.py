"""What comes back for a question to Keras's process: an answer, or one of the reasons for having none."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

#: Keys that stand for an answer, or for a part of one: Keras's own words, and a bound of this app.
ERROR, DECLINED = "error", "declined"
#: Lists of parts in an answer. Where all of them are declined, so is the whole.
LISTS = ("results", "cases")


class Declined(ValueError):
    """What this app does not ask of Keras: too large to be computed live, or no layer at all. The words are the app's."""


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer or a part of one. Every reader goes through this, so that none can take an answer for complete.

    `state`: "found" (`facts` hold it); "loading" or "running" (it may come); "refused" (`why`: what Keras raised); "declined"
    (`why`: the bound of this app); "missing" (TensorFlow is not installed); "failed" (`why`: what became of the process).
    """

    state: str
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    why: str = ""

    @property
    def found(self) -> bool:
        return self.state == "found"

    @property
    def awaited(self) -> bool:
        return self.state in ("loading", "running")

    def __getitem__(self, key: str) -> Any:
        """KeyError where there is no such fact: ask `found` first."""
        return self.facts[key]

    def part(self, key: str) -> "Reply":
        """The part under this key; of an answer that there is not, no part either, for the same reason."""
        return read(self.facts[key]) if self.found else replace(self, facts={})

    def parts(self, key: str, count: int) -> list["Reply"]:
        """As many parts of a list."""
        return [read(one) for one in self.facts[key]] if self.found else [replace(self, facts={})] * count

    def declined(self) -> list[str]:
        """Why parts of an answer were not asked for, each reason once."""
        return list(dict.fromkeys(_declined(self.facts)))


def read(facts: Mapping[str, Any]) -> Reply:
    """An answer, or a part, as the worker sends it."""
    if DECLINED in facts:
        return Reply("declined", why=str(facts[DECLINED]))
    if ERROR in facts:
        return Reply("refused", why=str(facts[ERROR]))
    for key in LISTS:
        parts = [read(one) for one in facts.get(key, ())]
        if parts and all(part.state == "declined" for part in parts):
            return parts[0]
    return Reply("found", facts)


def _declined(tree: Any) -> Iterator[str]:
    if isinstance(tree, Mapping):
        facts = cast(Mapping[str, Any], tree)
        if DECLINED in facts:
            yield str(facts[DECLINED])
        for value in facts.values():
            yield from _declined(value)
    elif isinstance(tree, list):
        for value in cast(list[Any], tree):
            yield from _declined(value)
