"""A link shows the same screen to a server's first visitor, to the second, and to anybody who gets it."""

from collections.abc import Callable
from urllib.parse import urlencode

from playwright.sync_api import Page

from components.menu import START
from headcount import Config, count_parameters
from tests.browser.helpers import open_app, query, rerun
from tests.browser.screen import (
    ERRORS,
    LESSON,
    PAGES,
    alts,
    arithmetic,
    becomes,
    check_line,
    chosen,
    enter,
    everything,
    menu_links,
    numbers,
    options,
    title,
    written,
)
from tests.browser.stage import drawn
from tests.sources import python_files

SIZES = {"d_model": "24", "num_heads": "3", "query_len": "5", "key_len": "7", "mask": "causal", "seed": "11"}
CELLS = {"": "q.2.3.1", "projections": "v.3.7.2", "attention": "weights.2.4.3", "concatenation": "output.2.5"}
#: Where the menu says one is.
CURRENT = '[data-testid^="stTopNav"][aria-current="page"]'
COUNT = count_parameters(Config(24, 3))
#: What each page's title and picture have to say of a layer with d_model 24, 3 heads of 8, 5 queries and 7 keys.
SAID = {"": {3, COUNT}, "projections": {3, 5, 8, 24}, "attention": {3, 5, 7}, "concatenation": {3, 5, 8, 24}}
#: All pages but these.
FURTHER = [path.stem for path in python_files("pages") if path.stem not in {*PAGES, START.name}]


def test_a_link_shows_its_sizes_on_each_page_to_the_first_visitor_of_a_server_and_to_later_ones(
    new_page: Callable[..., Page], without_tensorflow: str
):
    """The app runs without TensorFlow and says so; every second link asks for its numbers. The first visitor comes before
    Streamlit has run app.py (tests/app/test_pages.py tests that for every page)."""
    for number, path in enumerate([*PAGES[1:], *PAGES[:2]]):
        visitor, backend = new_page(), {"backend": "tensorflow"} if number % 2 else {}
        open_app(visitor, f"{without_tensorflow}/{path}?{urlencode(SIZES | backend)}")
        assert menu_links(visitor).count() == len(LESSON)
        assert visitor.locator(f"{CURRENT}[href$='/{path}']").count() == 1
        assert visitor.locator("h1").count() == 1
        assert visitor.locator('[data-testid="stSidebar"] .st-key-num_heads').is_visible()
        assert {key: written(visitor, key) for key in SIZES if key != "mask"} == {k: v for k, v in SIZES.items() if k != "mask"}
        assert chosen(visitor, "mask") == 1
        assert set(numbers(" ".join([title(visitor), *alts(visitor)]))) >= SAID[path]
        assert drawn(visitor) >= 1
        becomes(visitor, lambda visitor=visitor: "not installed" in check_line(visitor), True)
        assert "✓" not in check_line(visitor)
        assert "NumPy" in check_line(visitor)
        assert query(visitor) == SIZES | backend
        assert not visitor.locator(ERRORS).count()


def current(page: Page) -> str:
    """The page that the menu marks. Most pages are under a section's name, which is opened to see them."""
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


def test_a_link_to_any_other_page_opens_it_in_its_frame_with_the_links_setting(page: Page, without_tensorflow: str):
    """The frame, the page and the link's setting are there."""
    for path in FURTHER:
        open_app(page, f"{without_tensorflow}/{path}?num_heads=8")
        assert current(page).endswith(f"/{path}")
        assert page.locator("h1").count() == 1
        assert query(page) == {"num_heads": "8"}


def test_who_is_sent_the_address_sees_the_same_screen(new_page: Callable[..., Page], server: str):
    """The first visitor gets there step by step, the second only opens the resulting address."""
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
        own = {"projections": {"kernel": "w_v"}, "attention": {"head": "2"}}  # that of V's cell; the cell's head
        wanted = SIZES | {"cell": cell} | own.get(path, {})
        becomes(first, lambda wanted=wanted: query(first), wanted)
        open_app(second, first.evaluate("location.href"))
        assert everything(second) == everything(first)
        assert query(second) == wanted
