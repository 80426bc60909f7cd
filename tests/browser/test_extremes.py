"""Addresses at the limits, far beyond them, and made to do harm: the page opens all the same."""

from urllib.parse import quote, urlencode

from playwright.sync_api import Page

from tests.browser.helpers import go_to, open_app
from tests.browser.screen import ERRORS, LESSON, PAGES, menu_links, written

MARKUP = '<script>document.title="owned"</script><img src=x onerror="document.title=1"><iframe srcdoc="x"></iframe>'
MARKDOWN = "[a](javascript:alert(1)) ![b](https://example.invalid/x.png) # big **bold** $x^2$ :red[c]"
EDGES = {
    "widest": {"d_model": 4096, "num_heads": 32},
    "most heads": {"split": "Keras", "num_heads": 256},
    "most heads as in the paper": {"d_model": 4096, "num_heads": 256},
    "longest": {"query_len": 512, "key_len": 512},
    "a long question to one token": {"query_len": 512, "key_len": 1},
    "narrowest": {"d_model": 1, "num_heads": 1, "query_len": 1, "key_len": 1},
    "one number a head": {"split": "Keras", "key_dim": 1, "value_dim": 1, "num_heads": 2, "mask": "causal"},
    "everything at its most": {"split": "Keras", "d_model": 4096, "num_heads": 256, "key_dim": 512, "value_dim": 512,
                               "query_len": 512, "key_len": 512},
    "heads that do not divide": {"d_model": 7, "num_heads": 3},
    "more heads than numbers": {"d_model": 1, "num_heads": 256},
}  # fmt: skip
#: Two kinds to a link, so that all pages meet nonsense and the suite stays short.
NONSENSE = {
    "not numbers, and 10 kB": "d_model=two&num_heads=NaN&query_len=1e9&seed=-1&key_len=0x10&mask=maybe&split=&backend=cuda"
    f"&use_bias=2&tokens={'word%20' * 1430}",
    "huge and negative, and a long key": "d_model=99999999999999999999&num_heads=-4&key_dim=0&query_len=513&seed=10000"
    f"&cell=q.99.1.1&{'x' * 10_000}=1",
    "repeated, and a cell with too many dots": "num_heads=2&num_heads=8&d_model=16&d_model=64&mask=causal&mask=none"
    f"&cell={'q.' * 19}",
    "odd bytes": "num_heads=%FF%FE&d_model=%00&cell=%E2%80%AE&tokens=%F0%9F%99%82+%0A&split=%2525",
}


def comes_up(page: Page, there: str) -> None:
    """Opens the page, by a link or by an address without server in the same session, and checks frame, title and errors."""
    if there.startswith("http"):
        open_app(page, there)
    else:
        go_to(page, there)
    assert menu_links(page).count() == len(LESSON)
    assert page.locator("h1").count() == 1
    assert not page.locator(ERRORS).count()
    assert "Traceback" not in page.locator("body").inner_text()


def test_every_page_comes_up_at_the_edge_of_what_is_allowed(page: Page, server: str):
    """Each limit is tested on one of the pages, the most expensive ones on all. tests/visitor has the others."""
    comes_up(page, f"{server}/")
    for number, settings in enumerate(EDGES.values()):
        for path in PAGES if settings == EDGES["everything at its most"] else (PAGES[number % 4],):
            comes_up(page, f"/{path}?{urlencode(settings)}")
            for key, value in settings.items():
                assert key in ("split", "mask") or written(page, key) == str(value)


def test_nonsense_in_the_address_gives_a_sentence_or_the_start_value(page: Page, server: str):
    for path, link in zip(PAGES, NONSENSE.values(), strict=True):
        comes_up(page, f"{server}/{path}?{link}")  # only of a link is nonsense complained of
        assert page.locator(".stage").count()


def test_a_visitors_text_stays_text(page: Page, server: str):
    """The text is in the tokens, the cell and a number. A request that leaves this machine fails the test by itself."""
    before = "script, iframe, img, a[href^='javascript'], h1, svg text b"
    open_app(page, f"{server}/attention")
    usual = page.locator("body").evaluate("(body, what) => body.querySelectorAll(what).length", before)
    name = page.title()
    assert name == "Attention · Headcount"
    harms = ("iframe", "img[src='x']", "[src*='example']", "a[href^='javascript']", "script:not([src]):has-text('owned')")
    for text in (quote(MARKUP), quote(MARKDOWN)):
        for path in ("attention", "concatenation"):
            comes_up(page, f"{server}/{path}?tokens={text}&cell={text}&seed={text}&mask={text}&{text}={text}")
            assert page.title().split(" ")[0] != "owned"
            assert [harmful for harmful in harms if page.locator(harmful).count()] == []
        open_app(page, f"{server}/attention?tokens={text}")
        assert page.title() == name
        assert page.locator("body").evaluate("(body, what) => body.querySelectorAll(what).length", before) == usual
