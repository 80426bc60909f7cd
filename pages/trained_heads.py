"""If the count is the same, why have several heads?"""

import streamlit as st

from components.frame import open_lab
from components.pages.trained_heads import sentence
from components.widgets.refusal import config_or_end
from components.widgets.words import say_untrained
from headcount.reading import network_name, why_not

settings = open_lab()
cfg = config_or_end(settings)
head = st.container()
example = sentence.choose()

if layers := sentence.both(cfg, settings.paper, example):
    title, task = sentence.headline(layers)
    row = sentence.choose_asking(example, layers)
    sentence.show(example, layers, row)
    sentence.show_costs(settings, cfg)
    sentence.show_how_many(example)
    sentence.show_check(*(network_name(one.cfg) for one in layers))
else:
    title, task = "Each verb must say who, whom, where and when.", ""
    say_untrained(cfg, example.text, f"{why_not(cfg).capitalize()}.")
with head:
    st.title(title)
    st.markdown(task)
