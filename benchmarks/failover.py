"""How long a visitor waits when the replica in use is killed: `python -m benchmarks.failover [--kills N]`.

Two replicas behind nginx, one visitor in Chromium. Each time the visitor's replica is ended by SIGKILL; measured is the time
until the page is connected again and has drawn the same screen, and whether the next move counts. Then the dead one is started
again. Writes `benchmarks/results/failover.json`.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page

from benchmarks.load import HEADS
from benchmarks.serving import chromium, new_page, options, percentile, say, write
from deploy.replicas import Site, site

MOST = 2.0
LINK = "/attention?num_heads={heads}&query_len=5&key_len=7&mask=causal&cell=weights.1.4.3&tokens=one+two+three+four+five"
#: True when the page is connected and has drawn all that is on it.
STATE = """() => { const app = document.querySelector('[data-testid="stApp"]'); return app &&
  app.dataset.testConnectionState === 'CONNECTED' && app.dataset.testScriptState === 'notRunning' &&
  !document.querySelector('[data-stale="true"]'); }"""
TITLE = "document.querySelector('h1')?.innerText || ''"
SHOWN = f"""() => JSON.stringify([{TITLE}, [...document.querySelectorAll('input')].map(one => one.value),
  [...document.querySelectorAll('.st-key-explain annotation')].map(one => one.textContent), location.search])"""


def seat(page: Page) -> str:
    """The number of the replica at which the visitor sits."""
    return next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "headcount_seat")


def wait_until(page: Page, true: Callable[[], object], patience: float = 60.0) -> None:
    """TimeoutError after so many seconds."""
    deadline = time.perf_counter() + patience
    while not true():
        if time.perf_counter() > deadline:
            raise TimeoutError
        page.wait_for_timeout(10)


def settled(page: Page) -> str:
    """All that is shown, when it has not changed for a second (the check line waits for Keras)."""
    still, before = 0, ""
    while still < 10:
        page.wait_for_timeout(100)
        now = page.evaluate(SHOWN)
        still, before = (still + 1 if now == before and page.evaluate(STATE) else 0), now
    return before


def one_kill(page: Page, public: Site, heads: int) -> tuple[dict, int]:
    """What happened, and the head count after it. `heads` are shown; the first key afterwards doubles them, or halves the last
    stop."""
    shown, first = settled(page), seat(page)
    replica = public.replica_of(first)
    replica.kill()
    began = time.perf_counter()
    wait_until(page, lambda: seat(page) != first and page.evaluate(STATE))
    usable = time.perf_counter() - began
    same = page.evaluate(SHOWN) == shown
    page.wait_for_timeout(500)
    same = same and page.evaluate(SHOWN) == shown
    following = 2 * heads if heads < HEADS[-1] else heads // 2
    page.locator("input[type=range][aria-label='Heads `num_heads`']").first.focus()
    page.keyboard.press("ArrowRight" if following > heads else "ArrowLeft")
    counts = True
    try:
        wait_until(page, lambda: page.evaluate(TITLE).startswith(f"{following} head"), 10)
    except TimeoutError:
        counts, following = False, heads
    replica.start()
    replica.wait()
    page.wait_for_timeout(4000)  # until nginx asks it again
    return {"usable_s": round(usable, 2), "same_screen": same, "next_move_counts": counts}, following


def main() -> int:
    kills = options(__doc__, kills=20).kills
    rows, heads = [], 4
    with tempfile.TemporaryDirectory() as folder, site(Path(folder)) as public, chromium() as browser:
        page = new_page(browser)
        page.goto(public.url + LINK.format(heads=heads))
        wait_until(page, lambda: page.evaluate(STATE) and page.locator("h1").count())
        page.wait_for_timeout(3000)
        for number in range(kills):
            row, heads = one_kill(page, public, heads)
            rows.append(row)
            say(f"{number + 1:3} {row}")
    times = [row["usable_s"] for row in rows]
    good = sum(row["same_screen"] and row["next_move_counts"] and row["usable_s"] <= MOST for row in rows)
    figures = {"kills": kills, "good": good, "median_s": percentile(times, 50), "longest_s": max(times), "each": rows}
    say(f"{good} of {kills}; median {figures['median_s']} s, longest {figures['longest_s']} s")
    return write("failover", figures, {f"usable within {MOST:g} s, same screen, next move counts": good == kills})


if __name__ == "__main__":
    sys.exit(main())
