"""If the count is the same, why have several heads?"""

import streamlit as st

from components.shell import open_lab
from components.trained import dinner, honesty, layers, sentence
from components.trained.choices import choose

open_lab()
top, bar, maps, apart = (st.container() for _ in range(4))  # a picture stands above the choices that it follows
choice = choose(bar, apart)

if choice.task == "dinner":
    made, able = dinner.pass_of(choice)
    title, words = dinner.headline(choice, able)
    with top:
        st.title(title)
        st.markdown(words)
        dinner.show_table(choice, made, able)
    with maps:
        dinner.show_maps(choice, made, able)
        dinner.show_spread(choice)
    with apart:
        dinner.show_apart(choice, able)
    honesty.show()
    honesty.check(choice, "dinner-1", f"dinner-{choice.heads}")

elif choice.task == "sentence":
    title, words = sentence.headline(choice)
    with top:
        st.title(title)
        st.markdown(words)
        sentence.show(choice, maps)
    sentence.show_spread()
    honesty.check(choice, sentence.ONE, f"sentence-{sentence.heads_of(choice)}")

else:
    title, words = layers.headline()
    with top:
        st.title(title)
        st.markdown(words)
        layers.show(choice, maps)
    layers.show_spread()
    honesty.check(choice, layers.FLAT, layers.DEEP)

with st.container(key="other_tasks_hidden"):  # what is not mounted would lose its place in the address
    if choice.task != "sentence":
        sentence.field()
    if choice.task != "facts":
        layers.choose()
