"""A real browser on a real server. Every test here is marked `browser`.

A test that takes `page` or `new_page` fails at its end on any error in the browser's console or on the page, any answer
of 400 or above and any request that leaves this machine. A test that means to cause one takes it out of `problems(page)`.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.helpers import problems, screenshot
from tests.browser.server import LOGS, served
from tests.browser.watch import watch

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
        report.sections += [(f"log of {url}", log.read_text()[-3000:]) for url, log in LOGS.items()]
    return report


@pytest.fixture
def new_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Makes a visitor of its own (cookies, storage, window): `new_page(viewport=…, color_scheme="dark", …)`."""
    with ExitStack() as visits:
        pages: list[Page] = []

        def make(**options) -> Page:
            context = browser.new_context(**{"viewport": LAPTOP, "reduced_motion": "reduce"} | options)
            visits.callback(context.close)
            pages.append(context.new_page())
            watch(pages[-1])
            return pages[-1]

        yield make

        found = [problem for page in pages for problem in problems(page)]
        if found or request.node.stash.get(FAILED, False):
            for number, page in enumerate(pages):
                screenshot(page, f"{request.node.nodeid.removeprefix('tests/')}-{number}")
        assert not found, "\n".join(found)


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one server for all tests that do not mind who was there before."""
    with served(tmp_path_factory.mktemp("server") / "server.log") as url:
        yield url


@pytest.fixture
def fresh_server(tmp_path: Path) -> Iterator[str]:
    """The address of a server that nobody has visited yet: whoever opens a link there is the first."""
    with served(tmp_path / "server.log") as url:
        yield url
