"""Which of the statements one reads about this layer are true?"""

import streamlit as st

from components.frame import open_lab
from components.pages.claims.card import chosen_claim, draw_card, draw_list, listed, score, tally, walk
from components.pages.claims.results import keep_looking, verdicts
from lessons.claims import CLAIMS

open_lab()
claim = chosen_claim()
known = verdicts()

st.title(f"{len(CLAIMS)} claims about this layer, each run in front of you.")
with st.container(key="claims_tally"):
    st.markdown(f"**{tally(known)}**")
so_far = score(known)
st.markdown(
    "Statements from three articles, in our words. Guess, and the statement is run in front of you. "
    + (f"**{so_far}**" if so_far else "")
)
left, side = st.columns([5, 3], gap="large")
with left:
    walk(claim, listed(known))
    with st.container(border=True, key="claim_card"):
        draw_card(claim)
with side:
    draw_list(claim, known)

keep_looking(claim, known)
