"""The round table as data: who sits where, where each head looks, and what the network answers."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from mha.names import as_share
from mha.trained.dinner import DISH, DISHES, HOST, NAME, NAMES, QUESTIONS, SEATS
from mha.trained.network import Pass
from mha.trained.task import TEST_COUNT, Examples


@dataclass(frozen=True, slots=True)
class Guest:
    name: str
    dish: str
    host: bool


@dataclass(frozen=True, slots=True)
class Answer:
    """One question of one guest: `who` has the dish; the right answer, the network's and its probability `sure`."""

    question: str
    who: str
    right: str
    predicted: str
    sure: float

    @property
    def ok(self) -> bool:
        return self.predicted == self.right

    @property
    def verdict(self) -> str:
        return "right" if self.ok else f"wrong, it is {self.right}"


@dataclass(frozen=True, slots=True)
class Table:
    """One network at the table. `attention`, axes "hts": the weights of each head; `answers` by guest and question; `rates`: the
    share of right answers to each question over all fixed dinners."""

    title: str
    note: str
    guests: tuple[Guest, ...]
    attention: np.ndarray
    answers: tuple[tuple[Answer, ...], ...]
    rates: tuple[float, ...]

    def alt(self, guest: int) -> str:
        """What the table shows for one guest, in words."""
        here = self.guests[guest]
        most = [(head, row, int(row.argmax())) for head, row in enumerate(self.attention[:8, guest])]
        looks = [
            f"head {head + 1} looks most at {self.guests[seat].name} ({as_share(float(row[seat]), 2)})"
            for head, row, seat in most
        ]
        answers = [f"{a.question}, {a.who}: {a.predicted}, {a.verdict}" for a in self.answers[guest]]
        return f"{self.title}. {here.name} at a round table of {SEATS}: {'; '.join(looks)}. Answers: {'; '.join(answers)}."


def guests_of(examples: Examples) -> tuple[Guest, ...]:
    """The guests of one dinner, seat by seat."""
    return tuple(Guest(NAMES[row[NAME]], DISHES[row[DISH]], bool(row[HOST])) for row in examples.tokens[0])


def table(title: str, note: str, examples: Examples, result: Pass, rates: np.ndarray) -> Table:
    """The picture's data from one pass over one dinner."""
    guests, likely, answered = guests_of(examples), result.probabilities[0], result.predicted[0]

    def answer(seat: int, q: int) -> Answer:
        who, right = guests[examples.answer_at[0, seat, q]].name, DISHES[examples.answers[0, seat, q]]
        said = answered[seat, q]
        return Answer(QUESTIONS[q], who, right, DISHES[said], float(likely[seat, q, said]))

    answers = tuple(tuple(answer(seat, q) for q in range(len(QUESTIONS))) for seat in range(SEATS))
    return Table(title, note, guests, result.trace.weights.values[0], answers, tuple(map(float, rates)))


def plan(tables: Sequence[Table], guest: int) -> dict:
    """What the browser draws, as plain JSON: all guests at once, so that pointing at another needs no reply from the server."""
    return {"guest": guest, "rates_heading": f"right in {TEST_COUNT:,} dinners", "tables": [_sent(one) for one in tables]}


def _sent(one: Table) -> dict:
    return {
        "title": one.title, "note": one.note, "guests": [asdict(g) for g in one.guests],
        "attention": np.round(one.attention, 3).tolist(),
        "answers": [[{**asdict(a), "sure": round(a.sure, 3), "ok": a.ok} for a in row] for row in one.answers],
        "rates": [f"{rate:.0%}" for rate in one.rates], "alts": [one.alt(seat) for seat in range(SEATS)],
    }  # fmt: skip
