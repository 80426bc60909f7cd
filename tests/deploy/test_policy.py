"""Every page runs under the content policy that the proxy sends, in a browser that enforces it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from components.frame import SECTIONS
from tests.browser.helpers import open_app, problems, wait_until_settled
from tests.browser.screen import becomes
from tests.deploy.site import Site

pytestmark = pytest.mark.browser
FILES = [entry.file.removeprefix("pages/").removesuffix(".py") for entries in SECTIONS.values() for entry in entries]
PATHS = ["" if name == "heads" else name for name in FILES]
LISTEN = """window.broken = [];
addEventListener('securitypolicyviolation', event => broken.push(`${event.violatedDirective} ${event.blockedURI}`));"""


def test_no_page_asks_for_what_the_policy_forbids(new_page: Callable[..., Page], public: Site):
    """One after the other: on the way from another site's page the browser would begin each in a new process."""
    page = new_page(script=LISTEN)
    for path in PATHS:
        open_app(page, f"{public.url}/{path}")
        wait_until_settled(page)
        assert page.evaluate("broken") == [], path
        assert page.locator("h1").count() == 1, path


@pytest.mark.parametrize("code", [
    "eval('window.ran = 1')",
    "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))",
    "document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: '<script>parent.ran = 1</script>'}))",
    "fetch('http://127.0.0.1:1/').catch(() => {})",
], ids=["eval", "inline script", "script in a frame", "request elsewhere"])  # fmt: skip
def test_what_an_attacker_would_do_is_forbidden(new_page: Callable[..., Page], public: Site, code: str):
    """The policy is there and means it: what got into the page could not run, nor tell anybody."""
    page = new_page(script=LISTEN)
    open_app(page, public.url)
    page.evaluate(f"() => {{ setTimeout(() => {{ {code} }}) }}")  # later: what a debugger runs itself is above the policy
    becomes(page, lambda: any("Content Security Policy" in problem for problem in problems(page)), True)
    assert page.evaluate("window.ran") is None
    problems(page).clear()
