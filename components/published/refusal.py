"""Head counts that a model cannot have, in the words of who refuses them; and those that are quietly rounded."""

import streamlit as st

from components.published import words
from components.published.chosen import Chosen


def show_refusal(chosen: Chosen) -> None:
    """Nothing where the heads are a layer as they are."""
    if said := words.rounded_down(chosen.model):
        st.info(said)
    if chosen.refused is None:
        return
    if raised := chosen.refused.raised.strip():
        st.markdown("**Hugging Face transformers** raises")
        st.code(raised, language=None, wrap_lines=True)
    near = words.nearest(chosen.published, chosen.asked)
    st.markdown(f"The nearest head counts that this model can have: {near}. Below it stands as published.")
