"""Distinguishes a visitor's change of a widget from a stale value, which the browser sends before it knows the server's change.

A browser sends the values of all its widgets with every message. If the server has just changed a widget (a click on a panel, a
typed number, Back), the message still has the old value. Streamlit (1.67) takes that value for the visitor's act. A click right
after a move was lost (tests/browser/test_controls.py, tests/app/test_sidebar.py). So each change by the server gets a sequence
number, which hidden widgets send to the browser. Each message brings back the last number that the browser knew. If it reports
the value from before a later change, that value is stale, and the server's change stays.
"""

import secrets
from collections.abc import Iterable, Mapping

import streamlit as st

from components.app.visit import Change, values_of, visit

#: Keys of the two hidden widgets that carry the sequence number (assets/style.css). The first is below the shared controls and
#: arrives with their values; the second is at the end of the page.
ACK_CONTROLS, ACK = "hide_ack_controls", "hide_ack"
#: Number of remembered changes. If a browser is further behind, its values are accepted.
MAX_CHANGES = 64
MAX_SEQUENCE = 10**9


def set_value(key: str, value: object) -> None:
    """Sets the value of a widget. Only for callbacks; during a run, use `show_value`."""
    apply_pending()
    show_value(key, value)


def show_value(key: str, value: object) -> None:
    """Sets the value of a widget during a run of the page, just before the widget is drawn, and records the change."""
    state = st.session_state
    if key in state:
        _record(key, state[key], value)
    state[key] = value


def apply_pending() -> None:
    """Replaces stale widget values of the browser's last message by the server's. Call it first in every run, and in every
    callback that reads a value."""
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
    """Whether a reported value is stale, not a visitor's act. `pending`: changes of one widget that the browser does not know.
    Without a visitor's move among them, the values before and after each change are stale. (A run may end between a widget and
    its sequence number.) After a move, one value is stale: that of the last later change that the browser knows. If there is
    none, it is the moved value itself."""
    first, moved = pending[0], next((one for one in reversed(pending) if one.heard is not None), None)
    if moved is None or moved.heard is None:
        return reported in (first.before, *(one.after for one in pending))
    last = _acknowledged(first.key)
    came = [one.after for one in visit().changes if one.key == first.key and moved.heard < one.sequence <= last]
    return reported == (came[-1] if came else moved.after)


def begin_run(keys: Iterable[str]) -> None:
    """Begins a run: corrects stale values, and remembers the values of the widgets `keys`, to compare at the run's end."""
    apply_pending()
    ours = visit()
    ours.drawn_with, ours.begun_with = {}, values_of(keys)


def end_controls(present: Mapping[str, object]) -> None:
    """Records how the shared controls have changed in this run. Call it as soon as they are drawn. `present`: their values.
    Back, for example, changes them through the address. The end of the run is too late, because the next message may cut the
    run short (tests/deploy/test_messages.py, `test_a_message_that_cuts_the_way_back_short_does_not_undo_it`)."""
    visit().controls = present.keys()
    _note_changes(present)
    _tell(ACK_CONTROLS)


def end_run(keys: Iterable[str]) -> None:
    """Ends a run, after all widgets: remembers the values of the widgets `keys`, and records which have changed."""
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
    """Sends the sequence number of the server's last change to the browser, in the hidden slider `key`. The slider is drawn
    after the other widgets, so the browser updates it last.

    The slider is in the sidebar. When another page is opened, Streamlit's program in the browser (1.67) leaves other widgets
    out of its messages for a while. A message without the number would read as if the browser knew every change.
    """
    state, last = st.session_state, visit().sequence
    if last and state.get(key) != last:
        state[key] = last
    with st.sidebar:
        st.slider("Acknowledged", 0, MAX_SEQUENCE, key=key, disabled=True)  # nobody, nor an agent, should move it


def rerun_if_changed() -> None:
    """Reruns the whole page if a setting has changed since the page was drawn. Call it in a fragment that polls.

    The browser may send a changed setting and the fragment's poll as one message. Streamlit (1.67) then runs only the fragment,
    and the page would stay as it was (tests/deploy/test_messages.py,
    `test_a_move_that_comes_under_a_fragments_name_draws_the_page`).
    """
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
    """The sequence number up to which the browser knows the changes of this widget. In a run without a message (st.rerun) it is
    the newest, because nothing is stale then. It is 0 if the browser's number comes from another server."""
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
