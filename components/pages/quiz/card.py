"""One question: before the answer its options, after it what each option would have taken, and the real figure."""

import streamlit as st

from components.export.figures import figure_named
from components.export.request import Request
from components.figures.numbers import plain
from components.figures.pictures import quiz as pictures
from components.figures.pictures.quiz import LETTERS
from components.pages.quiz.state import Quiz, answer, go_to, seed_field
from components.settings import Settings
from components.widgets.chart import show_chart
from components.widgets.stage import show_still
from components.widgets.symbols import set_symbols
from components.widgets.trace import trace_of
from lessons.claims import QUESTIONS
from lessons.quiz import COUNT, Question

ASKED = {question.id: question for question in QUESTIONS}


def walk(quiz: Quiz) -> None:
    """Back and on, by button or by key."""
    left, middle, right = st.columns([1, 2, 1], vertical_alignment="center")
    before, after = max(1, quiz.number - 1), min(COUNT, quiz.number + 1)
    left.button("Previous", shortcut="P", on_click=go_to, args=(before,), disabled=quiz.number == 1, width="stretch")
    right.button("Next", shortcut="N", on_click=go_to, args=(after,), disabled=quiz.number == COUNT, width="stretch")
    middle.markdown(f"Question {quiz.number} of {COUNT}", text_alignment="center")


def draw_card(quiz: Quiz, settings: Settings) -> None:
    question = quiz.question
    st.header(set_symbols(question.asks), anchor=False)
    if question.drawn and (trace := trace_of(question.cfg)) is not None:
        show_still(pictures.options(question, trace), settings.drawn_by, "options")
    if quiz.answer is None:
        ask(quiz)
        return
    reply(question, quiz.answer)
    show_answer(question, settings)
    st.button("Answer again", type="tertiary", on_click=answer, args=(quiz, None))


def label(question: Question, place: int) -> str:
    """An option as it is named: by its text, or where it is a picture by its letter."""
    return LETTERS[place] if question.drawn else set_symbols(question.options[place].text)


def ask(quiz: Quiz) -> None:
    for place in range(len(quiz.question.options)):
        key = str(place + 1)  # of the keyboard, too; Streamlit's own sign for it is not shown (assets/style.css)
        st.button(
            f"{key})  {label(quiz.question, place)}", key=f"option_{key}", shortcut=key, on_click=answer, args=(quiz, place),
            width="stretch",
        )  # fmt: skip


def reply(question: Question, chosen: int) -> None:
    """The verdict, and a line for each option: the right one why, a wrong one what it would have taken to be true."""
    hit = chosen == question.answer
    said = f"**{label(question, chosen)}** is right." if hit else f"Not **{label(question, chosen)}**."
    (st.success if hit else st.error)(said, icon=":material/check_circle:" if hit else ":material/cancel:")
    lines = []
    for place, option in enumerate(question.options):
        mark = "✓ right" if option.right else "✗ wrong"
        yours = ", your answer" if place == chosen else ""
        lines.append(f"- **{label(question, place)}** ({mark}{yours}): {set_symbols(option.why)}")
    st.markdown("\n".join(lines))
    if question.asked:
        asked = ASKED[question.asked]
        st.caption(f"People ask this: [{asked.asks}]({asked.address})")


def show_answer(question: Question, settings: Settings) -> None:
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


def title(quiz: Quiz) -> str:
    hits, answered = quiz.score
    if not answered:
        return f"Predict, then look: {COUNT} questions."
    return f"Predict, then look: {hits} of {answered} right" + ("." if answered < COUNT else ", and all are answered.")


def draw_side(quiz: Quiz) -> None:
    seed_field()
    st.caption(f"For a class: `/quiz?quiz={quiz.seed}` asks everyone the same.")
    if not quiz.missed:
        return
    st.subheader("To look at again", anchor=False)
    for number, (question, chosen) in enumerate(zip(quiz.questions, quiz.chosen, strict=True), start=1):
        if chosen is None or number not in quiz.missed:
            continue
        said, true = label(question, chosen), label(question, question.answer)
        st.button(
            f"{number}: not {said}, but {true}", key=f"again_{number}", help=question.asks, type="tertiary", on_click=go_to,
            args=(number,), icon=":material/replay:",
        )  # fmt: skip
