"""Reads and uses a page as a person does: fields, choices, sentences, and a cell's arithmetic."""

import re
import time
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page

from components.menu import SECTIONS, START
from tests.browser import helpers
from tests.browser.helpers import address, wait_until_settled

PAGES = ("", "projections", "attention", "concatenation")
#: Those that stand in the menu by themselves, in their order, as an address names them.
LESSON = ["" if page is START else page.name for page in SECTIONS[""]]
MAGNIFIER = ".st-key-magnifier a"
ERRORS = '[data-testid="stException"]'


def becomes(page: Page, read: Callable[[], Any], wanted: Any) -> None:
    """Waits until `read()` returns `wanted`, or a value that the function `wanted` accepts. Raises AssertionError with the
    last value. It serves for changes that come by themselves or after several reruns, as while the page waits for TensorFlow."""
    accepts = wanted if callable(wanted) else lambda got: got == wanted
    deadline = time.monotonic() + helpers.PATIENCE
    while not accepts(got := read()):
        assert time.monotonic() < deadline, f"waited for {wanted}, still {got!r} at {address(page)}"
        page.wait_for_timeout(25)


def field(page: Page, key: str) -> Locator:
    """The field in which the setting's value is typed. For a slider, the field of its exact number."""
    return page.locator(f".st-key-{key}_typed input, .st-key-{key} input:not([type='range'])").first


def written(page: Page, key: str) -> str:
    """The text of a setting's field. A slider's exact number may not be drawn."""
    return field(page, key).input_value() if field(page, key).count() else str(shown_stop(page, key))


def enter(page: Page, key: str, text: str | int) -> None:
    """Types a text over the field's and presses Enter. Does not wait, because a refused text starts no rerun."""
    if not field(page, key).count():
        open_exact(page)
    elif not field(page, key).is_visible():
        open_more(page)
    field(page, key).fill(str(text))
    field(page, key).press("Enter")


def open_more(page: Page) -> None:
    """Opens the part More of the sidebar, and tries again if a run has just drawn it again. Does nothing if it is open."""
    if page.locator('[data-testid="stSidebar"] details:not([open])').count():
        wait_until_settled(page)
        page.locator('[data-testid="stSidebar"] summary').click()
        page.locator('[data-testid="stSidebar"] details[open]').wait_for()
        wait_until_settled(page)


def open_exact(page: Page) -> None:
    """Opens the fields for the sliders' exact numbers, under More."""
    wait_until_settled(page)
    open_more(page)
    if not page.locator(".st-key-num_heads_typed").count():  # open on the page before
        page.get_by_role("button", name="Exact sizes").click()
    page.locator(".st-key-num_heads_typed input").wait_for()
    wait_until_settled(page)


def options(page: Page, key: str) -> Locator:
    """The options of a choice, in order."""
    return page.locator(f".st-key-{key} [role='radio']")


def chosen(page: Page, key: str) -> int:
    """The number of the chosen option, from 0."""
    return options(page, key).evaluate_all("all => all.findIndex(one => one.getAttribute('aria-checked') === 'true')")


def shown_stop(page: Page, key: str) -> int:
    """The value of a slider with stops, as a screen reader says it."""
    return int(page.locator(f".st-key-{key} input[type='range']").first.get_attribute("aria-valuetext") or "-1")


def title(page: Page) -> str:
    return page.locator("h1").first.inner_text()


def numbers(text: str) -> list[int]:
    """The whole numbers in a sentence; 1,088 is one."""
    return [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*", text)]


def alts(page: Page) -> list[str]:
    """The alt texts of the pictures, from top to bottom."""
    return page.locator(".stage .over").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")


def arithmetic(page: Page) -> str:
    """The arithmetic of the explained cell: its line as LaTeX, or the rows of its table; "" without one."""
    if lines := page.locator(":is(.st-key-explain, .st-key-formula) annotation").all_text_contents():
        return lines[-1]
    if lines := page.locator(".st-key-row_card .terms_of").all_text_contents():
        return lines[-1]
    cells = page.locator(".st-key-explain table.terms td").all_text_contents()
    return f"{' '.join(cells[:-1])} = {cells[-1]}" if cells else ""


def result(page: Page) -> float:
    """The number at the end of the arithmetic."""
    end = arithmetic(page).rsplit("=", 1)[-1].replace("−", "-").replace("\\cdot 10^", "e").replace(" · 10", "e")
    return float(end.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", "{} ")))


def check_line(page: Page) -> str:
    return page.locator(".st-key-check [data-testid='stCaptionContainer']").last.inner_text()


def inputs(page: Page) -> dict[str, str]:
    """Every field and choice on the page with its value, by its key. (React's ids change. Hidden widgets for stale values, and
    whether "Exact sizes" is open, are left out.)"""
    return page.evaluate("""() => Object.fromEntries([...document.querySelectorAll('[class*="st-key-"]')]
      .map(box => [[...box.classList].find(name => name.startsWith('st-key-')).slice(7), box])
      .filter(([key, box]) => !key.startsWith('hide_ack') && !key.endsWith('_typed'))
      .filter(([key, box]) => !box.querySelector('[class*="st-key-"]') && box.querySelector('input, [role="radio"]'))
      .map(([key, box]) => [key, [...box.querySelectorAll('input, [role="radio"]')].map(one =>
        one.getAttribute('role') === 'radio' ? one.getAttribute('aria-checked')
        : one.type === 'checkbox' ? String(one.checked) : one.getAttribute('aria-valuetext') || one.value).join(' ')]))""")


def everything(page: Page) -> dict[str, Any]:
    """All that a person sees on the screen, to compare it with another screen."""
    wait_until_settled(page)
    return {"title": title(page), "pictures": alts(page), "inputs": inputs(page), "arithmetic": arithmetic(page)}


def menu_links(page: Page) -> Locator:
    """The links of the menu to the pages of the lesson, without those under "More"."""
    return page.locator('[data-testid="stTopNavLink"]')
