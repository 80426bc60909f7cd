"""What are W_Q, W_K, W_V per head? Is the embedding split or copied?"""

from functools import partial

import streamlit as st

from components.export.request import CUT, KERNEL
from components.figures.pictures import projections, split
from components.frame import open_layer
from components.streamlit.controls import control
from components.widgets.check import check_line
from components.widgets.explanation import chosen_cell, explain_cell
from components.widgets.stage import show_picture, show_scene
from components.widgets.trace import explain_too_large, trace_by
from components.widgets.words import CUT_IN_WORDS, cut_trace, read_words, words_bar
from mha.variations import split_embedding

settings, cfg = open_layer()
cfg, words = read_words(cfg)
trace, by = trace_by(cfg, settings.backend)

st.title(f"{projections.claim(cfg)}.")
bias = ", plus that column's bias" if cfg.use_bias else ""
st.markdown(
    f"Read it as a corner: a row of X goes right, a column of W comes down, and where they meet stands their product{bias}. "
    "A head owns columns, never a part of X."
)
words_bar(cfg, words)
cell = chosen_cell(trace)
how = show_picture(projections.corners, settings, cfg, trace, words.labels, chosen=cell)
explain_too_large(cfg)
explain_cell(trace, cell, how=how)

if trace is not None:
    st.header("One matrix, three cuts")
    st.markdown("The same numbers, however a library keeps them. Switch, and follow a cell.")
    left, right = st.columns(2)
    kernel, cut = control(KERNEL, left), control(CUT, right)
    one = cut_trace(cfg, words, trace)
    show_picture(projections.three_cuts, settings, cfg, one, kernel, cut, key="cuts")
    if one is not trace:
        st.caption(CUT_IN_WORDS)

    st.header("Copied, not split")
    wrong = split_embedding(trace)
    st.markdown(split.sentence(cfg, wrong))
    if wrong is not None:
        show_scene(partial(split.draw, trace, wrong), settings.drawn_by, key="copied_not_split")

check_line(cfg, trace, by, settings.backend)
