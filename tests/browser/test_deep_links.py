"""A link is the screen: for the first visitor of a server, for the second, and for whoever is sent it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from mha import Config, count_parameters
from tests.browser.helpers import open_app, query, rerun
from tests.browser.screen import (
    ERRORS,
    LESSON,
    PAGES,
    alts,
    arithmetic,
    becomes,
    chosen,
    enter,
    everything,
    menu_links,
    numbers,
    options,
    shown_stop,
    title,
    written,
)
from tests.browser.stage import drawn, lit_card

SIZES = {"d_model": "24", "num_heads": "3", "query_len": "5", "key_len": "7", "mask": "causal", "seed": "11"}
LINK = "&".join(f"{key}={value}" for key, value in SIZES.items())
CELLS = {"": "q.2.3.1", "projections": "v.3.7.2", "attention": "weights.2.4.3", "concatenation": "output.2.5"}
#: Where the menu says one is.
CURRENT = '[data-testid^="stTopNav"][aria-current="page"]'
COUNT = count_parameters(Config(24, 3))
#: What each page's title and picture have to say of a layer with d_model 24, 3 heads of 8, 5 queries and 7 keys.
SAID = {"": {3, COUNT}, "projections": {3, 5, 8, 24}, "attention": {3, 5, 7}, "concatenation": {3, 5, 8, 24}}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path or "heads")
def test_a_link_shows_its_sizes_to_the_first_visitor_of_a_server_and_to_the_second(
    new_page: Callable[..., Page], without_tensorflow: str, path: str
):
    for visitor in (new_page(), new_page()):
        open_app(visitor, f"{without_tensorflow}/{path}?{LINK}")
        assert menu_links(visitor).count() == len(LESSON)
        assert visitor.locator(f"{CURRENT}[href$='/{path}']").count() == 1
        assert visitor.locator("h1").count() == 1
        assert visitor.locator('[data-testid="stSidebar"] .st-key-num_heads').is_visible()
        assert {key: written(visitor, key) for key in SIZES if key != "mask"} == {k: v for k, v in SIZES.items() if k != "mask"}
        assert chosen(visitor, "mask") == 1
        assert set(numbers(" ".join([title(visitor), *alts(visitor)]))) >= SAID[path]
        assert drawn(visitor) >= 1
        assert query(visitor) == SIZES
        assert not visitor.locator(ERRORS).count()


def test_who_is_sent_the_address_sees_the_same_screen(new_page: Callable[..., Page], server: str):
    """The first visitor gets there by hand, step by step; the second only opens the address that came of it."""
    first, second = new_page(), new_page()
    open_app(first, f"{server}/")
    for key, value in SIZES.items():
        if key == "mask":
            options(first, key).nth(1).click()
        else:
            enter(first, key, value)
        becomes(first, lambda key=key: query(first).get(key), value)
    for path, cell in CELLS.items():
        if path:
            with rerun(first):
                menu_links(first).nth(LESSON.index(path)).click()
        enter(first, "cell", cell)
        becomes(first, lambda: arithmetic(first) != "", True)
        wanted = SIZES | {"cell": cell} | ({"kernel": "w_v"} if path == "projections" else {})  # that of V's cell
        becomes(first, lambda wanted=wanted: query(first), wanted)
        open_app(second, first.evaluate("location.href"))
        assert everything(second) == everything(first)
        assert query(second) == wanted


def test_a_link_without_settings_shows_the_start_and_keeps_the_address_clean(page: Page, server: str):
    open_app(page, f"{server}/")
    assert query(page) == {}
    assert lit_card(page) == ("paper 4", count_parameters(Config()))
    assert shown_stop(page, "num_heads") == Config().num_heads
