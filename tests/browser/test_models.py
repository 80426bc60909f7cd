"""A visitor moves the heads of real models, brings a configuration, picks a row of the table; the address keeps all of it."""

import json
from collections.abc import Callable

from playwright.sync_api import Page

from mha.models.table import entries
from tests.browser.helpers import open_app, press, query, rerun, wait_until_settled
from tests.browser.screen import becomes, enter, field, title

PAGE = "/models"
LLAMA = {"model_type": "llama", "hidden_size": 40, "num_hidden_layers": 3, "num_attention_heads": 10, "num_key_value_heads": 5}
BLOG = "RoBERTa-blog, 12 → 16 heads: no parameter more or fewer."


def alerts(page: Page) -> list[str]:
    return page.locator('[data-testid="stAlert"]').all_inner_texts()


def paste(page: Page, text: str) -> None:
    page.locator(".st-key-config_text textarea").fill(text)
    with rerun(page):
        page.keyboard.press("Control+Enter")


def test_heads_are_moved_by_slider_and_field_refused_where_they_do_not_divide_and_put_back(page: Page, server: str):
    open_app(page, f"{server}{PAGE}?model=RoBERTa-blog")
    assert title(page) == BLOG
    press(page, "Heads h", "ArrowLeft")
    becomes(page, lambda: title(page), "RoBERTa-blog, 12 → 8 heads: no parameter more or fewer.")
    becomes(page, lambda: query(page), {"model": "RoBERTa-blog", "model_heads": "8"})
    with rerun(page):
        enter(page, "model_heads", 5)
    becomes(page, lambda: title(page), "RoBERTa-blog: 5 heads do not divide d_model = 768.")
    assert "not a multiple of the number of attention heads (5)" in page.locator('[data-testid="stCode"]').first.inner_text()
    with rerun(page):
        enter(page, "model_heads", "")
    becomes(page, lambda: title(page), BLOG)
    becomes(page, lambda: query(page), {"model": "RoBERTa-blog"})


def test_a_pasted_configuration_is_shown_a_bad_one_leaves_it_and_who_is_sent_the_link_sees_the_same(
    new_page: Callable[..., Page], server: str
):
    page, second = new_page(), new_page()
    open_app(page, f"{server}{PAGE}?model=Llama-3-8B&model_heads=16")
    page.get_by_role("button", name="Your own").click()
    paste(page, json.dumps(LLAMA))
    # By hand, on 5 key/value heads: with 20 heads each is 2 wide instead of 4, so W_K and W_V lose 10 of their 20 columns.
    # The real class counts all parameters, where it is installed beside the app; their difference is the same.
    wanted = f"Your configuration, 10 → 20 heads: −{3 * 2 * 40 * 10:,} parameters."
    becomes(page, lambda: title(page).replace("attention ", ""), wanted)
    good = title(page)
    paste(page, json.dumps(LLAMA | {"num_attention_heads": "ten"}))
    becomes(page, lambda: any('num_attention_heads must be a whole number from 1 to 4,096, found "ten"' in said
                              for said in alerts(page)), True)  # fmt: skip
    assert title(page) == good
    assert "ten" in page.locator(".st-key-config_text textarea").input_value()
    chooser = page.locator(".st-key-config_file input[type=file]")
    with rerun(page):
        chooser.set_input_files({"name": "config.json", "mimeType": "application/json", "buffer": b" " * 5_000_000})
    becomes(page, lambda: any("256,000 characters, found 5000000" in said for said in alerts(page)), True)
    assert title(page) == good
    with rerun(page):
        chooser.set_input_files({"name": "config.json", "mimeType": "application/json", "buffer": json.dumps(LLAMA).encode()})
    becomes(page, lambda: alerts(page), [])
    open_app(second, page.evaluate("location.href"))
    assert title(second) == good
    assert query(second) == query(page)


def test_five_megabytes_that_are_pasted_stay_in_the_browser_and_nothing_is_lost(page: Page, server: str):
    """Sent, so long a message would end the connection, and the browser would connect again and send it again, for ever."""
    sockets = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    open_app(page, f"{server}{PAGE}?model=Gemma-2B&model_heads=4")
    page.get_by_role("button", name="Your own").click()
    area = page.locator(".st-key-config_text textarea")
    area.fill("{}")
    area.evaluate("""area => {
      const value = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value');
      value.set.call(area, area.value + 'x\\n'.repeat(2500000));
      area.dispatchEvent(new Event('input', { bubbles: true }));
    }""")  # what a paste does, without the minute that the browser takes to lay out its text
    area.press("Control+Enter")
    wait_until_settled(page)
    page.wait_for_function("() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED'")
    assert area.input_value() == "{}"
    words = "At most 256,000 characters. The field refuses a text of more than 400,000."
    assert words in page.locator("[data-testid=stPopoverBody]").inner_text()
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
    becomes(page, lambda: title(page).split(",")[0], "Gemma-2-9B")
    becomes(page, lambda: query(page), {"search": "gemma", "model": "Gemma-2-9B"})
    becomes(page, names.all_inner_texts, by_total)
