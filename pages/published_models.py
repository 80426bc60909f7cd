"""What did BERT, GPT, T5, Llama, … choose, and what would one more head cost there?"""

import streamlit as st

from components.figures.pictures.published import matrices, sharing, sweeps
from components.pages.published import words
from components.pages.published.chosen import choose_model
from components.pages.published.configuration import own_configuration
from components.pages.published.ledger import show_observation, show_whole
from components.pages.published.sections import show_further
from components.pages.published.words import show_refusal
from components.streamlit.frame import open_alone
from components.streamlit.runtime import picture_first
from components.widgets.chart import show_chart
from mha.published import blog


def show() -> None:
    """The model that is chosen."""
    head = st.container()
    chosen, beside = choose_model()
    model = chosen.model
    with head:
        st.title(words.title(chosen))
        show_refusal(chosen)
        st.markdown(words.convention_sentence(model))

    left, right = st.columns([6, 5], gap="large")
    with left:
        rows = words.move(chosen)
        show_chart(matrices.draw(rows, high=150), "matrices", matrices.alt(rows))
    picture_first()
    with beside:
        own_configuration()
    with right:
        bonds = sharing.bonds(model.attention)
        show_chart(sharing.draw(model.attention, bonds), "sharing", sharing.alt(bonds))
        st.caption(bonds.sentence)
    left, right = st.columns([6, 5], gap="large")
    with left:
        show_whole(model)
        st.caption(words.source(chosen))
    with right:
        st.header("Attention parameters against heads")
        made = sweeps.moves(chosen.published, model)
        show_chart(sweeps.draw_moves(made), "moves", sweeps.moves_alt(made))
        if chosen.entry and chosen.entry.slug == blog.SLUG:
            show_observation(model)

    show_further(chosen)


open_alone(show)
