"""Light and dark: the picture follows the page, the state stays."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page

from components.export.request import request_of
from components.stage.theme import THEMES
from tests.browser.helpers import address, open_app, query
from tests.browser.screen import PAGES, alts, arithmetic, becomes, everything
from tests.browser.stage import colour, lit, on_ramp, place

W_Q = request_of({}).on_words().trace()["w_q"].values.reshape(16, 16)
NEAR_0 = tuple(int(i) for i in np.unravel_index(np.abs(W_Q).argmin(), W_Q.shape))
RGB = """(colour) => { const g = document.createElement('canvas').getContext('2d'); g.fillStyle = colour;
  g.fillRect(0, 0, 1, 1); return [...g.getImageData(0, 0, 1, 1).data].slice(0, 3); }"""


def painted(page: Page) -> np.ndarray:
    """The colour of the weight of W_Q nearest to 0."""
    (row, col), wide = NEAR_0, 16 // int(query(page).get("num_heads", 4))
    return np.array(colour(page, place(page, "w_q", row, col % wide, col // wide))[:3])


def styled(page: Page, selector: str, what: str) -> np.ndarray:
    value = page.locator(selector).first.evaluate(f"one => getComputedStyle(one).{what}")
    return np.array(page.evaluate(RGB, value))


def luminance(rgb: np.ndarray) -> float:
    parts = np.where(rgb / 255 <= 0.04045, rgb / 255 / 12.92, ((rgb / 255 + 0.055) / 1.055) ** 2.4)
    return float(parts @ [0.2126, 0.7152, 0.0722])


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def is_in(page: Page, name: str) -> bool:
    """Whether page and picture are both in this theme: a 0 is nearly the page, and words can be read."""
    theme = THEMES[name]
    back = styled(page, '[data-testid="stApp"]', "backgroundColor")
    return bool(
        np.abs(back - on_ramp(0, (theme.background, theme.background))).max() <= 2
        and np.abs(painted(page) - on_ramp(0.5, theme.signed)).max() <= 12
        and np.abs(painted(page) - back).max() <= 40
        and contrast(styled(page, "h1", "color"), back) >= 7
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_and_its_picture_are_in_the_visitors_scheme(new_page: Callable[..., Page], server: str, scheme: str):
    page = new_page(color_scheme=scheme)
    open_app(page, f"{server}/")
    assert is_in(page, scheme)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_every_sentence_stands_out_from_its_background(new_page: Callable[..., Page], server: str, path: str, scheme: str):
    """WCAG AA: 4.5 to 1, 3 to 1 for large type. Read from what is computed for each piece of text."""
    page = new_page(color_scheme=scheme)
    open_app(page, f"{server}/{path}")
    assert page.evaluate(PALE) == []


def test_the_menu_changes_the_theme_of_the_picture_and_nothing_else(page: Page, server: str):
    open_app(page, f"{server}/?num_heads=2&cell=q.1.2.3")
    before, there = everything(page), address(page)
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


# Texts whose colour is too close to the first opaque background behind them; formulas and disabled fields apart.
PALE = """() => {
  const g = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (c) => {
    g.clearRect(0, 0, 1, 1); g.fillStyle = c; g.fillRect(0, 0, 1, 1);
    return [...g.getImageData(0, 0, 1, 1).data];
  };
  const light = (c) => c.slice(0, 3).map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (top, under) => top.slice(0, 3).map((v, i) => v * top[3] / 255 + under[i] * (1 - top[3] / 255));
  const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const one = walker.currentNode.parentElement, style = getComputedStyle(one), text = walker.currentNode.data.trim();
    if (!text || !one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (one.closest('.katex-mathml, svg, script, style, [disabled], [aria-hidden="true"]')) continue;
    const layers = [];
    let opacity = 1;
    for (let up = one; up; up = up.parentElement) {
      opacity *= +getComputedStyle(up).opacity;
      // A slider's value stands above its thumb, not on it.
      const thumb = up.querySelector(':scope > [data-testid="stSliderThumbValue"]');
      if (!thumb?.contains(one)) layers.push(rgba(getComputedStyle(up).backgroundColor));
    }
    const back = layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255]);
    const ink = rgba(style.color);
    ink[3] *= opacity;
    const [low, high] = [light(over(ink, back)), light(back)].sort((a, b) => a - b), ratio = (high + 0.05) / (low + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.6 && +style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) found.add(`${ratio.toFixed(2)}: ${text.slice(0, 40)}`);
  }
  return [...found];
}"""
