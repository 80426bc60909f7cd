"""Measures the time from a key press on a slider to the new picture, in Chromium on the server's machine: `python -m
benchmarks.paint [num_heads|d_model|key_dim|value_dim] [--moves N]`. A script in the page takes the times
(`benchmarks/probe.js`)."""

import statistics
import sys
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.load import HEADS
from benchmarks.measured import options, say, write
from headcount.names import BY_CODE
from tests.serving import chromium, new_page, served

MAX_MS, WARM_UP = 300, 4  # the target; moves to each of the five stops before the measurement
REST_MS = 1200  # until a move and its animation are over
PROBE = (Path(__file__).parent / "probe.js").read_text()
OWN_SIZES = "split=free&numbers=seed&"
#: By code: the stops of a slider, the rest of the address, and the pages whose picture the slider changes.
SLIDERS = {
    "num_heads": (HEADS, "", ("/", "/projections", "/attention", "/concatenation")),
    "d_model": ((8, 12, 16, 24, 32), OWN_SIZES, ("/", "/projections", "/attention")),
    "key_dim": ((2, 3, 4, 6, 8), OWN_SIZES, ("/", "/projections", "/attention")),
    "value_dim": ((2, 3, 4, 6, 8), OWN_SIZES, ("/", "/concatenation")),
}


def median(browser: Browser, url: str, code: str, stops: int, moves: int) -> int:
    """Presses an arrow key `moves` times, up and down a slider. Returns the median milliseconds until the new picture."""
    page, found = new_page(browser), []
    page.add_init_script(PROBE)
    page.goto(url)
    slider = page.locator(f'input[type=range][aria-label="{BY_CODE[code].label} `{code}`"]').first
    slider.wait_for(state="attached")
    page.wait_for_timeout(5 * REST_MS)
    for number in range(WARM_UP + moves):
        slider.focus()
        page.evaluate("probe.arm()")
        page.keyboard.press("ArrowRight" if number % (2 * stops - 2) < stops - 1 else "ArrowLeft")
        page.wait_for_function("probe.main > 0")
        page.wait_for_timeout(REST_MS)
        found.append(page.evaluate("probe.main"))
    page.context.close()
    return round(statistics.median(found[WARM_UP:]))


def main() -> int:
    args, rows = options(__doc__, what=list(SLIDERS), moves=12), {}
    with chromium() as browser, served() as app:
        for code in [args.what] if args.what else SLIDERS:
            stops, query, pages = SLIDERS[code]
            for path in pages:
                url = f"{app.url}{path}?{query}{code}={stops[0]}"
                rows[f"{code} on {path}"] = row = {"main_ms": median(browser, url, code, len(stops), args.moves)}
                say(f"{code} on {path}: {row}")
    return write("paint", rows, {name: row["main_ms"] <= MAX_MS for name, row in rows.items()})


if __name__ == "__main__":
    sys.exit(main())
