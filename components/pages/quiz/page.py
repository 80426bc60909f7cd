"""The quiz: what the address says of it, and one question with its options before the answer and the real figure after it.

The fields that hold the question's number and the answers are bound to the address, and not seen: buttons set them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from components.export.figures import figure_named
from components.export.request import Request
from components.figures.numbers import plain
from components.figures.pictures import quiz as pictures
from components.figures.pictures.quiz import LETTERS
from components.pages.quiz.keys import ANSWERS, NUMBER, QUIZ
from components.settings import Settings
from components.streamlit.address import quoted
from components.streamlit.controls import control, value_ahead
from components.streamlit.hidden import hidden
from components.streamlit.late_reports import set_value
from components.widgets.chart import show_chart
from components.widgets.stage import show_still
from components.widgets.symbols import set_symbols
from components.widgets.trace import trace_of
from lessons.claims import QUESTIONS
from lessons.quiz import COUNT, Question, deck

OPEN = "-"
ASKED_BY_PEOPLE = {question.id: question for question in QUESTIONS}


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
    return "".join(bad) + word[COUNT:]


@dataclass(frozen=True, slots=True)
class Quiz:
    """`number`: of the question shown, from 1. `chosen`: the index of the option chosen for each question, or None."""

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
    def answered(self) -> int:
        return sum(place is not None for place in self.chosen)

    @property
    def right(self) -> int:
        return sum(place == question.answer for place, question in zip(self.chosen, self.questions, strict=True))

    @property
    def wrong(self) -> dict[int, int]:
        """What was chosen for the questions answered wrongly, by their numbers, from 1."""
        pairs = enumerate(zip(self.chosen, self.questions, strict=True), start=1)
        return {number: place for number, (place, question) in pairs if place is not None and place != question.answer}

    @property
    def title(self) -> str:
        if not self.answered:
            return f"Predict, then look: {COUNT} questions."
        end = "." if self.answered < COUNT else ", and all are answered."
        return f"Predict, then look: {self.right} of {self.answered} right{end}"


def read_quiz() -> Quiz:
    """The quiz as the address has it, with a warning for answers that are none."""
    with hidden("quiz"):
        number, word = control(NUMBER), control(ANSWERS)
    seed = value_ahead(QUIZ)  # the question stands above its field
    questions = deck(seed)
    if bad := invalid_letters(word, questions):
        st.warning(
            f"In the address, **answers** must be a letter from a to d or a dash for each of the {COUNT} questions, "
            f"got {quoted(bad)}; these are open."
        )
    return Quiz(seed, number, questions, read(word, questions))


def begin_anew() -> None:
    set_value("number", 1)
    set_value("answers", "")


def answer(quiz: Quiz, place: int | None) -> None:
    """Answers the question shown; with None it is open again."""
    chosen = [*quiz.chosen]
    chosen[quiz.number - 1] = place
    set_value("answers", write(chosen))


def walk(quiz: Quiz) -> None:
    """Previous and next, by button or by key."""
    left, middle, right = st.columns([1, 2, 1], vertical_alignment="center")
    before, after = max(1, quiz.number - 1), min(COUNT, quiz.number + 1)
    left.button("Previous", shortcut="P", on_click=set_value, args=("number", before), disabled=quiz.number == 1, width="stretch")
    right.button("Next", shortcut="N", on_click=set_value, args=("number", after), disabled=quiz.number == COUNT, width="stretch")
    middle.markdown(f"Question {quiz.number} of {COUNT}", text_alignment="center")


def draw_card(quiz: Quiz, settings: Settings) -> None:
    question = quiz.question
    st.header(set_symbols(question.asks), anchor=False)
    if question.drawn and (trace := trace_of(question.cfg)) is not None:
        show_still(pictures.options(question, trace), settings.drawn_by, "options")
    if quiz.answer is None:
        draw_options(quiz)
        return
    draw_result(question, quiz.answer)
    draw_figure(question, settings)
    st.button("Answer again", type="tertiary", on_click=answer, args=(quiz, None))


def label(question: Question, place: int) -> str:
    """An option as it is named: by its text, or where it is a picture by its letter."""
    return LETTERS[place] if question.drawn else set_symbols(question.options[place].text)


def draw_options(quiz: Quiz) -> None:
    for place in range(len(quiz.question.options)):
        key = str(place + 1)  # of the keyboard, too; Streamlit's own sign for it is not shown (assets/style.css)
        st.button(
            f"{key})  {label(quiz.question, place)}", key=f"option_{key}", shortcut=key, on_click=answer, args=(quiz, place),
            width="stretch",
        )  # fmt: skip


def draw_result(question: Question, chosen: int) -> None:
    """Right or wrong, and a line for each option: why it is right, or what it would have taken to be true."""
    if chosen == question.answer:
        st.success(f"**{label(question, chosen)}** is right.", icon=":material/check_circle:")
    else:
        st.error(f"Not **{label(question, chosen)}**.", icon=":material/cancel:")
    lines = []
    for place, option in enumerate(question.options):
        mark = "✓ right" if option.right else "✗ wrong"
        yours = ", your answer" if place == chosen else ""
        lines.append(f"- **{label(question, place)}** ({mark}{yours}): {set_symbols(option.why)}")
    st.markdown("\n".join(lines))
    if question.related:
        related = ASKED_BY_PEOPLE[question.related]
        st.caption(f"People ask this: [{related.asks}]({related.address})")


def draw_figure(question: Question, settings: Settings) -> None:
    """The page's own figure at the question's settings, and the way there."""
    figure = figure_named(question.figure)
    request = Request(question.cfg, question.paper, question.choices)
    picture = figure.draw(request)
    st.subheader(f"{set_symbols(plain(picture.title))}.", anchor=False)
    if picture.is_scene:
        show_still(picture.scene, settings.drawn_by, "answered")
    else:
        show_chart(picture.chart, "answered_chart", picture.alt)
    st.link_button("See it on its page", "." + request.link(figure.page, figure.options), icon=":material/open_in_new:")


def draw_side(quiz: Quiz) -> None:
    """The quiz's number, and the questions that were answered wrongly, to go back to."""
    control(QUIZ, on_change=begin_anew)
    st.caption(f"For a class: `/quiz?quiz={quiz.seed}` asks everyone the same.")
    if quiz.wrong:
        st.subheader("To look at again", anchor=False)
    for number, chosen in quiz.wrong.items():
        question = quiz.questions[number - 1]
        st.button(
            f"{number}: not {label(question, chosen)}, but {label(question, question.answer)}", key=f"again_{number}",
            help=question.asks, type="tertiary", on_click=set_value, args=("number", number), icon=":material/replay:",
        )  # fmt: skip
