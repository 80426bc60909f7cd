"""What Streamlit (1.67) does anew for each element, done once or less: a quarter of what a move costs. The answers are the same
(tests/app/test_lighter.py, tests/app/test_streamlit_contract.py).

- A number field, a slider and a text field copy everything that the session holds, presented, to look up their own key in it.
- Each run begins with a message that spells out the theme of the configuration, option by option.
- Each message is packed once more and hashed, for a browser that keeps messages (`minCachedMessageSize`: none does).
- Each message wakes the server's thread twice, while the run's own thread waits, and is sent by itself.
- Each message and each look into the session asks a chain of questions to learn that nobody wants the run to stop; a look
  waits for a lock besides.
- Each look at a component's values makes a class of its own for them.
- Each value that a component is sent is asked whether it is a table, for which pandas is imported: 65 MB. None is one.
- Each element asks whether it stands in a form, in a cached function or in a fragment's callback: none of ours does.
"""

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from itertools import count
from types import SimpleNamespace
from typing import Any

import streamlit as st
from streamlit.elements.widgets import number_input, slider, text_widgets
from streamlit.runtime import app_session
from streamlit.runtime.state import get_session_state

#: The one switch of all that is there for speed alone.
QUICK = os.environ.get("HEADCOUNT_AHEAD", "1") != "0"
WIDGETS = (number_input, slider, text_widgets)
#: What each element asks and does to no end: whether a server runs, whether a fragment's callback draws it, and what a cached
#: function has drawn.
ASKED = (
    ("delta_generator", "_maybe_print_use_warning"), ("delta_generator", "_maybe_print_fragment_callback_warning"),
    ("runtime.caching", "save_element_message"), ("runtime.caching", "save_block_message"),
)  # fmt: skip
#: For so many seconds the server's thread lets a run collect messages; by itself it sends every 5 ms.
BUNCH_SECONDS = 0.002
#: So many messages are sent at once to one visitor, before it is another's turn.
BUNCH = 16


class OneLook:
    """The session's state, in which a widget looks up its own key alone."""

    def __init__(self, state: Any):
        self.filtered_state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(self.filtered_state, name)


def one_look() -> OneLook:
    return OneLook(get_session_state())


def values_of(keys: Iterable[str]) -> dict[str, Any]:
    """What the session holds under those of these keys that it knows."""
    session = get_session_state()
    if not isinstance(app_session._populate_theme_msg, Themes):  # not lightened: another Streamlit, or the switch is off
        everything = session.filtered_state
        return {key: everything[key] for key in keys if key in everything}
    state, found = session._state, {}
    with session._lock:
        known = {*state._key_id_mapper._key_id_mapping, *state._new_session_state, *state._old_state}
        for key in keys:
            if key in known:
                with suppress(KeyError):  # a widget's value of which nothing is known any more
                    found[key] = state[key]
    return found


def look_up(proxy: Any, key: object) -> Any:
    """In place of `SessionStateProxy.__getitem__`: one entry, as its own thread finds it."""
    return get_session_state()._state[str(key)]


def look_for(proxy: Any, key: str, default: Any = None) -> Any:
    """In place of `SessionStateProxy.get`, which writes a sentence about each key that is not there."""
    state = get_session_state()._state
    if key in state._new_session_state or key in state._old_state or key in state._key_id_mapper:
        with suppress(KeyError):
            return state[key]
    return default


class Themes:
    """By section of the configuration: its theme as it is sent. The configuration is read when the server starts."""

    def __init__(self, spell_out: Any):
        self.spell_out, self.known = spell_out, {}

    def __call__(self, message: Any, section: str = "theme") -> None:
        if section not in self.known:
            self.known[section] = type(message)()
            self.spell_out(self.known[section], section)
        message.MergeFrom(self.known[section])


class Bunches:
    """What a session's runs tell the server, in order: its thread is woken for the first, and takes all that has come."""

    def __init__(self, loop: asyncio.AbstractEventLoop):
        self.loop, self.events, self.lock = loop, deque[Callable[[], None]](), threading.Lock()

    def add(self, event: Callable[[], None]) -> None:
        with self.lock:
            self.events.append(event)
            first = len(self.events) == 1
        if first:
            self.loop.call_soon_threadsafe(self.loop.call_later, BUNCH_SECONDS, self.take)

    def take(self) -> None:
        while self.events:
            try:
                self.events[0]()  # it stays until it is done: what comes meanwhile wakes nobody
            except Exception as error:
                self.loop.call_exception_handler({"message": "an event of a run", "exception": error})
            self.events.popleft()


def call_soon(session: Any, event: Callable[[], None]) -> None:
    """In place of `AppSession._call_soon_on_event_loop`."""
    try:
        bunches = getattr(session, "bunches", None)
        if bunches is None:
            bunches = session.bunches = Bunches(session._event_loop)
        bunches.add(event)
    except RuntimeError:  # the server has ended
        if not session._event_loop.is_closed():
            raise


class Presented(dict):
    """A component's values, as a page sees them."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)

    def __deepcopy__(self, memo: dict) -> "Presented":
        return self


def presenter(events: str, *_: Any) -> Callable[[Any, Any], Any]:
    """In place of `make_bidi_component_presenter`; `events`: the id under which the session holds what the component tells. No
    page of ours writes into a component's values."""

    def present(base: Any, state: Any) -> Any:
        meta = state._new_widget_state.widget_metadata.get(events)
        if not isinstance(base, dict) or meta is None or meta.value_type != "json_trigger_value":
            return base
        try:
            told = state._new_widget_state[events]
        except KeyError:
            told = None
        told = told if isinstance(told, list) else [told]
        values = {one["event"]: one.get("value") for one in told if isinstance(one, dict) and isinstance(one.get("event"), str)}
        return Presented(values | base)

    return present


def put(module: str, name: str, instead: object) -> Any:
    """The name in a module of Streamlit's stands for something else from now on; gives what it stood for."""
    names = vars(import_module(f"streamlit.{module}"))
    before, names[name] = names[name], instead
    return before


def lighten() -> None:
    """Once for each process."""
    if not QUICK or isinstance(app_session._populate_theme_msg, Themes):
        return
    for module in WIDGETS:
        vars(module)["get_session_state"] = one_look
    app_session._populate_theme_msg = Themes(app_session._populate_theme_msg)
    put("components.v2.bidi_component.main", "make_bidi_component_presenter", presenter)
    put("runtime.scriptrunner_utils.script_run_context", "populate_hash_if_needed", lambda message: None)
    put("elements.lib.form_utils", "_current_form", lambda place: None)
    put("components.v2.bidi_component.serialization", "is_dataframe_like", lambda value: False)
    for module, name in ASKED:
        put(module, name, lambda *_, **__: None)

    proxy: Any = type(st.session_state)
    proxy.__getitem__, proxy.get = look_up, look_for
    proxy.__contains__ = lambda state, key: look_for(state, key, state) is not state

    runner: Any = import_module("streamlit.runtime.scriptrunner.script_runner").ScriptRunner
    going_on = import_module("streamlit.runtime.scriptrunner_utils.script_requests").ScriptRequestType.CONTINUE
    look = runner._maybe_handle_execution_control_request

    def look_if_asked(run: Any) -> None:
        if run._requests._state is not going_on:
            look(run)

    runner._maybe_handle_execution_control_request = look_if_asked
    _send_together()


def _send_together() -> None:
    session: Any = app_session.AppSession
    session._call_soon_on_event_loop = call_soon
    server: Any = import_module("streamlit.runtime.runtime").Runtime
    wake, sent = server._enqueued_some_message, count(1)

    def wake_once(runtime: Any) -> None:
        objects = runtime._get_async_objs()
        if objects.eventloop is asyncio._get_running_loop():  # in the server's own thread
            objects.need_send_data.set()
        else:
            wake(runtime)

    async def sleep(seconds: float) -> None:  # the server's loop pauses for an instant after each message
        if seconds or not next(sent) % BUNCH:
            await asyncio.sleep(seconds)

    server._enqueued_some_message = wake_once
    put("runtime.runtime", "asyncio", SimpleNamespace(**vars(asyncio) | {"sleep": sleep}))
