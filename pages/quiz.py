"""Can I say it before I see it?"""

import streamlit as st

from components.pages.quiz.page import draw_card, draw_side, read_quiz, walk
from components.streamlit.frame import open_lab

settings = open_lab()
quiz = read_quiz()

st.title(quiz.title)
st.markdown("Say what you expect, by a click or with the keys 1 to 4. Then the real figure answers.")
left, side = st.columns([5, 2], gap="large")
with left:
    walk(quiz)
    draw_card(quiz, settings)
with side:
    draw_side(quiz)
