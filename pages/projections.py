"""What are W_Q, W_K, W_V per head? Is the embedding split or copied?"""

import streamlit as st

from components.export.request import CUT, KERNEL
from components.figures.pictures import projections, split
from components.streamlit.controls import control
from components.streamlit.frame import open_layer
from components.widgets.check import check_line
from components.widgets.explanation import chosen_cell, explain_cell
from components.widgets.previews import with_previews
from components.widgets.stage import show_scene
from components.widgets.trace import explain_too_large, trace_by
from components.widgets.words import read_words, words_bar
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
scene, slider = with_previews(settings, cfg, trace, projections.corners, words.labels)
how = show_scene(scene, settings.drawn_by, chosen=cell, slider=slider, trace=trace)
explain_too_large(cfg)
explain_cell(trace, cell, how=how)

if trace is not None:
    st.header("One matrix, three cuts")
    st.markdown("The same numbers, however a library keeps them. Switch, and follow a cell.")
    left, right = st.columns(2)
    kernel, cut = control(KERNEL, left), control(CUT, right)
    scene, slider = with_previews(settings, cfg, trace, projections.three_cuts, kernel, cut)
    show_scene(scene, settings.drawn_by, key="cuts", slider=slider)

    st.header("Copied, not split")
    wrong = split_embedding(trace)
    st.markdown(split.sentence(cfg, wrong))
    if wrong is not None:
        show_scene(split.draw(trace, wrong), settings.drawn_by, key="copied_not_split")

check_line(cfg, trace, by, settings.backend)
