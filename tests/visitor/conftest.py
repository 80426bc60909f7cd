"""Fixtures for random visitors: a Keras in any state, and the real worker, which loads TensorFlow once for each process."""

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
    """A Keras that is not installed, until a test sets another state."""
    any_keras.turn("missing")
    return any_keras


@pytest.fixture(autouse=True, scope="module")
def blank_files() -> Iterator[None]:
    """Replaces the browser by one that draws an empty image, because these tests read no words in images.
    tests/browser/test_export.py tests every figure's image."""
    pixel = io.BytesIO()
    Image.new("RGB", (1, 1)).save(pixel, "PNG")
    with pytest.MonkeyPatch.context() as patch:
        for name, drawn in {"missing": None, "chart": "<g/>", "png": pixel.getvalue(), "pdf": b""}.items():
            patch.setattr(browser, name, lambda *_, drawn=drawn: drawn)
        yield
