"""A server's very first visitor may come by a link to any page (Streamlit then has not run app.py, and knows no frame)."""

import pytest
from playwright.sync_api import Page

from components.menu import START
from tests.browser.helpers import open_app, query
from tests.browser.screen import PAGES
from tests.browser.test_deep_links import CURRENT
from tests.sources import python_files

#: All but the lesson's, which are opened so in tests/browser/test_deep_links.py.
FURTHER = [path.stem for path in python_files("pages") if path.stem not in {*PAGES, START.page}]


def current(page: Page) -> str:
    """Where the menu says one is; most pages stand below the name of a section, which is opened to see them."""
    here = page.locator(CURRENT)
    for section in page.locator('[data-testid="stTopNavSection"]:visible').all():
        if here.count():
            break
        section.click()
        inside = page.locator('[data-testid="stTopNavDropdownLink"]')
        inside.first.wait_for()
        if not here.count():
            page.keyboard.press("Escape")
            inside.first.wait_for(state="hidden")
    return here.get_attribute("href") or ""


@pytest.mark.parametrize("path", FURTHER)
def test_the_first_visitor_of_a_server_may_come_by_a_link_to_any_page(page: Page, without_tensorflow: str, path: str):
    """The frame is there, the page is the one asked for, and the link's setting holds. None of that is a matter of TensorFlow,
    which each of the servers would load."""
    open_app(page, f"{without_tensorflow}/{path}?num_heads=8")
    assert current(page).endswith(f"/{path}")
    assert page.locator("h1").count() == 1
    assert query(page) == {"num_heads": "8"}
