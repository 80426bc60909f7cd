"""One worker with the real Keras for all tests that run experiments in it."""

import pytest

from mha.keras_client import KerasClient
from mha.keras_keeper import Limits
from mha.keras_question import question

LONG = 300  # seconds: a busy machine


@pytest.fixture(scope="session")
def client():
    client = KerasClient(Limits(request_seconds=LONG))
    yield client
    client.close()


@pytest.fixture(scope="session")
def ask(client):
    def run(name: str, **arguments) -> dict:
        found = client.ask(name, wait=LONG, **arguments)
        assert found is not None, client.failure(question(name, **arguments))
        return found

    return run
