"""Can I say it before I see it?"""

import streamlit as st

from components.frame import open_lab
from components.pages.quiz.for_class import draw_class, offer_link
from components.pages.quiz.page import draw_board, draw_foot, draw_side, headline, read_quiz, walk
from components.presenter.votes import show_room
from components.symbols import set_symbols

open_lab()
quiz = read_quiz()

st.title(headline(quiz), anchor=False)
st.markdown(set_symbols(quiz.question.asks if quiz.shown else quiz.question.condition))
if not quiz.presented:
    walk(quiz)
draw_board(quiz)
draw_foot(quiz)
if quiz.presented:
    show_room(quiz.poll)
else:
    offer_link(quiz)
    draw_class(quiz)
with st.sidebar:
    draw_side(quiz)
