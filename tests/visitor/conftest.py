"""The visitor's Keras, one for all tests here."""

from collections.abc import Iterator

import pytest
from streamlit import config

from tests.visitor.keras_states import Keras, controlled


@pytest.fixture(autouse=True, scope="session")
def errors_in_full():
    """A test that fails reads the real error; visitors get none (.streamlit/config.toml)."""
    config.get_config_options()  # reads the file now, so that it is not read over this later
    config.set_option("client.showErrorDetails", "full")


@pytest.fixture(scope="module")
def keras() -> Iterator[Keras]:
    with controlled() as turned:
        yield turned
