"""A replica dies under a visitor's hands: the screen works on at the next one, and nothing on it is lost."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.browser.helpers import open_app, press, problems, query, rerun, slider, wait_until_settled
from tests.browser.screen import arithmetic, becomes, everything, shown_stop, title, written
from tests.browser.stage import lit_card
from tests.browser.watch import watch_of
from tests.deploy.site import Site, seat
from tests.mha.loading.files import arrays, npz

pytestmark = pytest.mark.browser
LINK = "/attention?num_heads=8&query_len=5&key_len=7&mask=causal&seed=3&cell=weights.2.4.3&tokens=one+two+three+four+five"
CONNECTED = "document.querySelector('[data-testid=\"stApp\"]')?.dataset.testConnectionState === 'CONNECTED'"


@contextmanager
def moving_on(page: Page) -> Iterator[str]:
    """Around the death of the visitor's replica, whose seat it gives: leaves when the next one has drawn the screen."""
    before, drawn = seat(page), watch_of(page).complete
    yield before
    becomes(page, lambda: seat(page), lambda now: now != before)
    becomes(page, lambda: page.evaluate(CONNECTED), True)
    wait_until_settled(page, drawn + 1)
    problems(page).clear()  # what the browser said about the dead one is no fault


def test_after_kill_9_the_same_screen_works_on_and_the_next_move_counts(page: Page, mortal: Site):
    open_app(page, mortal.url + LINK)
    shown = everything(page)
    assert arithmetic(page)
    with moving_on(page) as first:
        mortal.replica_of(first).kill()
    assert everything(page) == shown
    press(page, "Heads `num_heads`", "ArrowRight")
    assert query(page)["num_heads"] == "16"
    assert title(page).startswith("16 heads, 16 maps")
    assert (query(page)["cell"], written(page, "tokens")) == ("weights.2.4.3", "one two three four five")


def test_a_move_in_the_moment_of_death_counts_or_is_taken_back_whole_and_the_next_one_counts(page: Page, mortal: Site):
    open_app(page, f"{mortal.url}/?num_heads=2")
    with moving_on(page) as first:
        mortal.replica_of(first).kill()
        slider(page, "Heads `num_heads`").focus()
        page.keyboard.press("ArrowRight")
    heads = shown_stop(page, "num_heads")
    assert heads in (2, 4)
    assert lit_card(page)[0] == f"paper {heads}"
    press(page, "Heads `num_heads`", "ArrowRight")
    assert (lit_card(page)[0], shown_stop(page, "num_heads")) == (f"paper {2 * heads}", 2 * heads)


def test_in_a_rolling_restart_the_screen_stays_and_each_move_counts(page: Page, mortal: Site):
    """Each replica goes and comes back in its turn, as an update does it."""
    open_app(page, f"{mortal.url}/projections?d_model=32&num_heads=1")
    heads = 1
    for _ in range(2):
        with moving_on(page) as sits:
            replica = mortal.replica_of(sits)
            replica.stop()
        press(page, "Heads `num_heads`", "ArrowRight")
        heads *= 2
        assert title(page) == f"Each head reads all of X through its own 32 × {32 // heads} piece."
        assert query(page)["d_model"] == "32"
        replica.start()
        replica.wait()


def test_an_own_layer_that_is_lost_is_asked_for_again_and_the_next_file_is_taken(page: Page, mortal: Site, tmp_path: Path):
    """The browser still lists the file, and the replica that works on has never had it."""
    for name in ("mine.npz", "next.npz"):
        (tmp_path / name).write_bytes(npz(arrays()))
    mine = "3 heads, 11 wide: your layer has 854 parameters."
    alerts, field = page.locator('[data-testid="stAlert"]'), page.locator('input[type="file"]').first
    open_app(page, f"{mortal.url}/own_layer")
    with rerun(page):
        field.set_input_files(tmp_path / "mine.npz")
    becomes(page, lambda: title(page), mine)
    with moving_on(page) as first:
        mortal.replica_of(first).kill()
    becomes(page, lambda: "The server does not have 1 file of this list" in " ".join(alerts.all_inner_texts()), True)
    assert title(page).startswith("Drop a file")
    with rerun(page):
        field.set_input_files(tmp_path / "next.npz")
    becomes(page, lambda: title(page), mine)
    page.get_by_role("button", name="Remove mine.npz").click()
    becomes(page, lambda: alerts.count(), 0)
    assert title(page) == mine


def test_who_moved_to_another_replica_stays_there_when_the_first_is_back(page: Page, mortal: Site):
    """Pictures and files belong to the session; a cookie that led back to the first one would ask for them in vain."""
    open_app(page, f"{mortal.url}/")
    with moving_on(page) as first:
        mortal.replica_of(first).kill()
    second = seat(page)
    mortal.replica_of(first).start()
    mortal.replica_of(first).wait()
    page.wait_for_timeout(4000)  # longer than nginx leaves a failed replica alone
    with rerun(page):
        page.reload()
    assert seat(page) == second
