"""What does this layer cost to run: FLOPs, memory, time to read its cache?"""

import streamlit as st

from components.frame import open_layer
from components.pages.costs import page

settings, cfg = open_layer()

title = st.empty()
load = page.chosen_load(cfg)
title.title(page.headline(load))
st.header("Arithmetic")
page.show_arithmetic(load)
st.header("Memory")
page.show_memory(load)
