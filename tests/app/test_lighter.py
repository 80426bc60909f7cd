"""What stands in for parts of Streamlit gives what Streamlit gives (components/streamlit/lighter.py)."""

import ast
import asyncio
import copy
import importlib.util
import itertools
import os
import subprocess
import sys
import threading
from contextvars import ContextVar
from functools import partial
from types import FunctionType, SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from starlette.websockets import WebSocketDisconnect
from streamlit.components.v2.presentation import make_bidi_component_presenter
from streamlit.cursor import RunningCursor
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.metrics_util import gather_metrics
from streamlit.runtime.scriptrunner_utils import script_run_context_attr
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.testing.v1 import AppTest

from components.streamlit import lighter, messages
from components.streamlit.lighter import look_for, look_up, presenter, values_of
from components.streamlit.messages import Bunches
from tests.app.driver import in_thread
from tests.sources import ROOT, python_files
from tests.test_caches import DECORATORS, last_name

SOURCES = {path: (ROOT / path).read_text(encoding="utf-8") for path in python_files() if path.parts[0] in ("components", "pages")}


def test_what_a_run_says_reaches_the_server_in_order_and_one_fault_holds_nothing_up():
    """Two at once, two while the first are taken, of which one fails, and one later."""
    told, faults, wakes = [], [], []

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, what: faults.append(what["exception"]))
        wake = loop.call_soon_threadsafe
        loop.call_soon_threadsafe = lambda *what: wakes.append(1) or wake(*what)  # type: ignore[method-assign]
        bunches = Bunches(loop)

        def late() -> None:
            told.append(2)
            bunches.add(lambda: told.append(1 // 0))
            bunches.add(lambda: told.append(3))

        await asyncio.to_thread(lambda: [bunches.add(what) for what in (lambda: told.append(1), late)])
        while len(told) < 3:
            await asyncio.sleep(0.001)
        await asyncio.to_thread(bunches.add, lambda: told.append(4))
        while len(told) < 4:
            await asyncio.sleep(0.001)

    in_thread(asyncio.wait_for(serve(), 30))
    assert told == [1, 2, 3, 4]
    assert [type(fault) for fault in faults] == [ZeroDivisionError]
    assert sum(wakes) < 2 + 5  # asyncio's own wake it, too: when a thread has ended


def state_with(told: Any, kind: Any = "json_trigger_value") -> SessionState:
    state = SessionState()
    state._set_widget_metadata(WidgetMetadata("events", lambda value: value, lambda value: value, kind))
    if told is not Ellipsis:
        state._new_widget_state.set_from_value("events", told)
    return state


@pytest.mark.parametrize("base", [{}, {"look": "940 dark"}, {"go": 7}, None, 5])
@pytest.mark.parametrize(
    "told", [..., None, [], {"event": "go", "value": 3}, [{"event": "go", "value": 3}, {"event": "cell"}, {"value": 2}, 11]]
)
@pytest.mark.parametrize("kind", ["json_trigger_value", "json_value"])
def test_a_component_s_values_are_those_that_streamlit_presents(base, told, kind):
    state = state_with(told, kind)
    ours, streamlits = presenter("events")(base, state), make_bidi_component_presenter("events", "id")(base, state)
    assert ours == streamlits
    if isinstance(streamlits, dict) and isinstance(base, dict):
        assert ours.get("go") == streamlits.get("go")


def test_what_is_looked_up_in_the_session_is_what_the_session_says():
    """Before and after a change: a widget with a key, one without, a value that is no widget's, and a key that is not there."""

    def script():
        import streamlit as st

        from components.streamlit.lighter import lighten, values_of

        lighten()
        st.session_state.setdefault("own", (2, 3))
        st.number_input("n", 1, 9, 5, key="n")
        st.text_input("no key")
        state = st.session_state
        everything = state.to_dict()
        looked = {key: state[key] for key in everything}, {key: state.get(key) for key in everything}
        there = [key in state for key in ("n", "own", "m")]
        st.text((looked == (everything, everything), there, state.get("m"), state.get("m", 7), values_of(["m", "own", "n"])))

    at = AppTest.from_function(script, default_timeout=60).run()
    assert at.text[0].value == "(True, [True, True, False], None, 7, {'own': (2, 3), 'n': 5})"
    at.number_input[0].set_value(8).run()
    assert at.text[0].value == "(True, [True, True, False], None, 7, {'own': (2, 3), 'n': 8})"


def test_a_key_whose_widget_has_left_no_value_is_not_there(monkeypatch):
    lighter.lighten()
    state = SessionState()
    state._set_key_widget_mapping("$$ID-1-gone", "gone")
    monkeypatch.setattr(lighter, "session_of", lambda: SafeSessionState(state, lambda: None))
    assert (look_for(None, "gone", 4), values_of(["gone"])) == (4, {})
    with pytest.raises(KeyError):
        look_up(None, "gone")


@pytest.fixture(scope="module")
def untouched() -> Any:
    """Streamlit's session as Streamlit has it: of its module, loaded once more."""
    spec = importlib.util.find_spec("streamlit.runtime.state.session_state")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["untouched_session_state"] = module
    spec.loader.exec_module(module)
    yield module.SessionState
    del sys.modules["untouched_session_state"]


PLACES = (
    "set in this run", "told by the browser", "told, of nothing known", "by its name", "by its key", "named before",
    "shown otherwise",
)  # fmt: skip


def same(value: Any) -> Any:
    return value


@pytest.mark.parametrize("places", [(), *itertools.combinations(PLACES, 1), *itertools.combinations(PLACES, 2), PLACES])
def test_a_value_is_found_where_streamlit_finds_it(places, untouched):
    lighter.lighten()
    answers = []
    for kind in (untouched, SessionState):
        state, name = kind(), "$$ID-2-n"
        shown = (lambda value, _: (value, "shown")) if "shown otherwise" in places else None
        if "told, of nothing known" not in places:
            state._set_widget_metadata(WidgetMetadata(name, same, same, "int_value", presenter=shown))
        if "named before" in places:
            state._set_key_widget_mapping(name, "n")
        if "set in this run" in places:
            state._new_session_state["n"] = 2
        if {"told by the browser", "told, of nothing known"} & {*places}:
            state._new_widget_state.set_widget_from_proto(WidgetState(id=name, int_value=3))
        if "by its name" in places:
            state._old_state[name] = 5
        if "by its key" in places:
            state._old_state["n"] = 7
        answers.append([(key in state, state[key] if key in state else "") for key in ("n", name, "m")])  # noqa: SIM401 (it has no get)
    assert answers[0] == answers[1]


def test_nothing_is_reported_and_commands_are_those_that_streamlit_wraps():
    lighter.lighten()
    reported = gather_metrics("any", lambda: None).__code__
    methods = {f"{kind.__name__}.{name}": one for kind in DeltaGenerator.__mro__ for name, one in vars(kind).items()}
    commands = methods | {name: getattr(one, "__func__", one) for name, one in vars(st).items()}
    assert [name for name, one in commands.items() if isinstance(one, FunctionType) and one.__code__ is reported] == []
    assert st.markdown.__func__ is methods["MarkdownMixin.markdown"]
    assert st.select_slider.__func__.__code__.co_filename.endswith("select_slider.py")


def test_a_fragment_s_place_is_a_place_of_its_own():
    lighter.lighten()
    place = RunningCursor(1, (2, 3))
    place.open_block()
    place.transient_elements[0] = Element()
    copied = copy.deepcopy(place)
    assert (type(copied), copied.delta_path, len(copied.transient_elements)) == (RunningCursor, [1, 2, 3, 1], 1)
    copied.transient_elements[1] = Element()
    assert (len(copied.transient_elements), len(place.transient_elements)) == (2, 1)
    copied.open_block()
    assert (place.delta_path, copied.delta_path) == ([1, 2, 3, 1], [1, 2, 3, 2])


def test_the_containers_around_a_fragment_are_containers_of_their_own():
    lighter.lighten()
    outer = DeltaGenerator(0, RunningCursor(0, (2,)), block_type="vertical")
    inner = DeltaGenerator(0, RunningCursor(0, (2, 3)), parent=outer)
    copied = copy.deepcopy((inner,))[0]
    parts = [(place._root_container, place._cursor.delta_path, place._block_type) for place in (copied, copied._parent)]
    assert parts == [(0, [0, 2, 3, 0], None), (0, [0, 2, 0], "vertical")]
    copied._cursor.open_block()
    copied._parent._cursor.open_block()
    assert [place._cursor.delta_path for place in (inner, outer, copied)] == [[0, 2, 3, 0], [0, 2, 0], [0, 2, 3, 1]]


@pytest.mark.parametrize("what", [{"active_script_hash": "page 7"}, {"active_script_hash": "", "options": [2, 3]}, {}])
@pytest.mark.parametrize("key", ["n", "", None])
def test_an_element_is_called_as_streamlit_calls_it(key, what):
    spec = importlib.util.find_spec("streamlit.elements.lib.utils")
    assert spec is not None
    assert spec.loader is not None
    untouched = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(untouched)
    for _ in range(2):
        assert lighter.name_of("slider", key, **what) == untouched._compute_element_id("slider", key, **what)


def test_a_thread_draws_one_run_after_the_other_and_knows_nothing_of_the_one_before():
    told, done, seen = [], threading.Semaphore(0), ContextVar("seen", default=0)

    def draw(number: int) -> None:
        told.append((threading.current_thread(), lighter.run_of(suppress_warning=True), seen.get()))
        seen.set(number)
        setattr(threading.current_thread(), lighter.RUN, number)

    for number in (2, 3):
        runner = SimpleNamespace(_script_thread=None, _run_script_thread=partial(draw, number))
        lighter.start(runner)
        while not isinstance(worker := runner._script_thread, lighter.Worker) or worker not in lighter.Worker.idle:
            done.acquire(timeout=0.001)
        with pytest.raises(RuntimeError, match="already started"):
            lighter.start(runner)
    assert [rest for _, *rest in told] == [[None, 0], [None, 0]]
    assert told[0][0] is told[1][0]
    assert not hasattr(told[0][0], lighter.RUN), "an idle thread would hold its last visitor's session"


def test_what_no_run_draws_has_no_run():
    assert script_run_context_attr.SCRIPT_RUN_CONTEXT_ATTR_NAME == lighter.RUN
    told = []
    run = threading.Thread(target=lambda: told.append(lighter.run_of(suppress_warning=True)))
    run.start()
    run.join()
    setattr(run := threading.current_thread(), lighter.RUN, told)
    try:
        assert lighter.run_of() is told == [None]
    finally:
        delattr(run, lighter.RUN)


def test_every_component_that_is_given_data_has_a_key():
    """By which it is named: its data are not hashed for that."""
    calls = [node for text in SOURCES.values() for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    names = [{keyword.arg for keyword in call.keywords} for call in calls]
    given = [words for words in names if "data" in words and {"height", "on_back_change"} & words]
    assert len(given) > 10
    assert [words for words in given if "key" not in words] == []


def test_a_message_of_a_run_that_another_has_followed_is_dropped():
    left, runner = [], object()
    session = SimpleNamespace(_scriptrunner=runner, _enqueue_forward_msg=left.append)
    messages.leave(session, object(), 2)
    messages.leave(session, runner, 3)
    assert left == [3]


def test_what_waits_goes_to_the_browser_straight_until_it_is_gone():
    async def serve(fault: Exception) -> tuple[list, bool]:
        sent: list = []

        async def send(message: dict) -> None:
            if message["bytes"] == b"5":
                raise fault
            sent.append(message["bytes"])

        queue: asyncio.Queue = asyncio.Queue()
        for payload in (b"2", b"3", b"5", b"7"):
            queue.put_nowait(payload)
        socket, closed = SimpleNamespace(scope={messages.SEND: send}), asyncio.Event()
        client = SimpleNamespace(_websocket=socket, _send_queue=queue, _closed=closed)
        await messages.send_all(client)
        return sent, closed.is_set()

    for fault in (OSError(), WebSocketDisconnect(1006), ValueError("any")):
        assert in_thread(serve(fault)) == ([b"2", b"3"], True)


def test_a_run_that_is_asked_to_stop_is_told_so():
    """At each look, where anything but "go on" is asked of it."""
    from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
    from streamlit.runtime.scriptrunner_utils.exceptions import StopException
    from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequests

    lighter.lighten()
    requests = ScriptRequests()
    run: Any = SimpleNamespace(_requests=requests, _is_in_script_thread=lambda: True, _execing=True)
    ScriptRunner._maybe_handle_execution_control_request(run)
    requests.request_stop()
    with pytest.raises(StopException):
        ScriptRunner._maybe_handle_execution_control_request(run)


def test_no_page_has_a_form_and_no_cached_function_draws():
    """What each element would ask for is not asked (`ASKED`, and the form that it stands in)."""
    assert [str(path) for path, text in SOURCES.items() if "st.form" in text or "form_submit_button" in text] == []
    cached = [
        (f"{path}: {node.name}", "\n".join(map(ast.unparse, node.body)))
        for path, text in SOURCES.items() for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and any(last_name(one) in DECORATORS for one in node.decorator_list)
    ]  # fmt: skip
    assert len(cached) > 20
    assert [name for name, body in cached if "st." in body.replace("st.Page(", "")] == []


def test_one_switch_leaves_streamlit_as_it_is():
    script = (
        "from components.streamlit import frame; from components.widgets import previews; "
        "from streamlit.runtime import app_session; from streamlit.runtime.state.session_state_proxy import SessionStateProxy; "
        "print(previews.AHEAD, type(app_session._populate_theme_msg).__name__, SessionStateProxy.get.__module__)"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "HEADCOUNT_AHEAD": switch}, cwd=ROOT, check=True,
            capture_output=True, text=True,
        )
        for switch in "01"
    ]  # fmt: skip
    told = [run.stdout.split() for run in runs]
    assert runs[0].stderr == runs[1].stderr, "to be lighter says nothing"
    assert told == [["False", "function", "collections.abc"], ["True", "Themes", "components.streamlit.lighter"]]
