"""The round table as data: who sits where, where each head looks, and what the network answers."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from headcount.names import as_share
from headcount.trained.dinner import DISH, DISHES, HOST, NAME, NAMES, QUESTIONS, SEATS
from headcount.trained.network import Pass
from headcount.trained.task import TEST_COUNT, Examples


@dataclass(frozen=True, slots=True)
class Guest:
    name: str
    dish: str
    host: bool


def guests_of(examples: Examples) -> tuple[Guest, ...]:
    """The guests of one dinner, seat by seat."""
    return tuple(Guest(NAMES[row[NAME]], DISHES[row[DISH]], bool(row[HOST])) for row in examples.tokens[0])


def table(title: str, note: str, examples: Examples, result: Pass, rates: np.ndarray) -> dict[str, Any]:
    """One network at one dinner, from one pass, as the browser draws it (assets/round_table/types.d.ts): all guests at once, so
    that pointing at another needs no reply from the server. `rates`: the share of right answers to each question over all fixed
    dinners."""
    guests, likely, answered, attention = guests_of(examples), result.probabilities[0], result.predicted[0], result.trace.weights

    def answer(seat: int, q: int) -> dict[str, Any]:
        """One question of one guest: `who` has the dish; the right answer, the network's and its probability `sure`."""
        right, predicted = DISHES[examples.answers[0, seat, q]], DISHES[answered[seat, q]]
        who, sure = guests[examples.answer_at[0, seat, q]].name, round(float(likely[seat, q, answered[seat, q]]), 3)
        ok = predicted == right
        return {"question": QUESTIONS[q], "who": who, "right": right, "predicted": predicted, "sure": sure, "ok": ok}

    answers = [[answer(seat, q) for q in range(len(QUESTIONS))] for seat in range(SEATS)]
    return {
        "title": title, "note": note, "guests": [asdict(guest) for guest in guests],
        "attention": np.round(attention.values[0], 3).tolist(), "answers": answers, "rates": [f"{rate:.0%}" for rate in rates],
        "alts": [f"{title}. {_alt(guests, attention.values[0], answers[seat], seat)}" for seat in range(SEATS)],
    }  # fmt: skip


def plan(tables: Sequence[dict[str, Any]], guest: int) -> dict[str, Any]:
    """What the browser is sent: each network's table, and the chosen guest (0-based)."""
    return {"guest": guest, "rates_heading": f"right in {TEST_COUNT:,} dinners", "tables": tables}


def _alt(guests: Sequence[Guest], attention: np.ndarray, answers: Sequence[dict[str, Any]], seat: int) -> str:
    """What the table shows for one guest, in words. `attention`: axes "hts"."""
    most = [(head, row, int(row.argmax())) for head, row in enumerate(attention[:8, seat], start=1)]
    looks = [f"head {head} looks most at {guests[at].name} ({as_share(float(row[at]), 2)})" for head, row, at in most]
    said = [
        f"{a['question']}, {a['who']}: {a['predicted']}, {'right' if a['ok'] else 'wrong, it is ' + a['right']}" for a in answers
    ]
    return f"{guests[seat].name} at a round table of {SEATS}: {'; '.join(looks)}. Answers: {'; '.join(said)}."
