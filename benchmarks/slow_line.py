"""Bursts of arrow keys over a slow line: `python -m benchmarks.slow_line --rounds 200 --pages 6`.

Each page comes through a relay of its own in front of one server: 400 ms there and back and 60 kB/s each way, for everything on
the wire (Chromium's emulation leaves websockets out in some versions). In a round somebody presses arrow keys on sliders in a few
bursts, and waits. Wrong is: a slider that changes by itself, whenever that is; a slider that is not, at rest, where its last key
put it; an address or a picture that says something else than a new visitor of the address is shown, straight from the server.
"""

import asyncio
import random
import sys
import time
from argparse import Namespace
from collections import Counter

from playwright.async_api import Browser, Error, Page, async_playwright

from benchmarks.measured import options, say
from tests.serving import Server, find_chromium, free_port, served

LATENCY, RATE = 0.4, 60_000  # seconds there and back, bytes a second each way
AHEAD = 1.0  # seconds of bytes that the line takes before the sender has to wait
STILL, LONGEST, WATCH = 2.0, 90.0, 6.0  # seconds without a change that are rest; waited for it at most; watched afterwards
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


class Line:
    """A relay to `port` that is slow when `slow` is set: what it takes reaches the other side late."""

    def __init__(self, port: int):
        self.port, self.slow, self.pending = port, False, 0
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
            due = now = time.monotonic()
            if self.slow:
                self.free[way] = max(self.free[way], now) + len(data) / RATE
                due = self.free[way] + LATENCY / 2
            self.pending += len(data)
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
            self.pending -= len(data)
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


async def opened(browser: Browser, url: str, line: Line) -> Page:
    """A page of a new visitor, at rest."""
    page = await (await browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")).new_page()
    await page.goto(url, timeout=120_000)
    for _ in range(4):  # a layer may be too large for a picture
        if (screen := await rest(page, line)) and screen["alts"]:
            break
    return page


async def truth(browser: Browser, server: str, address: str) -> dict:
    """What a new visitor of an address is shown, straight from the server."""
    page = await opened(browser, server + address, Line(0))
    screen = await page.evaluate(SCREEN)
    await page.context.close()
    return screen


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


async def play(page: Page, line: Line, server: str, chance: random.Random) -> tuple[str, list[str]]:
    """One round: what was pressed and where it ended; and what was wrong, in sentences."""
    await page.evaluate("() => { slow.keys = []; slow.own = []; }")
    line.slow = True
    pressed = await keys_in_bursts(page, chance)
    screen = await rest(page, line)
    wrong = [] if screen else [f"no rest after {LONGEST:.0f} s"]
    screen = screen or await page.evaluate(SCREEN)
    rested = await page.evaluate("() => Date.now()") - 1000 * STILL
    await asyncio.sleep(WATCH)
    log, after = await page.evaluate("() => slow"), await page.evaluate(SCREEN)
    line.slow = False
    wrong += [f"moved by itself: {one}" for one in log["own"] if one[0] > rested or not one[1].startswith(FOLLOWERS)]
    if (after["sliders"], after["address"]) != (screen["sliders"], screen["address"]):
        wrong.append(f"after rest {after['sliders']} {after['address']}")
    last = {label: to for _, label, _, to in log["keys"]}
    wrong += [f"{label}: the last key said {want}, at rest {after['sliders'].get(label)}"
              for label, want in last.items() if after["sliders"].get(label) != want]  # fmt: skip
    shown = await truth(page.context.browser, server, after["address"])
    wrong += [f"{what} at {after['address']}: {after[what]!r} instead of {shown[what]!r}"
              for what in ("sliders", "title", "alts", "lit") if shown[what] != after[what]]  # fmt: skip
    wrong += ["an error on the page"] * bool(after["errors"])
    return f"{', '.join(pressed)}, {after['address']}", wrong


async def visitor(number: int, browser: Browser, server: Server, arguments: Namespace, rounds: list[list[str]]) -> None:
    """Rounds on one page after another, until there are enough of all visitors."""
    chance, line = random.Random(arguments.seed * 1000 + number), Line(server.port)
    port = free_port()
    await line.open(port)
    page, played = None, 0
    while len(rounds) < arguments.rounds:
        try:
            if page is None:
                place = PLACES[(number + played) % len(PLACES)]
                page, left, played = await opened(browser, f"http://127.0.0.1:{port}{place}", line), ROUNDS, played + 1
                await page.evaluate(RECORD)
            told, wrong = await play(page, line, server.url, chance)
        except Error as error:  # of the browser: the round does not count
            say(f"page {number}: not played: {error}")
            line.slow, page = False, None
            continue
        rounds.append(wrong)
        say(f"{len(rounds):3} page {number}: {told}: {'; '.join(wrong)[:600] or 'ok'}")
        left -= 1
        if wrong or not left:  # begin anew
            await page.context.close()
            page = None


async def main(arguments: Namespace) -> int:
    rounds: list[list[str]] = []
    with served() as server:
        async with async_playwright() as driver:
            browser = await driver.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
            async with asyncio.TaskGroup() as group:
                for number in range(arguments.pages):
                    group.create_task(visitor(number, browser, server, arguments, rounds))
            await browser.close()
        say(server.log.read_text()[-1500:])
    kinds = Counter(sentence.split(":")[0].split(" at ")[0] for wrong in rounds for sentence in wrong)
    say(f"{len(rounds)} rounds, {sum(map(bool, rounds))} wrong: {dict(kinds)}")
    return bool(kinds)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(options(__doc__, rounds=200, pages=6, seed=1))))
