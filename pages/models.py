"""What did BERT, GPT, T5, Llama, … choose, and what would one more head cost there?"""

import streamlit as st

from components.figures.pictures.published import matrices, sharing, sweeps
from components.frame import open_alone
from components.pages.models import about
from components.pages.models.further import show_further
from components.pages.models.selection import select_model, show_configuration
from components.symbols import set_symbols
from components.widgets.chart import show_chart
from mha.published.table import BLOG_MODEL


def show() -> None:
    """The model that is selection."""
    head = st.container()
    selection, config_place = select_model()
    model = selection.model
    with head:
        st.title(about.title(selection))
        about.show_refusal(selection)
        st.markdown(f"{about.size_sentence(model)} {set_symbols(about.instead(selection))}{about.convention_sentence(model)}")

    left, right = st.columns([6, 5], gap="large")
    with left:
        rows = about.move(selection)
        show_chart(matrices.draw(rows, high=150), "matrices", matrices.alt(rows))
        if words := about.changed_sentence(model):
            st.caption(words)
    with config_place:
        show_configuration()
    with right:
        show_chart(sharing.draw(model.attention), "sharing", sharing.alt(model.attention))
        st.caption(sharing.sentence(model.attention))
    left, right = st.columns([6, 5], gap="large")
    with left:
        about.show_whole(model)
        st.caption(about.source(selection))
    with right:
        st.header("Attention parameters against heads")
        moved = sweeps.moves(selection.published, model)
        show_chart(sweeps.draw_moves(moved), "moves", sweeps.moves_alt(moved))
        if selection.entry and selection.entry.slug == BLOG_MODEL:
            about.show_observation(model)

    show_further(selection)


open_alone(show)
