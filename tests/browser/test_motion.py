"""Blocks glide and never flash, and who asked for less motion sees the new picture at once."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import open_app, query, rerun
from tests.browser.screen import becomes
from tests.browser.stage import drawn, frames, start_watching

HEADS = 'input[type="range"][aria-label="Heads `num_heads`"]'


def one_stop_more(page: Page) -> tuple[list[int], list[int]]:
    """Moves the heads slider on by one stop; what was painted from before the key until well after the picture."""
    before = drawn(page)
    page.locator(HEADS).focus()
    start_watching(page)
    page.keyboard.press("ArrowRight")
    becomes(page, lambda: query(page).get("num_heads"), "8")
    becomes(page, lambda: drawn(page) > before, True)
    page.wait_for_timeout(1200)
    return frames(page)


@pytest.mark.parametrize("path", ["", "projections", "concatenation"], ids=lambda path: path or "heads")
def test_blocks_glide_from_one_picture_to_the_next_and_no_frame_is_blank(new_page: Callable[..., Page], server: str, path: str):
    page = new_page(reduced_motion="no-preference")
    open_app(page, f"{server}/{path}")
    prints, filled = one_stop_more(page)
    assert prints[0] != prints[-1]
    assert set(prints[1:-1]) - {prints[0], prints[-1]}, f"nothing between the two pictures in {len(prints)} frames"
    assert min(filled) > 0.6 * min(filled[0], filled[-1]), f"a frame nearly empty: {filled}"


def test_with_reduced_motion_the_new_picture_is_there_at_once_in_the_same_element(page: Page, server: str):
    open_app(page, f"{server}/projections")
    page.locator(".st-key-stage .stage").evaluate("box => { box.mine = 1; }")
    prints, filled = one_stop_more(page)
    assert len(set(prints)) == 2, "something between the two pictures"
    assert min(filled) > 0.6 * min(filled[0], filled[-1])
    assert page.locator(".st-key-stage .stage").evaluate("box => box.mine") == 1


@pytest.mark.parametrize("path", ["projections", "attention", "concatenation"])
def test_pictures_stay_the_same_elements_where_trained_numbers_become_random(page: Page, server: str, path: str):
    """A sentence and a button then stand above them: what comes into the page moves nothing out of it."""
    open_app(page, f"{server}/{path}")
    boxes = page.locator(".stage, .headcount-chart")
    boxes.first.wait_for()
    count = boxes.evaluate_all("all => all.map((box) => { box.mine = 1; }).length")
    with rerun(page):
        page.locator('input[type="range"][aria-label="Width `d_model`"]').press("ArrowRight")
    becomes(page, lambda: page.locator(".st-key-to_network").count(), 1)
    assert boxes.evaluate_all("all => all.map((box) => box.mine)") == [1] * count
