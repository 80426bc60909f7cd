"""The card with a chosen cell's arithmetic: in view beside the cell, played term by term, and closed."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from headcount import Config, run
from headcount.settings import DEFAULTS, HEAD_SIZES, STOPS, heads_stops
from tests.browser.helpers import go_to, open_app, query, wait_until_settled
from tests.browser.screen import arithmetic, becomes, enter
from tests.browser.stage import lit, place

PRIMES = "d_model=11&split=free&num_heads=3&key_dim=5&value_dim=7&query_len=13&key_len=17"
LAYER = run(Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=13, key_len=17))
BOX = "card => { const { top, bottom } = card.getBoundingClientRect(); return [top, bottom, innerHeight, innerWidth]; }"
#: Where a chosen cell stands in the window, and what is drawn over its middle.
CELL = """() => [...document.querySelectorAll('[data-testid^="stBidiComponentIsolated"]')].map(host => host.shadowRoot?.stage)
  .filter(stage => stage?.hits().length).map(stage => {
    const { one, r, c } = stage.hits()[0], canvas = stage.over.getBoundingClientRect();
    const x = canvas.left + one.x + (c + .5) * one.w / one.block.cols, y = canvas.top + one.y + (r + .5) * one.h / one.block.rows;
    return document.elementFromPoint(x, y)?.shadowRoot?.stage === stage;
  })"""
MOVING = "() => document.querySelector('.st-key-explain [data-testid^=\"stBidiComponentIsolated\"]').shadowRoot.player.moving"


def total(page: Page) -> float:
    return float(page.locator(".st-key-explain .sum b").inner_text().replace("−", "-"))


def step(page: Page) -> str | None:
    return page.locator(".st-key-explain .player").get_attribute("data-step")


def in_the_window(page: Page) -> None:
    """Checks that the card is in the window and not too high, and that one drawing of its cell is in view."""
    becomes(page, lambda: page.locator(".st-key-explain").count(), 1)
    becomes(page, lambda: any(page.evaluate(CELL)), True)

    def fits(box: list[float]) -> bool:
        top, bottom, high, wide = box
        return 0 < top < bottom <= high + 0.5 and bottom - top <= high * (0.45 if wide <= 640 else 1 / 3) + 1

    becomes(page, lambda: page.locator(".st-key-explain").evaluate(BOX), fits)


def test_a_number_is_played_by_keys_product_by_product(page: Page, server: str):
    """Q of head 2, row 3, column 4: 11 products and the bias, added by hand. The factors are marked in their row and column. The
    mark is thicker than the highlight of the whole row and also covers the line between two cells."""
    x, w = LAYER["x_query"].values[0, 2].astype(float), LAYER.params.w_q.values[:, 1, 3].astype(float)
    open_app(page, f"{server}/projections?{PRIMES}&cell=q.2.3.4")
    marked = "() => [...document.querySelectorAll('*')].map(e => e.shadowRoot?.stage?.term).find(Boolean) ?? null"
    assert page.evaluate(marked) is None
    assert lit(page, place(page, "x_query", 2, 4))
    page.locator(".st-key-explain .play").click()
    page.locator(".st-key-explain .next").click()
    becomes(page, lambda: page.evaluate(marked), {"cell": "q.2.3.4", "from": 1, "to": 2})
    page.locator(".st-key-explain .skip").click()
    becomes(page, lambda: page.evaluate(marked), None)
    page.locator(".st-key-stage .over").focus()
    page.keyboard.press("Space")
    becomes(page, lambda: step(page), "1")
    for k in range(1, 12):
        assert total(page) == pytest.approx((x * w)[:k].sum(), abs=6e-4)
        page.keyboard.press("ArrowRight")
        becomes(page, lambda k=k: step(page), str(k + 1))
    assert total(page) == pytest.approx(float(LAYER.q.values[0, 2, 1, 3]), abs=6e-4)
    assert not page.locator(".st-key-explain table.terms").is_visible()
    page.keyboard.press("ArrowLeft")
    becomes(page, lambda: total(page) == pytest.approx((x * w).sum(), abs=6e-4), True)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    becomes(page, lambda: page.locator(".st-key-explain .line").is_visible(), False)
    assert page.locator(".st-key-explain table.terms").is_visible(), "at the end all of the arithmetic stands again"
    assert query(page)["cell"] == "q.2.3.4", "arrows step through the sum as long as it is played"
    page.keyboard.press("ArrowRight")
    becomes(page, lambda: query(page)["cell"], "q.2.3.5")


def test_the_output_is_played_head_by_head_though_the_card_moves_before_a_press_is_let_go(page: Page, server: str):
    """While the button is held, things above the card may appear: Keras's answer, a font, a longer line."""
    open_app(page, f"{server}/concatenation?{PRIMES}&cell=output.4.3")
    concat, kernel = LAYER.concat.values[0, 3].astype(float), LAYER.params.w_o.values.reshape(21, 11)[:, 2].astype(float)
    for k in (1, 2, 3):
        page.locator(".st-key-explain .next").hover()
        page.mouse.down()
        page.locator(".st-key-explain").evaluate("(card, k) => { card.style.translate = `0 ${-30 * k}px`; }", k)
        page.mouse.up()
        becomes(page, lambda k=k: step(page), str(k))
        assert total(page) == pytest.approx(concat[: 7 * k] @ kernel[: 7 * k], abs=6e-4)
    page.locator(".st-key-explain .next").hover()
    page.mouse.down()
    page.mouse.move(200, 200, steps=3)
    page.mouse.up()
    page.locator(".st-key-explain .back").click()
    becomes(page, lambda: step(page), "2")


def test_where_motion_is_wanted_it_plays_pauses_and_comes_to_its_end_by_itself(new_page: Callable[..., Page], server: str):
    page = new_page(reduced_motion="no-preference")
    open_app(page, f"{server}/concatenation?{PRIMES}&cell=output.4.3")
    page.locator(".st-key-explain .play").click()
    becomes(page, lambda: step(page), "2")
    page.keyboard.press("Space")
    becomes(page, lambda: page.evaluate(MOVING), False)
    here = step(page)
    page.wait_for_timeout(900)  # longer than a term
    assert step(page) == here
    page.keyboard.press("Space")
    becomes(page, lambda: step(page), "5")
    assert not page.evaluate(MOVING)
    assert arithmetic(page) != ""


def test_on_a_phone_what_is_played_comes_into_sight_below_its_card_and_nothing_else_moves(
    new_page: Callable[..., Page], server: str
):
    page = new_page(viewport={"width": 390, "height": 844})
    open_app(page, f"{server}/attention")
    card, play = page.locator(".st-key-explain"), page.locator(".st-key-explain .play")
    play.scroll_into_view_if_needed()
    tall = "card => [card.offsetHeight, document.querySelector('.st-key-row_card').offsetHeight]"
    sizes = card.evaluate(tall)
    play.click()
    becomes(page, lambda: any(page.evaluate(CELL)), True)
    assert card.evaluate(tall) == pytest.approx(sizes, abs=1.5)
    page.locator(".st-key-explain .skip").click()
    becomes(page, lambda: page.locator(".st-key-explain .terms_of").is_visible(), True)
    assert any(page.evaluate(CELL))
    page.locator(".st-key-explain .close").click()
    becomes(page, lambda: page.locator(".st-key-explain[data-example]").count(), 1)
    assert not page.locator(".st-key-explain .close").is_visible()


def test_a_card_that_comes_long_after_its_picture_does_not_stay_over_the_cell(new_page: Callable[..., Page], server: str):
    """On a busy server it comes seconds later. The cell's place is then measured again."""
    page = new_page(script="window.cards = 0; addEventListener('headcount-card', () => window.cards++)")
    open_app(page, f"{server}/?cell=q.2.3.1")
    in_the_window(page)
    assert page.evaluate("cards") == 1
    page.evaluate("document.querySelector('[data-testid=\"stMain\"]').scrollTo({ top: 0, behavior: 'instant' })")
    becomes(page, lambda: any(page.evaluate(CELL)), False)
    page.evaluate("dispatchEvent(new CustomEvent('headcount-card'))")
    becomes(page, lambda: any(page.evaluate(CELL)), True)


def test_the_card_can_be_closed(page: Page, server: str):
    """Its button and Escape close it."""
    open_app(page, f"{server}/projections?numbers=seed&cell=q.2.3.4")
    for close in (lambda: page.locator(".st-key-explain .close").click(), lambda: page.keyboard.press("Escape")):
        page.locator(".st-key-explain .play").focus()
        close()
        becomes(page, lambda: query(page), {"numbers": "seed"})
        becomes(page, lambda: page.locator(".st-key-explain:not([data-example])").count(), 0)
        enter(page, "cell", "q.2.3.4")
        becomes(page, lambda: page.locator(".st-key-explain:not([data-example])").count(), 1)
        wait_until_settled(page)


def test_what_gets_the_focus_does_not_stay_behind_the_card(page: Page, server: str):
    """Tab goes on from the picture: each focused element up to a third of the window's height is seen whole."""
    open_app(page, f"{server}/attention?numbers=seed&cell=scores.1.2.4")
    page.locator(".st-key-attention_maps_table summary").focus()
    behind = """() => {
      let active = document.activeElement;
      while (active.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
      if (!document.activeElement.closest('[data-testid="stMain"]')) return null; // after the last field
      const box = active.getBoundingClientRect(), over = document.querySelector('.st-key-explain').getBoundingClientRect();
      const inside = document.activeElement.closest('.st-key-explain'), tall = box.height > innerHeight / 3;
      return !inside && !tall && box.bottom > over.top + 1 && box.top < over.bottom - 1 ? active.outerHTML : null;
    }"""
    for _ in range(16):
        page.keyboard.press("Tab")
        page.wait_for_timeout(60)
        assert page.evaluate(behind) is None


#: How much of a card is hidden, and of what stands in the corner of a product how much lies on a matrix of numbers.
HIDDEN = """() => {
  const card = document.querySelector(".st-key-explain"), cut = card.scrollHeight - card.clientHeight;
  const host = card.closest(".st-key-corner[data-corner]")?.querySelector(".st-key-stage [data-testid^=stBidiComponentIsolated]");
  if (!host) return [cut, 0];
  const { now, base } = host.shadowRoot.stage, left = Math.min(...now.blocks.map(({ x }) => x));
  const first = Math.min(...now.blocks.filter(({ x }) => x === left).map(({ y }) => y)) + base.getBoundingClientRect().top;
  return [cut, Math.max(0, Math.round(card.getBoundingClientRect().bottom - first))];
}"""


def stops_beside(code: str) -> list[str]:
    """The slider's stops beside its default, as addresses have them."""
    stops = heads_stops(DEFAULTS["d_model"], paper=True) if code == "num_heads" else list(STOPS[code])
    here = stops.index(DEFAULTS[code])
    return [f"{'split=Keras&' * (code in HEAD_SIZES)}{code}={stop}" for stop in (stops[here - 1], stops[here + 1])]


@pytest.mark.parametrize("there", ["projections", "concatenation", "attention"])
def test_with_any_slider_moved_by_one_stop_the_card_is_seen_whole_and_covers_no_number(
    there: str, new_page: Callable[..., Page], server: str
):
    """The sentence about untrained numbers is then above it, two lines and a link. The card is also whole if no corner has room
    (d_model 8), and on a phone."""
    page = new_page()
    open_app(page, f"{server}/{there}")
    for query_ in ("", *(stop for code in STOPS for stop in stops_beside(code)), "d_model=8"):
        go_to(page, f"/{there}?{query_}")
        becomes(page, lambda: page.evaluate(HIDDEN), [0, 0])
    page.set_viewport_size({"width": 390, "height": 844})
    wait_until_settled(page)
    becomes(page, lambda: page.evaluate(HIDDEN), [0, 0])
