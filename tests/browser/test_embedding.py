"""Pages inside another site's page, by the README's line of HTML."""

import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import GO, PATIENCE
from tests.browser.screen import becomes
from tests.browser.test_accessibility import PAGES
from tests.browser.watch import watch_of
from tests.sources import ROOT

LINE = re.search(r"<iframe .*?</iframe>", (ROOT / "README.md").read_text()).group(0)
STATE = "document.querySelector('[data-testid=stApp]').dataset.testScriptState"
HERE = "https://headcount.example/attention?embed=true&num_heads=8"


class Elsewhere(BaseHTTPRequestHandler):
    """Another origin on this machine. Chromium lets no page without an origin open what is on the machine itself."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def host(page: Page, elsewhere: str, address: str):
    """Opens a page with the README's line in it. Returns the embedded frame once its title is there."""
    assert HERE in LINE
    page.goto(elsewhere)
    page.set_content(f"<!doctype html><title>A course</title><h2>Week 3</h2>{LINE.replace(HERE, address)}")
    inside = page.frame_locator("iframe")
    inside.locator("h1").first.wait_for(timeout=PATIENCE * 1000)
    return inside


def test_a_frame_shows_the_settings_of_its_address_can_be_moved_and_has_no_menu_on_any_page(
    page: Page, server: str, elsewhere: str
):
    """The first page is opened by its address, the others in the same frame."""
    inside = host(page, elsewhere, f"{server}/attention?embed=true&num_heads=8")
    frame, heading = page.frames[-1], inside.locator("h1")
    assert "8 heads" in heading.first.inner_text()
    inside.locator('input[type="range"][aria-label="Heads `num_heads`"]').first.press("ArrowLeft")
    becomes(page, lambda: "4 heads" in heading.first.inner_text(), True)
    becomes(page, lambda: "embed=true" in frame.evaluate("location.search"), True)
    for path in PAGES:
        runs = watch_of(page).whole
        frame.evaluate(GO, f"/{path}?embed=true")
        becomes(page, lambda: watch_of(page).whole, lambda now, before=runs: now > before)
        becomes(page, lambda: frame.evaluate(STATE), "notRunning")
        assert frame.evaluate("location.pathname + location.search") == f"/{path}?embed=true"
        becomes(page, heading.count, 1)
        assert not inside.locator('[data-testid="stMainMenu"]').first.is_visible()
        assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_where_a_frame_keeps_no_cookie_the_uploader_is_a_link_to_a_tab_of_its_own(page: Page, server: str, elsewhere: str):
    """Another port is the same site, so an upload arrives. Another host is another site, so it does not."""
    inside = host(page, elsewhere, f"{server}/own_layer?embed=true&seed=7")
    inside.locator('input[type="file"]').first.set_input_files({"name": "a.npz", "mimeType": "", "buffer": b"no layer"})
    inside.get_by_text("a.npz:").wait_for(timeout=PATIENCE * 1000)
    inside = host(page, elsewhere.replace("127.0.0.1", "localhost"), f"{server}/own_layer?embed=true&seed=7")
    link = inside.get_by_role("link", name="Open in a tab of its own")
    link.first.wait_for(timeout=PATIENCE * 1000)
    assert inside.locator('input[type="file"]').count() == 0
    with page.expect_popup() as opened:
        link.first.click()
    tab = opened.value
    tab.locator('input[type="file"]').first.wait_for(state="attached", timeout=PATIENCE * 1000)
    assert tab.url == f"{server}/own_layer?seed=7"
    tab.close()
