"""What the address says of the quiz, and the buttons' ways to change it. The fields are bound to it; two of them are not seen."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.figures.pictures.quiz import LETTERS
from components.pages.quiz.keys import NUMBER, QUIZ
from components.streamlit.address import quoted
from components.streamlit.late_reports import set_value, settle
from lessons.quiz import COUNT, Question, deck

OPEN = "-"


def read(word: str, questions: Sequence[Question]) -> tuple[int | None, ...]:
    """The place of the chosen option for each question, from 0; None where there is none, or no such option."""
    letters = word.lower()[: len(questions)].ljust(len(questions), OPEN)
    places = (LETTERS.lower().find(letter) for letter in letters)
    return tuple(place if 0 <= place < len(q.options) else None for place, q in zip(places, questions, strict=True))


def write(chosen: Sequence[int | None]) -> str:
    """The word for the address, without the dashes at its end."""
    return "".join(OPEN if place is None else LETTERS[place].lower() for place in chosen).rstrip(OPEN)


def wrong_letters(word: str, questions: Sequence[Question]) -> str:
    """What of the word is no answer, so that it can be said; "" where all of it is."""
    known = [*read(word, questions)]
    bad = [letter for letter, place in zip(word.lower(), known, strict=False) if place is None and letter != OPEN]
    return "".join(bad) + word[COUNT:]


def right(chosen: Sequence[int | None], questions: Sequence[Question]) -> int:
    return sum(place == question.answer for place, question in zip(chosen, questions, strict=True))


def missed(chosen: Sequence[int | None], questions: Sequence[Question]) -> list[int]:
    """Numbers of the questions answered wrongly, from 1."""
    pairs = enumerate(zip(chosen, questions, strict=True), start=1)
    return [number for number, (place, question) in pairs if place is not None and place != question.answer]


@dataclass(frozen=True, slots=True)
class Quiz:
    """`number`: the question at hand, from 1. `chosen`: the place of each question's answer, None while it is open."""

    seed: int
    number: int
    questions: tuple[Question, ...]
    chosen: tuple[int | None, ...]

    @property
    def question(self) -> Question:
        return self.questions[self.number - 1]

    @property
    def answer(self) -> int | None:
        return self.chosen[self.number - 1]

    @property
    def score(self) -> tuple[int, int]:
        """Right answers, and answers."""
        return right(self.chosen, self.questions), sum(place is not None for place in self.chosen)

    @property
    def missed(self) -> list[int]:
        return missed(self.chosen, self.questions)


def the_quiz() -> Quiz:
    """As the address has it; what it says wrongly of the answers is said."""
    with st.container(key="hide_quiz"):
        number = st.number_input(NUMBER.label, NUMBER.least, NUMBER.most, NUMBER.default, key="number", bind="query-params")
        word = st.text_input("Answers", key="answers", bind="query-params", max_chars=2 * COUNT)
    seed = _seed()
    questions = deck(seed)
    if bad := wrong_letters(word, questions):
        st.warning(
            f"In the address, **answers** must be a letter from a to d or a dash for each of the {COUNT} questions, "
            f"got {quoted(bad)}; these are open."
        )
    return Quiz(seed, number, questions, read(word, questions))


def _seed() -> int:
    """Before its field is drawn: the question comes first."""
    raw = str(st.session_state.get("quiz", st.query_params.get("quiz", "")))
    return int(raw) if raw.isdecimal() and raw.isascii() else QUIZ.default


def seed_field() -> None:
    st.number_input(
        QUIZ.label, QUIZ.least, QUIZ.most, QUIZ.default, key="quiz", bind="query-params", on_change=begin_anew, help=QUIZ.help
    )


def begin_anew() -> None:
    settle()
    set_value("number", 1)
    set_value("answers", "")


def go_to(number: int) -> None:
    set_value("number", number)


def answer(quiz: Quiz, place: int | None) -> None:
    """Answers the question at hand; with None it is open again."""
    chosen = [*quiz.chosen]
    chosen[quiz.number - 1] = place
    set_value("answers", write(chosen))
