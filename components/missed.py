"""A change of the page that came under a fragment's name.

What a browser reports within one tick goes to the server as one message; where a fragment asks again in the tick in which a
slider is moved, Streamlit (1.67) runs only the fragment, and the page would stay as it was. Then the fragment asks for the page.
"""

import streamlit as st

from components.address import CHOICES, NUMBERS
from components.controls import is_late

#: Keys of widgets, on whatever page.
WATCHED = (*CHOICES, *NUMBERS, "cell", "tokens")


def forget_drawn() -> None:
    """At the beginning of a run of the whole page."""
    st.session_state.pop("drawn_with", None)


def note_drawn() -> None:
    """At its end: what the page was drawn with."""
    state = st.session_state
    state["drawn_with"] = {key: state[key] for key in WATCHED if key in state}


def catch_up() -> None:
    """In a fragment: where the page is not drawn with what its widgets say by now, it runs anew."""
    state = st.session_state
    drawn = state.get("drawn_with", {})
    if any(key in state and state[key] != value and not is_late(key, state) for key, value in drawn.items()):
        st.rerun()
