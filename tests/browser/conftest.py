"""Fixtures for tests with a real browser on a real server, which are marked `browser`.

A test that takes `page` or `new_page` fails at its end on any error in the browser's console or on the page, any answer of 400 or
above, and any request that leaves this machine. A test that causes one on purpose takes it out of `problems(page)`.
"""

import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from headcount.export.browser import SHARED
from tests.browser import helpers
from tests.browser.helpers import NOTE_PROGRAMS, problems, screenshot
from tests.browser.watch import watch
from tests.serving import RUNNING, Server, find_chromium, free_port

LAPTOP = {"width": 1280, "height": 720}
FAILED = pytest.StashKey[bool]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    if report.failed:  # visitors see no traceback, so the reason is only in the server's log
        report.sections += [(f"log of {url}", one.log.read_text()[-3000:]) for url, one in RUNNING.items()]
    return report


#: What a page can be told anew; anything else, and the screen that can be touched, is its context's for life.
TOLD = {"viewport", "color_scheme", "reduced_motion"}
FORGET = "location.protocol.startsWith('http') && (localStorage.clear(), sessionStorage.clear())"


def opened(browser: Browser, script: str, options: dict[str, Any]) -> Page:
    page = browser.new_context(**options).new_page()
    page.add_init_script(NOTE_PROGRAMS)
    if script:
        page.add_init_script(script)
    watch(page)
    return page


def left(page: Page) -> None:
    """Resets a browser page for the next test: nothing is stored, open, running or pointed at."""
    for other in page.context.pages:
        if other != page:
            other.close()
    page.evaluate(FORGET)
    page.context.clear_cookies()
    page.goto("about:blank")
    page.mouse.move(0, 0)


@pytest.fixture
def new_page(
    browser: Browser, kept_pages: dict[tuple[bool, str], list[Page]], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Page]]:
    """Makes a visitor of its own (cookies, storage, window): `new_page(viewport=…, color_scheme="dark", …)`.

    A browser page is used again for later tests, because a load takes a third of the time once Streamlit's programs are compiled.
    Each visitor has a new document, a new session of the server, and empty storage. A page with a state that must not last (a
    clock, a network that is off) needs `alone=True`. A `script` runs in each document before the page's own.
    """
    visits: list[tuple[Page, tuple[bool, str] | None]] = []

    def make(alone: bool = False, script: str = "", **asked: Any) -> Page:
        options = {"viewport": LAPTOP, "color_scheme": "light", "reduced_motion": "reduce", "has_touch": False} | asked
        if alone or not {*options} <= TOLD | {"has_touch"}:
            visits.append((opened(browser, script, options), None))
            return visits[-1][0]
        kind = bool(options["has_touch"]), script
        page = kept_pages[kind].pop() if kept_pages.get(kind) else opened(browser, script, options)
        page.set_viewport_size(options["viewport"])
        page.emulate_media(color_scheme=options["color_scheme"], reduced_motion=options["reduced_motion"])
        problems(page).clear()
        visits.append((page, kind))
        return page

    yield make

    found = [problem for page, _ in visits for problem in problems(page)]
    if failed := found or request.node.stash.get(FAILED, False):
        for number, (page, _) in enumerate(visits):
            screenshot(page, f"{request.node.nodeid.removeprefix('tests/')}-{number}")
    for page, kind in visits:
        if kind is None or failed:
            page.context.close()
        else:
            left(page)
            kept_pages.setdefault(kind, []).append(page)
    assert not found, "\n".join(found)


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one server for all tests that do not mind earlier visitors."""
    with Server(tmp_path_factory.mktemp("server") / "server.log") as running:
        yield running.url


@pytest.fixture(scope="session")
def same_port() -> Callable[[], int]:
    """One port for all fresh servers, because kept browser pages have compiled the programs of its addresses."""
    kept: list[int] = []

    def free() -> int:
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", kept[0]))
            except (IndexError, OSError):  # the first time, or somebody else has it by now
                kept[:] = [free_port()]
        return kept[0]

    return free


@pytest.fixture
def fresh_server(same_port: Callable[[], int], tmp_path: Path) -> Iterator[str]:
    """The address of a server that nobody has visited yet."""
    with Server(tmp_path / "server.log", port=same_port()) as running:
        yield running.url


@pytest.fixture
def patience_for_keras(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits longer for a page, because TensorFlow takes up to a minute to load."""
    monkeypatch.setattr(helpers, "PATIENCE", 120.0)


@pytest.fixture(scope="module")
def chromium_for_files() -> Iterator[None]:
    """Lets the app make the figures' files with the tests' own Chromium."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BROWSER_PATH", find_chromium())
        yield
    SHARED.close()


# Python reads a file of this name before anything else, in the server and in every process that it starts.
NO_TENSORFLOW = """
import sys
from importlib.machinery import PathFinder

class Without(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in ("tensorflow", "keras") else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Without
"""


@pytest.fixture
def without_tensorflow(same_port: Callable[[], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a fresh server whose Python has neither TensorFlow nor Keras."""
    (tmp_path / "sitecustomize.py").write_text(NO_TENSORFLOW)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Server(tmp_path / "server.log", port=same_port()) as running:
        yield running.url
