"""The frame around the page: the page scrolls under the menu, a phone's menu closes, and buttons show symbols."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.helpers import go_to, open_app, press, query, rerun
from tests.browser.screen import MAGNIFIER, becomes
from tests.browser.stage import card, lit_card
from tests.browser.test_search import ready

HEADER = '[data-testid="stHeader"]'
#: A page, the setting that its buttons choose, and what is read on them.
SYMBOLS = (
    ("attention", "divisor", ['"√d""k"', "none", '"√d""model"']),
    ("projections", "kernel", ['"W""Q"', '"W""K"', '"W""V"']),
)


def menu_right(page: Page) -> float:
    """The right edge of the sidebar in pixels; 0 or less if it is closed."""
    return page.locator('[data-testid="stSidebar"]').first.evaluate("one => one.getBoundingClientRect().right")


def is_shut(page: Page) -> bool:
    return menu_right(page) <= 0


def open_menu(page: Page) -> None:
    page.locator('[data-testid="stExpandSidebarButton"]').tap()
    becomes(page, lambda: menu_right(page) > 200, True)


def test_the_menus_more_is_marked_on_its_pages_as_the_link_of_another_page_is(page: Page, server: str):
    for where, weight in (("models", "600"), ("quiz", "400"), ("own_layer", "600"), ("", "400")):
        open_app(page, f"{server}/{where}")
        more = page.locator(f"{HEADER} button:visible", has_text="More")
        assert more.locator("p").evaluate("one => getComputedStyle(one).fontWeight") == weight, where
        clear = [one.evaluate("one => getComputedStyle(one).backgroundColor") == "rgba(0, 0, 0, 0)" for one in
                 (more, page.get_by_role("button", name="Main menu"))]  # fmt: skip
        assert clear == [weight == "400", True], where


def test_on_a_phone_a_card_is_tapped_the_menu_closes_over_the_page_that_was_chosen_in_it_and_the_header_fits(
    new_page: Callable[..., Page], server: str
):
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    open_app(page, f"{server}/?d_model=12")
    becomes(page, lambda: is_shut(page), True)
    with rerun(page):
        page.touchscreen.tap(*card(page, "paper 2"))
    becomes(page, lambda: (query(page).get("num_heads"), lit_card(page)[0]), ("2", "paper 2"))
    go_to(page, "/")
    open_menu(page)
    press(page, "Heads `num_heads`", "ArrowRight")
    becomes(page, lambda: query(page).get("num_heads"), "8")
    assert not is_shut(page), "the heads slider is in it"
    page.locator('[data-testid="stSidebarNav"] a', has_text="Attention").first.tap()
    becomes(page, lambda: is_shut(page), True)
    expect(page.locator("h1").first).to_contain_text("Of 8 heads, ")
    open_menu(page)
    open_app(page, f"{server}/figures")
    becomes(page, lambda: is_shut(page), True)  # at the next visit

    buttons = page.locator(f"{HEADER} button")
    assert buttons.evaluate_all("all => Math.max(...all.map(one => one.getBoundingClientRect().right))") <= 390
    page.get_by_role("button", name="Main menu").tap()
    expect(page.get_by_text("Record screen")).to_be_visible()
    assert page.evaluate("[...document.querySelectorAll('*')].filter(one => one.scrollLeft).length") == 0
    page.keyboard.press("Escape")
    expect(page.get_by_text("Record screen")).not_to_be_visible()
    page.locator(MAGNIFIER).tap()
    ready(page)


def test_a_buttons_word_is_shown_as_its_symbol(page: Page, server: str):
    """The browser's computed style says what is drawn in place of the word. The word itself takes no room."""
    for number, (path, key, shown) in enumerate(SYMBOLS):
        go_to(page, f"/{path}") if number else open_app(page, f"{server}/{path}")
        drawn = page.locator(f".st-key-{key} button p").evaluate_all(
            """all => all.map(p => getComputedStyle(p).fontSize !== "0px" ? p.textContent
                 : getComputedStyle(p, "::before").content + getComputedStyle(p, "::after").content)"""
        )
        assert drawn == shown


def test_on_a_phone_each_variables_parameters_and_both_ways_of_the_quiz_are_in_the_window(
    new_page: Callable[..., Page], server: str
):
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    open_app(page, f"{server}/keras_layer")
    words = page.locator(".drawing .upright text")
    assert "1,088, 64 of them biases" in words.all_text_contents()
    assert words.evaluate_all("all => Math.max(...all.map(one => one.getBoundingClientRect().right))") <= 390
    go_to(page, "/quiz")
    ways = [page.get_by_role("button", name=name).bounding_box() for name in ("Previous", "Next")]
    assert {way["y"] for way in ways if way} == {ways[0] and ways[0]["y"]}, "in one row"


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_a_question_of_counts_is_in_the_window_its_card_is_pressed_anywhere_and_the_right_one_comes_first_on_a_phone(
    new_page: Callable[..., Page], server: str, width: int, height: int
):
    page = new_page(viewport={"width": width, "height": height})
    open_app(page, f"{server}/quiz?quiz=13")
    boxes = [one.bounding_box() for one in page.locator("[class*='st-key-card_']").all()]
    assert len(boxes) == 4
    assert max(box["y"] + box["height"] for box in boxes) < height
    page.mouse.click(boxes[3]["x"] + 15, boxes[3]["y"] + boxes[3]["height"] - 15)
    expect(page.locator("h1")).to_have_text("You chose 2,160; the answer is 1,088.")
    expect(page.locator(".st-key-came img")).to_be_visible()
    right, yours, other = (
        page.locator(f"[class*='st-key-card_'][class*='_{kind}']").first for kind in ("right", "yours", "other")
    )
    if width < 640:
        assert right.bounding_box()["y"] == yours.bounding_box()["y"] < other.bounding_box()["y"]
    else:
        assert other.bounding_box()["y"] == boxes[0]["y"] < right.bounding_box()["y"]
        foot = page.locator(".st-key-quiz_foot").bounding_box()
        assert foot["y"] + foot["height"] < height
