"""The app in a frame of another site, behind nginx with TLS: http://localhost shows what comes from https://127.0.0.1."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import problems
from tests.browser.screen import becomes
from tests.browser.test_embedding import HERE, elsewhere, host  # noqa: F401 (a fixture)
from tests.deploy.site import Site, configuration, proxied, with_certificate
from tests.serving import HOSTS, free_port
from tests.sources import ROOT

pytestmark = pytest.mark.browser
#: The command by which deploy/README.md lets a site in.
(LETS_IN,) = re.findall(r'sed -i "(s\|frame-ancestors .*?)"', (ROOT / "deploy/README.md").read_text(encoding="utf-8"))


@pytest.fixture
def secure(public: Site, tmp_path: Path) -> Callable[[str], str]:
    """nginx's file for the replicas, with https at a port."""

    def text(port: int) -> str:
        one, two = (f"127.0.0.1:{replica.port}" for replica in public.replicas)
        listen, cache = f"127.0.0.1:{free_port()}", str(tmp_path / "cache")
        plain = configuration(replica_1=one, replica_2=two, name=HOSTS, listen=listen, cache=cache)
        return with_certificate(plain, tmp_path, port)

    return text


def test_a_site_that_is_let_in_shows_the_readmes_line_and_the_frame_keeps_its_replica(
    new_page: Callable[..., Page], secure: Callable[[int], str], elsewhere: str, tmp_path: Path  # noqa: F811
):  # fmt: skip
    page, port, site = new_page(alone=True, ignore_https_errors=True), free_port(), elsewhere.replace("127.0.0.1", "localhost")
    (tmp_path / "let_in.conf").write_text(secure(port))
    subprocess.run(("sed", "-i", LETS_IN.replace("https://lms.example", site), tmp_path / "let_in.conf"), check=True)
    with proxied(tmp_path, port, (tmp_path / "let_in.conf").read_text()):
        inside = host(page, site, HERE.replace("https://headcount.example", f"https://127.0.0.1:{port}"))
        heading = inside.locator("h1").first
        becomes(page, lambda: heading.inner_text()[:12], "Of 8 heads, ")
        inside.locator('input[type="range"][aria-label="Heads `num_heads`"]').first.press("ArrowLeft")
        becomes(page, lambda: "4 heads" in heading.inner_text(), True)
        (kept,) = (one for one in page.context.cookies() if one["name"] == "headcount_seat")
        assert (kept["sameSite"], kept["secure"], kept.get("partitionKey")) == ("None", True, "http://localhost")
        with page.expect_request("**/_stcore/health") as asked:
            page.frames[-1].evaluate("fetch('/_stcore/health')")
        assert f"headcount_seat={kept['value']}" in asked.value.all_headers()["cookie"]
    assert [one for one in problems(page) if "https://127.0.0.1" not in one] == []
    problems(page).clear()


def test_a_site_that_is_not_let_in_shows_nothing(
    new_page: Callable[..., Page], secure: Callable[[int], str], elsewhere: str, tmp_path: Path  # noqa: F811
):  # fmt: skip
    page, port = new_page(alone=True, ignore_https_errors=True), free_port()
    with proxied(tmp_path, port, secure(port)):
        page.goto(elsewhere.replace("127.0.0.1", "localhost"))
        page.set_content(f'<iframe src="https://127.0.0.1:{port}/attention"></iframe>')
        becomes(page, lambda: any("frame-ancestors" in one for one in problems(page)), True)
        becomes(page, lambda: page.frames[-1].url.startswith("chrome-error:"), True)
    problems(page).clear()
