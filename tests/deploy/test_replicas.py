"""Two replicas behind nginx: a session's files are found at its replica, and when that dies the screen works on. Also, every page
runs under the proxy's content policy, in a browser that enforces it."""

import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page

from components.menu import PAGES
from tests.browser.helpers import open_app, press, problems, query, rerun, wait_until_settled
from tests.browser.screen import arithmetic, becomes, everything, title, written
from tests.browser.watch import watch_of
from tests.deploy.site import Site, seat
from tests.layer.files.files import arrays, npz

pytestmark = pytest.mark.browser
LINK = "/attention?num_heads=8&query_len=5&key_len=7&mask=causal&seed=3&cell=weights.2.4.3&tokens=one+two+three+four+five"
CONNECTED = "document.querySelector('[data-testid=\"stApp\"]')?.dataset.testConnectionState === 'CONNECTED'"
LOGO = "() => [...document.querySelectorAll('img')].map(one => [one.src.includes('/media/'), one.naturalWidth > 0])"
MINE = "3 heads, 11 wide: your layer has 854 parameters."


@contextmanager
def moving_on(page: Page) -> Iterator[str]:
    """Yields the seat of the visitor's replica, which then dies. Ends once the next replica has drawn the screen."""
    before, drawn = seat(page), watch_of(page).complete
    yield before
    becomes(page, lambda: seat(page), lambda now: now != before)
    becomes(page, lambda: page.evaluate(CONNECTED), True)
    wait_until_settled(page, drawn + 1)
    problems(page).clear()  # what the browser said about the dead one is no fault


def test_after_kill_9_the_same_screen_works_on_at_the_other_replica_and_stays_there(page: Page, mortal: Site):
    """It stays there also when the first replica is back, which would lack the session's files."""
    open_app(page, mortal.url + LINK)
    shown = everything(page)
    assert arithmetic(page)
    with moving_on(page) as first:
        mortal.replica_of(first).kill()
    assert everything(page) == shown
    press(page, "Heads `num_heads`", "ArrowRight")
    becomes(page, lambda: query(page)["num_heads"], "16")
    becomes(page, lambda: title(page)[:16], "16 heads have 16")
    assert (query(page)["cell"], written(page, "tokens")) == ("weights.2.4.3", "one two three four five")
    second = seat(page)
    mortal.replica_of(first).start()
    mortal.replica_of(first).wait()
    page.wait_for_timeout(4000)  # longer than nginx leaves a failed replica alone
    with rerun(page):
        page.reload()
    assert seat(page) == second


def test_without_a_replica_nginx_says_what_goes_on_and_tries_again(mortal: Site):
    for replica in mortal.replicas:
        replica.kill()
    with pytest.raises(urllib.error.HTTPError) as told:
        urllib.request.urlopen(mortal.url, timeout=30)
    body = told.value.read().decode()
    assert (told.value.code, told.value.headers["Content-Type"]) == (503, "text/html")
    assert "Headcount is starting again" in body
    assert 'http-equiv="refresh"' in body


def test_an_upload_a_picture_and_a_file_are_found_at_whichever_replica_the_visitor_sits(
    new_page: Callable[..., Page], public: Site, tmp_path: Path
):
    (tmp_path / "mine.npz").write_bytes(npz(arrays()))
    sitting: dict[str, Page] = {}
    for _ in range(12):
        open_app(page := new_page(), f"{public.url}/own_layer")
        sitting.setdefault(seat(page), page)
        if len(sitting) == 2:
            break
    assert len(sitting) == 2, "twelve visitors, and all sit at one replica"
    for page in sitting.values():
        with rerun(page):
            page.locator('input[type="file"]').first.set_input_files(tmp_path / "mine.npz")
        becomes(page, lambda page=page: title(page), MINE)
        shown = page.evaluate(LOGO)
        assert shown
        assert all(loaded for _, loaded in shown), shown
        open_app(page, f"{public.url}/models")
        with page.expect_download() as taken:
            page.get_by_role("button", name="CSV", exact=True).click()
        head, *rows = Path(taken.value.path()).read_text().splitlines()
        assert head.startswith("model,convention,")
        assert len(rows) > 49


def test_an_own_layer_that_is_lost_is_asked_for_again_and_the_next_file_is_taken(page: Page, mortal: Site, tmp_path: Path):
    """The browser still lists the file, but the replica that works on has never had it."""
    for name in ("mine.npz", "next.npz"):
        (tmp_path / name).write_bytes(npz(arrays()))
    alerts, field = page.locator('[data-testid="stAlert"]'), page.locator('input[type="file"]').first
    open_app(page, f"{mortal.url}/own_layer")
    with rerun(page):
        field.set_input_files(tmp_path / "mine.npz")
    becomes(page, lambda: title(page), MINE)
    with moving_on(page) as first:
        mortal.replica_of(first).kill()
    becomes(page, lambda: "The server does not have 1 file of this list" in " ".join(alerts.all_inner_texts()), True)
    assert title(page).startswith("Drop a file")
    with rerun(page):
        field.set_input_files(tmp_path / "next.npz")
    becomes(page, lambda: title(page), MINE)
    page.get_by_role("button", name="Remove mine.npz").click()
    becomes(page, lambda: alerts.count(), 0)
    assert title(page) == MINE


@pytest.mark.parametrize(("path", "most"), [("/", 1_700_000), ("/attention", 3_100_000)])
def test_a_first_visit_takes_few_bytes(new_page: Callable[..., Page], public: Site, path: str, most: int):
    """Counted are files as sent, and the websocket's messages."""
    page, sizes = new_page(alone=True), list[int]()
    told = page.context.new_cdp_session(page)
    told.send("Network.enable")
    told.on("Network.loadingFinished", lambda one: sizes.append(one["encodedDataLength"]))
    page.on("websocket", lambda socket: socket.on("framereceived", lambda data: sizes.append(len(data))))
    open_app(page, public.url + path)
    wait_until_settled(page)
    page.wait_for_load_state("networkidle")
    assert most // 2 < sum(sizes) <= most


FILES = [page.name for page in PAGES]
PATHS = ["" if name == "heads" else name for name in FILES]
LISTEN = """window.broken = [];
addEventListener('securitypolicyviolation', event => broken.push(`${event.violatedDirective} ${event.blockedURI}`));"""


def test_no_page_asks_for_what_the_policy_forbids(new_page: Callable[..., Page], public: Site):
    """Pages are opened one after the other, because after another site's page the browser would begin each in a new process."""
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
    """The policy works: a script that got into the page could neither run nor send anything."""
    page = new_page(script=LISTEN)
    open_app(page, public.url)
    page.evaluate(f"() => {{ setTimeout(() => {{ {code} }}) }}")  # later: what a debugger runs itself is above the policy
    becomes(page, lambda: any("Content Security Policy" in problem for problem in problems(page)), True)
    assert page.evaluate("window.ran") is None
    problems(page).clear()
