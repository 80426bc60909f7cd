"""The round table answers: point at a guest, click one, walk by keyboard, move the heads; and the maps follow."""

import pytest
from playwright.sync_api import Locator, Page

from headcount.trained.dinner import DISHES, NAMES
from headcount.trained.network import forward
from headcount.trained.sentence import asked_rows, read
from headcount.trained.store import load
from headcount.trained.task import fixed_examples
from tests.browser.helpers import go_to, open_app, press, query, rerun, wait_until_settled
from tests.browser.screen import arithmetic, becomes, chosen, enter, options, result, title
from tests.browser.stage import spot

PAGE = "/trained_heads?task=dinner"
FIFTH = 4


def cards(page: Page) -> Locator:
    return page.locator(".st-key-tables .card")


def answers(page: Page, card: int) -> list[str]:
    """The right answers and the wrong ones, as they stand under a table."""
    return [cell.split()[1] for cell in cards(page).nth(card).locator(".answers td:nth-child(2)").all_inner_texts()]


def maps_alt(page: Page) -> str:
    return page.locator(".st-key-maps .headcount-chart").get_attribute("aria-label")


def expected(heads: int, dinner: int, guest: int) -> list[str]:
    network = load(f"dinner-{heads}")
    predicted = forward(network, fixed_examples(network.task).tokens[dinner - 1 : dinner]).predicted[0, guest]
    return [DISHES[dish] for dish in predicted]


def test_pointing_at_a_guest_shows_their_looks_a_click_keeps_them_and_the_keyboard_walks_round_the_table(page: Page, server: str):
    open_app(page, f"{server}{PAGE}&dinner=17")
    becomes(page, lambda: answers(page, 1), expected(4, 17, 0))
    assert answers(page, 0) == expected(1, 17, 0)
    guest = cards(page).nth(1).locator(".guest").nth(FIFTH)
    guest.hover()
    becomes(page, lambda: (answers(page, 0), answers(page, 1)), (expected(1, 17, FIFTH), expected(4, 17, FIFTH)))
    assert "guest" not in query(page)
    page.mouse.move(5, 5)
    becomes(page, lambda: answers(page, 1), expected(4, 17, 0))
    with rerun(page):
        guest.click()
    becomes(page, lambda: query(page), {"task": "dinner", "dinner": "17", "guest": str(FIFTH + 1)})
    tokens = fixed_examples(load("dinner-4").task).tokens[16]
    becomes(page, lambda: f"Asked: {NAMES[tokens[FIFTH, 0]]}" in maps_alt(page), True)

    page.mouse.move(5, 5)
    go_to(page, PAGE)
    cards(page).first.locator("svg").focus()
    for key, there in (("ArrowRight", "2"), ("ArrowRight", "3"), ("ArrowLeft", "2"), ("ArrowLeft", None), ("ArrowLeft", "8")):
        page.keyboard.press(key)
        becomes(page, lambda: query(page).get("guest"), there)
        wait_until_settled(page)
    becomes(page, lambda: answers(page, 1), expected(4, 2, 7))


def test_more_heads_draw_more_looks_and_a_cell_of_a_map_is_explained_down_to_its_weight(page: Page, server: str):
    open_app(page, f"{server}{PAGE}&heads=3")
    press(page, "Heads", "ArrowRight", times=2)
    becomes(page, lambda: query(page).get("heads"), "6")
    becomes(page, lambda: answers(page, 1), expected(6, 2, 0))
    becomes(page, lambda: "6 heads. Mean weight" in maps_alt(page), True)
    assert "6 heads" in title(page)
    press(page, "Heads", "Home")
    becomes(page, lambda: cards(page).count(), 1)
    assert answers(page, 0) == expected(1, 2, 0)

    go_to(page, PAGE)
    network = load("dinner-4")
    weights = forward(network, fixed_examples(network.task).tokens[1:2]).trace.weights.values[0]
    page.mouse.click(*spot(page, 2, 2, 3, key="maps"))  # the map of one head is the first
    becomes(page, lambda: query(page).get("cell"), "weights.2.3.4")
    becomes(page, lambda: arithmetic(page) != "", True)
    becomes(page, lambda: result(page) == pytest.approx(float(weights[1, 2, 3]), abs=6e-4), True)


def test_a_link_shows_the_cell_of_another_task_above_its_arithmetic_at_the_windows_foot(page: Page, server: str):
    open_app(page, f"{server}/trained_heads?task=sentence&cell=weights.1.2.3")
    card = page.locator(".st-key-explain")
    becomes(page, lambda: card.count(), 1)
    becomes(page, lambda: 40 < spot(page, 1, 1, 2, "maps", scrolls=False)[1] < card.bounding_box()["y"], True)
    page.locator('[data-testid="stMain"]').evaluate("(main) => main.scrollTo(0, 0)")
    box = card.bounding_box()
    assert box["y"] + box["height"] == pytest.approx(page.viewport_size["height"], abs=1)


def test_another_task_and_back_keeps_what_was_chosen(page: Page, server: str):
    """The link is of the time when the dinner stood first, and says no task; so the sentence's has no guest."""
    open_app(page, f"{server}/trained_heads?guest=3&dinner=5")
    assert chosen(page, "task") == 1
    with rerun(page):
        options(page, "task").nth(0).click()
    becomes(page, lambda: "cannot tell who from whom" in title(page), True)
    text = "in Lima Eli sees Fay today and he hugged-by Cleo in Oslo later"
    with rerun(page):
        enter(page, "sentence", text)
    becomes(page, lambda: query(page), {"sentence": text})
    assert len(asked_rows(read(text))) == 3
    with rerun(page):
        options(page, "task").nth(1).click()
    becomes(page, lambda: query(page), {"guest": "3", "dinner": "5", "task": "dinner", "sentence": text})
    assert chosen(page, "task") == 1
