"""The page The Keras layer with the real layer: its answers, the drawing, and the address."""

import pytest
from playwright.sync_api import Page

from headcount.keras.layer import KerasLayer, count_of
from tests.browser.helpers import go_back, go_to, open_app, press, query, reload, wait_until_settled
from tests.browser.screen import ERRORS, becomes, enter, options, shown_stop, title

pytestmark = [pytest.mark.keras, pytest.mark.usefixtures("patience_for_keras")]
MAIN = '[data-testid="stMain"]'


def says(page: Page, *words: str) -> None:
    """Waits until all these texts are on the page and no error is."""
    becomes(page, lambda: [word for word in words if word not in page.locator(MAIN).first.inner_text()], [])
    assert not page.locator(ERRORS).count()


def test_the_formula_stands_at_once_and_the_real_layer_confirms_it(page: Page, server: str):
    open_app(page, f"{server}/keras_layer?split=free&key_width=7&output_shape=5,3&num_heads=3")
    count = count_of(KerasLayer(3, 4, 4, (2, 6, 16), (2, 6, 16), (2, 6, 7), (5, 3)))
    assert f"{count:,} parameters" in title(page)
    says(page, "ValueError: You tried to call 'count_params' on layer", f"{count:,} by count_params()", "✓ Keras 3.")
    enter(page, "num_heads", 2)
    less = count_of(KerasLayer(2, 4, 4, (2, 6, 16), (2, 6, 16), (2, 6, 7), (5, 3)))
    says(page, f"{less:,} parameters", f"{less:,} by count_params()")
    becomes(page, lambda: query(page), {"split": "Keras", "key_width": "7", "output_shape": "5,3", "num_heads": "2"})


def test_the_drawing_is_whole_on_the_first_screen_below_the_heading_and_its_parts(page: Page, server: str):
    page.set_viewport_size({"width": 1280, "height": 720})
    open_app(page, f"{server}/keras_layer")
    wait_until_settled(page)
    places = [page.locator(one).bounding_box() for one in ("h1", ".st-key-part", ".drawing .across svg")]
    tops = [place["y"] for place in places if place]
    assert tops == sorted(tops)
    assert places[2]
    assert places[2]["y"] + places[2]["height"] <= 700
    assert not page.locator(".drawing .upright").is_visible()


def test_the_switch_stands_on_keras_and_the_papers_sizes_come_back_on_the_other_pages(page: Page, server: str):
    """By the menu, a slider, a reload, the menu and Back: 24 / 3 = 8 stays 8 with 6 heads. The paper has 24 / 6 = 4."""

    def stands(switch: str, *sizes: int) -> None:
        pressed = page.locator('[data-testid="stSidebar"] button[aria-checked=true]:visible').first
        becomes(page, pressed.inner_text, switch)
        becomes(page, lambda: tuple(shown_stop(page, code) for code in ("num_heads", "key_dim", "value_dim")), sizes)

    open_app(page, f"{server}/?d_model=24&num_heads=3")
    stands("paper, PyTorch", 3, 8, 8)
    page.get_by_role("button", name="More").first.click()
    page.get_by_text("The Keras layer").first.click()
    stands("Keras", 3, 8, 8)
    assert page.locator('[data-testid="stSidebar"] button[aria-checked=true]:visible').first.is_disabled()
    becomes(page, lambda: query(page), {"d_model": "24", "num_heads": "3"})
    wait_until_settled(page)
    press(page, "Heads `num_heads`", "ArrowRight", 2)  # over 4
    stands("Keras", 6, 8, 8)
    there = {"d_model": "24", "num_heads": "6", "key_dim": "8", "value_dim": "8", "split": "paper, PyTorch"}
    becomes(page, lambda: query(page), there)
    reload(page)
    stands("Keras", 6, 8, 8)
    page.get_by_text("Projections").first.click()
    stands("paper, PyTorch", 6, 4, 4)
    becomes(page, lambda: query(page), {"d_model": "24", "num_heads": "6"})
    go_to(page, "/keras_layer?num_heads=8&key_dim=64&value_dim=64&split=Keras")
    stands("Keras", 8, 64, 64)
    page.get_by_text("Projections").first.click()
    stands("Keras", 8, 64, 64)
    go_back(page)
    stands("Keras", 8, 64, 64)


def test_a_part_that_is_chosen_is_in_the_address_and_other_fields_stay_there(page: Page, server: str):
    open_app(page, f"{server}/keras_layer?library=numpy")
    options(page, "part").nth(1).click()
    becomes(page, lambda: query(page).get("part"), "shapes")
    wait_until_settled(page)
    assert query(page) == {"part": "shapes", "library": "numpy"}
