"""What did BERT, GPT, T5, Llama, … choose, and what would a head more cost there?"""

import streamlit as st

from components.chart import show_chart
from components.figures.published import matrices, moves, sharing
from components.published import words
from components.published.chosen import choose_model
from components.published.compare import show_comparison
from components.published.costs import show_costs
from components.published.every import show_every
from components.published.ledger import show_whole
from components.published.observation import show_observation
from components.published.own import own_configuration
from components.published.refusal import show_refusal
from components.shell import open_lab
from mha.published import blog

open_lab()
head = st.container()
chosen = choose_model()
model = chosen.model
with head:
    st.title(words.title(chosen))
    show_refusal(chosen)
    st.markdown(words.convention_sentence(model))

left, right = st.columns([6, 5], gap="large")
with left:
    rows = [matrices.row(chosen.name, chosen.published.attention, model.attention)]
    show_chart(matrices.draw(rows), "matrices", matrices.alt(rows))
with right:
    bonds = sharing.bonds(model.attention)
    show_chart(sharing.draw(model.attention, bonds), "sharing", sharing.alt(bonds))
    st.caption(bonds.sentence)
st.caption(words.source(chosen))
own_configuration(chosen.entry is None)

left, right = st.columns([6, 5], gap="large")
with left:
    show_whole(model)
with right:
    st.subheader("Attention parameters against heads")
    made = moves.moves(chosen.published, model)
    show_chart(moves.draw(made), "moves", moves.alt(made))
if chosen.entry and chosen.entry.slug == blog.SLUG:
    show_observation(model)

show_every()
st.subheader("Two models at one scale")
show_comparison(chosen)
st.subheader("What the choice costs to run")
show_costs(model)
