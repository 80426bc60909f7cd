"""The questions' page: one question in focus, its answer in numbers, and all questions by theme."""

from urllib.parse import quote

import streamlit as st

from components.pages.claims.card import cell, contains, link_to, list_button, say_nothing_found, walk_buttons
from components.pages.claims.results import answer_to, run_by, waiting
from components.pages.claims.settings import IDS, QUESTION, SEARCH
from components.streamlit.controls import control
from components.streamlit.hidden import hidden
from components.symbols import set_symbols
from components.widgets.tables import markdown_table
from lessons.claims import QUESTIONS, Answer, Question

BY_ID = {question.id: question for question in QUESTIONS}
THEMES = tuple(dict.fromkeys(question.theme for question in QUESTIONS))


def chosen_question() -> Question:
    """The question that the address names; its widget is not seen."""
    with hidden("question"):
        return BY_ID[control(QUESTION)]


def walk(question: Question) -> None:
    """Previous and next, round the end."""
    here = IDS.index(question.id)
    walk_buttons("turn", "question", f"Question {here + 1} of {len(IDS)}", IDS[here - 1], IDS[(here + 1) % len(IDS)])


def draw_answer(question: Question) -> Answer | None:
    """The question, its answer in numbers, where it was asked, and the way to see it. None: Keras has not answered yet."""
    st.header(set_symbols(question.asks), anchor=False)
    answer = answer_to(question)
    if answer is None:
        waiting(question.runs)
    else:
        st.markdown(set_symbols(answer.text))
        rows = [(set_symbols(what), f"**{cell(value)}**") for what, value in answer.rows]
        st.markdown(markdown_table(("what", "measured"), rows, right=[1]))
    st.caption(f"Run by {run_by(question.keras)}. Asked at [{question.address.split('/')[2]}]({question.address}).")
    link_to(question.see)
    return answer


def search_field() -> str:
    return control(SEARCH, placeholder="NaN, 21, causal …")


def draw_questions(focus: Question, search: str) -> None:
    """The questions that contain what is searched for, by theme; a click brings one into focus."""
    found = [question for question in QUESTIONS if contains(f"{question.theme} {question.asks}", search)]
    if not found:
        say_nothing_found("question", search)
    if search.strip():
        st.markdown(f"[Look for it on all pages](./find?find={quote(search, safe='')})")
    for theme in THEMES:
        of_theme = [question for question in found if question.theme == theme]
        if of_theme:
            st.markdown(f"**{theme}**")
        for question in of_theme:
            list_button("question", question.id, question.asks, question == focus)
