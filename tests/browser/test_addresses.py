"""The server's answers to addresses: a page of the app, or a page that says there is none and has links."""

import re
import urllib.error
import urllib.request
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page

from components.address import moved_to
from components.menu import PAGES, START
from tests.browser.helpers import open_app, problems, query
from tests.browser.screen import becomes, title

UNKNOWN = (
    "/a/b/c/d", "/models/BERT", "/etc/passwd", "/nowhere", "/keras_layer.py", "/%3Cscript%3Ealert(1)%3C/script%3E/x",
)  # fmt: skip
#: Addresses of pages that moved: what their settings are called there.
OLD = {
    "published_models?model=Gemma-2B&model_heads=4": {"model": "Gemma-2B", "model_heads": "4"},
    "costs?d_model=32&load_length=11&load_batch=3&load_kv_heads=2&load_layers=5": {
        "d_model": "32", "model": "this-layer", "further": "costs", "context": "11", "sequences": "3", "model_kv_heads": "2",
        "model_layers": "5",
    },
}  # fmt: skip


def get(url: str) -> tuple[int, str]:
    """The answer's status and text."""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_server_knows_the_start_page():
    assert moved_to(START.name, "") == "./"


def test_an_old_address_leads_to_the_new_place_with_its_settings(page: Page, server: str):
    for old, wanted in OLD.items():
        open_app(page, f"{server}/{old}")
        becomes(page, lambda: page.evaluate("location.pathname"), "/models")
        becomes(page, lambda wanted=wanted: query(page) == wanted, True)


@pytest.mark.parametrize("path", UNKNOWN)
def test_an_address_of_no_page_is_answered_404_with_a_sentence_and_ways_on(server: str, path: str):
    status, text = get(server + path)
    assert status == 404
    assert "There is no page at" in text
    assert path.replace("%3C", "&lt;").replace("%3E", "&gt;") in text
    assert "<script" not in text
    links = [(urljoin(server + path, link), name) for link, name in re.findall(r'<a href="(.*?)">(.*?)</a>', text)]
    assert links == [(f"{server}/{page.name}", page.label) for page in PAGES], "as the menu has them"


def test_the_ways_on_lead_to_the_pages(page: Page, server: str):
    page.goto(server + UNKNOWN[0])
    page.get_by_role("link", name="Models").click()
    becomes(page, lambda: title(page).startswith("BERT-base"), True)
    assert all("404" in problem for problem in problems(page)), problems(page)
    problems(page).clear()


def test_what_is_streamlits_own_is_left_alone(server: str):
    own = ("/_stcore/health", "/_stcore/host-config", "/favicon.png", "/attention/", "/?num_heads=2")
    assert {path: get(server + path)[0] for path in own} == dict.fromkeys(own, 200)
