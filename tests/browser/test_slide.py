"""look=slide in an address, in a window of 800 × 600: nothing of the app's frame, and nothing to crop."""

import pytest


@pytest.mark.parametrize("path", ["/", "/attention?num_heads=4", "/figures?figure=block_diagram", "/questions"])
def test_a_slide_fills_the_window_and_has_no_frame_and_no_controls(page, server, path):
    page.set_viewport_size({"width": 800, "height": 600})
    page.goto(f"{server}{path}{'&' if '?' in path else '?'}look=slide")
    page.locator(".st-key-slide img, h1").first.wait_for(timeout=30_000)
    page.wait_for_timeout(1000)
    for part in ("stHeader", "stSidebar"):
        assert not page.get_by_test_id(part).is_visible()
    main = page.get_by_test_id("stMain")
    assert [one for one in main.locator("button, input, label").all() if one.is_visible()] == []
    assert page.evaluate("document.scrollingElement.scrollWidth <= 800 && document.scrollingElement.scrollHeight <= 600")
    if path != "/questions":
        box = main.locator(".st-key-slide img").bounding_box()
        assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 800, 600)
