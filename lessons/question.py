"""The records of a question and of its answer."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class See:
    """The page that shows an answer. `query`: the settings that the page needs, as keys and values of the address."""

    page: str
    query: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Answer:
    """The sentences of an answer. `rows`: pairs of a measured quantity and its value."""

    text: str
    rows: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question that people ask, in our words. `addresses`: where people asked it; `also`: the ids of other questions with the
    same answer. `asked`: words for the search, from people who do not know the field's terms. `by`: what measured the answer."""

    id: str
    topic: str
    asks: str
    see: See
    answer: Answer
    addresses: tuple[str, ...]
    also: tuple[str, ...]
    asked: str
    by: str


TOPICS = ("heads", "arrays", "costs", "calls", "conventions")
