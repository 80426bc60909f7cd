"""What a person reads off the screen and does with it: fields, choices, sentences, the arithmetic of a cell."""

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
    """Waits until `read()` gives `wanted` (or what `wanted` accepts). AssertionError with the last thing read.

    For what comes by itself or after several reruns; a page that is still asking for TensorFlow reruns without being asked.
    """
    accepts = wanted if callable(wanted) else lambda got: got == wanted
    deadline = time.monotonic() + helpers.PATIENCE
    while not accepts(got := read()):
        assert time.monotonic() < deadline, f"waited for {wanted}, still {got!r} at {address(page)}"
        page.wait_for_timeout(25)


def field(page: Page, key: str) -> Locator:
    """The field in which the setting with this key is typed: of a slider's exact number, where it is a slider."""
    return page.locator(f".st-key-{key}_typed input, .st-key-{key} input:not([type='range'])").first


def written(page: Page, key: str) -> str:
    """What the field says; a slider's exact number may not be drawn."""
    return field(page, key).input_value() if field(page, key).count() else str(shown_stop(page, key))


def enter(page: Page, key: str, text: str | int) -> None:
    """Types over what is there and presses Enter. Does not wait: what is refused starts no rerun."""
    if not field(page, key).count():
        open_exact(page)
    elif not field(page, key).is_visible():
        open_more(page)
    field(page, key).fill(str(text))
    field(page, key).press("Enter")


def open_more(page: Page) -> None:
    """The part of the sidebar that is shut at first, with its fields; nothing happens where it is open. A run that is under way
    may draw it anew, and then it opens for nobody."""
    if page.locator('[data-testid="stSidebar"] details:not([open])').count():
        wait_until_settled(page)
        page.locator('[data-testid="stSidebar"] summary').click()
        page.locator('[data-testid="stSidebar"] details[open]').wait_for()
        wait_until_settled(page)


def open_exact(page: Page) -> None:
    """The fields in which the sliders' numbers are typed, under More, which another page shuts."""
    wait_until_settled(page)
    open_more(page)
    if not page.locator(".st-key-num_heads_typed").count():  # open on the page before
        page.get_by_role("button", name="Exact sizes").click()
    page.locator(".st-key-num_heads_typed input").wait_for()
    wait_until_settled(page)


def options(page: Page, key: str) -> Locator:
    """The words to choose from, in their order."""
    return page.locator(f".st-key-{key} [role='radio']")


def chosen(page: Page, key: str) -> int:
    """Which of them is chosen, from 0."""
    return options(page, key).evaluate_all("all => all.findIndex(one => one.getAttribute('aria-checked') === 'true')")


def shown_stop(page: Page, key: str) -> int:
    """What a slider with stops says aloud."""
    return int(page.locator(f".st-key-{key} input[type='range']").first.get_attribute("aria-valuetext") or "-1")


def title(page: Page) -> str:
    return page.locator("h1").first.inner_text()


def numbers(text: str) -> list[int]:
    """The whole numbers in a sentence; 1,088 is one."""
    return [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*", text)]


def alts(page: Page) -> list[str]:
    """What the pictures say about themselves, from top to bottom."""
    return page.locator(".stage .over").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")


def arithmetic(page: Page) -> str:
    """The arithmetic of the cell that is explained: its line as LaTeX, or the rows of its table; "" where there is none."""
    if lines := page.locator(":is(.st-key-explain, .st-key-formula) annotation").all_text_contents():
        return lines[-1]
    if lines := page.locator(".st-key-row_card .terms_of").all_text_contents():
        return lines[-1]
    cells = page.locator(".st-key-explain table.terms td").all_text_contents()
    return f"{' '.join(cells[:-1])} = {cells[-1]}" if cells else ""


def result(page: Page) -> float:
    """The number in which the arithmetic ends."""
    end = arithmetic(page).rsplit("=", 1)[-1].replace("−", "-").replace("\\cdot 10^", "e").replace(" · 10", "e")
    return float(end.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", "{} ")))


def check_line(page: Page) -> str:
    return page.locator(".st-key-check [data-testid='stCaptionContainer']").last.inner_text()


def inputs(page: Page) -> dict[str, str]:
    """Every field and choice on the page with what it holds. (Ids and labels of React change; our keys do not. How
    far the browser has heard is no part of the screen, and whether "Exact sizes" stands open is the reader's own.)"""
    return page.evaluate("""() => Object.fromEntries([...document.querySelectorAll('[class*="st-key-"]')]
      .map(box => [[...box.classList].find(name => name.startsWith('st-key-')).slice(7), box])
      .filter(([key, box]) => !key.startsWith('hide_ack') && !key.endsWith('_typed'))
      .filter(([key, box]) => !box.querySelector('[class*="st-key-"]') && box.querySelector('input, [role="radio"]'))
      .map(([key, box]) => [key, [...box.querySelectorAll('input, [role="radio"]')].map(one =>
        one.getAttribute('role') === 'radio' ? one.getAttribute('aria-checked')
        : one.type === 'checkbox' ? String(one.checked) : one.getAttribute('aria-valuetext') || one.value).join(' ')]))""")


def everything(page: Page) -> dict[str, Any]:
    """The screen as someone would compare it with somebody else's."""
    wait_until_settled(page)
    return {"title": title(page), "pictures": alts(page), "inputs": inputs(page), "arithmetic": arithmetic(page)}


def menu_links(page: Page) -> Locator:
    """The pages that stand in the menu by themselves, not below a section's name; in the order of LESSON."""
    return page.locator('[data-testid="stTopNavLink"]')
