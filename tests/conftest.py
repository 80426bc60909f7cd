"""One Chromium for all tests that need one, wherever they stand: Playwright can be started once in a process."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.sources import ROOT

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests, the one that `make test` found or installed."""
    finder = ("sh", str(ROOT / "tests/browser/install_browser.sh"), sys.executable)
    found = subprocess.run(finder, capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.fail(found.stderr.strip().splitlines()[-1], pytrace=False)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found.stdout.strip(), args=list(FLAGS))
        yield chromium
        chromium.close()
