"""Light and dark: the picture follows the page, and the state stays."""

from collections.abc import Callable

import numpy as np
from playwright.sync_api import Page

from headcount.export.request import request_of
from headcount.stage.theme import THEMES
from tests.browser.helpers import address, open_app, query
from tests.browser.screen import alts, arithmetic, becomes, everything
from tests.browser.stage import colour, lit, on_ramp, place
from tests.test_theme import contrast

W_Q = request_of({}).on_words().trace()["w_q"].values.reshape(16, 16)
NEAR_0 = tuple(int(i) for i in np.unravel_index(np.abs(W_Q).argmin(), W_Q.shape))
#: The header and what it stands on.
HIDING = ("stHeader", "stApp")
HEX = "(colour) => Object.assign(document.createElement('canvas').getContext('2d'), { fillStyle: colour }).fillStyle"


def painted(page: Page) -> np.ndarray:
    """The colour of the weight of W_Q nearest to 0."""
    (row, col), wide = NEAR_0, 16 // int(query(page).get("num_heads", 4))
    return np.array(colour(page, place(page, "w_q", row, col % wide, col // wide))[:3])


def styled(page: Page, selector: str, what: str) -> str:
    """A colour as #rrggbb."""
    return page.evaluate(HEX, page.locator(selector).first.evaluate(f"one => getComputedStyle(one).{what}"))


def is_in(page: Page, name: str) -> bool:
    """Whether page and picture are both in this theme: a 0 has nearly the page's colour, and words are legible."""
    theme = THEMES[name]
    ground = styled(page, '[data-testid="stApp"]', "backgroundColor")
    back = on_ramp(0, (ground, ground))
    return bool(
        np.abs(back - on_ramp(0, (theme.background, theme.background))).max() <= 2
        and np.abs(painted(page) - on_ramp(0.5, theme.signed)).max() <= 12
        and np.abs(painted(page) - back).max() <= 40
        and contrast(styled(page, "h1", "color"), ground) >= 7
    )


def test_page_and_picture_are_in_the_visitors_scheme_and_the_menu_changes_their_theme_and_nothing_else(
    new_page: Callable[..., Page], server: str
):
    page = new_page(color_scheme="dark")
    open_app(page, f"{server}/?num_heads=2&cell=q.1.2.3")
    before, there = everything(page), address(page)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        becomes(page, lambda scheme=scheme: is_in(page, scheme), True)
        header, background = (
            page.get_by_test_id(part).evaluate("one => getComputedStyle(one).backgroundColor") for part in HIDING
        )
        assert header == background, "what scrolls under the header is hidden by it"
        assert background.startswith("rgb("), "and nothing shines through"
    for name in ("Dark", "Light", "Dark"):
        if not page.locator('[data-testid="stMainMenuList"]').is_visible():
            page.locator('[data-testid="stMainMenuButton"]').click()
        page.locator(f'[data-testid="stMainMenuItem-theme-{name}"]').click()
        page.keyboard.press("Escape")
        becomes(page, lambda name=name: is_in(page, name.lower()), True)
        assert (everything(page), address(page)) == (before, there)
        assert arithmetic(page)
        assert alts(page)
        assert lit(page, place(page, "q", 1, 2, 0))
