"""If the count is the same, why have several heads?"""

import streamlit as st

from components.frame import open_lab
from components.pages.trained_heads import dinner, sentence
from components.pages.trained_heads.choices import choose
from components.pages.trained_heads.shared import show_check

open_lab()
head, typed, top = (st.container() for _ in range(3))
choice = choose()
example = sentence.choose(choice, typed)
title, task = (dinner if choice.task == "dinner" else sentence).headline(choice)
with head:
    st.title(title)
    st.markdown(task)

if choice.task == "dinner":
    with top:
        dinner.show_tables(choice)
    dinner.show_maps(choice)
    dinner.show_spread(choice)
    dinner.show_limits()
    show_check(choice, "dinner-1", f"dinner-{choice.heads}")
else:
    sentence.show(choice, example, top)
    sentence.show_how_many(example)
    sentence.show_spread()
    show_check(choice, sentence.ONE, f"sentence-{choice.heads}")
