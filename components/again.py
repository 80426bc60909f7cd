"""A page that is opened again, by the menu or by Back, shows what it showed last.

Streamlit takes a page's own keys out of the address when another page is opened, also out of the one that Back returns to.
"""

import streamlit as st

from components.present import keys as present
from mha import settings

#: Keys of the walk, during which pages are not recalled.
WALK = {setting.code for setting in present.SETTINGS}
#: Characters kept of a page: the longest is a visitor's own configuration.
MOST = 8000


def own_keys() -> dict[str, list[str]]:
    """What the address holds for the page alone."""
    everywhere = {setting.code for setting in settings.SHARED} | WALK
    return {key: st.query_params.get_all(key) for key in st.query_params if key not in everywhere}


def remember(page: str) -> None:
    """After the page is drawn: what it shows, for this session."""
    keys = own_keys()
    if not WALK & {*st.query_params} and sum(len(value) for values in keys.values() for value in values) <= MOST:
        st.session_state.setdefault("shown_on", {})[page] = keys


def recall(page: str) -> None:
    """Before the page is drawn: where it is opened anew and the address says nothing of its own, what it showed last."""
    state = st.session_state
    before, state["page_before"] = state.get("page_before", page), page
    shown = state.get("shown_on", {})
    if before == page or WALK & {*st.query_params} or own_keys() not in ({}, shown.get(before)):
        return
    if missing := {key: values for key, values in shown.get(page, {}).items() if key not in st.query_params}:
        for key, values in missing.items():
            st.query_params[key] = values
        st.rerun()  # widgets take their values from the address where a run begins
