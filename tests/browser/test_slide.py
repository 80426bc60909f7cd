"""look=slide in an address, in a window of 800 × 600: nothing of the app's frame, and nothing to crop."""

import re
from base64 import b64decode
from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.helpers import go_to, open_app
from tests.browser.screen import becomes

PATHS = ("/?look=slide", "/attention?num_heads=4&look=slide", "/figures?figure=block_diagram&look=slide", "/questions?look=slide")


def test_a_slide_fills_the_window_and_has_no_frame_and_no_controls(new_page: Callable[..., Page], server: str):
    page = new_page(viewport={"width": 800, "height": 600})
    main, picture = page.get_by_test_id("stMain"), page.get_by_test_id("stMain").locator(".st-key-slide img")
    seen = set()
    for path in PATHS:
        go_to(page, path) if seen else open_app(page, server + path)
        for part in ("stHeader", "stSidebar"):
            assert not page.get_by_test_id(part).is_visible()
        assert [one for one in main.locator("button, input, label").all() if one.is_visible()] == []
        if path.startswith("/questions"):
            main.locator("h1").wait_for()
        else:
            becomes(page, lambda: picture.count() and picture.get_attribute("src") not in seen, True)
            seen.add(picture.get_attribute("src"))
            box = picture.bounding_box()
            assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 800, 600)
        for scrolls in ("document.scrollingElement", "document.querySelector('[data-testid=stMain]')"):
            assert page.evaluate(f"[{scrolls}.scrollWidth <= 800, {scrolls}.scrollHeight <= 600]") == [True, True], path


def test_a_slide_shows_as_many_heads_as_the_page(new_page: Callable[..., Page], server: str):
    """The paper's four counts are one count, Keras's four (1,088 among them) are four, and stand below their heads."""
    page = new_page()
    open_app(page, f"{server}/?look=slide")
    source = page.get_by_test_id("stMain").locator(".st-key-slide img").get_attribute("src") or ""
    drawn = re.findall("<text[^>]*>([^<]+)", b64decode(source.partition("base64,")[2]).decode())
    assert [text for text in drawn if re.fullmatch(r"\d+ heads?", text)] == ["1 head", "2 heads", "4 heads", "8 heads"]
    assert [text for text in drawn if re.fullmatch(r"[\d,]+", text)] == ["1,088"] * 4 + ["284", "552", "1,088", "2,160"]
