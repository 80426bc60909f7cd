"""How do scores become weights? What does each head look at?"""

import streamlit as st

from components.figures.pictures import attention, changes
from components.frame import open_layer
from components.streamlit.controls import value_ahead
from components.widgets.chart import show_chart_of
from components.widgets.check import check_line
from components.widgets.choosers import chosen_head, for_this_layer, head_and_divisor
from components.widgets.explanation import chosen_cell, explain_cell
from components.widgets.previews import once
from components.widgets.stage import show_picture, show_scene
from components.widgets.switches import chosen_switches, say_switches, show_script, switches_control
from components.widgets.trace import explain_too_large, trace_by
from components.widgets.words import read_words, words_bar
from mha.settings import DIVISOR, HEAD
from mha.variations import with_divisor, with_switches

settings, cfg = open_layer()
cfg, words = read_words(cfg)
trace, by = trace_by(cfg, settings.backend)
switches = chosen_switches()

st.title(attention.headline(cfg, trace, None if switches else words.reading, attention.row_sums(switches.on(cfg))))
st.markdown(
    "A row is one word that asks (query), a column one that answers (key): the share of its value that goes to the asking word."
)
tokens = words_bar(cfg, words, named=True)
explain_too_large(cfg)
if trace is None:
    show_scene(attention.maps(cfg, None, 0), settings.drawn_by, key="maps", go="head")
else:
    head, kind = chosen_head(cfg), value_ahead(DIVISOR)
    changed = with_switches(trace, switches)
    varied = with_divisor(changed, kind)
    cell = chosen_cell(varied)
    reading = None if switches else words.reading  # heads' names are measured without them
    to_maps = {"key": "maps", "go": "head", "chosen": cell, "shown": varied, "by": kind}
    show_picture(attention.maps, settings, cfg, trace, head, kind, tokens, reading, switches, **to_maps)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        head_and_divisor(cfg, head, kind)
        switches_control(switches)
    for_this_layer(HEAD, value_ahead(HEAD), cfg.num_heads)
    say_switches(cfg, switches, words.reading is not None)
    how = show_picture(attention.steps, settings, cfg, trace, head, kind, tokens, switches, chosen=cell, shown=varied, by=kind)
    explain_cell(varied, cell, kind, how=how)
    show_script(varied, kind)

    st.header(r"Why divide by $\sqrt{d_k}$?")
    st.markdown(once(trace, lambda: changes.divisor_sentence(changed), len, "divisor_sentence", switches))
    row = cell.row if cell is not None and cell.name in attention.QUERY_ROWS else cfg.query_len - 1
    show_chart_of(trace, cfg, "divisors", changes.divisors, switches, head, row, tokens, of_layer=cell is None)

check_line(cfg, trace, by, settings.backend, first="Of the layer without what is switched on:" if switches else "")
