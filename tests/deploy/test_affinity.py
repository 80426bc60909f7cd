"""Uploads, pictures and downloads are of one session at one replica: through the proxy each finds its own."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import open_app, rerun
from tests.browser.screen import becomes, title
from tests.deploy.site import Site, seat
from tests.mha.loading.files import arrays, npz

pytestmark = pytest.mark.browser
LOGO = "() => [...document.querySelectorAll('img')].map(one => [one.src.includes('/media/'), one.naturalWidth > 0])"


@pytest.fixture
def visitors(new_page: Callable[..., Page], public: Site) -> list[Page]:
    """One at each replica."""
    sitting: dict[str, Page] = {}
    for _ in range(12):
        page = new_page()
        open_app(page, f"{public.url}/own_layer")
        sitting.setdefault(seat(page), page)
        if len(sitting) == 2:
            return [*sitting.values()]
    pytest.fail("twelve visitors, and all sit at one replica")


def test_an_upload_is_read_at_whichever_replica_its_visitor_sits(visitors: list[Page], tmp_path: Path):
    (tmp_path / "mine.npz").write_bytes(npz(arrays()))
    for page in visitors:
        with rerun(page):
            page.locator('input[type="file"]').first.set_input_files(tmp_path / "mine.npz")
        becomes(page, lambda page=page: title(page), "3 heads, 11 wide: your layer has 854 parameters.")


def test_pictures_of_both_replicas_are_shown(visitors: list[Page]):
    for page in visitors:
        shown = page.evaluate(LOGO)
        assert shown
        assert all(loaded for _, loaded in shown), shown


def test_a_file_made_at_one_replica_is_taken_from_there(visitors: list[Page], public: Site):
    for page in visitors:
        open_app(page, f"{public.url}/models")
        with page.expect_download() as taken:
            page.locator('[data-testid="stDownloadButton"] button', has_text="CSV").click()
        head, *rows = Path(taken.value.path()).read_text().splitlines()
        assert head.startswith("model,convention,")
        assert len(rows) > 49
