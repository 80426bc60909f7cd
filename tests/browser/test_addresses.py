"""What the server answers to an address: a page of the app, or a page that says that there is none and leads on."""

import urllib.error
import urllib.request

import pytest
from playwright.sync_api import Page

from components.address import moved_to
from components.menu import ENTRIES, START
from tests.browser.helpers import open_app, problems, query
from tests.browser.screen import becomes, title

UNKNOWN = (
    "/models/BERT", "/etc/passwd", "/a/b/c/d", "/nowhere", "/keras_layer.py", "/%3Cscript%3Ealert(1)%3C/script%3E/x",
)  # fmt: skip


def get(url: str) -> int:
    """The status of the answer."""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_the_server_knows_the_start_page():
    assert moved_to(START.file.removeprefix("pages/").removesuffix(".py"), "") == "./"


@pytest.mark.parametrize(("old", "wanted"), [
    ("published_models?model=Gemma-2B&model_heads=4", {"model": "Gemma-2B", "model_heads": "4"}),
    ("costs?d_model=32&load_length=11&load_batch=3&load_kv_heads=2&load_layers=5",
     {"d_model": "32", "model": "this-layer", "further": "costs", "context": "11", "sequences": "3", "model_kv_heads": "2",
      "model_layers": "5"}),
])  # fmt: skip
def test_an_old_address_leads_to_the_new_place_with_its_settings(page: Page, server: str, old: str, wanted: dict[str, str]):
    open_app(page, f"{server}/{old}")
    becomes(page, lambda: page.evaluate("location.pathname"), "/models")
    becomes(page, lambda: query(page), wanted)


@pytest.mark.parametrize("path", UNKNOWN)
def test_an_address_of_no_page_is_answered_with_a_sentence_and_ways_on(page: Page, server: str, path: str):
    page.goto(server + path)
    said = page.locator("body").inner_text()
    assert "There is no page at" in said
    assert path.replace("%3C", "<").replace("%3E", ">") in said
    assert page.locator("script").count() == 0
    pages = [f"{server}/{entry.page}" for entry in ENTRIES.values()]
    assert sorted(page.locator("a").evaluate_all("links => links.map((link) => link.href)")) == sorted(pages)
    if path == "/a/b/c/d":
        page.get_by_role("link", name="Models").click()
        becomes(page, lambda: title(page).startswith("BERT-base"), True)
    assert all("404" in problem for problem in problems(page)), problems(page)
    problems(page).clear()


def test_what_is_no_page_is_answered_404_and_what_is_streamlits_own_is_left_alone(server: str):
    own = ("/_stcore/health", "/_stcore/host-config", "/favicon.png", "/attention/", "/?num_heads=2")
    assert {path: get(server + path) for path in (*UNKNOWN, *own)} == dict.fromkeys(UNKNOWN, 404) | dict.fromkeys(own, 200)
