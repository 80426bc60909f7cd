"""The visitor's Keras, one for all tests of a file; the real worker, which loads TensorFlow, is one for all files."""

from collections.abc import Iterator

import pytest

from tests.visitor.keras_states import Answers, Keras, controlled


@pytest.fixture(scope="session")
def answers() -> Iterator[Answers]:
    client = Answers()
    yield client
    client.close()


@pytest.fixture(scope="module")
def keras(answers: Answers) -> Iterator[Keras]:
    with controlled(answers) as turned:
        yield turned
