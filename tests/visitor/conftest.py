"""The visitor's Keras, one for all tests of a file; the real worker, which loads TensorFlow, is one for a process."""

import io
from collections.abc import Iterator

import pytest
from PIL import Image

from headcount.export import browser
from tests.visitor.keras_states import Answers, Keras, controlled


@pytest.fixture(scope="module")
def any_keras(client: Answers) -> Iterator[Keras]:
    with controlled(client) as turned:
        yield turned


@pytest.fixture
def keras(any_keras: Keras) -> Keras:
    """As where TensorFlow is not installed, until a test turns to another state."""
    any_keras.turn("missing")
    return any_keras


@pytest.fixture(autouse=True, scope="module")
def blank_files() -> Iterator[None]:
    """A browser is there and draws nothing: what it draws is an image, of which no test here reads a word. What it makes of every
    figure is seen in tests/browser/test_export.py."""
    pixel = io.BytesIO()
    Image.new("RGB", (1, 1)).save(pixel, "PNG")
    with pytest.MonkeyPatch.context() as patch:
        for name, drawn in {"missing": None, "chart": "<g/>", "png": pixel.getvalue(), "pdf": b""}.items():
            patch.setattr(browser, name, lambda *_, drawn=drawn: drawn)
        yield
