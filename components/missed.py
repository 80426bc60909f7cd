"""A slider's move that came under a fragment's name.

What a browser reports within one tick goes to the server as one message; where a fragment asks again in the tick in which a
slider is moved, Streamlit (1.67) runs only the fragment, and the page would stay as it was. Then the fragment asks for the page.
(Only for moves: what fields say in such a message may be what they held before the browser heard of a change, or of Back.)
"""

import streamlit as st

from components.controls import STOPS


def forget_drawn() -> None:
    """At the beginning of a run of the whole page."""
    st.session_state.pop("drawn_with", None)


def note_drawn() -> None:
    """At its end: the moves that it was drawn after."""
    st.session_state["drawn_with"] = _moves()


def catch_up() -> None:
    """In a fragment: where a slider has been moved since the page was drawn, the page runs anew."""
    if st.session_state.get("drawn_with", moves := _moves()) != moves:
        st.rerun()


def _moves() -> dict[str, object]:
    return {code: st.session_state.get(f"{code}_move") for code in STOPS}
