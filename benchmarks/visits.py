"""What a first and a second visit to each page costs a browser: `python -m benchmarks.visits [--rounds N]`.

Of each page, in Chromium on a laptop's screen: requests and bytes on the wire until nothing more comes, the time of the largest
contentful paint, and how far things moved while the page came up (cumulative layout shift, https://web.dev/articles/cls). First:
an empty cache; second: the same browser once more. Writes `benchmarks/results/visits.json`, medians of all rounds.
"""

import statistics
import sys

from playwright.sync_api import BrowserContext

from benchmarks.serving import chromium, options, page_addresses, say, served, write
from deploy.replicas import production

#: web.dev's bound for a page that does not jump.
MOST_SHIFT = 0.1
MOST_PAINT_S = 2.5
#: Counted from the start of the navigation on; a shift soon after somebody's input would not count.
PROBE = """(() => {
  window.seen = { paint: 0, shift: 0 };
  const watch = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  watch("largest-contentful-paint", (entry) => { seen.paint = entry.startTime; });
  watch("layout-shift", (entry) => { if (!entry.hadRecentInput) seen.shift += entry.value; });
})()"""
STANDS = """() => document.querySelector('h1')
  && document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"""
QUIET_MS = 1000


def visit(context: BrowserContext, url: str) -> dict[str, float]:
    page = context.new_page()
    tools = context.new_cdp_session(page)
    tools.send("Network.enable")
    wire = {"requests": 0, "bytes": 0.0}

    def sent(event: dict) -> None:
        wire["requests"] += event["request"]["url"].startswith("http")

    def loaded(event: dict) -> None:
        wire["bytes"] += event["encodedDataLength"]

    def told(event: dict) -> None:
        wire["bytes"] += len(event["response"]["payloadData"]) * 3 / 4  # binary messages are given in base64

    tools.on("Network.requestWillBeSent", sent)
    tools.on("Network.loadingFinished", loaded)
    tools.on("Network.webSocketFrameReceived", told)
    page.add_init_script(PROBE)
    page.goto(url, wait_until="commit")
    page.wait_for_function(STANDS, timeout=60_000)
    page.wait_for_timeout(QUIET_MS)
    seen = page.evaluate("window.seen")
    page.close()
    return {
        "requests": wire["requests"], "kB": wire["bytes"] / 1e3, "largest_paint_s": seen["paint"] / 1e3, "shift": seen["shift"],
    }  # fmt: skip


def main() -> int:
    rounds = options(__doc__, rounds=3).rounds
    figures: dict[str, dict] = {}
    with served(**production()) as server, chromium() as browser:
        for address in page_addresses():
            visits: dict[str, list[dict[str, float]]] = {"first": [], "second": []}
            for number in range(rounds + 1):
                context = browser.new_context(viewport={"width": 1280, "height": 720})
                for name, seen in visits.items():
                    seen.append(visit(context, server.url + address))
                    if number == 0:  # what the server imports for the first visitor of all
                        visits[name].clear()
                context.close()
            figures[address] = {
                name: {what: round(statistics.median(one[what] for one in seen), 3) for what in seen[0]}
                for name, seen in visits.items()
            }  # fmt: skip
            say(f"{address:24} {figures[address]}")
    rows = [row[name] for row in figures.values() for name in ("first", "second")]
    return write("visits", figures, {
        f"nothing jumps (at most {MOST_SHIFT})": all(row["shift"] <= MOST_SHIFT for row in rows),
        f"the largest paint within {MOST_PAINT_S:g} s": all(row["largest_paint_s"] <= MOST_PAINT_S for row in rows),
    })  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
