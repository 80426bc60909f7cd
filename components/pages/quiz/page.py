"""The quiz: what the address says of it, and one question with its options before the answer and the real figure after it.

The fields that hold the question's number and the answers are bound to the address, and not seen: buttons set them.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

import streamlit as st

from components.address import quoted
from components.app.controls import control, hidden, value_ahead
from components.app.stale_widget_values import set_value
from components.pages.quiz import ANSWERS, QUIZ, QUIZ_NUMBER, REVEALED, TOGETHER, pictures
from components.pages.quiz.pictures import LETTERS
from components.settings import Settings
from components.symbols import set_symbols
from components.widgets.chart import show_chart
from components.widgets.stage import show_still
from components.widgets.trace import trace_of
from headcount.export.figures import EVERY
from headcount.export.request import Request
from headcount.layer import SEED
from headcount.settings import NUMBERS, TOKENS
from headcount.stage.numbers import plain
from lessons.claims import BY_ID
from lessons.quiz import ROUNDS, Question, deck

OPEN = "-"


def read(word: str, questions: Sequence[Question]) -> tuple[int | None, ...]:
    """The index of the chosen option for each question; None where there is none, or no such option."""
    letters = word.lower()[: len(questions)].ljust(len(questions), OPEN)
    places = (LETTERS.lower().find(letter) for letter in letters)
    return tuple(place if 0 <= place < len(q.options) else None for place, q in zip(places, questions, strict=True))


def write(chosen: Sequence[int | None]) -> str:
    """The word for the address, without the dashes at its end."""
    return "".join(OPEN if place is None else LETTERS[place].lower() for place in chosen).rstrip(OPEN)


def invalid_letters(word: str, questions: Sequence[Question]) -> str:
    """The letters of the word that are no answer; "" where all of them are."""
    known = [*read(word, questions)]
    bad = [letter for letter, place in zip(word.lower(), known, strict=False) if place is None and letter != OPEN]
    return "".join(bad) + word[len(questions) :]


@dataclass(frozen=True, slots=True)
class Quiz:
    """`number`: of the question shown, from 1. `chosen`: the index of the option chosen for each question, or None.

    `together`: answers appear only on a press; `revealed`: the number of the question for which it came, or 0.
    """

    seed: int
    number: int
    questions: tuple[Question, ...]
    chosen: tuple[int | None, ...]
    together: bool = False
    revealed: int = 0

    @property
    def question(self) -> Question:
        return self.questions[self.number - 1]

    @property
    def answer(self) -> int | None:
        return self.chosen[self.number - 1]

    @property
    def shown(self) -> bool:
        """Whether the answer to this question is on the screen."""
        return self.revealed == self.number if self.together else self.answer is not None

    @property
    def round(self) -> int:
        """The round of the question shown, from 1."""
        return bisect_left([*accumulate(map(len, ROUNDS.values()))], self.number) + 1

    @property
    def round_numbers(self) -> range:
        """The numbers of its questions, from 1."""
        sizes = [*map(len, ROUNDS.values())]
        return range(sum(sizes[: self.round - 1]) + 1, sum(sizes[: self.round]) + 1)

    @property
    def place(self) -> str:
        """Where the question shown stands."""
        numbers, topic = self.round_numbers, [*ROUNDS][self.round - 1]
        within = f"Question {numbers.index(self.number) + 1} of {len(numbers)}"
        return f"{within}, round {self.round} of {len(ROUNDS)}: {topic}"

    @property
    def round_score(self) -> str:
        """How many of the round are right, once all are answered and none is kept back; otherwise ""."""
        numbers = self.round_numbers
        if self.together or None in self.chosen[numbers.start - 1 : numbers.stop - 1]:
            return ""
        return f"Round {self.round}: {len({*numbers} - {*self.wrong})} of {len(numbers)} right."

    @property
    def wrong(self) -> dict[int, int]:
        """What was chosen for the questions answered wrongly, by their numbers, from 1."""
        pairs = enumerate(zip(self.chosen, self.questions, strict=True), start=1)
        return {number: place for number, (place, question) in pairs if place is not None and place != question.answer}

    @property
    def title(self) -> str:
        answered = len(self.chosen) - self.chosen.count(None)
        if not answered:
            return f"Predict, then look: a round of {len(self.round_numbers)} questions."
        if self.together:
            return f"Predict, then look: {answered} answered."
        end = "." if answered < len(self.chosen) else ", and all are answered."
        return f"Predict, then look: {answered - len(self.wrong)} of {answered} right{end}"


def read_quiz() -> Quiz:
    """The quiz as the address has it, with a warning for answers that are none."""
    with hidden("quiz"):
        number, word, revealed = control(QUIZ_NUMBER), control(ANSWERS), control(REVEALED)
    seed, together = value_ahead(QUIZ), value_ahead(TOGETHER)  # the question stands above these fields
    questions = deck(seed)
    if bad := invalid_letters(word, questions):
        st.warning(
            f"In the address, **answers** must be a letter from a to d or a dash for each of the {len(questions)} questions, "
            f"got {quoted(bad)}; these are open."
        )
    return Quiz(seed, number, questions, read(word, questions), together, revealed)


def begin_anew() -> None:
    set_value("number", 1)
    set_value("answers", "")
    set_value("revealed", 0)


def answer(quiz: Quiz, place: int | None) -> None:
    """Answers the question shown; with None it is open again."""
    if place is None:
        set_value("revealed", 0)
    chosen = [*quiz.chosen]
    chosen[quiz.number - 1] = place
    set_value("answers", write(chosen))


def walk(quiz: Quiz) -> None:
    """Draws Previous and Next, by button or by key, in one row on every screen."""
    last = len(quiz.questions)
    before, after = max(1, quiz.number - 1), min(last, quiz.number + 1)
    with st.container(key="quiz_row", horizontal=True, vertical_alignment="center"):
        st.button("Previous", shortcut="P", on_click=set_value, args=("number", before), disabled=quiz.number == 1)
        st.markdown(quiz.place, width="stretch", text_alignment="center")
        st.button("Next", shortcut="N", on_click=set_value, args=("number", after), disabled=quiz.number == last)


def draw_card(quiz: Quiz, settings: Settings) -> None:
    question = quiz.question
    st.header(set_symbols(question.asks), anchor=False)
    if question.drawn and (trace := trace_of(SEED, question.cfg)) is not None:
        show_still(partial(pictures.options, question, trace), "options")
    if not quiz.shown:
        draw_options(quiz)
        if quiz.together:
            if quiz.answer is not None:
                st.markdown(f"You take **{label(question, quiz.answer)}**. Until the answer is shown, another press changes it.")
            st.button("Show the answer", key="reveal", type="primary", on_click=set_value, args=("revealed", quiz.number))
        return
    draw_result(question, quiz.answer)
    if quiz.round_score:
        st.markdown(f"**{quiz.round_score}**")
    draw_figure(question, settings)
    st.button("Answer again", type="tertiary", on_click=answer, args=(quiz, None))


def label(question: Question, place: int) -> str:
    """An option as it is named: by its text, or where it is a picture by its letter."""
    return LETTERS[place] if question.drawn else set_symbols(question.options[place].text)


def draw_options(quiz: Quiz) -> None:
    """Draws a button for each option; where the answer waits for a class, the one that is taken has a mark."""
    for place in range(len(quiz.question.options)):
        mark = f":material/radio_button_{'checked' if place == quiz.answer else 'unchecked'}:" if quiz.together else None
        key = str(place + 1)  # of the keyboard, too; Streamlit's own sign for it is not shown (assets/style.css)
        st.button(
            f"{key})  {label(quiz.question, place)}", key=f"option_{key}", shortcut=key, on_click=answer, args=(quiz, place),
            width="stretch", icon=mark,
        )  # fmt: skip


def draw_result(question: Question, chosen: int | None) -> None:
    """Right or wrong, and a line for each option: why it is right, or what it would have taken to be true."""
    if chosen in (None, question.answer):
        st.success(f"**{label(question, question.answer)}** is right.", icon=":material/check_circle:")
    else:
        words = f"You took **{label(question, chosen)}**; it is **{label(question, question.answer)}**."
        st.error(words, icon=":material/cancel:")
    st.markdown("\n".join(
        f"- **{label(question, place)}**{' ✓' * option.right}{', your answer' * (place == chosen)}: {set_symbols(option.why)}"
        for place, option in enumerate(question.options)
    ))  # fmt: skip
    if question.related:
        related = BY_ID[question.related]
        st.caption(f"People ask this: [{related.asks}]({related.addresses[0]})")


def draw_figure(question: Question, settings: Settings) -> None:
    """The page's own figure at the question's settings, and the way there."""
    figure = EVERY[question.figure]
    own = figure.of_words and TOKENS.code not in dict(question.choices)  # of its own sizes; else a trained one reads a sentence
    request = Request(question.cfg, question.paper, (*question.choices, *[(NUMBERS.code, "seed")] * own))
    picture = figure.draw(request)
    st.subheader(f"{set_symbols(plain(picture.title))}.", anchor=False)
    if picture.is_scene:
        show_still(lambda: figure.draw(request).scene, "answered")
    else:
        show_chart((picture.chart, picture.alt), "answered_chart")
    st.link_button("See it on its page", "." + request.link(figure.page, figure.options), icon=":material/open_in_new:")


def draw_side(quiz: Quiz) -> None:
    """The quiz's number, the switch for a class, and the questions that were answered wrongly, to go back to."""
    control(QUIZ, on_change=begin_anew)
    st.caption(f"For a class: `/quiz?quiz={quiz.seed}` asks everyone the same.")
    control(TOGETHER)
    if quiz.together:
        return
    if quiz.wrong:
        st.subheader("To look at again", anchor=False)
    for number, chosen in quiz.wrong.items():
        question = quiz.questions[number - 1]
        st.button(
            f"{number}: you took {label(question, chosen)}; it is {label(question, question.answer)}", key=f"again_{number}",
            help=question.asks, type="tertiary", on_click=set_value, args=("number", number), icon=":material/replay:",
        )  # fmt: skip
