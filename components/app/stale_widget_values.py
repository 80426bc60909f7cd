"""Distinguishes a visitor's change of a widget from a stale value, which the browser sends before it knows the server's change.

A browser sends the values of all its widgets with every message. If the server has just changed a widget, Streamlit (1.67) takes
the browser's old value for a new choice of the visitor (tests/browser/test_controls.py, tests/app/test_sidebar.py). So each
change by the server gets a number, and hidden widgets send the number to the browser. Every message from the browser contains the
last number that the browser knew. If the change of a widget has a higher number, the message's old value is stale.
"""

import secrets
from collections.abc import Iterable, Mapping

import streamlit as st

from components.app.visit import Change, values_of, visit

#: Keys of the two hidden widgets that carry the sequence number: below the shared controls, and at the end of the page.
ACK_CONTROLS, ACK = "hide_ack_controls", "hide_ack"
#: Number of remembered changes. If a browser is further behind, its values are accepted.
MAX_CHANGES = 64
MAX_SEQUENCE = 10**9


def set_value(key: str, value: object) -> None:
    """Sets the value of a widget in a callback. (During a run, use `show_value`.)"""
    apply_pending()
    show_value(key, value)


def show_value(key: str, value: object) -> None:
    """Sets the value of a widget during a run, just before the widget is drawn. Records the change if the widget had a value."""
    state = st.session_state
    if key in state:
        _record(key, state[key], value)
    state[key] = value


def apply_pending() -> None:
    """Replaces stale values in the browser's last message. Call it first in every callback that reads a value."""
    state = st.session_state
    for key, changes in _unacknowledged().items():
        reported, last = state[key], changes[-1].after
        if reported == last:
            if changes[-1].before == last and key not in st.query_params:  # the browser's address does not have the value yet
                state[key] = last
            continue
        if _is_late(reported, changes):
            state[key] = last
        else:  # the visitor has moved the widget meanwhile: an older change by the server must not undo that
            _record(key, last, reported, _acknowledged(key))
            state[key] = reported


def _is_late(reported: object, pending: list[Change]) -> bool:
    """Whether a reported value is stale. `pending`: the changes of one widget that the browser does not know.
    - If the server made all of them, each value before or after a pending change is stale. (A run may end after the browser gets
      the widget and before it gets the number.)
    - If the visitor made one of them, one value is stale: the value of the last change that the browser has learned of since
      then. Without such a change, the visitor's own value is stale.
    """
    first, moved = pending[0], next((one for one in reversed(pending) if one.heard is not None), None)
    if moved is None or moved.heard is None:
        return reported in (first.before, *(one.after for one in pending))
    last = _acknowledged(first.key)
    came = [one.after for one in visit().changes if one.key == first.key and moved.heard < one.sequence <= last]
    return reported == (came[-1] if came else moved.after)


def begin_run(keys: Iterable[str]) -> None:
    """Begins a run: corrects stale values, and remembers the values of the widgets `keys`, with which `end_run` compares."""
    apply_pending()
    ours = visit()
    ours.drawn_with, ours.begun_with = {}, values_of(keys)


def end_controls(present: Mapping[str, object]) -> None:
    """Records which shared controls have changed in this run, for example by Back. `present`: the values of the controls. Call it
    as soon as the controls are drawn: the next message may cut the run short (tests/deploy/test_messages.py)."""
    visit().controls = present.keys()
    _note_changes(present)
    _tell(ACK_CONTROLS)


def end_run(keys: Iterable[str]) -> None:
    """Ends a run, after all widgets: remembers the values of the widgets `keys`, and records which values have changed."""
    visit().drawn_with = present = values_of(keys)
    _note_changes(present)
    _tell(ACK)


def _note_changes(present: Mapping[str, object]) -> None:
    at_first = visit().begun_with
    for key in at_first.keys() & present.keys():
        if present[key] != at_first[key]:
            _record(key, at_first[key], present[key])
            at_first[key] = present[key]


def _tell(key: str) -> None:
    """Sends the number of the server's last change to the browser, in a hidden slider. After a change of page, Streamlit's
    program in the browser (1.67) sends only the sidebar's widgets for a while. So the hidden slider is in the sidebar."""
    state, last = st.session_state, visit().sequence
    if last and state.get(key) != last:
        state[key] = last
    with st.sidebar:
        st.slider("Acknowledged", 0, MAX_SEQUENCE, key=key, disabled=True)  # nobody, nor an agent, should move it


def rerun_if_changed() -> None:
    """Reruns the page if a setting has changed since the page was drawn. Call it in a fragment that polls. If the browser sends a
    changed setting and the poll as one message, Streamlit (1.67) runs only the fragment (tests/deploy/test_messages.py)."""
    state = st.session_state
    if any(key in state and state[key] != value for key, value in visit().drawn_with.items()):
        st.rerun()  # the new run first corrects stale values


def _unacknowledged() -> dict[str, list[Change]]:
    """The changes that the browser did not know when it sent its last message, by the widget's key, oldest first."""
    pending: dict[str, list[Change]] = {}
    changes = visit().changes
    known = {key: _acknowledged(key) for key in {change.key for change in changes}}
    for change in changes:
        if change.sequence > known[change.key] and change.key in st.session_state:
            pending.setdefault(change.key, []).append(change)
    return pending


def _acknowledged(key: str) -> int:
    """The number of the last change that the browser knows, for the widget `key`. In a run without a message (st.rerun), returns
    the newest number. If the browser's number comes from another server, returns 0."""
    ours, state = visit(), st.session_state
    first, last = ours.first, ours.sequence
    in_sidebar = key.removesuffix("_typed") in ours.controls
    told = [state[one] for one in ((ACK, ACK_CONTROLS) if in_sidebar else (ACK,)) if one in state]
    return max((one for one in told if first <= one <= last), default=0 if told else last)


def _record(key: str, before: object, after: object, heard: int | None = None) -> None:
    ours = visit()
    if not ours.first:  # each session counts from a random number, because a browser may bring that of a dead server
        ours.first = ours.sequence = secrets.randbelow(MAX_SEQUENCE // 2) + 1
    ours.sequence += 1
    ours.changes = (*ours.changes, Change(ours.sequence, key, before, after, heard))[-MAX_CHANGES:]
