"""Fixtures for tests that run the app in their own process (AppTest), without a browser and without TensorFlow."""

from functools import partial

import pytest
from streamlit import config

import headcount.keras.client
from components.app.runtime import Serving, component
from components.widgets.trace import keras_client
from headcount.export import browser
from headcount.files.report import inspect_file
from headcount.keras.client import KerasClient, Limits
from headcount.keras.question import question
from tests.visitor.keras_states import asking


@pytest.fixture(autouse=True, scope="session")
def errors_in_full():
    """Shows the full error of a failed page to the test; visitors see none (.streamlit/config.toml)."""
    config.get_config_options()  # reads the file now, so that it is not read over this later
    config.set_option("client.showErrorDetails", "full")


@pytest.fixture(autouse=True, scope="session")
def no_browser_ahead():
    """Keeps the page of figures from starting a browser before a file is asked for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(browser.SHARED, "warm", lambda: None)
        yield


@pytest.fixture(autouse=True, scope="module")
def no_server():
    """Makes the app send its programs in messages, although another test of the process may have started a server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Serving, "addresses", False)
        component.cache_clear()
        yield
    component.cache_clear()


@pytest.fixture(autouse=True, scope="module")
def no_worker():
    """Makes the app believe that TensorFlow is not installed, so that no worker starts. Other tests of the session ask the
    real worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(headcount.keras.client, "_installed", lambda: False)
        keras_client.clear()
        yield
    keras_client.clear()


@pytest.fixture
def failed():
    """Lets Keras's process fail to start. Yields the app's message about it."""
    with asking(partial(KerasClient, Limits(), ("/no/such/python",))):
        client = keras_client()
        assert client.result(question("echo"), wait=60) is None
        yield "Keras did not start"
        client.close()


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch):
    """Makes the app believe that there is no Chromium."""
    monkeypatch.setattr(browser, "missing", lambda: "No browser here.")


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch):
    """Reads files in this process, because a process of its own takes a second to start (tests/layer/files tests that one)."""
    monkeypatch.setattr(
        "components.pages.own_layer.intake.inspect_in_subprocess",
        lambda files, number=None, visitor=None: inspect_file(files, number),
    )
