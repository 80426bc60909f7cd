"""The page Why several: press a word, walk by keyboard, open the maps, press a bar; the sliders follow."""

from urllib.parse import urlencode

from playwright.sync_api import Locator, Page

from components.app.controls import slider_label
from headcount.trained.network import forward
from headcount.trained.sentence import read
from headcount.trained.store import load
from tests.browser.helpers import open_app, press, query, rerun
from tests.browser.screen import becomes, title

PAGE = "/trained_heads"
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
    """A place in the picture, as a point in the window."""
    picture(page).scroll_into_view_if_needed()
    x, y = picture(page).evaluate(script, what)
    if y > page.viewport_size["height"] - 40:
        page.locator('[data-testid="stMain"]').evaluate("(main) => main.scrollBy(0, 300)")
        x, y = picture(page).evaluate(script, what)
    return x, y


def test_a_word_that_is_pressed_or_reached_by_arrows_asks_and_its_curves_are_drawn(page: Page, server: str):
    open_app(page, f"{server}{PAGE}")
    becomes(page, lambda: "where “calls” looks in 4 heads" in alt(page), True)
    with rerun(page):
        page.mouse.click(*on(page, WORD, "she"))
    becomes(page, lambda: query(page), {"asking": "8"})
    becomes(page, lambda: "where “she” looks in 4 heads. Head 1 looks at “Ana” (0.92" in alt(page), True)
    picture(page).focus()
    for key, there, word in (("ArrowRight", "9", "thanks"), ("ArrowRight", "2", "calls"), ("ArrowLeft", "9", "thanks")):
        with rerun(page):
            page.keyboard.press(key)
        becomes(page, lambda: query(page).get("asking"), there)
        becomes(page, lambda: alt(page).partition("”")[0], f"The picture shows where “{word}")


def test_a_press_on_the_maps_leads_to_all_weights_and_back_to_the_sentence(page: Page, server: str):
    text = "in Lima Eli sees Fay today and he is-hugged-by Cleo in Oslo later"
    open_app(page, f"{server}{PAGE}?num_heads=2&asking=4&{urlencode({'sentence': text})}")
    becomes(page, lambda: "where “sees” looks in one head" in alt(page), True)
    with rerun(page):
        page.mouse.click(*on(page, MAP))
    becomes(page, lambda: page.url.partition("?")[0], f"{server}/attention")
    weights = forward(load("sentence-2"), read(text).examples.tokens).trace.weights.values[0, 0, 3]
    becomes(page, lambda: query(page), {"num_heads": "2", "tokens": text, "cell": f"weights.1.4.{weights.argmax() + 1}"})
    becomes(page, lambda: page.locator("h2").first.inner_text(), "Where does “sees” look in head 1?")
    page.go_back()
    becomes(page, lambda: "where “sees” looks in 2 heads" in alt(page), True)
    assert query(page) == {"num_heads": "2", "asking": "4", "sentence": text}


def test_the_sliders_lead_from_one_trained_layer_to_the_next_and_a_bar_that_is_pressed_does(page: Page, server: str):
    open_app(page, f"{server}{PAGE}")
    press(page, HEADS, "ArrowRight")
    becomes(page, lambda: "8 heads can" in title(page), True)
    becomes(page, lambda: "where “calls” looks in 8 heads" in alt(page), True)
    becomes(page, lambda: query(page), {"num_heads": "8", "slider": "heads"})
    bars = page.locator(".st-key-costs .barlayer .point")
    becomes(page, lambda: bars.count(), 4 * 5)
    bars.first.scroll_into_view_if_needed()
    with rerun(page):
        bars.nth(1).click(force=True)  # of the first question at the second stop
    becomes(page, lambda: query(page).get("num_heads"), "2")
    becomes(page, lambda: "2 heads can" in title(page), True)
