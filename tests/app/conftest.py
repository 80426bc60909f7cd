"""The app run in the test's own process (AppTest), without a browser and without TensorFlow."""

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
    """A test that fails reads the real error; visitors get none (.streamlit/config.toml)."""
    config.get_config_options()  # reads the file now, so that it is not read over this later
    config.set_option("client.showErrorDetails", "full")


@pytest.fixture(autouse=True, scope="session")
def no_browser_ahead():
    """The page of figures starts a browser before a file is asked for; a test that asks for one starts it then."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(browser.SHARED, "warm", lambda: None)
        yield


@pytest.fixture(autouse=True, scope="module")
def no_server():
    """Another test of the same process may have made one: a program is then an address, and not part of a message."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Serving, "addresses", False)
        component.cache_clear()
        yield
    component.cache_clear()


@pytest.fixture(autouse=True, scope="module")
def no_worker():
    """No process of Keras is started: the app believes that TensorFlow is not installed. What it says with Keras there
    is tested on the sentences themselves. Not for the whole session: other tests ask the real worker."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(headcount.keras.client, "_installed", lambda: False)
        keras_client.clear()
        yield
    keras_client.clear()


@pytest.fixture
def failed():
    """Keras's process has ended, as when it was killed in its start; gives what is said of it."""
    with asking(partial(KerasClient, Limits(), ("/no/such/python",))):
        client = keras_client()
        assert client.result(question("echo"), wait=60) is None
        yield "Keras did not start"
        client.close()


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch):
    """No Chromium is started: what it renders is tested in a real one."""
    monkeypatch.setattr(browser, "missing", lambda: "No browser here.")


@pytest.fixture
def read_here(monkeypatch: pytest.MonkeyPatch):
    """A file is read without the second it takes to start a process; that one has its own tests (tests/layer/files)."""
    monkeypatch.setattr(
        "components.pages.own_layer.intake.inspect_in_subprocess",
        lambda files, number=None, visitor=None: inspect_file(files, number),
    )
