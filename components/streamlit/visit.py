"""What the app itself keeps for a visit: in one dictionary of the session.

Streamlit (1.67) goes through everything in a session, one entry after the other, for each number field, slider and text field
that is drawn, and each look-up by itself costs 10 µs: so what is no widget's value stands under one key.
"""

from typing import Any

import streamlit as st


def kept() -> dict[str, Any]:
    """This visit's own, the same object in each run."""
    state = st.session_state
    try:
        return state["kept"]
    except KeyError:
        state["kept"] = {}
        return state["kept"]
