"""Reads and changes the query of the address, and restores a page's settings in the query when the page is opened again."""

from collections.abc import MutableMapping

import streamlit as st
from streamlit.errors import StreamlitAPIException

from components.address import known
from components.app.visit import visit
from components.menu import SETTINGS
from headcount import settings
from headcount.text_bounds import MAX_ADDRESS
from lessons import walk


def apply_changes(params: MutableMapping[str, str], changes: dict[str, str | None]) -> None:
    """Changes the address before a widget reads it. `changes`: each key's new text, or None to remove the key, which must be
    present. Faulty values must not reach Streamlit's own widgets (1.67). These fail on `inf` or an empty choice, read `8.0` as 8,
    and ignore a repeated word (tests/app/test_streamlit_contract.py)."""
    for key, text in changes.items():
        if text is None:
            del params[key]
        else:
            params[key] = text


#: Keys of the walk (lessons/walk.py). While the address has one, no page's settings are saved or restored.
WALK = {setting.code for setting in walk.SETTINGS}
#: Keys that the next page takes over: the sentence typed on one page is read on the next.
CARRIED = {settings.NUMBERS.code, settings.TOKENS.code}


def query() -> dict[str, list[str]]:
    """The address's query as a list of values for each key, because a key may be repeated."""
    return {key: st.query_params.get_all(key) for key in st.query_params}


def page_query() -> dict[str, list[str]]:
    """The part of the query that belongs to one page, without the shared settings, the walk's keys and the voting room."""
    everywhere = {setting.code for setting in (*settings.SHARED, *walk.ROOM)} | WALK
    return {key: values for key, values in query().items() if key not in everywhere}


def keep_room() -> None:
    """Remembers the voting room in the address. If Streamlit has removed the room's code on a change of page, puts it back."""
    said, ours = {one.code: st.query_params[one.code] for one in walk.ROOM if one.code in st.query_params}, visit()
    ours.room = said if said.get("room", ours.room.get("room")) != ours.room.get("room") else ours.room | said
    if "room" in {*ours.room} - {*said}:
        st.query_params["room"] = ours.room["room"]


def save_query(page: str) -> None:
    """Remembers the page's own part of the address for this session. Does nothing during the walk or for very long values."""
    keys = page_query()
    if not WALK & {*st.query_params} and sum(len(value) for values in keys.values() for value in values) <= MAX_ADDRESS:
        visit().shown_on[page] = keys
        if settings.NUMBERS.code in st.session_state and settings.TOKENS.code in st.session_state:
            visit().carried = {key: values for key, values in keys.items() if key in CARRIED}


def restore_query(page: str, words: bool = False) -> None:
    """Restores a page's settings in the address when the visitor comes back from another page. Does nothing during the walk, or
    if the address already has settings for this page. `words`: whether to take over the numbers and the sentence of other pages.

    When another page is opened, Streamlit (1.67) removes the previous page's keys from the address
    (tests/app/test_streamlit_contract.py). Without this function, Back would show the defaults (tests/browser/test_history.py).
    """
    ours = visit()
    before, ours.page_before, shown = ours.page_before or page, page, ours.shown_on
    if before != page:  # with Streamlit 1.62 the fields of the page before keep their values
        for key in {setting.code for setting in SETTINGS} & {*st.session_state} - {*st.query_params}:
            del st.session_state[key]
    if before == page or WALK & {*st.query_params} or page_query() not in ({}, shown.get(before)):
        return
    wanted = shown.get(page, {})
    if words and ours.carried is not None:
        wanted = {key: values for key, values in wanted.items() if key not in CARRIED} | ours.carried
    if missing := {key: values for key, values in wanted.items() if key not in st.query_params}:
        for key, values in missing.items():
            try:
                st.query_params[key] = values
            except StreamlitAPIException:  # a field of the page before still holds the key (1.67; tests/visitor/test_held.py)
                st.session_state[key] = known()[key].parse(values[-1])
        st.rerun()  # widgets take their values from the address where a run begins
