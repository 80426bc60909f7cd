"""Which statements that one reads about this layer are true?"""

import streamlit as st

from components.claims.asking import keep_looking, verdicts
from components.claims.card import chosen_claim, draw_card, walk
from components.claims.guesses import score
from components.claims.listing import among, draw_list
from components.claims.words import tally
from components.shell import open_lab
from mha.claims import CLAIMS

open_lab()
claim = chosen_claim()
known = verdicts()

st.title(f"{len(CLAIMS)} claims about this layer, each run in front of you.")
with st.container(key="claims_tally"):
    st.markdown(f"**{tally(known, len(CLAIMS))}**")
right, guessed = score(known)
st.markdown(
    "Statements from three articles, in our words. Guess, and the statement is run in front of you. "
    + (f"**You have {right} of {guessed} right.**" if guessed else "")
)
left, side = st.columns([5, 3], gap="large")
with left:
    walk(claim, among(known))
    with st.container(border=True, key="claim_card"):
        draw_card(claim)
with side:
    draw_list(claim, known)

keep_looking(claim, known)
