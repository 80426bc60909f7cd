"""Fixtures for the app as the public uses it: replicas behind nginx, with the production settings, in a real browser.

nginx comes from the distribution. If it is missing, these tests are skipped with a message.
"""

from collections.abc import Iterator

import pytest

from tests.browser.conftest import new_page, page, pytest_runtest_makereport  # noqa: F401 (fixtures)
from tests.deploy.site import Site, nginx_program, site
from tests.serving import Server, production


@pytest.fixture(scope="session")
def nginx() -> None:
    if nginx_program() is None:
        pytest.skip("no nginx here: apt-get install nginx, or brew install nginx")


@pytest.fixture(scope="session")
def public(nginx, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two replicas behind nginx, for tests that do not change them."""
    with site(tmp_path_factory.mktemp("public")) as running:
        yield running


@pytest.fixture
def mortal(nginx, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two replicas behind nginx that a test may kill."""
    with site(tmp_path_factory.mktemp("mortal")) as running:
        yield running


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server with the production settings, without a proxy."""
    with Server(tmp_path_factory.mktemp("server") / "server.log", **production()) as started:
        yield started
