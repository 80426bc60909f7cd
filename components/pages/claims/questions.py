"""The questions' page: one question in focus, its answer in numbers, and all questions by theme."""

import streamlit as st

from components.pages.claims.keys import IDS
from components.pages.claims.results import replied, waiting
from components.pages.claims.words import cell, link_to
from components.streamlit.late_reports import set_value
from components.widgets.symbols import set_symbols
from components.widgets.tables import markdown_table
from lessons.claims import QUESTIONS, Answer, Question

BY_ID = {question.id: question for question in QUESTIONS}
THEMES = tuple(dict.fromkeys(question.theme for question in QUESTIONS))


def chosen_question() -> Question:
    """The question that the address names; its widget is not seen."""
    with st.container(key="hide_question"):
        name = st.selectbox("Question", IDS, key="question", bind="query-params", required=True)
    return BY_ID[name]


def go_to(name: str) -> None:
    set_value("question", name)


def beside(question: Question, step: int) -> str:
    """The next (1) or previous (-1) question, round the end."""
    return IDS[(IDS.index(question.id) + step) % len(IDS)]


def walk(question: Question) -> None:
    """Previous and next, by button or by key."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        st.button("Previous", key="turn_P", shortcut="P", on_click=go_to, args=(beside(question, -1),))
        st.markdown(f"Question {IDS.index(question.id) + 1} of {len(IDS)}", width="content")
        st.button("Next", key="turn_N", shortcut="N", on_click=go_to, args=(beside(question, 1),))


def draw_answer(question: Question) -> Answer | None:
    """The question, its answer with what was measured, where it was asked, and the way to see it. None: Keras is still at it."""
    st.header(set_symbols(question.asks), anchor=False)
    made = replied(question)
    if made is None:
        waiting(question.runs)
    else:
        st.markdown(set_symbols(made.text))
        rows = [(set_symbols(what), f"**{cell(value)}**") for what, value in made.rows]
        st.markdown(markdown_table(("what", "measured"), rows, right=[1]))
    by = "the real Keras layer" if question.keras else "NumPy and the ledger"
    st.caption(f"Run by {by}. Asked at [{question.address.split('/')[2]}]({question.address}).")
    link_to(question.see)
    return made


def draw_questions(focus: Question) -> None:
    """All questions, by theme; a click brings one into focus."""
    for theme in THEMES:
        st.markdown(f"**{theme}**")
        for question in QUESTIONS:
            if question.theme == theme:
                asks = set_symbols(question.asks)
                label = f"**{asks}**" if question == focus else asks
                st.button(label, key=f"to_{question.id}", type="tertiary", on_click=go_to, args=(question.id,), width="stretch")
