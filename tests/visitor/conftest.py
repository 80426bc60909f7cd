"""The visitor's Keras, one for all tests here."""

from collections.abc import Iterator

import pytest

from tests.visitor.keras_states import Keras, controlled


@pytest.fixture(scope="module")
def keras() -> Iterator[Keras]:
    with controlled() as turned:
        yield turned
