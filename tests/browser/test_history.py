"""Forward, back, reload, two windows: each visitor keeps the own settings."""

from collections.abc import Callable
from urllib.parse import urlencode

from playwright.sync_api import Page

from tests.browser.helpers import address, go_back, go_to, open_app, press, problems, query, reload, rerun
from tests.browser.screen import (
    LESSON,
    PAGES,
    alts,
    arithmetic,
    becomes,
    enter,
    everything,
    menu_links,
    open_exact,
    shown_stop,
    title,
    written,
)  # fmt: skip
from tests.browser.watch import watch

SETTINGS = {
    "d_model": "24", "num_heads": "6", "key_dim": "5", "value_dim": "3", "query_len": "5", "key_len": "7", "mask": "causal",
    "use_bias": "false", "seed": "11", "split": "Keras", "backend": "tensorflow",
}  # fmt: skip
NUMBERS = [key for key, value in SETTINGS.items() if value.isdigit()]
HEADS = "Heads `num_heads`"
#: What a page alone has in the address.
OWN = {
    "attention": {"num_heads": "2", "cell": "q.1.1.1"},
    "models": {"model": "BERT-large", "model_heads": "8", "further": "costs"},
    "trained_heads": {"asking": "9", "slider": "heads"},
    "figures": {"figure": "projections", "theme": "dark"},
}


def turn_to(page: Page, number: int) -> None:
    with rerun(page):
        menu_links(page).nth(LESSON.index(PAGES[number])).click()
    becomes(page, lambda: address(page).split("?")[0].strip("/"), PAGES[number])


def shared(page: Page) -> dict[str, str]:
    return {key: value for key, value in query(page).items() if key in SETTINGS}


def test_all_settings_go_along_from_page_to_page(page: Page, server: str):
    open_app(page, f"{server}/?{urlencode(SETTINGS)}")
    for number in (1, 2, 3, 0):
        turn_to(page, number)
        becomes(page, lambda: shared(page), SETTINGS)
        assert {key: written(page, key) for key in NUMBERS} == {key: SETTINGS[key] for key in NUMBERS}


def test_a_change_is_there_on_the_next_page_and_back_brings_the_page_before_with_its_values(page: Page, server: str):
    open_app(page, f"{server}/?num_heads=2&seed=5")
    open_exact(page)
    press(page, HEADS, "ArrowLeft")
    becomes(page, lambda: query(page), {"num_heads": "1", "seed": "5"})
    there = everything(page)
    turn_to(page, 2)
    becomes(page, lambda: query(page), {"num_heads": "1", "seed": "5"})
    becomes(page, lambda: (shown_stop(page, "num_heads"), written(page, "num_heads")), (1, "1"))
    press(page, HEADS, "ArrowRight")
    becomes(page, lambda: query(page), {"num_heads": "2", "seed": "5"})
    press(page, HEADS, "ArrowLeft")
    open_exact(page)
    enter(page, "num_heads", 8)
    becomes(page, lambda: query(page), {"num_heads": "8", "seed": "5"})
    go_back(page)  # what was typed
    becomes(page, lambda: (address(page).split("?")[0], query(page)), ("/attention", {"num_heads": "1", "seed": "5"}))
    becomes(page, lambda: (shown_stop(page, "num_heads"), written(page, "num_heads"), title(page)[:6]), (1, "1", "1 head"))
    go_back(page)  # the page
    becomes(page, lambda: (address(page).split("?")[0], query(page)), ("/", {"num_heads": "1", "seed": "5"}))
    becomes(page, lambda: everything(page), there)


def test_back_brings_what_a_page_alone_had_in_the_address_but_no_choice_that_was_taken_back(page: Page, server: str):
    for number, (path, keys) in enumerate(OWN.items()):
        go_to(page, f"/{path}?{urlencode(keys)}") if number else open_app(page, f"{server}/{path}?{urlencode(keys)}")
        said = title(page)
        turn_to(page, 3)
        assert not {*keys} & {"model", "heads", "figure"} & {*query(page)}
        go_back(page)
        becomes(page, lambda there=(f"/{path}", keys): (address(page).split("?")[0], query(page)) == there, True)
        becomes(page, lambda said=said: title(page) == said, True)
    go_to(page, "/models?model_heads=8")
    enter(page, "model_heads", "")
    becomes(page, lambda: query(page), {})
    turn_to(page, 3)
    go_back(page)
    becomes(page, lambda: address(page), "/models")
    becomes(page, lambda: title(page).startswith("BERT-base: 12 heads × 64"), True)


def test_a_reload_keeps_the_screen_and_nobody_gets_anothers_sizes(new_page: Callable[..., Page], server: str):
    """The traces are shared by all visitors of a server."""
    one, two = new_page(), new_page()
    open_app(one, f"{server}/attention?num_heads=2&query_len=4&key_len=4&mask=causal&seed=1")
    enter(one, "tokens", "we saw her duck")
    becomes(one, lambda: "tokens" in query(one), True)
    enter(one, "head", 2)
    becomes(one, lambda: query(one).get("head"), "2")
    enter(one, "cell", "weights.2.3.1")
    becomes(one, lambda: arithmetic(one) != "", True)
    before, there = everything(one), address(one)
    open_app(two, f"{server}{there.replace('seed=1', 'seed=2')}")
    assert arithmetic(two) not in ("", arithmetic(one))
    reload(one)
    assert everything(one) == before
    assert address(one) == there


def test_two_tabs_of_one_browser_do_not_disturb_each_other(page: Page, server: str):
    other = page.context.new_page()
    watch(other)
    open_app(page, f"{server}/?num_heads=2")
    open_app(other, f"{server}/?num_heads=8")
    press(page, HEADS, "ArrowLeft")
    becomes(page, lambda: query(page).get("num_heads"), "1")
    assert query(other) == {"num_heads": "8"}
    press(other, HEADS, "ArrowRight")
    becomes(other, lambda: query(other).get("num_heads"), "16")
    assert (query(page).get("num_heads"), written(page, "num_heads")) == ("1", "1")
    assert alts(page) != alts(other)
    assert problems(other) == []
