"""How do h outputs become one? What does W_O do?"""

import streamlit as st

from components.app.controls import control, for_this_layer, value_ahead
from components.frame import open_layer
from components.widgets.chart import show_chart, show_maps
from components.widgets.check import check_line
from components.widgets.explanation import chosen_cell, explain_corner, read_cell, say_both_ways
from components.widgets.heads import show_lead, step_heads
from components.widgets.stage import show_picture
from components.widgets.switches import BEFORE_SWITCHES, as_in_file
from components.widgets.trace import explain_no_numbers, trace_by
from components.widgets.words import choose_layer, say_fallen, say_trained
from headcount.explain import example
from headcount.names import counted, heads_in_words
from headcount.plots import layer
from headcount.plots.heatmaps import BESIDE
from headcount.settings import HEAD_OFF
from headcount.stage.pictures import changes, concatenation
from headcount.variations import index_of_head, without_head

settings = open_layer()
heading = st.container()
shown = choose_layer(settings)
cfg = shown.cfg
plain, by = trace_by(shown)
trace = as_in_file(shown, plain)
off = index_of_head(value_ahead(HEAD_OFF), cfg.num_heads)  # the picture comes before its field

with heading:
    own = counted(cfg.value_dim, "column")
    st.title(f"{heads_in_words(cfg.num_heads)} × {own} = {cfg.num_heads * cfg.value_dim:,}, then one matrix mixes them.")
    of = "all heads" if off is None else f"all heads but head {off + 1}"
    bias = ", plus the bias" if cfg.use_bias else ""
    show_lead(f"Before W_{{O}} each column belongs to one head. After W_{{O}} each column is a sum over {of}{bias}.")
step_heads(shown)
left = trace if trace is None or off is None else without_head(trace, off)
cell = chosen_cell(left)
marked = cell or (trace and example(trace, "output"))  # of all heads: with one switched off it is the same cell
beside, maps = st.columns((3, 2), gap="small")
below, numbers = st.container(), st.container()
with beside, st.container(key="corner"):
    how = show_picture(
        concatenation.corner, shown, trace, off, shown.labels_at, chosen=marked, example=not cell, any_numbers=True
    )
    explain_corner(shown, left, marked, cell is not None, off)
with maps:
    if trace is not None:
        show_maps(shown, trace, "shares", layer.shares, shown.labels_at, cell, off, width=BESIDE, tables=numbers)
if trace is not None:
    with below:
        show_maps(shown, trace, "results", layer.results, shown.labels_at, cell, off, ahead=False)  # below the first screen
explain_no_numbers(shown)
say_trained(shown)
head = for_this_layer(HEAD_OFF, control(HEAD_OFF, width=220), cfg.num_heads)
if index_of_head(head, cfg.num_heads) != off:  # Back: the field has taken another value from the address
    st.rerun()
if trace is not None and left is not None:
    read_cell(left, cell, how)

    with st.expander("What one head reaches", expanded=off is not None):
        st.markdown(changes.sentence(trace, left, off))
        if off is not None and shown.reading is not None:
            st.markdown(say_fallen(shown.reading, trace, left))
        if off is not None:
            show_chart(changes.draw_changes(trace, left, off), "head_switched_off", origin=shown.origin)

    with st.expander("The product is a sum over heads"):
        say_both_ways(left)

check_line(shown, plain, by, first="" if trace is plain else BEFORE_SWITCHES)
