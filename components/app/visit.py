"""What the app itself keeps for a visit, in one dictionary of the session, and the session's values by their keys."""

from collections.abc import Iterable
from typing import Any

import streamlit as st


def kept() -> dict[str, Any]:
    """This visit's own dictionary, the same object in each run: what is no widget's value."""
    return st.session_state.setdefault("kept", {})


def values_of(keys: Iterable[str]) -> dict[str, Any]:
    """Values of the session by those of these keys that it has."""
    everything = st.session_state.to_dict()  # once: each look-up by itself costs 10 µs
    return {key: everything[key] for key in keys if key in everything}
