"""What only a browser shows of the page Models: a paste that is too long, the slider after it, and the table's program."""

from playwright.sync_api import Page

from headcount.models.entry import entries
from headcount.stage.pictures.published import plane
from tests.browser.helpers import open_app, press, query, rerun, wait_until_settled
from tests.browser.screen import becomes, field, title

PAGE = "/models"


def test_five_megabytes_that_are_pasted_stay_in_the_browser_and_nothing_is_lost(page: Page, server: str):
    """So long a message would end the connection, and the browser would reconnect and send it again, for ever."""
    sockets = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    open_app(page, f"{server}{PAGE}?model=Gemma-2B&model_heads=4")
    page.get_by_role("button", name="Your own").click()
    area = page.locator(".st-key-config_text textarea")
    area.fill("{}")
    area.evaluate("""area => {
      const value = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
      area.style.whiteSpace = 'pre';
      value.set.call(area, area.value + ('x'.repeat(9999) + '\\n').repeat(500));
      area.dispatchEvent(new Event('input', { bubbles: true }));
    }""")  # what a paste does, without the time that the browser takes to break its lines
    area.press("Control+Enter")
    wait_until_settled(page)
    page.wait_for_function("() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED'")
    assert area.input_value() == "{}"
    assert "At most 256,000 characters." in page.locator("[data-testid=stPopoverBody]").inner_text()
    assert title(page).startswith("Gemma-2B, 8 → 4 heads")
    assert query(page) == {"model": "Gemma-2B", "model_heads": "4"}
    press(page, "Heads h", "ArrowRight")  # the page still answers
    becomes(
        page,
        lambda: query(page)["model_heads"] != "4" and title(page).split(" heads")[0],
        lambda said: said == f"Gemma-2B, 8 → {query(page)['model_heads']}",
    )
    assert len(sockets) == 1


def test_the_table_sorts_by_what_its_columns_hold_and_a_row_becomes_the_model(page: Page, server: str):
    open_app(page, f"{server}{PAGE}?search=gemma")
    assert field(page, "search").input_value() == "gemma"
    table = page.locator(".st-key-every_model")
    names, heading = table.locator("tbody th"), lambda words: table.get_by_role("columnheader", name=words)
    becomes(page, names.all_inner_texts, [slug for slug in entries() if "gemma" in slug.lower()])
    by_total = sorted(names.all_inner_texts(), key=lambda slug: entries()[slug].counts["total"])
    heading("whole model").get_by_role("button").click()
    becomes(page, names.all_inner_texts, by_total[::-1])
    assert heading("whole model").get_attribute("aria-sort") == "descending"
    page.keyboard.press("Enter")
    becomes(page, names.all_inner_texts, by_total)
    with rerun(page):
        table.get_by_role("button", name="Gemma-2-9B", exact=True).click()
    becomes(page, lambda: title(page).split(":")[0], "Gemma-2-9B")
    becomes(page, lambda: query(page), {"search": "gemma", "model": "Gemma-2-9B"})
    becomes(page, names.all_inner_texts, by_total)


def test_a_press_on_a_dot_opens_its_model(page: Page, server: str):
    open_app(page, f"{server}{PAGE}")
    number = [*plane.at_points(plane.published())].index((1024, 16384))
    dots = page.locator(".st-key-widths .scatterlayer .trace").last.locator(".point")
    with rerun(page):
        dots.nth(number).click(force=True)
    becomes(page, lambda: title(page), "T5-11B: 128 heads × 128 = 16,384, 16 × the model's width.")
    becomes(page, lambda: query(page), {"model": "T5-11B"})
