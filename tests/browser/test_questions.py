"""Questions in the browser: guessed by keyboard, reached by link, and a link from a claim opens its page with those settings."""

from playwright.sync_api import Page

from lessons.claims import QUESTIONS
from lessons.question import TOPICS
from mha import Config, count_parameters
from tests.browser.helpers import go_to, open_app, query, rerun, wait_until_settled
from tests.browser.screen import ERRORS, becomes, written
from tests.browser.stage import lit_card

COSTS = [one for one in QUESTIONS if one.theme in TOPICS["costs"]]
#: 49: a layer 512 wide, 8 heads, key_dim 64, value_dim 32.
CLAIM = next(one for one in COSTS if one.id == "c49")
WANTED = {"d_model": "512", "num_heads": "8", "key_dim": "64", "value_dim": "32", "query_len": "128", "key_len": "128"}


def verdict(page: Page) -> str:
    return " ".join(page.locator(".st-key-question_card h3").all_inner_texts())


def statement(page: Page) -> str:
    return page.locator(".st-key-question_card h2").first.inner_text()


def test_a_claim_or_question_reached_by_link_is_guessed_and_left_by_keyboard(page: Page, server: str):
    open_app(page, f"{server}/questions?question=c49&topic=costs")
    assert CLAIM.asks in statement(page)
    assert verdict(page) == ""
    page.keyboard.press("t")
    becomes(page, lambda: verdict(page), lambda got: got.endswith("True, as you said."))
    assert CLAIM.answer.text in page.locator(".st-key-question_card").inner_text()
    wait_until_settled(page)
    page.keyboard.press("n")
    becomes(page, lambda: query(page).get("question"), COSTS[COSTS.index(CLAIM) + 1].id)
    wait_until_settled(page)
    page.keyboard.press("p")
    becomes(page, lambda: query(page).get("question"), "c49")
    becomes(page, lambda: verdict(page), lambda got: got.endswith("True, as you said."))
    go_to(page, "/questions?question=q11")
    card = page.locator(".st-key-question_card")
    becomes(page, lambda: "39,321,600" in card.inner_text(), True)  # the card that answers now
    with rerun(page):
        page.keyboard.press("n")
    becomes(page, lambda: query(page), {"question": "q13"})
    assert "1,048,576" in card.inner_text()
    assert not page.locator(ERRORS).count()


def test_the_link_of_a_claim_opens_its_page_with_those_settings_whatever_this_tab_has(page: Page, server: str):
    open_app(page, f"{server}/questions?question=c49&d_model=64&num_heads=16&seed=5")
    page.get_by_role("button", name="False", exact=False).first.click()
    becomes(page, lambda: verdict(page), lambda got: got.endswith("True, you said: false."))
    wait_until_settled(page)
    with page.expect_popup() as opened:
        page.locator(".st-key-question_card [data-testid='stLinkButton'] a").first.click()
    there = opened.value
    becomes(there, lambda: {key: written(there, key) for key in WANTED if there.locator(".st-key-key_len input").count()}, WANTED)
    count = count_parameters(Config(**{key: int(value) for key, value in WANTED.items()}))
    becomes(there, lambda: lit_card(there), ("free 8", count))
    assert "seed" not in query(there)
