"""Blocks glide and never flash. With reduced motion the new picture appears at once."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import open_app, query, rerun, wait_until_settled
from tests.browser.screen import becomes
from tests.browser.stage import drawn, frames, start_watching

HEADS = 'input[type="range"][aria-label="Heads `num_heads`"]'
AT_REST = "[...document.querySelectorAll('*')].every((one) => !one.shadowRoot?.stage?.gliding)"


def move(page: Page, key: str, heads: int) -> tuple[list[int], list[int]]:
    """Moves the heads slider by one stop. Returns the frames from before the key press until the picture rests."""
    before = drawn(page)
    page.locator(HEADS).focus()
    start_watching(page)
    page.keyboard.press(key)
    becomes(page, lambda: query(page).get("num_heads", "4"), str(heads))
    becomes(page, lambda: drawn(page) > before, True)
    wait_until_settled(page)
    becomes(page, lambda: page.evaluate(AT_REST), True)
    return frames(page)


@pytest.mark.parametrize("path", ["", "projections", "attention", "concatenation"], ids=lambda path: path or "heads")
def test_blocks_glide_no_frame_is_blank_and_pictures_stay_the_same_elements(
    new_page: Callable[..., Page], server: str, path: str
):
    """Also when trained numbers become random. A sentence and a button then appear above the pictures, and no element of the page
    is replaced. With reduced motion the new picture appears at once."""
    page = new_page(reduced_motion="no-preference")
    open_app(page, f"{server}/{path}")
    boxes = page.locator(".stage, .headcount-chart")
    boxes.first.wait_for()
    count = boxes.evaluate_all("all => all.map((box) => { box.mine = 1; }).length")
    if path != "attention":
        prints, filled = move(page, "ArrowRight", 8)
        assert prints[0] != prints[-1]
        assert set(prints[1:-1]) - {prints[0], prints[-1]}, f"nothing between the two pictures in {len(prints)} frames"
        assert min(filled) > 0.6 * min(filled[0], filled[-1]), f"a frame nearly empty: {filled}"
    page.emulate_media(reduced_motion="reduce")
    if path == "projections":
        prints, filled = move(page, "ArrowLeft", 4)
        assert len(set(prints)) == 2, "something between the two pictures"
        assert min(filled) > 0.6 * min(filled[0], filled[-1])
    if path:
        for _ in range(5):  # from 16 to 96
            with rerun(page):
                page.locator('input[type="range"][aria-label="Width `d_model`"]').press("ArrowRight")
        becomes(page, lambda: page.locator(".st-key-to_network").count(), 1)
        assert boxes.evaluate_all("all => all.map((box) => box.mine)") == [1] * count
