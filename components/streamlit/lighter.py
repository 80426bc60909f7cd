"""What Streamlit (1.67) does anew for each element, done once or less: a quarter of what a move costs. The answers are the same
(tests/app/test_lighter.py, tests/app/test_streamlit_contract.py).

- A number field, a slider and a text field copy everything that the session holds, presented, to look up their own key in it.
- Each run begins with a message that spells out the theme of the configuration, option by option.
- Each message is packed once more and hashed, for a browser that keeps messages (`minCachedMessageSize`: none does).
- Each message wakes the server's thread twice, while the run's own thread waits; there it goes through five queues and as many
  wrappers, by itself, after a look at all other visitors' queues.
- Each message and each look into the session asks a chain of questions to learn that nobody wants the run to stop; a look
  waits for a lock besides.
- Each look into the session learns by up to three exceptions where a value is.
- Each look at a component's values makes a class of its own for them, and each component's data are packed once more and hashed
  for a name that it has by its key.
- Each element asks whether it stands in a form, in a cached function or in a fragment's callback: none of ours does. It asks
  whether its use is to be reported, and looks up its run for that.
- The menu hashes the address of each page three times, each element that has a key all of its name. A fragment copies its place
  in the page, and each container around it, field by field.
- Each run has a new thread, and the server's waits until it has begun.
- Each value that a component is sent is asked whether it is a table, for which pandas is imported: 65 MB. None is one.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import Context
from copy import deepcopy
from functools import lru_cache
from importlib import import_module
from queue import SimpleQueue
from threading import get_ident
from types import FunctionType, MethodType
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.widgets import number_input, slider, text_widgets
from streamlit.runtime import app_session
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import SessionState, get_session_state
from streamlit.util import calc_hash

sessions: Any = import_module("streamlit.runtime.state.session_state")
#: By its number: each thread.
threads: Any = vars(threading)["_active"]
#: The attribute of a thread that has its run.
RUN = "streamlit_script_run_ctx"
#: The one switch of all that is there for speed alone.
QUICK = os.environ.get("HEADCOUNT_AHEAD", "1") != "0"
WIDGETS = (number_input, slider, text_widgets)
#: What each element asks and does to no end: whether a server runs, whether a fragment's callback draws it, and what a cached
#: function has drawn.
ASKED = (
    ("delta_generator", "_maybe_print_use_warning"), ("delta_generator", "_maybe_print_fragment_callback_warning"),
    ("runtime.caching", "save_element_message"), ("runtime.caching", "save_block_message"),
)  # fmt: skip


class OneLook:
    """The session's state, in which a widget looks up its own key alone."""

    def __init__(self, state: Any):
        self.filtered_state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(self.filtered_state, name)


def session_of() -> Any:
    """In place of `get_session_state`."""
    run = run_of(suppress_warning=True)
    return get_session_state() if run is None else run.session_state


def one_look() -> OneLook:
    return OneLook(session_of())


def values_of(keys: Iterable[str]) -> dict[str, Any]:
    """What the session holds under those of these keys that it knows."""
    session = session_of()
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


def found(state: Any, widget: str | None, key: str | None) -> Any:
    """In place of `SessionState._getitem`: asked first, where that tries."""
    if key in state._new_session_state:
        return state._new_session_state[key]
    if widget in state._new_widget_state.states:
        with suppress(KeyError):  # a widget of which nothing is known any more
            return state._new_widget_state[widget]
    old = state._old_state
    if widget in old:
        return old[widget]
    if key in old:
        return old[key]
    raise KeyError(key)


def both_names(state: Any, key: str) -> tuple[str, str]:
    """A widget's id and its key, by either; what is no widget's is both."""
    names = state._key_id_mapper
    widget = names._key_id_mapping.get(key, key)
    return widget, names._id_key_mapping.get(widget, key) if widget == key else key


def presented(state: Any, key: str) -> Any:
    """In place of `SessionState.__getitem__`."""
    widget, key = both_names(state, key)
    value, known = state._getitem(widget, key), state._new_widget_state.widget_metadata.get(widget)
    return value if known is None or known.presenter is None else sessions.apply_presenter(state, widget, value)


def is_there(state: Any, key: str) -> bool:
    """In place of `SessionState.__contains__`."""
    widget, key = both_names(state, key)
    if key in state._new_session_state or widget in state._old_state or key in state._old_state:
        return True
    if widget in state._new_widget_state.states:
        with suppress(KeyError):
            state._new_widget_state[widget]
            return True
    return False


def look_up(proxy: Any, key: object) -> Any:
    """In place of `SessionStateProxy.__getitem__`: one entry, as its own thread finds it."""
    return session_of()._state[str(key)]


def look_for(proxy: Any, key: str, default: Any = None) -> Any:
    """In place of `SessionStateProxy.get`, which writes a sentence about each key that is not there."""
    state = session_of()._state
    if key in state._new_session_state or key in state._old_state or key in state._key_id_mapper:
        with suppress(KeyError):
            return state[key]
    return default


def run_of(suppress_warning: bool = False) -> Any:
    """In place of `get_script_run_ctx`."""
    run = getattr(threads.get(get_ident()), RUN, None)
    return run if run is not None else get_script_run_ctx(suppress_warning)


def another(cursor: Any, memo: dict) -> Any:
    """In place of a cursor's deep copy: a place in the page, as a fragment keeps it."""
    new, passing = object.__new__(type(cursor)), cursor._transient_elements
    vars(new).update(vars(cursor), _transient_elements=deepcopy(passing, memo) if passing else type(passing)())
    return new


def another_container(container: Any, memo: dict) -> Any:
    """In place of a container's deep copy: the containers around a fragment, as it keeps them."""
    new, cursor, parent = object.__new__(type(container)), container._cursor, container._parent
    vars(new).update(
        vars(container), _provided_cursor=cursor and another(cursor, memo), _parent=parent and another_container(parent, memo),
        _form_data=deepcopy(container._form_data, memo),
    )  # fmt: skip
    return new


@lru_cache(maxsize=64)
def hashed(address: str) -> str:
    """What Streamlit calls a page by its address."""
    return calc_hash(address)


@lru_cache(maxsize=1024)
def named(kind: str, key: str, page: str) -> str:
    """What Streamlit calls an element that has a key: by its page and that alone."""
    return _by_all(kind, key, active_script_hash=page)


def name_of(kind: str, user_key: str | None = None, **what: Any) -> str:
    """In place of `_compute_element_id`."""
    if user_key is not None and what.keys() == {"active_script_hash"}:
        return named(kind, user_key, what["active_script_hash"])
    return _by_all(kind, user_key, **what)


_by_all: Any = vars(import_module("streamlit.elements.lib.utils"))["_compute_element_id"]


class Worker(threading.Thread):
    """A thread for one run after the other. A new one would take a run's first half millisecond, and the server's thread, which
    waits until it has begun."""

    idle: "list[Worker]" = []

    def __init__(self):
        super().__init__(name="ScriptRunner.scriptThread", daemon=True)
        self.given: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def run(self) -> None:
        while True:
            Context().run(self.given.get())  # as in a new thread: nothing is left of the visitor before
            vars(self).pop(RUN, None)
            self.idle.append(self)


def start(runner: Any) -> None:
    """In place of `ScriptRunner.start`."""
    if runner._script_thread is not None:
        raise RuntimeError("ScriptRunner was already started")
    try:
        worker = Worker.idle.pop()
    except IndexError:
        worker = Worker()
        worker.start()
    runner._script_thread = worker
    worker.given.put(runner._run_script_thread)


class Themes:
    """By section of the configuration: its theme as it is sent. The configuration is read when the server starts."""

    def __init__(self, spell_out: Any):
        self.spell_out, self.known = spell_out, {}

    def __call__(self, message: Any, section: str = "theme") -> None:
        if section not in self.known:
            self.known[section] = type(message)()
            self.spell_out(self.known[section], section)
        message.MergeFrom(self.known[section])


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


def put_everywhere(before: Callable, instead: Callable) -> None:
    """The same for a function that many of Streamlit's modules know by its name."""
    for module in [module for name, module in sys.modules.items() if name.startswith("streamlit.")]:
        names = vars(module)
        for name in [name for name, value in names.items() if value is before]:
            names[name] = instead


def report_nothing() -> None:
    """Streamlit's commands without what would report their use."""
    reported = import_module("streamlit.runtime.metrics_util").gather_metrics("any", lambda: None).__code__

    def plain(command: Any) -> Any:
        return command.__wrapped__ if isinstance(command, FunctionType) and command.__code__ is reported else command

    for kind in (*DeltaGenerator.__mro__[:-1], type(st.session_state), type(st.query_params)):
        for name, command in [*vars(kind).items()]:
            if plain(command) is not command:
                setattr(kind, name, plain(command))
    for name, command in [*vars(st).items()]:
        if isinstance(command, MethodType) and isinstance(command.__self__, DeltaGenerator):
            setattr(st, name, getattr(command.__self__, name, command))
        else:
            setattr(st, name, plain(command))


def lighten() -> None:
    """Once for each process."""
    if not QUICK or isinstance(app_session._populate_theme_msg, Themes):
        return
    app_session._populate_theme_msg = Themes(app_session._populate_theme_msg)
    put("components.v2.bidi_component.main", "make_bidi_component_presenter", presenter)
    put("elements.lib.form_utils", "_current_form", lambda place: None)
    for module, name in ASKED:
        put(module, name, lambda *_, **__: None)
    if st.__version__.startswith("1.67."):
        _lighten_newest()
    else:
        put("runtime.scriptrunner_utils.script_run_context", "populate_hash_if_needed", lambda message: None)
    for module in WIDGETS:
        vars(module)["get_session_state"] = one_look

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


def _lighten_newest() -> None:
    """What the Streamlit of the static build does otherwise."""
    put("components.v2.bidi_component.serialization", "is_dataframe_like", lambda value: False)
    put_everywhere(get_script_run_ctx, run_of)
    put_everywhere(get_session_state, session_of)
    policies = import_module("streamlit.elements.lib.policies").check_widget_policies
    put_everywhere(policies, lambda *what, **how: None if how.get("writes_allowed", True) else policies(*what, **how))
    put("navigation.page", "calc_hash", hashed)
    component: Any = import_module("streamlit.components.v2.bidi_component.main").BidiComponentMixin
    identity = component._build_bidi_identity_kwargs
    component._build_bidi_identity_kwargs = lambda place, **what: {} if what["data"] is not None else identity(place, **what)
    if not st.get_option("browser.gatherUsageStats"):
        report_nothing()

    runner: Any = import_module("streamlit.runtime.scriptrunner.script_runner").ScriptRunner
    begin = runner.start
    runner.start = lambda one: start(one) if type(one) is runner else begin(one)  # AppTest waits for its thread to end

    cursor: Any = import_module("streamlit.cursor").Cursor
    container: Any = DeltaGenerator
    cursor.__deepcopy__, container.__deepcopy__ = another, another_container
    put("elements.lib.utils", "_compute_element_id", name_of)

    state: Any = SessionState
    state._getitem, state.__getitem__, state.__contains__ = found, presented, is_there
    import_module("components.streamlit.messages").send_together()
