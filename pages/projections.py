"""What are W_Q, W_K, W_V per head? Is the embedding split or copied?"""

from functools import partial

import streamlit as st

from components.app.controls import control, stays_drawn
from components.app.stale_widget_values import set_value
from components.frame import open_layer
from components.widgets.chart import show_maps
from components.widgets.check import check_line
from components.widgets.explanation import chosen_cell, explain_corner, kernel_of, read_cell
from components.widgets.heads import step_heads
from components.widgets.stage import show_picture, show_scene
from components.widgets.trace import explain_no_numbers, trace_by
from components.widgets.words import CUT_IN_WORDS, choose_layer, cut_trace, say_trained
from headcount.explain import example
from headcount.export.request import CUT, KERNEL
from headcount.plots import layer
from headcount.plots.heatmaps import BESIDE
from headcount.settings import CELL
from headcount.stage.pictures import projections, split
from headcount.variations import split_embedding

settings = open_layer()
heading = st.container()
shown = choose_layer(settings)
cfg = shown.cfg
trace, by = trace_by(shown)

with heading:
    st.title(f"{projections.claim(cfg)}.")
    bias = ", plus that column's bias" if cfg.use_bias else ""
    read = projections.inputs(cfg, " or ")
    st.markdown(f"Each number of Q, K or V is a row of {read} times a column of a weight matrix{bias}.")
step_heads(shown)
cell = chosen_cell(trace)
kernel = kernel_of(cell)
of = projections.KERNELS[kernel][2]
marked = cell or (trace and example(trace, of))
left, right = st.columns((3, 2), gap="small")
below, numbers = st.container(), st.container()
with left, st.container(key="corner"):
    how = show_picture(
        projections.corner, shown, trace, kernel, shown.labels_at, chosen=marked, example=not cell, any_numbers=True
    )
    explain_corner(shown, trace, marked, cell is not None)
    # Another weight matrix deselects the cell.
    if control(KERNEL, label_visibility="collapsed", on_change=set_value, args=(CELL.code, "")) != kernel:
        st.rerun()
with right:
    if trace is not None:
        show_maps(shown, trace, "projections", layer.projections, shown.labels_at, cell, of, width=BESIDE, tables=numbers)
if trace is not None:
    with below:
        show_maps(shown, trace, "kernels", layer.kernels, cell, of, ahead=False)  # below the first screen
explain_no_numbers(shown)
say_trained(shown)
if trace is not None:
    read_cell(trace, cell, how)

    if cfg.use_gate:
        show_picture(projections.corner, shown, trace, "w_g", shown.labels, key="gate", chosen=cell)

    asked = stays_drawn("cut_chosen", [CUT])
    cuts = st.expander("One matrix, three cuts", expanded=asked, key="cuts_box", on_change="rerun")
    if stays_drawn("cut_chosen", [CUT], bool(cuts.open)):
        cuts.markdown("The same numbers can be cut in three ways. Switch between the ways and follow one cell.")
        with cuts:
            cut = control(CUT)
            one = cut_trace(shown, trace)
            show_picture(projections.three_cuts, shown, one, kernel, cut, key="cuts")
            if one is not trace:
                st.caption(CUT_IN_WORDS)

    copied = st.expander("Copied, not split", key="copied_box", on_change="rerun")
    if copied.open:
        with copied:
            wrong = split_embedding(trace)
            st.markdown(split.sentence(cfg, wrong))
            if wrong is not None:
                show_scene(partial(split.draw, trace, wrong), key="copied_not_split", origin=shown.origin)

check_line(shown, trace, by)
