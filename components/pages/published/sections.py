"""Below the model, one at a time: the table of all models, two side by side, costs."""

import streamlit as st

from components.pages.published import keys
from components.pages.published.chosen import Chosen
from components.pages.published.compare import choose_other, show_comparison
from components.pages.published.costs import choose_load, show_costs
from components.pages.published.table import choose_rows, show_every
from components.streamlit.hidden import hidden


def show_further(chosen: Chosen) -> None:
    """The fields of all three are there, so that the address keeps them; those that are not asked for are hidden."""
    which = st.segmented_control(
        "Look further", keys.FURTHER, default=keys.FURTHER[0], key="further", bind="query-params", required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    with hidden("all_models_choice", unless=which == "all-models"):
        rows = choose_rows()
    with hidden("compare_choice", unless=which == "compare"):
        other = choose_other()
    with hidden("costs_choice", unless=which == "costs"):
        load = choose_load()
    if which == "all-models":
        show_every(rows)
    elif which == "compare":
        show_comparison(chosen, other)
    else:
        show_costs(chosen.model, *load)
