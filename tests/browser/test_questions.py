"""The page Questions in the browser: reached by link, left by keyboard."""

from playwright.sync_api import Page

from lessons.questions import QUESTIONS
from tests.browser.helpers import go_to, open_app, query, rerun, wait_until_settled
from tests.browser.screen import ERRORS, becomes

COSTS = [one for one in QUESTIONS if one.topic == "costs"]
FIRST = next(one for one in COSTS if one.id == "r42")


def question(page: Page) -> str:
    return page.locator(".st-key-question_card h2").first.inner_text()


def test_a_question_reached_by_link_is_left_by_keyboard(page: Page, server: str):
    open_app(page, f"{server}/questions?question=r42&topic=costs")
    assert FIRST.asks in question(page)
    page.keyboard.press("n")
    becomes(page, lambda: query(page).get("question"), COSTS[COSTS.index(FIRST) + 1].id)
    wait_until_settled(page)
    page.keyboard.press("p")
    becomes(page, lambda: query(page).get("question"), "r42")
    becomes(page, lambda: FIRST.asks in question(page), True)
    go_to(page, "/questions?question=q11")
    card = page.locator(".st-key-question_card")
    becomes(page, lambda: "7,750" in card.inner_text(), True)  # the card that answers now
    with rerun(page):
        page.keyboard.press("n")
    becomes(page, lambda: query(page).get("question"), "q13")
    assert "1,048,576" in card.inner_text()
    assert not page.locator(ERRORS).count()


def test_the_chosen_topics_dot_is_filled_and_its_name_has_no_ground_of_its_own(page: Page, server: str):
    open_app(page, f"{server}/questions?topic=costs")
    wait_until_settled(page)
    chosen = page.locator(".st-key-topic label", has=page.locator("input:checked"))
    assert chosen.inner_text() == "Costs"
    grounds = chosen.evaluate("one => [...one.lastElementChild.children].map(part => getComputedStyle(part).backgroundColor)")
    assert grounds[0] not in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
    assert grounds[1] == "rgba(0, 0, 0, 0)"


def test_on_a_phone_an_answer_is_nearer_to_its_question_than_to_the_next(page: Page, server: str):
    page.set_viewport_size({"width": 390, "height": 844})
    open_app(page, f"{server}/questions")
    wait_until_settled(page)
    asked = [one.bounding_box() for one in page.locator(".st-key-questions_list button").all()]
    answers = [one.bounding_box() for one in page.locator(".headcount-brief").all()]
    assert len(asked) == len(answers) == 10
    for question, answer, following in zip(asked, answers, asked[1:], strict=False):
        above, below = answer["y"] - question["y"] - question["height"], following["y"] - answer["y"] - answer["height"]
        assert 0 <= above < below
