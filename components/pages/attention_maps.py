"""All heads' maps on the attention page, at most 16 at once, and the buttons that lead to the next ones."""

import streamlit as st

from components.app.stale_widget_values import set_value
from components.plots.layer import MAX_MAPS, maps_of
from components.widgets.chart import show_maps
from mha import Config, Trace
from mha.explain import Cell
from mha.reading import Reading
from mha.settings import HEAD
from mha.switches import Switches


def show(
    trace: Trace,
    switches: Switches,
    divisor: str,
    reading: Reading | None,
    words: tuple[str, ...],
    head: int,
    cell: Cell | None,
) -> None:
    if trace.cfg.num_heads > MAX_MAPS:
        _pager(trace.cfg, head)
    show_maps(trace, "attention_maps", maps_of, switches, divisor, reading, words, head, cell)


def _pager(cfg: Config, head: int) -> None:
    first = head // MAX_MAPS * MAX_MAPS
    past = min(first + MAX_MAPS, cfg.num_heads)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="maps_pager"):
        st.button("Previous", key="maps_before", disabled=first == 0, on_click=set_value, args=(HEAD.code, first - MAX_MAPS + 1))
        st.markdown(f"Heads {first + 1} to {past}: {past - first} of {cfg.num_heads}", width="content")
        st.button("Next", key="maps_after", disabled=past == cfg.num_heads, on_click=set_value, args=(HEAD.code, past + 1))
