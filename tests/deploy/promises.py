"""Measures what SECURITY.md promises: `python -m tests.deploy.promises` writes `benchmarks/results.json`.

There is a sentence for each line of its table. A server runs with the production settings, without the proxy, while five visitors
move the heads slider. Memory is that of the server's own process.
"""

import asyncio
import inspect
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlencode

import pytest
from websockets.exceptions import InvalidStatus

from benchmarks.measured import options, say, write
from components.address import known
from components.app import files
from headcount.config import Config
from headcount.export.browser import NoBrowser, SharedBrowser
from headcount.files import report
from headcount.keras.client import KerasClient
from tests.browser.test_export import processes_of
from tests.deploy.test_uploads import Browser, held_mb
from tests.layer.files.files import arrays, npz
from tests.serving import Server, chromium, find_chromium, new_page, page_addresses, production
from tests.sockets import Visitor, stream
from tests.sources import ROOT, python_files
from tests.test_files import APP, dangers

MB, MIB = 1_000_000, 1 << 20
#: What was measured, in a sentence, and whether the promise was kept.
Finding = tuple[str, bool]
#: Layers whose pictures are large: as wide, as many heads and as long as is still drawn.
LARGE: tuple[dict[str, object], ...] = (
    {"d_model": 256, "num_heads": 256, "query_len": 64, "key_len": 64, "lines": "every", "with_caption": "true"},
    {"d_model": 4096, "num_heads": 256, "use_gate": "true", "numbers": "random", "lines": "every", "with_caption": "true"},
    {"d_model": 128, "num_heads": 128, "query_len": 64, "key_len": 64},
    {"d_model": 512, "num_heads": 64, "query_len": 512, "key_len": 512},
    {"d_model": 64, "num_heads": 64, "query_len": 64, "key_len": 64, "numbers": "random", "rotary": "halves", "use_gate": "true"},
    {"num_heads": 256, "split": "Keras", "key_dim": 16, "value_dim": 16, "query_len": 64, "key_len": 64},
)  # fmt: skip
MARK = "zqmark"
HOSTILE = (f"<img src=x onerror={MARK}>", f"[{MARK}](javascript:{MARK})", "9" * 40, "-1", "1e400", f"${MARK}$" * 900)


class Reading(Visitor):
    """A visitor that records the longest message it gets, and texts of the page in which MARK is Markdown or HTML."""

    def __init__(self, url: str, address: str = "/"):
        super().__init__(url, address)
        self.longest, self.raw = 0, list[str]()

    def _read(self, data: bytes) -> bool:
        self.longest = max(self.longest, len(data))
        return super()._read(data)

    def _read_element(self, element) -> None:
        super()._read_element(element)
        kind = element.WhichOneof("type")
        if kind in ("markdown", "alert", "heading", "html"):
            body = getattr(element, kind).body
            plain = body if kind == "html" else re.sub(r"`[^`]*`", "", body)
            self.raw += [body] * (MARK in plain)


class Others:
    """Five visitors who move the slider all the time, with the longest wait in seconds and the number of failed moves."""

    def __init__(self, server: Server):
        self.server, self.longest, self.failed = server, 0.0, 0

    async def move(self) -> None:
        async with Visitor(self.server.url) as visitor:
            await visitor.run()
            while True:
                began = time.perf_counter()
                try:
                    await visitor.move(random.choice((1, 2, 4, 8)))
                except (RuntimeError, TimeoutError):
                    self.failed += 1
                self.longest = max(self.longest, time.perf_counter() - began)
                await asyncio.sleep(0.5)

    async def __aenter__(self) -> "Others":
        self.tasks = [asyncio.create_task(self.move()) for _ in range(5)]
        await asyncio.sleep(5)
        self.longest = 0.0
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def longest_message(server: Server) -> Finding:
    """Measures the longest message to a browser, over all pages at LARGE."""
    longest = 0
    for page in page_addresses():
        for layer in LARGE:
            async with Reading(server.url, f"{page}?{urlencode(layer)}") as visitor:
                await visitor.run()
            longest = max(longest, visitor.longest)
    return f"The longest message that a page sends: {longest / MB:.1f} MB", longest < MB


async def hostile_addresses(server: Server) -> Finding:
    """Opens hostile addresses: each bad value of each setting on the start page, and all settings at once on each page."""
    codes, before, faults, longest = [*known()], server.memory_mb(), 0, 0.0
    asked = [("/", {code: value}) for code in codes for value in HOSTILE]
    asked += [(page, dict.fromkeys(codes, value)) for page in page_addresses() for value in HOSTILE[:-1]]
    for page, query in asked:
        began = time.perf_counter()
        async with Reading(server.url, f"{page}?{urlencode(query)}") as visitor:
            await visitor.run()
        if visitor.errors or visitor.raw or not visitor.title:
            say(f"{page} {query}: {visitor.errors} {visitor.raw}"[:500])
            faults += 1
        longest = max(longest, time.perf_counter() - began)
    grown = server.memory_mb() - before
    said = f"{len(asked)} addresses: {faults} without a page, with an error or with their text as Markdown or HTML; "
    return said + f"the slowest took {longest:.1f} s, the server grew by {max(grown, 0):.0f} MB", faults == 0


async def send(server: Server, *parts: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Opens a connection and sends the parts on it until the server stops reading. The server answers each part but the last."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    with suppress(OSError, TimeoutError):
        for number, part in enumerate(parts):
            writer.write(part)
            await asyncio.wait_for(writer.drain(), 10)
            if number < len(parts) - 1:
                await asyncio.wait_for(reader.read(1000), 10)
    return reader, writer


async def is_open(reader: asyncio.StreamReader) -> bool:
    """Whether the server has left this connection open."""
    try:
        await asyncio.wait_for(reader.read(), 1)
    except TimeoutError:
        return True
    except OSError:
        pass
    return False


def head(method: str, path: str, *more: str) -> bytes:
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: localhost", *more, "", "")).encode()


async def held(what: str, count: int, parts: tuple[bytes, ...], server: Server, *, after: float, still: int) -> Finding:
    """Measures what `count` connections cost if they send these parts and are held for 10 s. `still`: the number that should be
    open afterwards."""
    before = server.memory_mb()
    holding = [await send(server, *parts) for _ in range(count)]
    await asyncio.sleep(10)
    during, found = server.memory_mb(), sum(await asyncio.gather(*(is_open(reader) for reader, _ in holding)))
    for _, writer in holding:
        writer.transport.abort()
    await asyncio.sleep(after)
    end = server.memory_mb()
    said = f"{count} {what}: {before:.0f} MB before, {during:.0f} MB while they are held, {end:.0f} MB {after:.0f} s after; "
    return f"{said}{found} are open after 10 s", found == still and end < before + 40


UPGRADE = head(
    "GET", "/_stcore/stream", "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {'A' * 22}==",
    "Sec-WebSocket-Version: 13",
)  # fmt: skip


def frame(announced: float, sent: float) -> bytes:
    """The beginning of a masked binary websocket frame; sizes are in MB."""
    return b"\x82\xff" + int(announced * MB).to_bytes(8, "big") + bytes(4) + bytes(int(sent * MB))


@asynccontextmanager
async def visitors(server: Server, count: int) -> AsyncIterator[list[Visitor]]:
    async with AsyncExitStack() as stack:
        come = [await stack.enter_async_context(Visitor(server.url)) for _ in range(count)]
        for visitor in come:
            await visitor.run()
        yield come


async def silent_uploads(server: Server) -> Finding:
    """Lets five sessions promise 60 MB each and send 6 bytes, while another one uploads 20 MB."""
    browser = Browser(server.url)
    said = f"X-Xsrftoken: {browser.token}", f"Cookie: _streamlit_xsrf={browser.token}", f"Content-Length: {60 * MIB}"
    async with visitors(server, 6) as (other, *silent):
        asked = [head("PUT", f"/_stcore/upload_file/{one.session}/a", *said, "Content-Type: multipart/form-data; boundary=edge")
                 + b"--edge" for one in silent]  # fmt: skip
        held = [await send(server, one) for one in asked]
        began = time.perf_counter()
        status = await asyncio.to_thread(browser.put, other.session, "mine", 20 * MIB)
        took = time.perf_counter() - began
        answers = {(await asyncio.wait_for(reader.read(1000), 120)).split()[1].decode() for reader, _ in held}
        gone = time.perf_counter() - began
    text = f"5 files of 60 MB of which 6 bytes come: another visitor’s 20 MB get {status} in {took:.1f} s, "
    return f"{text}the five are answered {', '.join(answers)} after {gone:.0f} s", (status, answers) == (204, {"408"})


async def kept_mb(server: Server) -> float:
    """The megabytes of uploaded files that the server keeps. Streamlit updates this number every few seconds."""
    await asyncio.sleep(8)
    return await asyncio.to_thread(held_mb, server)


async def many_uploads(server: Server) -> Finding:
    browser = Browser(server.url)
    async with visitors(server, 8) as (first, *others):
        for number in range(20):
            await asyncio.to_thread(browser.put, first.session, f"small-{number}", MIB)
        small = await kept_mb(server)
        for number in range(3):
            await asyncio.to_thread(browser.put, first.session, f"large-{number}", 60 * MIB)
        one = await kept_mb(server)
        for other in others:
            await asyncio.to_thread(browser.put, other.session, "mine", 60 * MIB)
        most = await kept_mb(server)
    said = f"of 20 files of 1 MB {small:.0f} MB are kept, of 3 of 60 MB {one:.0f} MB, of 8 visitors’ 60 MB each {most:.0f} MB"
    return said, 0 < small <= 16 and small < one <= 64 and one < most <= 256


async def get(server: Server, path: str) -> tuple[int, float]:
    """The status of an answer, and the seconds until it was complete."""
    began = time.perf_counter()
    reader, writer = await send(server, head("GET", path, "Connection: close"))
    answer = await asyncio.wait_for(reader.read(), 120)
    writer.close()
    return int(answer.split()[1]), time.perf_counter() - began


async def many_files(server: Server) -> Finding:
    found = await asyncio.gather(*(get(server, f"/file/heads.svg?seed={seed}") for seed in range(250)))
    counts, longest = Counter(status for status, _ in found), max(took for _, took in found)
    said = f"250 asked for at once: {counts[200]} are written, {counts[504]} take too long, {counts[429]} are told to wait; "
    return f"{said}the last answer comes after {longest:.0f} s", {*counts} <= {200, 429, 504} and longest < files.LIMIT + 5


def press(_: Server) -> Finding:
    """Runs `tests/browser/test_downloads.py`, which starts its own server, browser and five other visitors."""
    test = "tests/browser/test_downloads.py::test_every_kind_of_file_comes_over_a_slow_line_while_five_others_move"
    words = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", test]
    ended = subprocess.run(words, cwd=ROOT, env={**os.environ, "ROUNDS": "7"}, capture_output=True, text=True, check=False)
    found = re.search(r"assert \(\[(.*)\], ", ended.stdout)
    failed = found[1].count("('") if found else 0 if ended.returncode == 0 else "an unknown number"
    if ended.returncode:
        say(ended.stdout[-2000:])
    return f"five others moving, 0 to 0.5 s of way, all formats: {failed} of 210 presses fail", ended.returncode == 0


def offers(_: Server) -> Finding:
    """Counts the offered files that are kept for 100 visitors who ask for 9 each, and the time until the last is gone."""
    made, own = files.Offers(), [list[str]() for _ in range(100)]
    began = time.perf_counter()
    for turn in range(9):
        for one in own:
            made.add(files.File(f"{turn}.csv", "text/csv", lambda: b"5"), one)
    kept, most = len(made.files), max(len(one) for one in own)
    while made.files and time.perf_counter() < began + 90:
        time.sleep(0.05)
    text = f"100 visitors ask for 9 each: {kept} offers are kept, at most {most} of one; the last is gone after "
    return f"{text}{time.perf_counter() - began:.0f} s", kept <= files.OFFERS and most <= files.OFFERS_OF_ONE and not made.files


def hung_chromium(_: Server) -> Finding:
    os.environ["BROWSER_PATH"] = find_chromium()
    shared, groups, stopped, ends = SharedBrowser(), list[int](), list[int](), 0.0

    async def stop(browser):
        groups.append(browser._browser.subprocess.pid)
        stopped.extend({*processes_of(groups[0])} - {groups[0]})  # all but the one that waits for it
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        return await browser.png("<svg></svg>", 10, 10, 1)

    began = time.perf_counter()
    with suppress(NoBrowser):
        shared.ask(stop)
    told = time.perf_counter() - began
    while processes_of(groups[0]) and time.perf_counter() < began + 90:
        time.sleep(0.05)
    ends, left = time.perf_counter() - began, len(processes_of(groups[0]))
    again = bool(shared.ask(lambda browser: browser.png("<svg></svg>", 10, 10, 1)))
    shared.close()
    text = f"{len(stopped)} processes stopped: who asked is told after {told:.0f} s, {left} are left after {ends:.0f} s, "
    return f"{text}the next figure {'comes' if again else 'does not come'}", left == 0 and again


def readers(_: Server) -> Finding:
    """Measures how three hanging files of one visitor end one after another, and how long another visitor's file takes
    meanwhile."""
    good, hangs = report.COMMAND, "from headcount.bounded_process import send; import sys, time; send(sys.stdout.buffer, {}); "
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "COMMAND", (sys.executable, "-c", hangs + "time.sleep(99)"))
        began = time.perf_counter()
        with asyncio.Runner() as runner:

            def drop(data: bytes, visitor: str) -> float:
                with suppress(report.UnreadableFile):
                    report.inspect_in_subprocess(data, 0, visitor)
                return time.perf_counter() - began

            async def both() -> tuple[list[float], float]:
                hostile = [asyncio.create_task(asyncio.to_thread(drop, b"x", "mallory")) for _ in range(3)]
                await asyncio.sleep(1)
                patch.setattr(report, "COMMAND", good)
                start = time.perf_counter() - began
                fine = await asyncio.to_thread(drop, npz(arrays()), "anna") - start
                patch.setattr(report, "COMMAND", (sys.executable, "-c", hangs + "time.sleep(99)"))
                return [await one for one in hostile], fine

            ends, fine = runner.run(both())
    said = f"3 files of one visitor that hang are given up after {', '.join(f'{end:.0f}' for end in sorted(ends))} s; another "
    return f"{said}visitor’s file is read in {fine:.1f} s meanwhile", fine < 15 and max(ends) < 60


def keras(_: Server) -> Finding:
    client = KerasClient()
    try:
        first = client.answer(Config(), wait=120)
        worker = client._worker
        memory, began = (worker.memory if worker else 0), time.perf_counter()
        os.kill(worker.process.pid, signal.SIGKILL)
        second = None
        while second is None and time.perf_counter() < began + 120:
            second = client.answer(Config(num_heads=2), wait=1)
        took = time.perf_counter() - began
    finally:
        client.close()
    said = f"its process takes {memory / MB:.0f} MB; killed, it answers again after {took:.0f} s"
    return said, None not in (first, second) and memory < client.limits.memory_bytes


async def doors(server: Server) -> Finding:
    """Measures what pages of other sites and other host names get from this server, and from one for this machine alone."""
    origins = ("http://elsewhere.example", "http://localhost.elsewhere.example", "null", "http://192.0.2.7")
    names, paths = ("rebound.example", "127.0.0.1.rebound.example", "192.0.2.7"), ("/", "/attention", "/_stcore/health")
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder) / "log") as bound:
        tried = [(one, origin) for one in (server, bound) for origin in origins]
        tried += [(bound, f"http://localhost:{bound.port + 1}"), (bound, "http://127.0.0.1:9")]
        refused = 0
        for one, origin in tried:
            try:
                async with stream(one.url, origin=origin):
                    pass
            except InvalidStatus as why:
                refused += why.response.status_code == 403
        found = []
        for name in names:
            for path in paths:
                reader, writer = await send(bound, head("GET", path, "Connection: close").replace(b"localhost", name.encode()))
                found.append((await reader.read()).split()[1])
                writer.close()
    wrong = found.count(b"421")
    said = f"{refused} of {len(tried)} websockets of other pages refused, {wrong} of {len(found)} requests under other names"
    return said, (refused, wrong) == (len(tried), len(found))


def asked_elsewhere(server: Server) -> Finding:
    """Counts Chromium's requests to other machines on every page, and the server's own connections meanwhile (Linux)."""
    asked, elsewhere = 0, 0
    with chromium() as browser:
        page = new_page(browser)

        def count(request) -> None:
            nonlocal asked, elsewhere
            if not request.url.startswith(("data:", "blob:")):
                asked, elsewhere = asked + 1, elsewhere + (not request.url.startswith(server.url))

        page.on("request", count)
        for address in page_addresses():
            page.goto(server.url + address, wait_until="networkidle")
    out = connections(server)
    said = f"{asked} requests of Chromium on {len(page_addresses())} pages, {elsewhere} to anybody else; "
    return f"{said}the server has {out} connections to others", elsewhere == out == 0


def connections(server: Server) -> int:
    """The number of connections of the server's process to other machines."""
    folder = Path(f"/proc/{server.process.pid}")
    own = {link for file in (folder / "fd").iterdir() if (link := f"{file.readlink()}").startswith("socket:")}
    lines = [line.split() for name in ("tcp", "tcp6") for line in (folder / "net" / name).read_text().splitlines()[1:]]
    home = ("0100007F", "00000000", "0" * 32, "0000000000000000FFFF00000100007F", "0" * 24 + "01000000")
    return sum(f"socket:[{line[9]}]" in own and line[2].split(":")[0] not in home for line in lines)


def no_code(_: Server) -> Finding:
    read = python_files(*APP)
    found = sum(len(dangers((ROOT / path).read_text(encoding="utf-8"))) for path in read)
    return f"{len(read)} files read, {found} such calls", found == 0


#: What measures each promise; what blocks runs in a thread, beside the visitors.
MEASURES: dict[str, Callable[[Server], Finding | Awaitable[Finding]]] = {
    "code": no_code, "uploads": many_uploads, "messages": longest_message, "addresses": hostile_addresses,
    "large frames": partial(held, "messages of 15.5 MB that stop", 160, (UPGRADE, frame(15.5, 15)), after=5, still=0),
    "frames": partial(held, "messages of 2 MB that stop", 160, (UPGRADE, frame(1.999, 1.99)), after=70, still=160),
    "heads": partial(held, "half heads of a request", 200, (b"GET / HTTP/1.1\r\nHost: localhost\r\nX-a: ",), after=5, still=200),
    "silent uploads": silent_uploads, "files": many_files, "offers": offers, "readers": readers,
    "Keras": keras, "Chromium": hung_chromium, "doors": doors, "elsewhere": asked_elsewhere, "presses": press,
}  # fmt: skip


async def measured(only: str | None) -> dict[str, Finding]:
    found: dict[str, Finding] = {}
    with tempfile.TemporaryDirectory() as folder:
        cookies = {"STREAMLIT_SERVER_COOKIE_SECRET": os.urandom(16).hex()}
        with Server(Path(folder) / "log", **production(), **cookies) as server:
            async with Others(server) as others:
                waits = []
                for name, measure in MEASURES.items():
                    if only in (None, name):
                        others.longest, sync = 0.0, not inspect.iscoroutinefunction(measure)
                        found[name] = await asyncio.to_thread(measure, server) if sync else await measure(server)
                        waits.append((others.longest, name))
                        say(f"{name}: {found[name]}, others waited {others.longest:.2f} s at most, {others.failed} failed")
                (longest, worst), calm = max(waits), sorted(waits)[-2:][0][0]
                said = f"of the moves meanwhile {others.failed} failed; the slowest took {longest:.1f} s ({worst}), "
                found["others"] = f"{said}else {calm:.1f} s at most", others.failed == 0
    return found


def main() -> int:
    only = options(__doc__, what=[*MEASURES]).what
    found = asyncio.run(measured(only))
    return write("promises", {name: {"measured": said} for name, (said, _) in found.items()},
                 {name: kept for name, (_, kept) in found.items()})  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
