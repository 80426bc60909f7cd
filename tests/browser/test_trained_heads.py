"""Why several answers: press a word or a guest, walk by keyboard, open the maps, press a bar; and the sliders follow."""

import pytest
from playwright.sync_api import Locator, Page

from components.app.controls import slider_label
from headcount.trained.dinner import DISHES, NAMES, SHORT
from headcount.trained.network import forward
from headcount.trained.sentence import asked_rows, read
from headcount.trained.store import load
from headcount.trained.task import fixed_examples
from tests.browser.helpers import go_to, open_app, press, query, rerun
from tests.browser.screen import arithmetic, becomes, chosen, enter, options, result, title
from tests.browser.stage import spot

PAGE = "/trained_heads"
DINNER = f"{PAGE}?task=dinner"
HEADS = slider_label("num_heads")
#: The middle of a word that can be pressed, or of a map, on the screen.
WORD = """(box, word) => {
  const stage = box.getRootNode().stage, { left, top } = stage.base.getBoundingClientRect();
  const { box: b } = stage.now.texts.find(({ text }) => text.press && text.text === word);
  return [left + b.x + b.w / 2, top + b.y + b.h / 2];
}"""
MAP = """(box) => {
  const stage = box.getRootNode().stage, { left, top } = stage.base.getBoundingClientRect();
  const { x, y, w, h } = stage.now.blocks.findLast(({ block }) => block.grid);
  return [left + x + w / 2, top + y + h / 2];
}"""


def picture(page: Page) -> Locator:
    return page.locator('[class*="_picture"] .over').first


def alt(page: Page) -> str:
    return picture(page).get_attribute("aria-label") or ""


def on(page: Page, script: str, what: str = "") -> tuple[float, float]:
    """A place in the picture that is in the window."""
    picture(page).scroll_into_view_if_needed()
    x, y = picture(page).evaluate(script, what)
    if y > page.viewport_size["height"] - 40:
        page.locator('[data-testid="stMain"]').evaluate("(main) => main.scrollBy(0, 300)")
        x, y = picture(page).evaluate(script, what)
    return x, y


def test_a_word_that_is_pressed_or_reached_by_arrows_asks_and_its_curves_are_drawn(page: Page, server: str):
    open_app(page, f"{server}{PAGE}")
    becomes(page, lambda: "From “calls”" in alt(page), True)
    with rerun(page):
        page.mouse.click(*on(page, WORD, "she"))
    becomes(page, lambda: query(page), {"asking": "8"})
    becomes(page, lambda: "From “she” head 1 looks at Ana 0.92" in alt(page), True)
    picture(page).focus()
    for key, there, word in (("ArrowRight", "9", "thanks"), ("ArrowRight", "2", "calls"), ("ArrowLeft", "9", "thanks")):
        with rerun(page):
            page.keyboard.press(key)
        becomes(page, lambda: query(page).get("asking"), there)
        becomes(page, lambda: alt(page).partition("”")[0], f"One head. From “{word}")


def test_a_map_that_is_pressed_opens_them_all_and_a_cell_is_explained_down_to_its_weight(page: Page, server: str):
    open_app(page, f"{server}{PAGE}")
    becomes(page, lambda: "From “calls”" in alt(page), True)
    assert page.locator(".st-key-maps").count() == 0
    with rerun(page):
        page.mouse.click(*on(page, MAP))
    becomes(page, lambda: page.locator(".st-key-maps .headcount-chart").count(), 1)
    sentence = read("Ana calls Dan in Rome today and she thanks Carl in Oslo later")
    weights = forward(load("sentence-4"), sentence.examples.tokens).trace.weights.values[0]
    page.mouse.click(*spot(page, 2, 8, 9, key="maps"))
    becomes(page, lambda: query(page).get("cell"), "weights.2.9.10")
    becomes(page, lambda: arithmetic(page) != "", True)
    becomes(page, lambda: result(page) == pytest.approx(float(weights[1, 8, 9]), abs=6e-4), True)
    with rerun(page):
        page.get_by_role("button", name="Back to the curves").click()
    becomes(page, lambda: "From “calls”" in alt(page), True)
    assert query(page) == {}


def test_the_sliders_lead_from_one_trained_layer_to_the_next_and_a_bar_that_is_pressed_does(page: Page, server: str):
    open_app(page, f"{server}{PAGE}")
    press(page, HEADS, "ArrowRight")
    becomes(page, lambda: "8 heads can" in title(page), True)
    becomes(page, lambda: "8 heads. From “calls”" in alt(page), True)
    becomes(page, lambda: query(page), {"num_heads": "8", "slider": "heads"})
    bars = page.locator(".st-key-costs .barlayer .point")
    becomes(page, lambda: bars.count(), 4 * 5)
    bars.first.scroll_into_view_if_needed()
    with rerun(page):
        bars.nth(1).click(force=True)  # of the first question at the second stop
    becomes(page, lambda: query(page).get("num_heads"), "2")
    becomes(page, lambda: "2 heads can" in title(page), True)


def dishes(heads: int, dinner: int, guest: int) -> list[str]:
    network = load(f"dinner-{heads}")
    predicted = forward(network, fixed_examples(network.task).tokens[dinner - 1 : dinner]).predicted[0, guest]
    return [f"{question} {DISHES[dish]}" for question, dish in zip(SHORT, predicted, strict=True)]


def says(page: Page, heads: int, dinner: int, guest: int) -> bool:
    """Whether both networks say what they answer for this guest."""
    return all(answer in alt(page) for count in {1, heads} for answer in dishes(count, dinner, guest))


def test_a_guest_who_is_pressed_asks_and_the_keyboard_walks_along_the_table(page: Page, server: str):
    open_app(page, f"{server}{DINNER}&dinner=17")
    becomes(page, lambda: says(page, 4, 17, 0), True)
    name, _, host, _ = fixed_examples(load("dinner-4").task).tokens[16, 4]
    with rerun(page):
        page.mouse.click(*on(page, WORD, NAMES[name] + " ★" * bool(host)))
    becomes(page, lambda: query(page), {"task": "dinner", "dinner": "17", "guest": "5"})
    becomes(page, lambda: says(page, 4, 17, 4), True)
    picture(page).focus()
    with rerun(page):
        page.keyboard.press("ArrowRight")
    becomes(page, lambda: query(page).get("guest"), "6")
    go_to(page, f"{DINNER}&heads=3")
    press(page, "Heads", "ArrowRight", times=2)
    becomes(page, lambda: query(page).get("heads"), "6")
    becomes(page, lambda: says(page, 6, 2, 0), True)
    assert "6 heads" in title(page)
    assert not page.locator(".st-key-d_model").first.is_visible(), "the dinner's networks have sizes of their own"


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
