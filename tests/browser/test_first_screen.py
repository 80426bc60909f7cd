"""One rule for every first screen: the default picture is whole, upright and legible, and nothing above it moves."""

import re
from base64 import b64decode
from collections.abc import Callable

from playwright.sync_api import Page

from components.menu import FOLDERS, START
from lessons.walk import STEPS
from tests.browser.helpers import go_to, open_app, query, rerun, wait_until_settled
from tests.browser.screen import LESSON, becomes

PAGES = tuple("" if page == START.name else page for pages in FOLDERS.values() for page in pages)
#: Notes each word that a canvas has, since it was last cleared: the word, its pixels on the screen, whether it is turned.
WORDS_OF_CANVAS = """{
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...place) {
    this.canvas.words = [];
    return clearRect.apply(this, place);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    const m = this.getTransform(), size = parseFloat(/([\\d.]+)px/.exec(this.font)[1]) * Math.hypot(m.a, m.b);
    (this.canvas.words ??= []).push([text, size * this.canvas.clientWidth / this.canvas.width, Math.abs(m.b) > 0.01]);
    return fillText.call(this, text, ...place);
  };
}"""
#: Pictures that begin in the upper half of the window: where each ends, and its words as above; what is lowered or raised in a
#: word of the stage is smaller by rule and not counted.
PICTURES = """() => {
  const deep = (root) => [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? deep(one.shadowRoot) : [])]);
  const shut = 'details:not([open]) > :not(summary)', found = [];
  for (const one of deep(document.querySelector('[data-testid="stMain"]'))) {
    const box = one.getBoundingClientRect();
    if (!one.checkVisibility() || one.closest(shut) || box.top > innerHeight / 2 || box.height < 40 || box.width < 40) continue;
    const end = box.bottom;
    if (one.matches('canvas.base')) {
      const lowered = one.getRootNode().stage.now.texts.flatMap(({ text }) =>
        [...text.text.matchAll(/[_^](?:\\{([^}]*)\\}|(\\S))/g)]);
      const small = new Set(lowered.map((part) => part[1] ?? part[2]));
      found.push({ what: 'stage', end, words: (one.words ?? []).filter(([text]) => text && !small.has(text)) });
    }
    if (one.matches('.js-plotly-plot, .drawing svg')) {
      const seen = (text) => text.textContent.trim() && text.getBoundingClientRect().width;
      const words = [...one.querySelectorAll('text')].filter(seen);
      found.push({ what: one.closest('[class*=st-key-]').className.match(/st-key-(\\S+)/)[1], end, words: words.map((text) => {
        const m = text.getScreenCTM(), size = parseFloat(getComputedStyle(text).fontSize) * Math.hypot(m.a, m.b);
        return [text.textContent, size, Math.abs(m.b) > 0.01];
      }) });
    }
  }
  return found;
}"""
NUMBERS = """() => [...document.querySelectorAll('[data-testid="stMain"] *')].filter((one) => one.childElementCount === 0 &&
  one.textContent.trim() === 'Numbers, downloads' && one.checkVisibility()
  && one.getBoundingClientRect().top < innerHeight).length"""
#: How far the page is scrolled, and where its headings stand.
STANDS = """() => [document.querySelector('[data-testid="stMain"]').scrollTop, ...[...document.querySelectorAll(
  '[data-testid="stMain"] :is(h1, h2, h3)')].map((one) => Math.round(one.getBoundingClientRect().top))]"""
#: The heads that the start page's picture tells of, on a canvas and in a slide.
HEADS = re.compile(r"^\d+ heads?$")


def first(page: Page, path: str) -> list[dict]:
    """The pictures of a page's first screen, which begin in its upper half."""
    go_to(page, path)
    wait_until_settled(page)
    page.wait_for_timeout(300)  # words come with the font
    return page.evaluate(PICTURES)


def too_small(pictures: list[dict], least: float) -> set[tuple[str, float, str]]:
    return {(one["what"], round(size, 1), text) for one in pictures for text, size, _ in one["words"] if size < least}


def turned(pictures: list[dict]) -> set[str]:
    return {text for one in pictures for text, _, is_turned in one["words"] if is_turned}


def test_every_default_picture_is_whole_upright_and_legible_with_one_line_for_its_numbers(
    new_page: Callable[..., Page], server: str
):
    """At 1280 × 720 it ends at 700 pixels or above, no word is rotated, and none is smaller than 12 pixels."""
    page = new_page(viewport={"width": 1280, "height": 720}, script=WORDS_OF_CANVAS)
    open_app(page, f"{server}/questions")
    seen = 0
    for path in PAGES:
        pictures = first(page, f"/{path}")
        seen += len(pictures)
        assert {one["what"]: round(one["end"]) for one in pictures if one["end"] > 700} == {}, path
        assert turned(pictures) == set(), path
        assert too_small(pictures, 12) == set(), path
        assert page.evaluate(NUMBERS) <= 1, path
    assert seen >= 8


def test_what_a_class_sees_at_1920_has_no_word_below_16_pixels(new_page: Callable[..., Page], server: str):
    page = new_page(viewport={"width": 1920, "height": 1080}, script=WORDS_OF_CANVAS)
    open_app(page, f"{server}/questions")
    for step in range(1, len(STEPS) + 1):
        pictures = first(page, f"/?present=1&step={step}")
        assert turned(pictures) == set(), step
        assert too_small(pictures, 16) == set(), step


def test_a_phone_and_a_slide_tell_of_the_same_heads_as_the_desk(new_page: Callable[..., Page], server: str):
    page = new_page(viewport={"width": 1280, "height": 720}, script=WORDS_OF_CANVAS)
    open_app(page, f"{server}/questions")
    heads = lambda: [text for text, *_ in first(page, "/")[0]["words"] if HEADS.match(text)]  # noqa: E731
    assert heads() == (wanted := ["1 head", "2 heads", "4 heads", "8 heads"])
    page.set_viewport_size({"width": 390, "height": 844})
    assert heads() == wanted
    go_to(page, "/?present=page")
    slide = page.get_by_test_id("stMain").locator(".st-key-presented_slide img")
    becomes(page, slide.count, 1)
    svg = b64decode(slide.get_attribute("src").partition("base64,")[2]).decode()
    assert {words for words in re.findall(r">([^<>]+)<", svg) if HEADS.match(words)} == {*wanted}


def test_playing_never_moves_the_page(new_page: Callable[..., Page], server: str):
    page = new_page(viewport={"width": 1280, "height": 720})
    open_app(page, f"{server}/questions")
    played = 0
    for path in LESSON:
        go_to(page, f"/{path}")
        wait_until_settled(page)
        if (play := page.locator(".play:visible")).count():
            before, played = page.evaluate(STANDS), played + 1
            play.first.click()
            for _ in range(4):
                page.wait_for_timeout(250)
                assert page.evaluate(STANDS) == before, path
    assert played >= 3


def test_on_a_phone_the_heads_are_set_at_the_picture(new_page: Callable[..., Page], server: str):
    page = new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    open_app(page, f"{server}/questions")
    for path in (path for path in LESSON if path not in ("trained_heads", "quiz")):
        go_to(page, f"/{path}")
        wait_until_settled(page)
        more, fewer = (page.get_by_role("button", name=name, exact=True) for name in ("More heads", "Fewer heads"))
        with rerun(page):
            more.tap()
        becomes(page, lambda: query(page).get("num_heads"), "8")
        becomes(page, lambda: page.locator(".st-key-heads_here strong").inner_text(), "8 heads")
        with rerun(page):
            fewer.tap()
        becomes(page, lambda: query(page).get("num_heads"), None)
    page.set_viewport_size({"width": 1280, "height": 720})
    assert not page.locator(".st-key-heads_here").is_visible(), "a desk has its slider in sight"
