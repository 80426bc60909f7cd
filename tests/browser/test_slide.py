"""A page's picture presented (present=page): as large as the window, moved by keys, then the walk. Also a sequence."""

from collections.abc import Callable
from urllib.parse import quote

from playwright.sync_api import Page

from tests.browser.helpers import address, go_back, go_to, open_app, rerun
from tests.browser.screen import becomes

PATHS = ("/?present=page", "/attention?num_heads=4&present=page", "/figures?figure=block_diagram&present=page")
PICTURE = ".st-key-presented_slide img"
PLACE = ".st-key-presenter .place"
HERE = "/attention?split=Keras&num_heads=8&head=3"


def source(page: Page) -> str:
    picture = page.locator(PICTURE)
    return picture.get_attribute("src") or "" if picture.count() else ""


def test_a_picture_fills_the_window_above_the_bar_and_nothing_else_is_seen(new_page: Callable[..., Page], server: str):
    page = new_page(viewport={"width": 1280, "height": 720})
    seen = {""}
    for path in PATHS:
        go_to(page, path) if len(seen) > 1 else open_app(page, server + path)
        becomes(page, lambda: source(page) not in seen, True)
        seen.add(source(page))
        box, bar = page.locator(PICTURE).bounding_box(), page.locator(".st-key-bar nav").bounding_box()
        assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 1280, 660)
        assert bar["y"] >= 658
        for part in ("stHeader", "stSidebar"):
            assert not page.get_by_test_id(part).is_visible()
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 1280


def test_keys_move_the_pictures_sliders_make_it_black_lead_to_the_walk_and_leave_the_page_as_it_is(page: Page, server: str):
    open_app(page, server + HERE)
    page.get_by_role("button", name="Present").focus()
    with rerun(page):
        page.keyboard.press("Enter")
    becomes(page, lambda: source(page) != "", True)
    before = source(page)
    becomes(page, lambda: page.evaluate("document.activeElement.shadowRoot?.activeElement?.ariaLabel"), "Heads")
    page.keyboard.press("ArrowLeft")
    becomes(page, lambda: "num_heads" not in address(page), True)  # 4 is the usual number
    becomes(page, lambda: source(page) not in ("", before), True)
    for key in ("b", "."):
        page.keyboard.press(key)
        assert page.locator(".black").is_visible() == (key == "b")
    page.keyboard.press("B")
    with rerun(page):
        page.keyboard.press("PageDown")  # a remote's key leads on, and the screen is seen again
    becomes(page, lambda: page.locator(PLACE).inner_text(), "1 of 16")
    assert not page.locator(".black").is_visible()
    with rerun(page):
        page.keyboard.press("Escape")
    becomes(page, lambda: address(page), "/attention?split=Keras&head=3")


def test_the_notes_have_a_window_of_their_own_that_follows_and_passes_its_keys_on(page: Page, server: str):
    open_app(page, f"{server}/?present=1&step=1")
    with page.expect_popup() as opened:
        page.keyboard.press("n")
    notes = opened.value
    becomes(page, lambda: notes.inner_text("body"), lambda note: note.startswith("Ask before anything is explained"))
    with rerun(page):
        notes.keyboard.press("PageDown")
    becomes(page, lambda: page.locator(PLACE).inner_text(), "2 of 16")
    becomes(page, lambda: (notes.title(), notes.inner_text("body")[:12]), ("2 of 16", "Point at the"))
    assert "Point at the" not in page.locator("body").inner_text()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    becomes(page, lambda: notes.title(), "3 of 16")


def test_a_sequence_is_walked_by_keys_over_pages_and_back_goes_a_slide_back(page: Page, server: str):
    lines = quote("/attention?num_heads=2\n/projections?kernel=w_v\n/nope\n/?num_heads=8")
    open_app(page, f"{server}/?present=1&sequence={lines}")
    assert page.get_by_text("Line 3: there is no page").is_visible()
    seen = [""]
    for number, path in enumerate(("/attention?num_heads=2&", "/projections?kernel=w_v&", "/?num_heads=8&"), 1):
        with rerun(page):
            page.keyboard.press("PageDown")
        becomes(page, lambda path=path: address(page).startswith(path), True)
        becomes(page, lambda: page.locator(PLACE).inner_text(), f"{number} of 3")
        becomes(page, lambda: source(page) not in seen, True)
        seen.append(source(page))
    page.keyboard.press("ArrowRight")  # there is no fourth
    go_back(page)
    becomes(page, lambda: page.locator(PLACE).inner_text(), "2 of 3")
    becomes(page, lambda: source(page), seen[2])
    with rerun(page):
        page.keyboard.press("Escape")
    becomes(page, lambda: address(page), "/projections?kernel=w_v")


def test_a_question_of_the_quiz_fills_its_slide_and_page_down_answers_it_before_it_leads_on(
    new_page: Callable[..., Page], server: str
):
    page = new_page(viewport={"width": 1280, "height": 720})
    open_app(page, f"{server}/?present=1&sequence={quote('/quiz?quiz=17&number=3' + chr(10) + '/attention')}")
    heading = page.locator(".st-key-presenter h1")
    for key, said in (
        ("PageDown", "What does the softmax make of this row?"),
        ("PageDown", "weights in the same order is right."),
    ):
        with rerun(page):
            page.keyboard.press(key)
        becomes(page, lambda: heading.inner_text() if heading.count() else "", said)
        bar = page.locator(".st-key-presented_bar nav").bounding_box()
        cards = [card.bounding_box() for card in page.locator('[class*="st-key-card_"]').all()]
        assert len(cards) == 4
        assert all(card["y"] + card["height"] <= bar["y"] for card in cards)
        assert page.locator(PLACE.replace("presenter", "presented_bar")).inner_text() == "1 of 2"
        assert not page.get_by_role("button", name="Previous").count()
    with rerun(page):
        page.keyboard.press("PageDown")
    becomes(page, lambda: source(page) != "", True)
    assert address(page).startswith("/attention?")
