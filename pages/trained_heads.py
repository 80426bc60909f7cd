"""If the count is the same, why have several heads?"""

import streamlit as st

from components.shell import open_lab
from components.trained import dinner
from components.trained.choices import choose

open_lab()
choice = choose()

made, able = dinner.pass_of(choice)
title, sentence = dinner.headline(choice, able)
st.title(title)
st.markdown(sentence)
dinner.show_table(choice, made, able)
dinner.show_maps(choice, made, able)
dinner.show_spread(choice)
dinner.show_apart(choice)
