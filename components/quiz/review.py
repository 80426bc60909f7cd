"""Beside the question: which quiz it is, and the questions that went wrong."""

import streamlit as st

from components.quiz.card import label
from components.quiz.state import Quiz, go_to, seed_field
from mha.quiz import COUNT


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
    for number in quiz.missed:
        question = quiz.questions[number - 1]
        said, true = label(question, quiz.chosen[number - 1]), label(question, question.answer)
        st.button(
            f"{number}: not {said}, but {true}", key=f"again_{number}", help=question.asks, type="tertiary", on_click=go_to,
            args=(number,), icon=":material/replay:",
        )  # fmt: skip
