"""What the address says of the quiz, and the buttons' ways to change it. The fields are bound to it; two of them are not seen."""

from dataclasses import dataclass

import streamlit as st

from components.address import quoted
from components.late_reports import set_value, settle
from components.quiz.answers import missed, read, right, write, wrong_letters
from components.quiz.keys import NUMBER, QUIZ
from mha.quiz import COUNT, Question, deck


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
