"""Can I say it before I see it?"""

import streamlit as st

from components.quiz.card import draw_card, walk
from components.quiz.review import draw_side, title
from components.quiz.state import the_quiz
from components.shell import open_lab

settings = open_lab()
quiz = the_quiz()

st.title(title(quiz))
st.markdown("Say what you expect, by a click or by the keys 1 to 4. Then the real figure answers.")
left, side = st.columns([5, 2], gap="large")
with left:
    walk(quiz)
    draw_card(quiz, settings)
with side:
    draw_side(quiz)
