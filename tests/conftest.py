"""One Chromium for all tests that need one, wherever they stand: Playwright can be started once in a process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from mha.keras.client import KerasClient
from mha.keras.question import question
from mha.keras.supervisor import Limits
from tests.sources import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests, the one that `make test` found or installed."""
    from playwright.sync_api import sync_playwright  # the environment of `make test-static` has none

    finder = ("sh", str(ROOT / "tests/browser/install_browser.sh"), sys.executable)
    found = subprocess.run(finder, capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.fail(found.stderr.strip().splitlines()[-1], pytrace=False)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found.stdout.strip(), args=list(FLAGS))
        yield chromium
        chromium.close()


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
