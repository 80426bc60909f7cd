"""Measures when a page of the static build is visible, and when its slider works: `python -m benchmarks.cover [--rounds N]`.
Chromium simulates a processor 4 times slower, and a line of 9 Mbit/s and 60 ms. Each page is measured in two widths and two
themes. Its result is the largest of the four medians."""

import statistics
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import product

from playwright.sync_api import Browser

from benchmarks.measured import options, write
from deploy.static.build import OUT
from deploy.static.cover import LIVE, page_file
from tests.serving import chromium

SEEN_S, ALIVE_S = 1.5, 2.0
LINE = {"offline": False, "latency": 60, "downloadThroughput": 9e6 / 8, "uploadThroughput": 9e6 / 8}
#: A script that notes when heading and picture are on the page, and when Heads moves.
WATCH = """const look = () => {
  const svgs = [...document.querySelectorAll('figure svg')].filter((one) => one.getBoundingClientRect().width > 100);
  if (document.querySelector('h1') && svgs.length) window.seen ??= performance.now() / 1000;
  if (document.documentElement?.dataset.alive) window.alive = performance.now() / 1000; else requestAnimationFrame(look);
};
requestAnimationFrame(look);"""


def times(browser: Browser, url: str, width: int, theme: str) -> tuple[float, float]:
    """Returns the seconds from the navigation until the page is visible, and until its slider works."""
    page = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme).new_page()
    told = page.context.new_cdp_session(page)
    told.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    told.send("Network.enable")
    told.send("Network.emulateNetworkConditions", LINE)
    page.add_init_script(WATCH)
    page.goto(url, wait_until="commit")
    page.wait_for_function("window.alive")
    found = page.evaluate("[seen, alive]")
    page.context.close()
    return found[0], found[1]


def main() -> int:
    rounds, figures = options(__doc__, rounds=5).rounds, {}
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=OUT)) as server, chromium() as browser:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name in ("", *(one.name for one in LIVE[1:])):
            url = f"http://127.0.0.1:{server.server_port}/{page_file(name, '')}"
            looks = product((1280, 390), ("light", "dark"))
            runs = [[times(browser, url, *look) for _ in range(rounds)] for look in looks]
            seen, alive = (max(statistics.median(one[at] for one in each) for each in runs) for at in (0, 1))
            figures[name or "heads"] = {"seen_s": round(seen, 2), "alive_s": round(alive, 2)}
        server.shutdown()
    most = {"seen": SEEN_S, "alive": ALIVE_S}
    met = {name: all(one[f"{name}_s"] <= bound for one in figures.values()) for name, bound in most.items()}
    return write("cover", figures, met, rounds=rounds)


if __name__ == "__main__":
    sys.exit(main())
