"""The walk by keyboard alone, as at a projector: the keys work at once, the picture fits, and nothing is left behind."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from lessons.walk import STEPS as WALK
from tests.browser.helpers import address, go_back, open_app, rerun
from tests.browser.screen import becomes, everything

HERE = "/attention?num_heads=8&head=3"
PLACE = ".st-key-presenter .place"
STEPS = len(WALK)


def place(page: Page) -> str:
    return page.locator(PLACE).inner_text()


def walk(page: Page, key: str, to: int) -> None:
    with rerun(page):
        page.keyboard.press(key)
    becomes(page, lambda: place(page), f"{to} of {STEPS}")


def test_the_walk_is_done_by_keyboard_alone_and_leaves_the_page_as_it_was(page: Page, server: str):
    open_app(page, server + HERE)
    before = everything(page)
    page.get_by_role("button", name="Present").focus()
    with rerun(page):
        page.keyboard.press("Enter")
    for step, key in zip(range(2, STEPS + 1), ("ArrowRight", "PageDown", "Space") * STEPS, strict=False):
        walk(page, key, step)
        assert address(page) == f"{HERE}&present=1&step={step}"
    walk(page, "ArrowLeft", STEPS - 1)
    walk(page, "PageUp", STEPS - 2)
    walk(page, "Shift+Space", STEPS - 3)
    walk(page, "Home", 1)
    walk(page, "End", STEPS)
    with rerun(page):
        page.keyboard.press("Escape")
    assert address(page) == HERE
    assert everything(page) == before


def test_a_link_to_a_step_walks_at_the_first_key_and_back_goes_a_step_back(page: Page, server: str):
    open_app(page, f"{server}/concatenation?present=1&step=4")
    assert place(page) == f"4 of {STEPS}"
    walk(page, "ArrowRight", 5)
    go_back(page)
    becomes(page, lambda: place(page), f"4 of {STEPS}")


def test_two_quick_presses_are_two_steps(page: Page, server: str):
    open_app(page, f"{server}/?present=1&step=2")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    becomes(page, lambda: address(page), "/?present=1&step=5")
    becomes(page, lambda: place(page), f"5 of {STEPS}")


def test_the_buttons_walk_too_and_space_on_a_button_presses_it_once(page: Page, server: str):
    open_app(page, f"{server}/?present=1&step=7")
    with rerun(page):
        page.get_by_role("button", name="Next").click()
    becomes(page, lambda: place(page), f"8 of {STEPS}")
    walk(page, "Space", 9)  # the button has the focus
    with rerun(page):
        page.get_by_role("button", name="Leave").click()
    assert address(page) == "/"


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)], ids=str)
def test_on_a_projector_a_step_fills_the_window_and_no_more(new_page: Callable[..., Page], server: str, size: tuple[int, int]):
    page = new_page(viewport={"width": size[0], "height": size[1]})
    for step in (2, 5, 8, STEPS):
        open_app(page, f"{server}/?present=1&step={step}")
        stage, legend = page.locator(".st-key-presented .base"), page.locator(".st-key-presented .legend")
        picture, bar = stage.bounding_box(), page.locator(".st-key-presenter nav").bounding_box()
        below = legend.bounding_box()
        assert below["y"] + below["height"] <= bar["y"]
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert picture["width"] > 0.9 * size[0]
        assert page.locator("h1:visible").count() == 1
        for gone in ("stSidebar", "stHeader", "stSidebarNavLink"):
            assert not page.locator(f'[data-testid="{gone}"]').first.is_visible()


def test_on_a_phone_the_bar_hides_nothing_that_cannot_be_scrolled_to(new_page: Callable[..., Page], server: str):
    page = new_page(viewport={"width": 375, "height": 667}, has_touch=True)
    for step in (2, 4, 8):
        open_app(page, f"{server}/?present=1&step={step}")
        page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
        legend = page.locator(".st-key-presented .legend").bounding_box()
        bar = page.locator(".st-key-presenter nav").bounding_box()
        assert legend["y"] + legend["height"] <= bar["y"], step
