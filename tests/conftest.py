"""Fixtures and hooks for all tests, such as the one Chromium: Playwright can be started only once in a process."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from inspect import iscoroutinefunction, signature
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import app_test, local_script_runner

from components.app import runtime
from headcount.keras import client as clients
from headcount.keras.client import ENVIRONMENT, Limits, _installed
from headcount.keras.question import question
from tests.app.driver import in_thread

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

os.environ.update(ENVIRONMENT)  # TensorFlow in a test's own process rounds and takes what it does in the worker
ask_whether_done = local_script_runner.require_widgets_deltas


def until_done(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
    """Waits until a page's run has ended, at most `timeout` seconds."""
    runner._script_thread.join(timeout)
    ask_whether_done(runner, 0 if runner._script_thread.is_alive() else timeout)


class KnownPages(app_test.PagesManager):
    """The app's pages as st.navigation defines them, which a server knows only after its first run."""


# What is installed does not change while tests run. Each new AppTest (Streamlit 1.67) reads the metadata of all packages anew:
# three quarters of what opening a page costs.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
# It also compiles each script anew, lists the folder of pages in each run, and asks a thousand times in a second whether the run
# has ended: a sixth of what is left.
app_test.ScriptCache = cache(app_test.ScriptCache)
app_test.PagesManager = KnownPages
local_script_runner.require_widgets_deltas = until_done
runtime.PAINT_SECONDS = 0  # AppTest has no browser that would paint; the servers of the browser's tests rest as they do
settings.register_profile("any machine", deadline=None)  # speed is measured in benchmarks/, never here
settings.load_profile("any machine")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the slowest tests first, so that at the end no process works alone on a long test."""
    items.sort(key=lambda item: item.get_closest_marker("first") is None)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keeps the garbage collector from looking at what stays to the end, such as thousands of tests, and lets it run less
    often. A page leaves tens of thousands of objects; looking at every 700 of them is a twentieth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs an asynchronous test to its end."""
    if not iscoroutinefunction(pyfuncitem.obj):
        return None
    in_thread(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in signature(pyfuncitem.obj).parameters}))
    return True


def pytest_sessionfinish() -> None:
    """Removes a temporary folder of AppTest (Streamlit 1.67), whose removal at Python's end would be a warning, and so an
    error."""
    if test := sys.modules.get("streamlit.testing.v1.app_test"):
        test.TMP_DIR.cleanup()


#: A test's visit is over before a program that was compiled with care has paid for it (a fifth of what a load costs), and the
#: next one needs the same programs: they are kept as compiled, and objects are collected half as often (a fifteenth).
SHORT_VISITS = ("--js-flags=--no-maglev,--no-turbofan,--no-flush-bytecode,--min-semi-space-size=32",)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests, which `make test` has found or installed."""
    from tests.serving import chromium, find_chromium  # an environment without a browser has no Playwright

    try:
        find_chromium()
    except RuntimeError as error:
        pytest.fail(str(error), pytrace=False)
    with chromium(*SHORT_VISITS) as running:
        yield running


@pytest.fixture(scope="session")
def kept_pages(browser: Browser) -> dict[tuple[bool, str], list[Page]]:
    """Browser pages that wait for the next test, each in its own context. The key: has a touch screen, and the script that
    runs first."""
    return {}


LONG = 300  # seconds: a busy machine


@pytest.fixture(scope="session")
def client():
    """The client of a real worker process, which loads TensorFlow once."""
    from tests.visitor.keras_states import Answers

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clients, "_installed", _installed)  # while pages are tested as where there is none
        client = Answers(Limits(request_seconds=LONG))
    yield client
    client.close()


@pytest.fixture(scope="session")
def ask(client):
    def run(name: str, **arguments) -> dict:
        asked = question(name, **arguments)
        result = client.result(asked, wait=LONG)
        assert result is not None, client.failure(asked)
        return result

    return run


@pytest.fixture(scope="session")
def backend():
    """TensorFlow in the test's own process, imported at the first use, for tests that no question to the worker can serve."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # TensorFlow's own imports use what NumPy and others call deprecated
        from headcount.keras import backend
    return backend
