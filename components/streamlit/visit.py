"""What the app itself keeps for a visit: in one dictionary of the session.

Streamlit (1.67) goes through everything in a session, one entry after the other, for each number field, slider and text field
that is drawn, and each look-up by itself costs 10 µs: so what is no widget's value stands under one key, and is looked up once
in a run.
"""

from typing import Any

import streamlit as st

from components.streamlit.lighter import run_of


def kept() -> dict[str, Any]:
    """This visit's own, the same object in each run."""
    run = run_of(suppress_warning=True)
    ours = getattr(run, "kept", None)
    if ours is None:
        ours = st.session_state.setdefault("kept", {})
        if run is not None:
            run.kept = ours
    return ours
