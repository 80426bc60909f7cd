"""Measures what SECURITY.md promises: `python -m benchmarks.promises` writes `benchmarks/results/promises.json`.

A server under the production settings, without the proxy; five visitors move the heads slider all the while. MB of the server's
own process, before, while and 70 s after somebody holds what is half sent; and the longest that a visitor waited meanwhile.
"""

import asyncio
import os
import random
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.measured import options, say, write
from tests.serving import Server, page_addresses, production
from tests.sockets import Visitor

MB = 1_000_000
#: Layers whose pictures are large: as wide, as many heads and as long as is still drawn.
LARGE: tuple[dict[str, object], ...] = (
    {"d_model": 256, "num_heads": 256, "query_len": 64, "key_len": 64, "lines": "every", "with_caption": "true"},
    {"d_model": 4096, "num_heads": 256, "use_gate": "true", "numbers": "random", "lines": "every", "with_caption": "true"},
    {"d_model": 128, "num_heads": 128, "query_len": 64, "key_len": 64},
    {"d_model": 512, "num_heads": 64, "query_len": 512, "key_len": 512},
    {"d_model": 64, "num_heads": 64, "query_len": 64, "key_len": 64, "numbers": "random", "rotary": "halves", "use_gate": "true"},
    {"num_heads": 256, "split": "Keras", "key_dim": 16, "value_dim": 16, "query_len": 64, "key_len": 64},
)  # fmt: skip


class Weighing(Visitor):
    """Knows the longest message that it was sent."""

    longest = 0

    def _read(self, data: bytes) -> bool:
        self.longest = max(self.longest, len(data))
        return super()._read(data)


async def longest_message(server: Server) -> dict[str, float]:
    """Measures the longest message to a browser, over all pages at LARGE, in MB."""
    longest = 0
    for page in page_addresses():
        for layer in LARGE:
            async with Weighing(server.url, f"{page}?{urlencode(layer)}") as visitor:
                await visitor.run()
            longest = max(longest, visitor.longest)
    return {"most_mb": round(longest / MB, 2)}


class Others:
    """Five visitors who move all the while: the longest that one waited, in seconds, and moves that failed."""

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


async def send(server: Server, *parts: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection on which these parts were sent, as far as the server takes them; it answers each but the last."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    with suppress(OSError, TimeoutError):
        for number, part in enumerate(parts):
            writer.write(part)
            await asyncio.wait_for(writer.drain(), 10)
            if number < len(parts) - 1:
                await asyncio.wait_for(reader.read(1000), 10)
    return reader, writer


async def is_open(reader: asyncio.StreamReader) -> bool:
    """Whether the server has not ended this connection."""
    try:
        await asyncio.wait_for(reader.read(), 1)
    except TimeoutError:
        return True
    except OSError:
        pass
    return False


def head(method: str, path: str, *more: str) -> bytes:
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: localhost", *more, "", "")).encode()


async def held(server: Server, count: int, *parts: bytes, after: float = 70) -> dict[str, float]:
    """What it costs that so many hold what these parts are, for 10 s."""
    async with Others(server) as others:
        before = server.memory_mb()
        held = [await send(server, *parts) for _ in range(count)]
        await asyncio.sleep(10)
        during, still = server.memory_mb(), sum(await asyncio.gather(*(is_open(reader) for reader, _ in held)))
        for _, writer in held:
            writer.transport.abort()
        await asyncio.sleep(after)
        figures = {"before_mb": before, "during_mb": during, "after_mb": server.memory_mb(), "longest_wait_s": others.longest}
    return {name: round(value, 2) for name, value in figures.items()} | {"failed_moves": others.failed, "open_after_10_s": still}


def upgrade() -> bytes:
    said = (
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Version: 13",
    )
    return head("GET", "/_stcore/stream", *said)


def frame(announced: float, sent: float) -> bytes:
    """The begin of a masked binary frame, in MB."""
    return b"\x82\xff" + int(announced * MB).to_bytes(8, "big") + bytes(4) + bytes(int(sent * MB))


async def silent_uploads(server: Server) -> dict[str, float]:
    """Five sessions promise 60 MB each and send 6 bytes: what another one's 20 MB are answered, and the first five, and when."""
    with urllib.request.urlopen(f"{server.url}/_stcore/health") as reply:
        cookie = reply.headers["Set-Cookie"].split(";")[0]
    token = cookie.split("=", 1)[1]
    said = (f"X-Xsrftoken: {token}", f"Cookie: {cookie}", "Content-Type: multipart/form-data; boundary=edge")

    async def put(size: int, body: bytes) -> tuple[str, float]:
        began = time.perf_counter()
        async with Visitor(server.url) as visitor:
            await visitor.run()
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(head("PUT", f"/_stcore/upload_file/{visitor.session}/a", *said, f"Content-Length: {size}") + body)
            answer = await asyncio.wait_for(reader.read(1000), 120)
            writer.close()
        return answer.split()[1].decode() if answer else "closed", time.perf_counter() - began

    edge, part = b"--edge", b'\r\nContent-Disposition: form-data; name="file"; filename="a.npz"\r\n\r\n'
    whole = edge + part + bytes(20 * MB) + b"\r\n" + edge + b"--\r\n"
    silent = [asyncio.create_task(put(60 * MB, edge)) for _ in range(5)]
    await asyncio.sleep(5)
    status, seconds = await put(len(whole), whole)
    given_up = [await one for one in silent]
    return {
        "others_status": int(status), "others_s": round(seconds, 1), "silent_status": int(given_up[0][0]),
        "silent_s": round(max(wait for _, wait in given_up), 1),
    }  # fmt: skip


async def measured() -> dict[str, dict[str, float]]:
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        cookies = {"STREAMLIT_SERVER_COOKIE_SECRET": os.urandom(16).hex()}
        with Server(Path(folder) / "log", **production(), **cookies) as server:
            for name, measure in (
                ("a message to the browser", longest_message(server)),
                ("160 unfinished frames of 15.5 MB", held(server, 160, upgrade(), frame(15.5, 15))),
                ("160 unfinished frames of 2 MB", held(server, 160, upgrade(), frame(1.999, 1.99))),
                ("200 half heads of a request", held(server, 200, b"GET / HTTP/1.1\r\nHost: localhost\r\nX-a: ", after=5)),
                ("5 uploads of 60 MB that stop after 6 bytes", silent_uploads(server)),
            ):
                figures[name] = await measure
                say(f"{name}: {figures[name]}")
    return figures


def main() -> int:
    options(__doc__)
    figures = asyncio.run(measured())
    whole = figures["160 unfinished frames of 2 MB"]
    met = {
        "no message to a browser is near the bound of 2 MB": figures["a message to the browser"]["most_mb"] < 1,
        "of unfinished messages nothing stays": whole["after_mb"] < whole["before_mb"] + 40,
        "a silent upload refuses nobody": figures["5 uploads of 60 MB that stop after 6 bytes"]["others_status"] == 204,
    }
    return write("promises", figures, met)


if __name__ == "__main__":
    sys.exit(main())
