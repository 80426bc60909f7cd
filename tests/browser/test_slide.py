"""look=slide in an address, in a window of 800 × 600, the quiz in 16:9: nothing of the app's frame, and nothing to crop."""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.helpers import go_to, open_app
from tests.browser.screen import becomes

PATHS = (
    *(f"/{one}look=slide" for one in ("?", "attention?num_heads=4&", "figures?figure=block_diagram&", "questions?", "quiz?")),
)


def test_a_slide_fills_the_window_and_has_no_frame_and_no_controls(new_page: Callable[..., Page], server: str):
    page = new_page(viewport={"width": 800, "height": 600})
    main, picture = page.get_by_test_id("stMain"), page.get_by_test_id("stMain").locator(".st-key-slide img")
    seen = set()
    for path in PATHS:
        wide, high = (1280, 720) if path.startswith("/quiz") else (800, 600)
        page.set_viewport_size({"width": wide, "height": high})
        go_to(page, path) if seen else open_app(page, server + path)
        for part in ("stHeader", "stSidebar"):
            assert not page.get_by_test_id(part).is_visible()
        if path.startswith(("/questions", "/quiz")):
            said = main.locator(".st-key-questions_list, .st-key-board").locator("button")
            said.first.wait_for()  # what is asked, and the answers to choose from: to be read
            assert said.evaluate_all("(all) => new Set(all.map((one) => getComputedStyle(one).pointerEvents)).size") == 1
            assert said.first.evaluate("(one) => getComputedStyle(one).pointerEvents") == "none"
        else:
            becomes(page, lambda: picture.count() and picture.get_attribute("src") not in seen, True)
            seen.add(picture.get_attribute("src"))
            box = picture.bounding_box()
            assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, wide, high)
        controls = main.locator("button:not(.st-key-questions_list *, .st-key-board *), input, label")
        assert [one for one in controls.all() if one.is_visible()] == []
        for scrolls in ("document.scrollingElement", "document.querySelector('[data-testid=stMain]')"):
            assert page.evaluate(f"[{scrolls}.scrollWidth <= {wide}, {scrolls}.scrollHeight <= {high}]") == [True, True], path
