"""The search is one key or one press away from every page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import open_app, query
from tests.browser.screen import becomes, title
from tests.browser.test_frame import PHONE

FIELD, MAGNIFIER = ".st-key-find input", ".st-key-magnifier a"
FOCUSED = f"document.activeElement === document.querySelector('{FIELD}')"
WAYS: dict[str, Callable[[Page], None]] = {
    "key": lambda page: page.keyboard.press("/"), "press": lambda page: page.locator(MAGNIFIER).click(),
}  # fmt: skip


def ready(page: Page) -> None:
    becomes(page, lambda: page.evaluate("location.pathname"), "/questions")
    becomes(page, lambda: page.evaluate(FOCUSED), True)


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@pytest.mark.parametrize("path", ["", "attention?num_heads=8"])
def test_the_search_opens_from_any_page_ready_to_type(page: Page, server: str, path: str, way: Callable[[Page], None]):
    open_app(page, f"{server}/{path}")
    way(page)
    ready(page)
    page.keyboard.type("key_dim")
    page.keyboard.press("Enter")
    becomes(page, lambda: title(page).endswith("places to look, the best first."), True)
    page.locator("h1").click()
    way(page)
    becomes(page, lambda: page.evaluate(FOCUSED), True)
    assert query(page)["find"] == "key_dim", "on its own page the key leads into the field and takes nothing away"


def test_on_a_phone_the_magnifier_is_in_the_window(new_page: Callable[..., Page], server: str):
    page = new_page(**PHONE)
    open_app(page, f"{server}/concatenation")
    page.locator(MAGNIFIER).tap()
    ready(page)


def test_a_slash_that_is_typed_is_a_letter(page: Page, server: str):
    open_app(page, f"{server}/attention")
    field = page.locator(".st-key-tokens input")
    field.click()
    page.keyboard.type("/")
    assert field.input_value().endswith("/")
    assert page.evaluate("location.pathname") == "/attention"


def test_in_the_walk_the_key_does_nothing(page: Page, server: str):
    open_app(page, f"{server}/?present=1&step=2")
    page.keyboard.press("/")
    page.keyboard.press("ArrowRight")
    becomes(page, lambda: query(page).get("step"), "3")
    assert page.evaluate("location.pathname") == "/"
    assert page.locator(MAGNIFIER).count() == 0
