"""What people ask about this layer, answered in numbers that are computed now."""

import streamlit as st

from components.frame import open_lab
from components.pages.claims.questions import chosen_question, draw_answer, draw_questions, search_field, walk
from components.pages.claims.results import keep_looking_for
from lessons.claims import QUESTIONS

open_lab()
question = chosen_question()
st.title(f"{len(QUESTIONS)} questions people ask, answered by running the layer.")
st.markdown("Each was asked in public. The numbers of each answer are computed when you open it.")
left, side = st.columns([5, 3], gap="large")
with left:
    walk(question)
    with st.container(border=True, key="question_card"):
        answer = draw_answer(question)
with st.sidebar:
    search = search_field()
with side, st.container(height=480, border=True, key="questions_list"):
    draw_questions(question, search)
keep_looking_for(question, answer)
