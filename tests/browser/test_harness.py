"""The harness sees what it is there to see: tried on a small app of its own, so that a green page test means something."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import open_app, problems, rerun
from tests.browser.screen import becomes
from tests.serving import Server
from tests.sources import ROOT

SCRIPT = """
import streamlit as st

st.title("Settings")
heads = st.slider("Heads (h)", 1, 16, 4, key="num_heads", bind="query-params")
st.plotly_chart({"data": [{"type": "heatmap", "z": [[heads, 2], [3, 5]]}]}, key="chart")
if st.button("Fail"):
    raise ValueError("a secret")
"""


@pytest.fixture(scope="module")
def small_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A page with one slider in the address, one chart, and a button that breaks it; under the settings of the real app."""
    folder = tmp_path_factory.mktemp("small_app")
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit/config.toml").write_text((ROOT / ".streamlit/config.toml").read_text())
    (folder / "small.py").write_text(SCRIPT)
    with Server(folder / "server.log", "small.py", folder) as running:
        yield running.url


TROUBLE = {
    "console.error('lost')": "console: lost",
    "setTimeout(() => { throw new Error('thrown') })": "uncaught in the page: thrown",
    "fetch('https://example.invalid/').catch(() => {})": "leaves this machine: https://example.invalid/",
}


def test_an_error_in_the_app_is_found_and_kept_from_the_visitor_trouble_in_the_browser_too_and_a_rerun_that_never_comes(
    page: Page, small_app: str, monkeypatch: pytest.MonkeyPatch
):
    open_app(page, small_app)
    with rerun(page):
        page.get_by_role("button", name="Fail").click()
    assert any("an error on the page" in problem for problem in problems(page))
    shown = page.locator("body").inner_text()
    assert "a secret" not in shown
    assert "Traceback" not in shown
    problems(page).clear()
    for cause, words in TROUBLE.items():
        page.evaluate(f"() => {{ {cause} }}")
        becomes(page, lambda words=words: any(words in problem for problem in problems(page)), True)
        page.wait_for_timeout(100)  # a request that fails is a console's error, too
        problems(page).clear()
    monkeypatch.setattr("tests.browser.helpers.PATIENCE", 1.0)
    with pytest.raises(AssertionError, match="not settled"), rerun(page):
        page.keyboard.press("Shift")
