"""What stands in for parts of Streamlit gives what Streamlit gives (components/streamlit/lighter.py)."""

import ast
import asyncio
import os
import subprocess
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.components.v2.presentation import make_bidi_component_presenter
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.testing.v1 import AppTest

from components.streamlit import lighter
from components.streamlit.lighter import Bunches, look_for, look_up, presenter, values_of
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

    asyncio.run(asyncio.wait_for(serve(), 30))
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
    monkeypatch.setattr(lighter, "get_session_state", lambda: SafeSessionState(state, lambda: None))
    assert (look_for(None, "gone", 4), values_of(["gone"])) == (4, {})
    with pytest.raises(KeyError):
        look_up(None, "gone")


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
    told = [
        subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "HEADCOUNT_AHEAD": switch}, cwd=ROOT, check=True,
            capture_output=True, text=True,
        ).stdout.split()
        for switch in "01"
    ]  # fmt: skip
    assert told == [["False", "function", "collections.abc"], ["True", "Themes", "components.streamlit.lighter"]]
