"""If the count is the same, why have several heads?"""

import streamlit as st

from components.frame import open_lab
from components.pages.trained_heads import dinner, sentence
from components.pages.trained_heads.choices import choose
from components.pages.trained_heads.shared import show_check
from components.widgets.refusal import config_or_end
from components.widgets.words import say_untrained
from headcount.reading import network_name, why_not

settings = open_lab()
choice = choose()
cfg = config_or_end(settings) if choice.task == "sentence" else None
head, typed = st.container(), st.container()
example = sentence.choose(cfg is not None, typed)

if cfg is None:
    title, task = dinner.headline(choice)
    dinner.show(choice)
    dinner.show_spread(choice)
    dinner.show_limits()
    show_check("dinner-1", f"dinner-{choice.heads}")
elif layers := sentence.both(cfg, settings.paper, example):
    title, task = sentence.headline(layers)
    row = sentence.choose_asking(example, layers)
    sentence.show(example, layers, row)
    sentence.show_costs(settings, cfg)
    sentence.show_how_many(example)
    show_check(*(network_name(one.cfg) for one in layers))
else:
    title, task = "Each verb must say who, whom, where and when.", ""
    say_untrained(cfg, example.text, f"{why_not(cfg).capitalize()}.")
with head:
    st.title(title)
    st.markdown(task)
