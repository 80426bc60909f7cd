"""The dinner party: eight guests round a table, each of whom must answer four questions at once.

Four of six couples sit in any order on seats 1 to 8 of a round table, each guest has a dish of their own out of ten, one is
the host. Ten dishes for eight guests: with eight, "the one that is missing from the mixture" would give the answer away.
"""

from dataclasses import dataclass

import numpy as np

from headcount.arrays import Ints
from headcount.trained.task import Examples, Task

#: Two by two the couples: they share their first letter.
NAMES = ("Ana", "Abe", "Bea", "Bob", "Cleo", "Carl", "Dora", "Dan", "Eva", "Eli", "Fay", "Finn")
DISHES = ("soup", "fish", "rice", "pie", "taco", "stew", "salad", "pasta", "curry", "cake")
QUESTIONS = ("left neighbour", "right neighbour", "partner", "host")
#: The same in one word, where there is little room.
SHORT = ("left", "right", "partner", "host")
SEATS = 8
COUPLES = 4
NAME, DISH, HOST, SEAT = range(4)  # the features of a guest


@dataclass(frozen=True, slots=True)
class Guest:
    """One of a dinner."""

    name: str
    dish: str
    host: bool


def guests_of(examples: Examples) -> tuple[Guest, ...]:
    """The guests of the first dinner, seat by seat."""
    return tuple(Guest(NAMES[int(row[NAME])], DISHES[int(row[DISH])], bool(row[HOST])) for row in examples.tokens[0])


def answer_seats(tokens: Ints) -> Ints:
    """The seat of the guest whose dish answers each question: axes "btr", a seat from 0 to 7 per guest and question."""
    names, host = tokens[..., NAME], tokens[..., HOST]
    seats = np.broadcast_to(np.arange(SEATS), names.shape)
    partner = (names[:, :, None] == (names ^ 1)[:, None, :]).argmax(axis=1)
    hosts = np.broadcast_to(host.argmax(axis=1)[:, None], names.shape)
    return np.stack([(seats - 1) % SEATS, (seats + 1) % SEATS, partner, hosts], axis=-1)


def examples_of(tokens: Ints) -> Examples:
    """Dinners with the right answers: the dish at the seat that the question is about."""
    seats = answer_seats(tokens)
    dishes = np.broadcast_to(tokens[..., DISH][:, None, :], (*tokens.shape[:2], SEATS))
    return Examples(tokens, np.take_along_axis(dishes, seats, axis=2), seats)


def draw(rng: np.random.Generator, count: int) -> Examples:
    """`count` dinners, each drawn independently."""
    couples = rng.random((count, len(NAMES) // 2)).argsort(axis=1)[:, :COUPLES]
    guests = np.concatenate([2 * couples, 2 * couples + 1], axis=1)
    names = np.take_along_axis(guests, rng.random((count, SEATS)).argsort(axis=1), axis=1)
    dishes = rng.random((count, len(DISHES))).argsort(axis=1)[:, :SEATS]
    host = np.arange(SEATS) == rng.integers(0, SEATS, (count, 1))
    seats = np.broadcast_to(np.arange(SEATS), names.shape)
    return examples_of(np.stack([names, dishes, host, seats], axis=-1).astype(np.int32))


FEATURES = (("name", len(NAMES)), ("dish", len(DISHES)), ("host", 2), ("seat", SEATS))
#: Every head count that divides d_model = 24.
HEADS = (1, 2, 3, 4, 6, 8, 12, 24)
TASK = Task("dinner", 24, FEATURES, QUESTIONS, DISHES, SEATS, draw)
