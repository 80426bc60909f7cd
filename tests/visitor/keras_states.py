"""What the app hears of Keras: the real layer's answer at once, none yet, a refusal, or that there is no TensorFlow."""

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
    """The real worker; a page is drawn with its answer in."""

    def load(self) -> None:
        """TensorFlow is there before a page waits for it: its worker, which gives way to all else, may take minutes to start."""
        super()._request(("answer", Config()), LOADING)

    def _request(self, key, wait):
        return super()._request(key, max(wait, PATIENCE))


class Awaited(KerasClient):
    """Is being loaded, for ever."""

    def _request(self, key, wait):
        return None


class Refuses(Awaited):
    """Refuses every layer."""

    def __init__(self):
        super().__init__()
        self._turn("ready")

    def failure(self, what) -> str:
        return REFUSAL

    def asks_again(self, what) -> bool:
        return False


class Missing(Awaited):
    """As where TensorFlow is not installed."""

    def __init__(self):
        super().__init__()
        self._turn("missing", "TensorFlow is not installed here, so Keras cannot be asked.")


STATES = {"answered": Answers, "awaited": Awaited, "refused": Refuses, "missing": Missing}


class Keras:
    """The clients of one test run: the real worker is started once, and only where it is asked."""

    def __init__(self):
        self.clients: dict[str, KerasClient] = {}
        self.state = "missing"

    def turn(self, state: str) -> None:
        """From the next run of a page on."""
        self.state = state
        keras_client.clear()
        if isinstance(client := self.client(), Answers):
            client.load()

    def client(self) -> KerasClient:
        return self.clients.setdefault(self.state, STATES[self.state]())


@contextmanager
def asking(make: Callable[[], KerasClient]) -> Iterator[None]:
    """While it lasts the app asks this client, made anew whenever it is forgotten, and believes that TensorFlow is installed."""
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
    """While it lasts the app asks the client of the state that is turned on. `answers`: a client with the real worker, which
    goes on afterwards."""
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
