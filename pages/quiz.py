"""Can I say it before I see it?"""

import streamlit as st

from components.frame import open_lab
from components.pages.quiz.page import draw_card, draw_side, read_quiz, walk

settings = open_lab()
quiz = read_quiz()

st.title(quiz.title)
st.markdown("Say what you expect; the real figure answers.")
walk(quiz)
draw_card(quiz, settings)
with st.container(key="keys_hint"):
    st.caption("Keys: 1 to 4, P and N.")
with st.sidebar:
    draw_side(quiz)
