"""Bursts of arrow keys over a slow line: `python -m benchmarks.slow_line --rounds 200 --pages 6`.

Each page comes through a relay of its own in front of one server: 400 ms there and back and 60 kB/s each way, for everything on
the wire (Chromium's emulation leaves websockets out in some versions). In a round somebody presses arrow keys on sliders in a few
bursts, and waits. Wrong is: a slider that changes by itself, whenever that is; a slider that is not, at rest, where its last key
put it; an address or a picture that says something else than a new visitor of the address is shown, straight from the server.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright

from deploy.replicas import Server

LATENCY, RATE = 0.4, 60_000  # seconds there and back, bytes a second each way
AHEAD = 1.0  # seconds of bytes that the line takes before the sender has to wait
STILL, LONGEST = 2.0, 90.0  # seconds without a change that are rest; the longest that is waited for it
ROUNDS = 8  # on one page, before another is opened
PLACES = ("/", "/?split=Keras", "/attention", "/projections?split=Keras", "/concatenation", "/attention?split=Keras")
FOLLOWERS = ("Key size", "Value size")  # of the others, in the paper's way: each answer to those moves them
#: Notes each key on a slider, with the value before and after, and each change of a slider that was not made by a key.
RECORD = """() => {
  const text = (input) => input.getAttribute('aria-valuetext');
  const name = (input) => input.getAttribute('aria-label');
  const log = (window.slow = { keys: [], own: [], last: {} });
  let pressed = '';
  const look = () => {
    for (const input of document.querySelectorAll('[data-testid="stSidebar"] input[type=range][aria-label]')) {
      const label = name(input), value = text(input), before = log.last[label];
      if (value === null || label === 'Acknowledged') continue;
      if (before !== undefined && before !== value) {
        if (label === pressed) log.keys.push([Date.now(), label, before, value]);
        else log.own.push([Date.now(), label, before, value]);
      }
      log.last[label] = value;
    }
  };
  document.addEventListener('keydown', (event) => {
    look();
    pressed = event.target.matches?.('input[type=range]') ? name(event.target) : '';
    setTimeout(() => { look(); pressed = ''; });
  }, true);
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributeFilter: ['aria-valuetext'] });
  look();
}"""
#: What the screen says: the sliders, the address, the heading, and what each picture says of itself.
SCREEN = """() => {
  const sliders = {};
  for (const one of document.querySelectorAll('[data-testid="stSidebar"] input[type=range][aria-label]')) {
    const label = one.getAttribute('aria-label');
    if (label !== 'Acknowledged') sliders[label] = one.getAttribute('aria-valuetext');
  }
  const app = document.querySelector('[data-testid="stApp"]');
  const roots = [...document.querySelectorAll('[data-testid^="stBidiComponentIsolated"]')].map((one) => one.shadowRoot);
  const alts = roots.flatMap((root) => root ? [...root.querySelectorAll('[role=img],[aria-label]')] : [])
    .map((one) => (one.getAttribute('aria-label') ?? '').trim()).filter((text) => text.length > 20);
  const lit = roots.flatMap((root) => root ? [...root.querySelectorAll('.stage')] : []).map((box) => {
    const on = box.getRootNode().stage?.now?.frames?.filter(({ panel }) => panel.on) ?? [];
    return on.map(({ panel }) => [panel.id, ...panel.texts.map((one) => one.text)].join(' ')).join(' | ');
  }).filter(Boolean);
  return {
    state: `${app?.dataset.testConnectionState} ${app?.dataset.testScriptState}`
      + (document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]') ? ' stale' : ''),
    sliders, alts, lit, title: document.querySelector('h1')?.textContent ?? '',
    errors: document.querySelectorAll('[data-testid="stException"]').length,
    address: location.pathname + location.search,
  };
}"""
#: Sliders that can be moved.
FREE = """() => [...document.querySelectorAll('[data-testid="stSidebar"] input[type=range][aria-label]:enabled')]
  .map((one) => one.getAttribute('aria-label')).filter((label) => label !== 'Acknowledged')"""


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Line:
    """A relay to `port` that is slow when `slow` is set: what it takes reaches the other side late."""

    def __init__(self, port: int):
        self.port, self.slow, self.pending, self.last = port, False, 0, 0.0
        self.free = {"up": 0.0, "down": 0.0}  # when the line has sent all that it has taken

    async def open(self, port: int) -> None:
        self.server = await asyncio.start_server(self._take, "127.0.0.1", port, limit=1 << 14)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        upstream, out = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 14)
        await asyncio.gather(self._pass(reader, out, "up"), self._pass(upstream, writer, "down"), return_exceptions=True)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: str) -> None:
        queue: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        sending = asyncio.create_task(self._send(queue, writer))
        while data := await reader.read(4096):
            now = time.monotonic()
            due = now
            if self.slow:
                self.free[way] = max(self.free[way], now) + len(data) / RATE
                due = self.free[way] + LATENCY / 2
            self.pending, self.last = self.pending + len(data), now
            queue.put_nowait((due, data))
            if (wait := self.free[way] - now - AHEAD) > 0 and self.slow:
                await asyncio.sleep(wait)
        queue.put_nowait((time.monotonic(), b""))
        await sending

    async def _send(self, queue: "asyncio.Queue[tuple[float, bytes]]", writer: asyncio.StreamWriter) -> None:
        while True:
            due, data = await queue.get()
            if (wait := due - time.monotonic()) > 0:
                await asyncio.sleep(wait)
            if not data:
                writer.close()
                return
            writer.write(data)
            self.pending, self.last = self.pending - len(data), time.monotonic()
            await writer.drain()


async def rest(page: Page, line: Line) -> dict | None:
    """The screen once nothing has changed on it, and nothing but a question was on the line, for STILL seconds; None if never."""
    deadline, before, since = time.monotonic() + LONGEST, None, time.monotonic()
    while time.monotonic() < deadline:
        await asyncio.sleep(0.25)
        screen = await page.evaluate(SCREEN)
        still = screen["state"] == "CONNECTED notRunning" and not line.pending and screen == before
        if not still:
            since = time.monotonic()
        elif time.monotonic() - since >= STILL:
            return screen
        before = screen
    return None


class Truth:
    """What a new visitor of an address is shown, straight from the server."""

    def __init__(self, browser: Browser, port: int):
        self.browser, self.port, self.lock = browser, port, asyncio.Lock()
        self.seen: dict[str, dict] = {}

    async def of(self, address: str) -> dict:
        async with self.lock:
            if address not in self.seen:
                context = await self.browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
                page = await context.new_page()
                await page.goto(f"http://127.0.0.1:{self.port}{address}", timeout=120_000)
                line = Line(0)
                screens = [await rest(page, line)]
                while len(screens) < 4 and not (screens[-1] and screens[-1]["alts"]):  # a layer may be too large for a picture
                    screens.append(await rest(page, line))
                self.seen[address] = screens[-1] or {"sliders": None, "title": None, "alts": None, "lit": None}
                await context.close()
            return self.seen[address]


async def keys_in_bursts(page: Page, chance: random.Random) -> list[str]:
    """Three bursts of three to nine keys on one of the sliders each, 0.5 to 3 s apart."""
    pressed = []
    for burst in range(3):
        label = chance.choice(await page.evaluate(FREE))
        keys = [chance.choice(("ArrowRight", "ArrowRight", "ArrowLeft"))] * chance.randint(3, 9)
        if chance.random() < 0.5:
            keys = [chance.choice(("ArrowRight", "ArrowLeft")) for _ in keys]
        await page.locator(f'[data-testid="stSidebar"] input[type="range"][aria-label="{label}"]').first.focus(timeout=60_000)
        for key in keys:
            await page.keyboard.press(key)
            await asyncio.sleep(chance.uniform(0.04, 0.2))
        pressed.append(f"{label} {''.join(key[5] for key in keys)}")
        if burst < 2:
            await asyncio.sleep(chance.uniform(0.5, 3))
    return pressed


async def play(page: Page, line: Line, truth: Truth, chance: random.Random, watch: float) -> dict:
    """One round; `wrong`: what was, in sentences."""
    await page.evaluate("() => { slow.keys = []; slow.own = []; }")
    begun = await page.evaluate(SCREEN)
    line.slow = True
    pressed = await keys_in_bursts(page, chance)
    last_key = time.monotonic()
    screen = await rest(page, line)
    wrong = []
    took = time.monotonic() - last_key
    if screen is None:
        wrong.append(f"no rest after {LONGEST:.0f} s")
        screen = await page.evaluate(SCREEN)
    rested = await page.evaluate("() => Date.now()") - 1000 * STILL
    await asyncio.sleep(watch)
    log, after = await page.evaluate("() => slow"), await page.evaluate(SCREEN)
    line.slow = False
    by_itself = [one for one in log["own"] if one[0] > rested or not one[1].startswith(FOLLOWERS)]
    wrong += [f"moved by itself: {one}" for one in by_itself]
    if after["sliders"] != screen["sliders"] or after["address"] != screen["address"]:
        wrong.append(f"after rest {after['sliders']} {after['address']}")
    for label in {label for _, label, _, _ in log["keys"]}:
        want = [to for _, one, _, to in log["keys"] if one == label][-1]
        if after["sliders"].get(label) != want:
            wrong.append(f"{label}: the last key said {want}, at rest {after['sliders'].get(label)}")
    told = await truth.of(after["address"])
    for what in ("sliders", "title", "alts", "lit"):
        if told[what] != after[what]:
            wrong.append(f"{what} at {after['address']}: {after[what]!r} instead of {told[what]!r}")
    if after["errors"]:
        wrong.append("an error on the page")
    moves = len(log["keys"])
    return {"begun": begun["address"], "pressed": pressed, "moves": moves, "rest_s": round(took, 1), "wrong": wrong,
            "end": after["address"], "keys": log["keys"] if wrong else []}  # fmt: skip


async def visitor(number: int, browser: Browser, truth: Truth, port: int, arguments: argparse.Namespace, rounds: list[dict],
                  out) -> None:  # fmt: skip
    chance, line = random.Random(arguments.seed * 1000 + number), Line(port)
    await line.open(arguments.port + 1 + number)
    page, played = None, 0
    while len(rounds) < arguments.rounds:
        try:
            if page is None or played % ROUNDS == 0:
                if page is not None:
                    await page.context.close()
                context = await browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
                page = await context.new_page()
                place = arguments.places[(number + played // ROUNDS) % len(arguments.places)]
                await page.goto(f"http://127.0.0.1:{arguments.port + 1 + number}{place}", timeout=120_000)
                while (await rest(page, line) or {"sliders": {}})["sliders"] == {}:
                    pass
                await page.evaluate(RECORD)
            played += 1
            done = await play(page, line, truth, chance, arguments.watch)
        except Exception as error:  # of the browser: the round does not count
            say(f"page {number}: not played: {error}")
            line.slow, played = False, played - played % ROUNDS + ROUNDS
            continue
        rounds.append({"page": number, **done})
        out.write(json.dumps(rounds[-1]) + "\n")
        out.flush()
        mark = "; ".join(done["wrong"])[:600] or "ok"
        say(f"{len(rounds):3} page {number} {done['moves']:2} moves, rest after {done['rest_s']} s, {done['end']}: {mark}")
        if done["wrong"]:
            played += ROUNDS - played % ROUNDS  # begin anew


async def main(arguments: argparse.Namespace) -> int:
    rounds: list[dict] = []
    folder = tempfile.TemporaryDirectory()
    with folder as at, Server(Path(at) / "log", port=arguments.port) as server, arguments.out.open("a") as out:
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
            truth = Truth(browser, server.port)
            async with asyncio.TaskGroup() as group:
                for number in range(arguments.pages):
                    group.create_task(visitor(number, browser, truth, server.port, arguments, rounds, out))
            await browser.close()
        say(server.log.read_text()[-1500:])
    wrong = [one for one in rounds if one["wrong"]]
    kinds = Counter(sentence.split(":")[0].split(" at ")[0] for one in wrong for sentence in one["wrong"])
    say(f"{len(rounds)} rounds, {sum(one['moves'] for one in rounds)} moves, {len(wrong)} wrong: {dict(kinds)}")
    return bool(wrong)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--pages", type=int, default=6)
    parser.add_argument("--port", type=int, default=8610)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--watch", type=float, default=6.0)
    parser.add_argument("--places", nargs="*", default=list(PLACES))
    parser.add_argument("--out", type=Path, default=Path("build/slow_line.jsonl"))
    sys.exit(asyncio.run(main(parser.parse_args())))
