"""The settings as a person uses them: keys, typing, dragging, switching. The address follows, and nothing is lost."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, Route

from headcount import Config, count_parameters
from tests.browser.helpers import go_to, open_app, press, query, reload, rerun, slider, unfold, wait_until_settled
from tests.browser.screen import (
    ERRORS,
    alts,
    becomes,
    enter,
    everything,
    field,
    open_exact,
    open_more,
    options,
    shown_stop,
    written,
)
from tests.browser.stage import card, drawn, lit_card

HEADS = "Heads `num_heads`"
PAPER = count_parameters(Config())
STAGE_PROGRAM = re.compile(r"/stage\.\w+\.js$")


def heads_in_address(page: Page) -> str:
    return query(page).get("num_heads", str(Config().num_heads))


def test_each_press_moves_the_heads_by_one_stop_and_the_count_stands_still_home_and_end_go_to_one_head_and_the_most(
    page: Page, server: str
):
    open_app(page, f"{server}/?split=free&key_dim=1&value_dim=1")
    for key, heads in (("End", 256), ("Home", 1)):
        press(page, HEADS, key)
        becomes(page, lambda: heads_in_address(page), str(heads))
        becomes(page, lambda: lit_card(page), (f"free {heads}", count_parameters(Config(num_heads=heads, key_dim=1))))
    go_to(page, "/?num_heads=1")
    for key, heads in [("ArrowRight", 2), ("ArrowRight", 4), ("ArrowRight", 8), ("ArrowRight", 16), ("ArrowLeft", 8)]:
        press(page, HEADS, key)
        becomes(page, lambda: heads_in_address(page), str(heads))
        becomes(page, lambda: (shown_stop(page, "num_heads"), written(page, "num_heads")), (heads, str(heads)))
        becomes(page, lambda: lit_card(page), (f"paper {heads}", PAPER))
        assert alts(page)[0].rstrip(".").endswith(f"{heads} heads")
    # On a slow line the server's answer to the first key of several comes after the last, with the value of the first.
    with rerun(page):
        page.evaluate("history.replaceState(history.state, '', '/?num_heads=2&other=5')")
        page.locator('[data-testid="stSidebar"]').get_by_text("More", exact=True).click()
    page.wait_for_function("location.search === '?num_heads=8&other=5'")
    assert shown_stop(page, "num_heads") == 8


def test_no_press_is_lost_however_fast_the_keys_come(page: Page, server: str):
    """Eight presses from 1 head lead to 256 heads, in one rerun or several. Pictures seen before come again: Streamlit may not
    ask the message cache for them (.streamlit/config.toml)."""
    open_app(page, f"{server}/?d_model=256&num_heads=2")
    forth_and_back = ["ArrowRight"] * 5 + ["ArrowLeft"] * 5
    for pause, keys, heads in ((0, ["ArrowRight"] * 8, 256), (60, forth_and_back, 2), (40, ["ArrowRight"] * 8, 256),
                               (160, ["ArrowRight"] * 8, 256)):  # fmt: skip
        press(page, HEADS, "Home")
        if heads == 2:
            press(page, HEADS, "ArrowRight")
        for key in keys:
            page.keyboard.press(key)
            page.wait_for_timeout(pause)
        shows(page, "num_heads", heads)
        assert lit_card(page)[0] == f"paper {heads}"
    assert not page.locator('[role="dialog"]').count()


def test_a_number_that_cannot_be_is_not_taken_and_nothing_is_lost(page: Page, server: str):
    open_app(page, f"{server}/?mask=causal")
    there = {"mask": "causal"}
    trials = (("num_heads", 999, 8), ("d_model", 5000, 32), ("num_heads", 0, 2), ("query_len", -3, 9), ("seed", "", 7))
    for key, wrong, right in trials:
        before = everything(page)
        enter(page, key, wrong)
        page.wait_for_timeout(400)
        wait_until_settled(page)
        assert query(page) == there
        assert everything(page) | {"inputs": None} == before | {"inputs": None}
        assert not page.locator(ERRORS).count()
        enter(page, key, right)
        there[key] = str(right)
        becomes(page, lambda: query(page), there)


def shows(page: Page, key: str, number: int) -> None:
    """Waits until slider, field and address have the number, and checks that they keep it."""
    default = {"num_heads": Config().num_heads, "d_model": Config().d_model}[key]
    wanted = (number, str(number), str(number))

    def read() -> tuple[int, str, str]:
        return shown_stop(page, key), written(page, key), query(page).get(key, str(default))

    becomes(page, read, wanted)
    wait_until_settled(page)
    assert read() == wanted


def test_from_the_start_arrows_and_clicks_go_from_card_to_card_and_biases_off_take_their_parameters_out_of_the_count(
    page: Page, server: str
):
    open_app(page, f"{server}/")
    assert query(page) == {}
    assert lit_card(page) == ("paper 4", PAPER)
    assert shown_stop(page, "num_heads") == Config().num_heads
    page.locator(".st-key-law .over").focus()
    for key, there in (("ArrowRight", "paper 8"), ("ArrowLeft", "paper 4"), ("ArrowDown", "free 4"), ("ArrowLeft", "free 2"),
                       ("ArrowRight", "free 4"), ("ArrowUp", "paper 4")):  # fmt: skip
        page.keyboard.press(key)
        becomes(page, lambda: lit_card(page)[0], there)
        wait_until_settled(page)
    open_more(page)
    page.locator(".st-key-use_bias label").click()
    becomes(page, lambda: query(page), {"use_bias": "false"})
    becomes(page, lambda: lit_card(page), ("paper 4", PAPER - 4 * 16))
    go_to(page, "/")  # a click, and the old number typed right after a move, count
    for heads in (4, 2, 4):
        slider(page, HEADS).focus()
        page.keyboard.press("ArrowRight")
        becomes(page, lambda: lit_card(page)[0], "paper 8")
        page.mouse.click(*card(page, f"paper {heads}"))
        shows(page, "num_heads", heads)
        if heads != 4:
            enter(page, "num_heads", 4)
            shows(page, "num_heads", 4)
    slider(page, HEADS).focus()
    page.keyboard.press("ArrowRight")
    becomes(page, lambda: written(page, "num_heads"), "8")
    enter(page, "num_heads", 4)
    shows(page, "num_heads", 4)


def test_a_number_between_the_stops_can_be_typed_and_walked_away_from_and_five_quick_presses_are_five_stops(
    page: Page, server: str
):
    """A press right after typing may come before the slider knows the typed number, or after."""
    open_app(page, f"{server}/?split=free")
    enter(page, "num_heads", 123)
    becomes(page, lambda: heads_in_address(page), "123")
    becomes(page, lambda: alts(page)[0].rstrip(".").endswith("123 heads"), True)
    assert lit_card(page) == ("free 123", count_parameters(Config(16, 123, 4)))
    becomes(page, lambda: shown_stop(page, "num_heads"), 123)
    press(page, HEADS, "ArrowRight")
    becomes(page, lambda: heads_in_address(page), "128")
    go_to(page, "/?split=Keras")
    open_exact(page)
    for key, number in (("ArrowUp", 17), ("ArrowUp", 18), ("ArrowDown", 17)):
        field(page, "d_model").press(key)
        shows(page, "d_model", number)
    reload(page)
    shows(page, "d_model", 17)
    slider(page, "Width `d_model`").focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(30)
    shows(page, "d_model", 96)
    enter(page, "d_model", 16)
    shows(page, "d_model", 16)
    enter(page, "d_model", 100)
    slider(page, "Width `d_model`").press("ArrowRight")
    becomes(page, lambda: shown_stop(page, "d_model"), lambda stop: stop in (24, 128))
    wait_until_settled(page)
    shows(page, "d_model", shown_stop(page, "d_model"))


def grab(page: Page) -> tuple[float, float, float]:
    """Presses on the handle of the heads slider. Returns its place, and the distance to the next stop."""
    box = page.locator(".st-key-num_heads input[type='range']")
    thumb, gaps = box.locator("xpath=../..").bounding_box(), box.evaluate("one => one.max - one.min")
    track = page.locator(".st-key-num_heads [data-testid='stSlider'] [role='group']").bounding_box()
    x, y = thumb["x"] + thumb["width"] / 2, thumb["y"] + thumb["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    return x, y, track["width"] / gaps


#: The first question for a slider's next pictures does not reach the server; and what is sent ahead is noted.
LOSE = """{
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) {
    if (!window.lost && new TextDecoder().decode(data).includes('num_heads far')) window.lost = true;
    else send.call(this, data);
  };
  addEventListener('headcount-ahead', () => { window.sentAhead = true; });
}"""
#: What waits for a tenth of a second, as a chart does for a pointer to rest, waits until `rest()`: a busy machine may pause.
HOLD = """{
  const start = setTimeout, stop = clearTimeout, waiting = new Map();
  window.hold = () => {
    window.setTimeout = (what, after, ...more) => {
      if (after !== 100) return start(what, after, ...more);
      const id = start(() => {}, 1e9);
      waiting.set(id, what);
      return id;
    };
    window.clearTimeout = (id) => { waiting.delete(id); stop(id); };
  };
  window.rest = () => {
    for (const what of waiting.values()) what();
    Object.assign(window, { setTimeout: start, clearTimeout: stop });
  };
}"""
COUNT_CHARTS = """() => {
  const { react } = Plotly;
  window.charts = 0;
  Plotly.react = (...all) => { charts += 1; return react(...all); };
}"""


def test_while_the_slider_is_dragged_the_picture_already_shows_what_is_coming_and_the_chart_waits_until_it_rests(
    new_page: Callable[..., Page], server: str
):
    """A lost request for the next pictures is repeated. A picture that comes after the answer is not shown in its place."""
    page = new_page(script=LOSE + HOLD)
    open_app(page, f"{server}/?num_heads=2")
    unfold(page)
    page.locator(".js-plotly-plot").wait_for()
    page.evaluate("hold()")
    page.evaluate(COUNT_CHARTS)
    x, y, gap = grab(page)
    seen, blocks = [drawn(page)], [pieces(page)]
    for step in range(1, 3):
        page.mouse.move(x + step * gap, y, steps=6)
        becomes(page, lambda: drawn(page) > seen[-1], True)
        page.wait_for_timeout(100)
        seen.append(drawn(page))
        blocks.append(pieces(page))
        assert heads_in_address(page) == "2", "the app was asked before the release"
    assert blocks == [2, 4, 8]
    assert page.evaluate("lost")
    page.wait_for_timeout(100)
    assert page.evaluate("charts") == 0
    page.evaluate("rest()")
    becomes(page, lambda: page.evaluate("charts"), 1)
    with rerun(page):
        page.mouse.up()
    becomes(page, lambda: heads_in_address(page), "8")
    becomes(page, lambda: (shown_stop(page, "num_heads"), written(page, "num_heads"), pieces(page)), (8, "8", 8))

    held: list[Route] = []
    page.route(STAGE_PROGRAM, lambda route: held.append(route))
    page.goto(f"{server}/?num_heads=2")
    page.wait_for_function("window.sentAhead")
    for program in held:
        program.continue_()
    wait_until_settled(page)
    page.unroute(STAGE_PROGRAM)
    assert held
    x, y, gap = grab(page)
    page.mouse.move(x + gap, y)
    becomes(page, lambda: (pieces(page), heads_in_address(page)), (4, "2"))
    page.mouse.up()


def pieces(page: Page) -> int:
    """The number of heads with a slice of W_Q in the picture's second row."""
    return page.locator(".st-key-stage .stage").evaluate(
        "box => box.getRootNode().stage.now.frames.filter(({ panel }) => /^head-/.test(panel.id)).length"
    )


def test_the_switch_to_free_sizes_keeps_the_layer_then_heads_bring_parameters_and_a_card_chooses_both(page: Page, server: str):
    open_app(page, f"{server}/?d_model=24&num_heads=3&query_len=5")
    here = count_parameters(Config(24, 3))
    assert (shown_stop(page, "key_dim"), shown_stop(page, "value_dim")) == (8, 8)
    options(page, "split").nth(1).click()
    becomes(page, lambda: query(page).get("split"), "Keras")
    becomes(page, lambda: (query(page).get("key_dim"), query(page).get("value_dim")), ("8", "8"))
    becomes(page, lambda: lit_card(page), ("free 3", here))
    assert page.locator(".st-key-key_dim").first.is_visible()
    press(page, HEADS, "ArrowRight")
    becomes(page, lambda: heads_in_address(page), "4")
    becomes(page, lambda: lit_card(page), ("free 4", count_parameters(Config(24, 4, 8))))
    options(page, "split").nth(0).click()
    becomes(page, lambda: query(page).get("split"), None)
    becomes(page, lambda: lit_card(page), ("paper 4", here))

    go_to(page, "/?d_model=24&num_heads=3")  # a moved head size is Keras's way in the address, and one click goes back
    press(page, "Key size `key_dim`", "ArrowRight")
    becomes(page, lambda: lit_card(page), ("free 3", count_parameters(Config(24, 3, 12, 8))))
    kerass = {"d_model": "24", "num_heads": "3", "split": "Keras", "key_dim": "12", "value_dim": "8"}
    becomes(page, lambda: query(page), kerass)
    assert (shown_stop(page, "key_dim"), shown_stop(page, "value_dim")) == (12, 8)
    options(page, "split").nth(0).click()
    becomes(page, lambda: query(page), {"d_model": "24", "num_heads": "3"})
    becomes(page, lambda: lit_card(page), ("paper 3", count_parameters(Config(24, 3))))
    assert (shown_stop(page, "key_dim"), shown_stop(page, "value_dim")) == (8, 8)
    # Of cards, one of Keras's keeps the head sizes, 24 / 3. One of the paper's takes them back into the width.
    page.mouse.click(*card(page, "free 6"))
    there = {"d_model": "24", "split": "Keras", "num_heads": "6", "key_dim": "8", "value_dim": "8"}
    becomes(page, lambda: query(page), there)
    becomes(page, lambda: lit_card(page), ("free 6", count_parameters(Config(24, 6, 8))))
    page.mouse.click(*card(page, "free 3"))
    becomes(page, lambda: lit_card(page), ("free 3", count_parameters(Config(24, 3))))
    page.mouse.click(*card(page, "paper 1"))
    becomes(page, lambda: lit_card(page), ("paper 1", count_parameters(Config(24, 1))))
    becomes(page, lambda: query(page).get("split"), None)
