"""The states of Keras for the app: the real layer's answer at once, no answer yet, a refusal, and no TensorFlow."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

from streamlit import config

import components.widgets.trace
import headcount.keras.client
from components.widgets.trace import keras_client
from headcount import Config
from headcount.export.browser import SHARED
from headcount.keras.client import KerasClient

#: Seconds after which a missing answer is a failure: TensorFlow starts in 5 to 30.
PATIENCE = 120
#: The same for TensorFlow itself, beside other tests that leave its process little time.
LOADING = 900
REFUSAL = "Keras refused this layer: ValueError: not this one"


class Answers(KerasClient):
    """The real worker. A page is drawn only with its answer."""

    def load(self) -> None:
        """Loads TensorFlow before a page waits for it. The worker has low priority, so this may take minutes."""
        super()._request(("answer", Config()), LOADING)

    def _request(self, key, wait):
        return super()._request(key, max(wait, PATIENCE))


class Awaited(KerasClient):
    """A client whose worker never finishes loading."""

    def _request(self, key, wait):
        return None


class Refuses(Awaited):
    """A client that refuses every layer."""

    def __init__(self):
        super().__init__()
        self._turn("ready")

    def failure(self, what) -> str:
        return REFUSAL

    def asks_again(self, what) -> bool:
        return False


class Missing(Awaited):
    """A client without TensorFlow."""

    def __init__(self):
        super().__init__()
        self._turn("missing", "TensorFlow is not installed here, so Keras cannot be asked.")


STATES = {"answered": Answers, "awaited": Awaited, "refused": Refuses, "missing": Missing}


class Keras:
    """The clients of one test run. The real worker is started once, when it is first asked."""

    def __init__(self):
        self.clients: dict[str, KerasClient] = {}
        self.state = "missing"

    def turn(self, state: str) -> None:
        """Sets the state for the next runs of pages."""
        self.state = state
        keras_client.clear()
        if isinstance(client := self.client(), Answers):
            client.load()

    def client(self) -> KerasClient:
        return self.clients.setdefault(self.state, STATES[self.state]())


@contextmanager
def asking(make: Callable[[], KerasClient]) -> Iterator[None]:
    """A context in which the app asks this client and believes that TensorFlow is installed. A forgotten client is made again."""
    with (
        patch.object(headcount.keras.client, "_installed", lambda: True),
        patch.object(components.widgets.trace, "KerasClient", make),
    ):
        keras_client.clear()
        try:
            yield
        finally:
            keras_client.clear()


@contextmanager
def controlled(answers: KerasClient | None = None) -> Iterator[Keras]:
    """A context in which the app asks the client of the state that is set. `answers`: a client with the real worker, which is not
    closed afterwards."""
    keras = Keras()
    if answers:
        keras.clients["answered"] = answers
    config.get_config_options()  # reads the file now, so that it is not read over this later
    details = config.get_option("client.showErrorDetails")
    config.set_option("client.showErrorDetails", "full")  # a visitor gets none
    # No browser of the export's own is warmed up: no file is asked for here.
    with asking(keras.client), patch.object(SHARED, "warm", lambda: None):
        try:
            yield keras
        finally:
            for client in keras.clients.values():
                if client is not answers:
                    client.close()
            config.set_option("client.showErrorDetails", details)
