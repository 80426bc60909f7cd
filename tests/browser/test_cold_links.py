"""A server's very first visitor may come by a link to any page (Streamlit then has not run app.py, and knows no frame)."""

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import open_app, query
from tests.sources import python_files

START = "heads"  # has no address of its own but the root
PATHS = ["" if path.stem == START else path.stem for path in python_files("pages")]


def current(page: Page) -> str:
    """Where the menu says one is; most pages stand below the name of a section, which is opened to see them."""
    here = page.locator('[data-testid^="stTopNav"][aria-current="page"]')
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


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path or START)
def test_the_first_visitor_of_a_server_may_come_by_a_link_to_any_page(page: Page, without_tensorflow: str, path: str):
    """The frame is there, the page is the one asked for, and the link's setting holds. None of that is a matter of TensorFlow,
    which each of the servers would load."""
    open_app(page, f"{without_tensorflow}/{path}?num_heads=8")
    assert current(page).endswith(f"/{path}")
    assert page.locator("h1").count() == 1
    assert query(page) == {"num_heads": "8"}
