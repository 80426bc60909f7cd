"""The build without a server, made from its parts and opened in Chromium."""

import subprocess
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page

from components.menu import START
from deploy.static import build as building
from tests.browser.helpers import problems
from tests.browser.screen import becomes

PATIENCE = 180_000
STANDS = """() => document.querySelector('#root h1')
  && document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"""
HEADS = 'input[type=range][aria-label="Heads `num_heads`"]'


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a plain web server with the folder."""
    out = tmp_path_factory.mktemp("static")
    try:
        building.build(out)
    except (subprocess.CalledProcessError, OSError) as error:
        pytest.skip(f"a part of the build cannot be had here: {error}")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=out)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def stands(page: Page) -> str:
    """The heading, when the run has ended."""
    page.wait_for_function(STANDS, timeout=PATIENCE)
    return page.locator("#root h1").inner_text()


def test_a_file_with_another_hash_is_not_used(tmp_path: Path):
    (tmp_path / "numpy.whl").write_bytes(b"not numpy")
    for want in ("0" * 64, "sha512-AAAA"):
        with pytest.raises(building.WrongHash, match=r"numpy\.whl has another sha"):
            building.checked(tmp_path / "numpy.whl", want)


@pytest.mark.browser
@pytest.mark.first
def test_it_opens_by_link_and_by_menu_and_a_slider_moves_without_a_server(new_page, site: str):
    page = new_page(alone=True)
    page.goto(f"{site}/attention/?num_heads=2")
    assert stands(page).startswith("2 heads, 2 maps")
    page.locator(HEADS).first.focus()
    page.keyboard.press("ArrowRight")
    becomes(page, lambda: stands(page)[:23], "From “thanks”, 4 heads ")
    page.locator('[data-testid="stTopNavLink"]', has_text=START.title).first.click()
    becomes(page, lambda: stands(page), "More heads: the paper cuts finer, Keras adds pieces.")
    assert page.locator('[data-testid="stException"]').count() == 0
    problems(page).clear()  # stlite says in the console what it installs
