"""Questions in the browser: reached by link, left by keyboard."""

from playwright.sync_api import Page

from lessons.question import TOPICS
from lessons.questions import QUESTIONS
from tests.browser.helpers import go_to, open_app, query, rerun, wait_until_settled
from tests.browser.screen import ERRORS, becomes

COSTS = [one for one in QUESTIONS if one.theme in TOPICS["costs"]]
FIRST = next(one for one in COSTS if one.id == "r26")


def question(page: Page) -> str:
    return page.locator(".st-key-question_card h2").first.inner_text()


def test_a_question_reached_by_link_is_left_by_keyboard(page: Page, server: str):
    open_app(page, f"{server}/questions?question=r26&topic=costs")
    assert FIRST.asks in question(page)
    page.keyboard.press("n")
    becomes(page, lambda: query(page).get("question"), COSTS[COSTS.index(FIRST) + 1].id)
    wait_until_settled(page)
    page.keyboard.press("p")
    becomes(page, lambda: query(page).get("question"), "r26")
    becomes(page, lambda: FIRST.asks in question(page), True)
    go_to(page, "/questions?question=q11")
    card = page.locator(".st-key-question_card")
    becomes(page, lambda: "39,321,600" in card.inner_text(), True)  # the card that answers now
    with rerun(page):
        page.keyboard.press("n")
    becomes(page, lambda: query(page).get("question"), "q13")
    assert "1,048,576" in card.inner_text()
    assert not page.locator(ERRORS).count()
