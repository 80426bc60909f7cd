"""The visitor's Keras, one for all tests of a file; the real worker, which loads TensorFlow, is one for a process."""

from collections.abc import Iterator

import pytest

from tests.visitor.keras_states import Answers, Keras, controlled


@pytest.fixture(scope="module")
def keras(client: Answers) -> Iterator[Keras]:
    with controlled(client) as turned:
        yield turned
