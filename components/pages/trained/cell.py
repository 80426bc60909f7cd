"""A chosen cell of a trained head's map: its arithmetic by the same machinery as on the other pages."""

import math

import streamlit as st

from components.pages.trained.choices import Choice
from components.widgets.explanation import in_words, read_cell, say
from mha import Trace
from mha.explain import Cell, Explanation, explain


def explain_weight(trace: Trace, shown: Cell | None, labels: tuple[str, ...], choice: Choice) -> None:
    """The field that names a cell and, under it, how its number comes about. `shown`: what the picture has marked by now."""
    with st.container(key="explain"):
        cell = read_cell(trace)
        if cell != shown:  # Back, or another page: the field has taken another value from the address
            st.rerun()
        if cell is None:
            st.caption("Click a cell, and the arithmetic of its weight is written here.")
        elif cell.name == "weights" and cell.head is not None:
            said = f"head {cell.head + 1}: how much {labels[cell.row]} takes from {labels[cell.col]}"
            st.markdown(f"{said[0].upper()}{said[1:]}.")
            score = Cell("scores", cell.row, cell.col, cell.head)
            say(explain(trace, score))
            say(_scaled(trace, score, choice.temperature))
            say(explain(trace, cell))
        elif cell.name == "scaled":
            say(_scaled(trace, cell, choice.temperature))
        elif cell.name == "context" and cell.head is not None and cell.head == choice.head_off:
            st.markdown(f"**{in_words(cell)}** · head {cell.head + 1} is removed: its result is set to 0.")
        else:
            say(explain(trace, cell))


def _scaled(trace: Trace, cell: Cell, temperature: float) -> Explanation:
    """The score divided by √d_k, times the temperature that was chosen."""
    here = Cell("scaled", cell.row, cell.col, cell.head)
    if temperature == 1.0:
        return explain(trace, here)
    score = float(trace.scores.values[0, cell.head, cell.row, cell.col])
    value = float(trace.scaled.values[0, cell.head, cell.row, cell.col])
    parts = ((score * temperature, math.sqrt(trace.cfg.key_dim)),)
    return Explanation(here, "ratio", f"QKᵀ, times {temperature:g},", "√d_k", parts, None, value)
