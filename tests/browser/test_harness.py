"""Tests of the test tools: they see each kind of fault, so that a green page test means something."""

import pytest
from playwright.sync_api import Page
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.browser.helpers import problems, wait_until_settled
from tests.browser.screen import becomes
from tests.browser.watch import Watch

TROUBLE = {
    "console.error('lost')": "console: lost",
    "setTimeout(() => { throw new Error('thrown') })": "uncaught in the page: thrown",
    "fetch('https://example.invalid/').catch(() => {})": "leaves this machine: https://example.invalid/",
}


def test_trouble_in_the_browser_is_found_and_a_rerun_that_never_comes(page: Page, monkeypatch: pytest.MonkeyPatch):
    for cause, words in TROUBLE.items():
        page.evaluate(f"() => {{ {cause} }}")
        becomes(page, lambda words=words: any(words in problem for problem in problems(page)), True)
        page.wait_for_timeout(100)  # a request that fails is a console's error, too
        problems(page).clear()
    monkeypatch.setattr("tests.browser.helpers.PATIENCE", 1.0)
    with pytest.raises(AssertionError, match="not settled"):
        wait_until_settled(page, whole=1)


def test_an_error_in_the_app_is_found():
    message, seen = ForwardMsg(), Watch()
    message.delta.new_element.exception.message = "a secret"
    seen.frame(message.SerializeToString())
    assert seen.problems == ["an error on the page:  a secret"]
