"""How do scores become weights? What does each head look at?"""

import streamlit as st

from components.app.controls import control, for_this_layer, stays_drawn, value_ahead
from components.frame import open_layer
from components.widgets.chart import show_chart_of, show_maps, turn_pages
from components.widgets.check import check_line
from components.widgets.explanation import chosen_cell, explain_look, read_cell
from components.widgets.previews import once, prefetch, prefetch_scene
from components.widgets.stage import show_scene
from components.widgets.switches import BEFORE_SWITCHES, chosen_switches, say_switches, show_script, switches_control
from components.widgets.trace import explain_no_numbers, trace_by
from components.widgets.words import choose_words, say_trained
from headcount.explain import most_looked_at
from headcount.plots.layer import asking, maps_of
from headcount.reading import GREY_ROWS
from headcount.settings import DIVISOR, HEAD
from headcount.stage.pictures import attention, changes
from headcount.variations import index_of_head, with_divisor, with_switches

settings, cfg = open_layer()
heading = st.container()
cfg, words = choose_words(cfg, named=True)
tokens = words.labels
trace, by = trace_by(cfg, settings.backend)
switches = chosen_switches()
reading = None if switches else words.reading  # heads' names are measured without them

with heading:
    st.title(attention.headline(cfg, trace, reading, attention.row_sums(switches.on(cfg))))
    st.markdown(f"A row’s word asks (query), a column’s is looked at (key). {'' if reading is None else GREY_ROWS}")
explain_no_numbers(cfg)
if trace is not None:
    # Before their fields are drawn: the picture comes first. Back gives a field another value from the address, below.
    head, kind = index_of_head(value_ahead(HEAD), cfg.num_heads) or 0, value_ahead(DIVISOR)
    changed = with_switches(trace, switches)
    varied = with_divisor(changed, kind)
    cell = chosen_cell(varied)
    steps, following = prefetch_scene(settings, cfg, trace, attention.steps, head, kind, tokens, switches)
    prefetch("stage", following)  # the maps stand above the picture that they change with
    marked = cell or most_looked_at(varied, head, asking(reading, cfg))
    turn_pages(cfg, head)
    show_maps(trace, "attention_maps", maps_of, switches, kind, reading, tokens, head, cell)
    with st.container(key="look"):
        st.header(f"Head {head + 1} step by step")
        explain_look(varied, marked, tokens, cell is not None, kind)
        clicked_in_map = cell is not None and cell.name == "weights"
        how = show_scene(steps, slider=following, chosen=marked, example=cell is None or clicked_in_map)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if (index_of_head(control(HEAD, width=170), cfg.num_heads) or 0) != head:
            st.rerun()
        switches_control(switches)
    for_this_layer(HEAD, value_ahead(HEAD), cfg.num_heads)
    say_trained(cfg, words)
    say_switches(cfg, switches, words.reading is not None)
    read_cell(varied, cell, how)
    show_script(varied, kind)

    with st.expander("Why divide by √key_dim?", expanded=stays_drawn("divided", [DIVISOR])):
        if control(DIVISOR) != kind:
            st.rerun()
        st.markdown(once(trace, lambda: changes.divisor_sentence(changed), len, "divisor_sentence", switches))
        row = asking(reading, cfg, cell)
        show_chart_of(trace, cfg, "divisors", changes.divisors, switches, head, row, tokens, of_layer=cell is None)

check_line(cfg, trace, by, settings.backend, first=BEFORE_SWITCHES if switches else "")
