"""Why does the number of heads not change the number of parameters, and when does it?"""

import streamlit as st

from components.frame import open_layer
from components.pages.heads.page import ledger_table, link_to_costs, other_layer, show_contrast
from components.presenter.screen import show_start_here
from components.widgets.check import check_line
from components.widgets.explanation import chosen_cell, explain_cell
from components.widgets.heads import choose_card, reader_of, scene, show_lead, step_heads
from components.widgets.stage import show_picture
from components.widgets.time import show_time
from components.widgets.trace import explain_no_numbers, trace_by
from components.widgets.words import read_layer, say_cut
from headcount.stage.pictures import heads, start_page
from headcount.trained.sentence import DEFAULT

shown = read_layer(open_layer())
cfg, paper = shown.cfg, shown.settings.paper
trace, by = trace_by(shown)
sentence = shown.reading.sentence if shown.reading is not None else DEFAULT

with st.container(key="opening"):
    st.title(start_page.HEADING, anchor=False)
    show_lead(start_page.lead(reader_of(cfg, sentence)))
    show_start_here()
step_heads(shown)
show_picture(scene, shown, trace, paper, shown.origin, sentence, key="law", go=choose_card, any_numbers=True)
explain_no_numbers(shown)
if trace is not None:
    cell = chosen_cell(trace)
    how = show_picture(heads.pieces, shown, trace, chosen=cell, any_numbers=True)
    say_cut(shown)
    explain_cell(shown, trace, cell, how)

with st.expander("What more heads cost"):
    show_time(cfg.num_heads, shown, trace)
there = other_layer(cfg, paper)
if there != cfg:
    with st.expander("What the heads change"):
        show_contrast(shown.origin, cfg, there)
        link_to_costs(cfg)
with st.expander("Parameters"):
    st.markdown(ledger_table(cfg))
check_line(shown, trace, by)
