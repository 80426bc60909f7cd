"""One Chromium for all tests that need one, wherever they stand: Playwright can be started once in a process."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from streamlit.components.v2 import manifest_scanner

from mha.keras.client import KerasClient
from mha.keras.question import question
from mha.keras.supervisor import Limits

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


# What is installed does not change while tests run. Each new AppTest (Streamlit 1.67) reads the metadata of all packages anew:
# three quarters of what opening a page costs.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
settings.register_profile("any machine", deadline=None)  # speed is measured in benchmarks/, never here
settings.load_profile("any machine")


def pytest_sessionfinish() -> None:
    """AppTest (Streamlit 1.67) leaves a folder to Python's end, where warnings are errors by now."""
    if test := sys.modules.get("streamlit.testing.v1.app_test"):
        test.TMP_DIR.cleanup()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests, the one that `make test` found or installed."""
    from benchmarks.serving import chromium, find_chromium  # the environment of `make test-static` has no Playwright

    try:
        find_chromium()
    except RuntimeError as error:
        pytest.fail(str(error), pytrace=False)
    with chromium() as running:
        yield running


@pytest.fixture(scope="session")
def kept_pages(browser: Browser) -> dict[tuple[bool, str], list[Page]]:
    """Pages that wait for their next visitor, each in a context of its own: by whether they have a touch screen, and by the
    script that runs in each document before its own."""
    return {}


LONG = 300  # seconds: a busy machine


@pytest.fixture(scope="session")
def client():
    client = KerasClient(Limits(request_seconds=LONG))
    yield client
    client.close()


@pytest.fixture(scope="session")
def ask(client):
    def run(name: str, **arguments) -> dict:
        asked = question(name, **arguments)
        result = client.result(asked, wait=LONG)
        assert result is not None, client.failure(asked)
        return result

    return run
