"""The search is one key or one press away from every page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import open_app, query
from tests.browser.screen import ERRORS, MAGNIFIER, becomes, title

FOCUSED = "document.activeElement === document.querySelector('.st-key-find input')"
WAYS: dict[str, Callable[[Page], None]] = {
    "key": lambda page: page.keyboard.press("/"), "press": lambda page: page.locator(MAGNIFIER).click(),
}  # fmt: skip


def ready(page: Page) -> None:
    becomes(page, lambda: page.evaluate("location.pathname"), "/questions")
    becomes(page, lambda: page.evaluate(FOCUSED), True)


@pytest.mark.parametrize(("path", "way"), [("", "key"), ("attention?num_heads=8", "press")])
def test_the_search_opens_from_any_page_ready_to_type_and_a_slash_that_is_typed_is_a_letter(
    page: Page, server: str, path: str, way: str
):
    """On a phone: tests/browser/test_frame.py. In the walk the key does nothing: tests/browser/test_present.py."""
    open_app(page, f"{server}/{path}")
    if path:
        field = page.locator(".st-key-tokens input")
        field.click()
        page.keyboard.type("/")
        assert field.input_value().endswith("/")
        assert page.evaluate("location.pathname") == "/attention"
        page.keyboard.press("Backspace")
    WAYS[way](page)
    ready(page)
    page.keyboard.type("key_dim")
    page.keyboard.press("Enter")
    becomes(page, lambda: title(page).endswith("places to look, the best first."), True)
    for again in WAYS.values():
        page.locator("h1").click()
        assert not page.evaluate(FOCUSED)
        again(page)
        becomes(page, lambda: page.evaluate(FOCUSED), True)
        assert query(page)["find"] == "key_dim", "on its own page the key leads into the field and takes nothing away"


def test_code_is_pasted_asked_for_its_width_and_its_layer_opened(page: Page, server: str):
    open_app(page, f"{server}/questions")
    page.get_by_role("button", name="Paste").click()
    page.locator(".st-key-pasted textarea").fill("keras.layers.MultiHeadAttention(\n    num_heads=7, key_dim=5)")
    page.get_by_role("button", name="Read it").click()
    becomes(page, lambda: title(page), "1 call of attention, none looks like a slip.")
    page.keyboard.press("Escape")
    field = page.get_by_label("The width of the input in line 1")
    field.fill("21")
    field.press("Enter")
    link = page.get_by_role("link", name="See this layer")  # which opens beside the page, as every link of the search
    assert link.get_attribute("href") == "./keras_layer?d_model=21&num_heads=7&key_dim=5&value_dim=5&split=Keras"
    assert not page.locator(ERRORS).count()
