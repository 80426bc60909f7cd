"""What a visitor has of the layer that is shown, kept in the session; which layer that is, `headcount.layer.Shown` says.

It is in no cache that visitors share, and ends with the visit. Outside a run of a page the session is empty: the seed's numbers.
"""

import streamlit as st

from components.app.stale_widget_values import set_value
from components.app.visit import visit
from headcount.layer import Shown, Source, VisitorLayer

#: Of the session: the layer of a file, and what was wrong with the last file.
KEY, PROBLEM = "own", "own_problem"


def visitor_layer() -> VisitorLayer | None:
    """Returns the layer of the visitor for whom this script runs; None where there is none."""
    return st.session_state.get(KEY)


def show_source(source: Source | None) -> None:
    """Sets what the running page has chosen: a trained network or typed numbers; None: the seed's numbers."""
    visit().source = source


def shown() -> Shown:
    """Returns what this page shows."""
    ours = visit()
    return Shown(visitor_layer(), ours.source, ours.typed_layers)


def follow() -> None:
    """Callback: the shared settings become those of the visitor's layer."""
    state = st.session_state
    layer: VisitorLayer = state[KEY]
    for key, value in layer.settings(bool(state.get("use_gate"))).items():
        set_value(key, value)


def let_go() -> None:
    """Callback: goes back to the seeded layer; nothing of the file stays."""
    for key in (KEY, PROBLEM):
        st.session_state.pop(key, None)
