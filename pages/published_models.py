"""What did BERT, GPT, T5, Llama, … choose, and what would one more head cost there?"""

import streamlit as st

from components.figures.pictures.published import matrices, sharing, sweeps
from components.pages.published import about
from components.pages.published.chosen import choose_model
from components.pages.published.configuration import own_configuration
from components.pages.published.further import show_further
from components.streamlit.frame import open_alone
from components.streamlit.runtime import yield_for_paint
from components.widgets.chart import show_chart
from mha.published.table import BLOG_MODEL


def show() -> None:
    """The model that is chosen."""
    head = st.container()
    chosen, beside = choose_model()
    model = chosen.model
    with head:
        st.title(about.title(chosen))
        about.show_refusal(chosen)
        st.markdown(about.convention_sentence(model))

    left, right = st.columns([6, 5], gap="large")
    with left:
        rows = about.move(chosen)
        show_chart(matrices.draw(rows, high=150), "matrices", matrices.alt(rows))
    yield_for_paint()
    with beside:
        own_configuration()
    with right:
        bonds = sharing.bonds(model.attention)
        show_chart(sharing.draw(model.attention, bonds), "sharing", sharing.alt(bonds))
        st.caption(bonds.sentence)
    left, right = st.columns([6, 5], gap="large")
    with left:
        about.show_whole(model)
        st.caption(about.source(chosen))
    with right:
        st.header("Attention parameters against heads")
        moved = sweeps.moves(chosen.published, model)
        show_chart(sweeps.draw_moves(moved), "moves", sweeps.moves_alt(moved))
        if chosen.entry and chosen.entry.slug == BLOG_MODEL:
            about.show_observation(model)

    show_further(chosen)


open_alone(show)
