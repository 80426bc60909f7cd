"""How do scores become weights? What does each head look at?"""

from html import escape

import streamlit as st

from components.app.controls import control, for_this_layer, stays_drawn, value_ahead
from components.app.stale_widget_values import show_value
from components.frame import open_layer
from components.widgets.chart import show_chart_of, show_maps
from components.widgets.check import check_line
from components.widgets.explanation import chosen_cell, explain_in_row, read_cell, show_explanation, to_head
from components.widgets.heads import step_heads
from components.widgets.previews import once
from components.widgets.stage import show_picture
from components.widgets.switches import BEFORE_SWITCHES, chosen_switches, say_switches, show_script, switches_control
from components.widgets.trace import explain_no_numbers, trace_by
from components.widgets.words import choose_layer, say_trained
from headcount.explain import explain, most_looked_at
from headcount.names import at_position
from headcount.plots.heatmaps import BESIDE
from headcount.plots.layer import asking, maps_beside
from headcount.settings import DIVISOR, HEAD
from headcount.stage.pictures import attention, changes, one_query
from headcount.variations import index_of_head, with_divisor, with_switches

settings = open_layer()
heading, said = st.container(), st.container()
shown = choose_layer(settings, named=True)
cfg, tokens = shown.cfg, shown.labels
trace, by = trace_by(shown)
switches = chosen_switches(shown)
reading = None if switches else shown.reading  # heads' names are measured without them

with heading:
    st.title(attention.headline(cfg, trace, reading, attention.row_sums(switches.on(cfg))))
    st.markdown(attention.LEAD + attention.PRESS * (trace is not None))
step_heads(shown)
explain_no_numbers(shown)
if trace is not None:
    # Before their fields are drawn: the picture comes first. Back gives a field another value from the address, below.
    kind = value_ahead(DIVISOR)
    changed = with_switches(trace, switches)
    varied = with_divisor(changed, kind)
    cell = chosen_cell(varied)
    if cell is not None and cell.head is not None and value_ahead(HEAD) != cell.head + 1:
        show_value(HEAD.code, cell.head + 1)
    head = index_of_head(value_ahead(HEAD), cfg.num_heads) or 0
    row = asking(reading, cfg, cell)
    marked = cell or most_looked_at(varied, head, row)
    maps, card = st.columns([1.04, 1], gap="medium")
    rows, below = st.container(), st.container()
    with card, st.container(key="row_card", border=True):
        st.html(f"<h2>Where does {escape(at_position(tokens, row))} look in head {head + 1}?</h2>")
        how = show_picture(
            one_query.draw, shown, trace, head, row, kind, tokens, switches,
            key="query", chosen=marked, example=not cell, tables=below,
        )  # fmt: skip
        explain_in_row(shown, varied, marked, cell is not None, kind)
    with maps:  # they change with the picture beside them
        show_maps(shown, trace, "attention_maps", maps_beside, switches, kind, reading, tokens, head, cell, width=BESIDE)
    with rows:
        st.header(f"All rows of head {head + 1}")
        show_picture(attention.steps, shown, trace, head, kind, tokens, switches, reading, row, chosen=marked, example=True)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        chosen_head = control(HEAD, width=170, on_change=to_head, args=(cfg.num_heads,))
        switches_control(shown, switches)
    if (index_of_head(chosen_head, cfg.num_heads) or 0) != head:
        st.rerun()
    with said:
        for_this_layer(HEAD, value_ahead(HEAD), cfg.num_heads)
    say_trained(shown)
    say_switches(cfg, switches, shown.reading is not None)
    if (named := read_cell(varied, cell, how, said=said)) is not None:
        with st.container(key="formula"):
            show_explanation(explain(varied, named, kind))
    show_script(varied, kind)

    with st.expander("Why divide by √key_dim?", expanded=stays_drawn("divided", [DIVISOR])):
        if control(DIVISOR) != kind:
            st.rerun()
        st.markdown(once(shown.origin, trace, lambda: changes.divisor_sentence(changed), "divisor_sentence", switches))
        show_chart_of(shown, trace, "divisors", changes.divisors, switches, head, row, tokens, of_layer=cell is None)

check_line(shown, trace, by, first=BEFORE_SWITCHES if switches else "")
