"""What the app without a server weighs and how long it takes: `python -m benchmarks.static` (after `make static`).

A plain web server on the same machine serves build/static to Chromium. Cold: a visitor who was never there, with an empty store.
Second visit: the same browser again. The move is a press on the heads slider, from stop to stop through all of them, until the
title has changed (the picture has before: it was drawn ahead). The app's own server takes turns with it, one press each, so that
a busy moment of the machine meets both. Writes `benchmarks/results/static.json`.
"""

import gzip
import http.server
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from playwright.sync_api import BrowserContext, Page

from benchmarks.load import HEADS
from benchmarks.serving import chromium, options, percentile, say, served, write

FOLDER = Path(__file__).parents[1] / "build" / "static"
#: Seconds, and how many times as long as on the server.
COLD, SECOND, FIRST, MOVE = 8.0, 3.0, 1.0, 1.5
WARM_UP = 8  # moves: each stop has been seen
PACKED = (".zip", ".bin", ".woff2")
#: Notes when the frame is painted in which the app stands, in milliseconds since the navigation: a question from outside would
#: wait for what the page does next.
PAINTED = """document.addEventListener("DOMContentLoaded", () => new MutationObserver((_, seen) => {
  if (document.documentElement.dataset.ready === undefined) return;
  seen.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.paintedAt = performance.now(); }));
}).observe(document.documentElement, { attributes: true }));"""
#: In the page: milliseconds from a key press to the frame in which the title has changed.
WATCH = """() => {
  const watched = (window.watched = { taken: 0 }), title = () => document.querySelector("#root h1")?.innerText;
  addEventListener("keydown", () => {
    const began = performance.now(), before = title(), { port1, port2 } = new MessageChannel();
    watched.taken = 0;
    port1.onmessage = () => { watched.taken = performance.now() - began; };
    const look = () => (title() === before ? requestAnimationFrame(look) : port2.postMessage(0));
    requestAnimationFrame(look);
  }, true);
}"""
KEPT = """async (count) => {
  for (const name of await caches.keys()) if ((await (await caches.open(name)).keys()).length === count) return true;
  return false;
}"""


class Counting(http.server.SimpleHTTPRequestHandler):
    """Notes what a page asked for: not what its service worker keeps for later."""

    asked: set[str] = set()

    def do_GET(self) -> None:
        if not self.headers.get("Referer", "").endswith("/offline.js"):
            self.asked.add(self.path.partition("?")[0].lstrip("/"))
        super().do_GET()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def plain_server() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Counting, directory=FOLDER))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


def travels(path: Path) -> int:
    """Bytes on the way: what is not packed yet, a web server packs with gzip."""
    data = path.read_bytes()
    return len(data) if path.name.endswith(PACKED) else len(gzip.compress(data, 6))


def visit(context: BrowserContext, url: str) -> tuple[Page, float, float]:
    """Seconds from the navigation to the picture that waits in the page, and to the app's own."""
    page = context.new_page()
    page.add_init_script(PAINTED)
    began = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.wait_for_function("document.querySelector('#ahead img')?.complete")
    first = time.perf_counter() - began
    ready = page.wait_for_function("window.paintedAt", timeout=120_000).json_value()
    return page, first, ready / 1000


class Mover:
    """A page whose heads slider is moved, one stop at a time, up and down through all of them."""

    def __init__(self, page: Page):
        self.page, self.number, self.times = page, 0, []
        self.page.evaluate(WATCH)

    def move(self, keep: bool) -> None:
        stops = len(HEADS) - 1
        up = (self.number + HEADS.index(4)) % (2 * stops) < stops
        self.number += 1
        self.page.bring_to_front()
        self.page.locator("input[type=range][aria-label='Heads `num_heads`']").first.focus()
        self.page.wait_for_timeout(300)
        self.page.keyboard.press("ArrowRight" if up else "ArrowLeft")
        taken = self.page.wait_for_function("watched.taken", timeout=60_000).json_value()
        self.page.wait_for_timeout(700)  # longer than the picture's glide
        if keep:
            self.times.append(taken)


def main() -> int:
    args = options(__doc__, rounds=3, moves=32)
    files = {file.relative_to(FOLDER).as_posix(): file for file in FOLDER.rglob("*") if file.is_file()}
    cold, second, first = [], [], []
    with plain_server() as url, chromium() as browser:
        for turn in range(args.rounds):
            Counting.asked.clear()
            context = browser.new_context(viewport={"width": 1280, "height": 720})
            page, ahead, ready = visit(context, url)
            if turn == 0:
                asked = {name or "index.html" for name in Counting.asked} & set(files)
            cold.append(ready)
            first.append(ahead)
            page.wait_for_function(KEPT, arg=len(files) - 1, timeout=60_000)
            page.wait_for_timeout(3000)  # nobody comes back while the browser still writes to its disk
            page.close()
            page, _, ready = visit(context, url)
            second.append(ready)
            say(f"first picture {ahead:.2f} s, the app {cold[-1]:.2f} s, second visit {ready:.2f} s")
            if turn < args.rounds - 1:
                context.close()
        with served() as server:
            other = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
            other.goto(server.url)
            other.wait_for_selector("#root h1")
            other.wait_for_timeout(3000)
            here, there = Mover(page), Mover(other)
            for number in range(WARM_UP + args.moves):
                for mover in (here, there):
                    mover.move(number >= WARM_UP)
    quarters = {
        name: [percentile(mover.times, percent) for percent in (25, 50, 75)] for name, mover in (("here", here), ("there", there))
    }
    figures = {
        "first_picture_s": percentile(first, 50), "cold_s": percentile(cold, 50), "second_s": percentile(second, 50),
        "move_ms": quarters["here"][1], "server_move_ms": quarters["there"][1], "rounds": args.rounds, "moves": args.moves,
        "move_quartiles": quarters["here"][::2], "server_move_quartiles": quarters["there"][::2],
        "at_first_mb": sum(travels(files[name]) for name in asked) / 1e6, "all_mb": sum(map(travels, files.values())) / 1e6,
        "on_disk_mb": sum(file.stat().st_size for file in files.values()) / 1e6, "files": len(files),
        "parts_mb": {name: travels(files[name]) / 1e6 for name in sorted(asked, key=lambda name: -travels(files[name]))[:8]},
    }  # fmt: skip
    met = {
        f"first picture within {FIRST:g} s": figures["first_picture_s"] <= FIRST,
        f"the app within {COLD:g} s, cold": figures["cold_s"] <= COLD,
        f"within {SECOND:g} s on the second visit": figures["second_s"] <= SECOND,
        f"a move at most {MOVE:g} times the server's": figures["move_ms"] <= MOVE * figures["server_move_ms"],
    }
    return write("static", figures, met)


if __name__ == "__main__":
    sys.exit(main())
