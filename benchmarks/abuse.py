"""What others notice while somebody misbehaves: `python -m benchmarks.abuse`.

Ten visitors move the heads slider on `/` every two seconds, alone and beside each of: 1,000 random addresses, one after another;
raw messages with values out of every range; frames of 60 MB; 500 sockets at once; the largest layers that are computed live. One
process without a proxy, under the production settings. Writes `benchmarks/results/abuse.json`; memory is taken again at the end.
"""

import asyncio
import random
import sys
import time
import urllib.parse
from collections.abc import Awaitable, Callable
from contextlib import suppress

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from benchmarks import serving
from benchmarks.load import memory_mb, replica
from benchmarks.load_visitors import Visitor, level

KEYS = ("num_heads", "d_model", "key_dim", "query_len", "mask", "split", "cell", "tokens", "head", "divisor", "seed", "nobody")
VALUES = ("0", "-1", "99999999999", "4096", "512", "1e400", "NaN", "", "é" * 300, "<b>", "%00", "a" * 3000, "free", "q.1.1.1")
PAGES = ("", "projections", "attention", "concatenation", "keras_layer", "nowhere")
LARGEST = "/attention?d_model=1024&num_heads=16&query_len=256&key_len=256&seed={seed}"


def stream(url: str) -> connect:
    options = {"max_size": None, "compression": None, "ping_interval": None, "open_timeout": 60}
    return connect(url.replace("http", "ws", 1) + "/_stcore/stream", subprotocols=["streamlit"], origin=url, **options)


async def visit(url: str, address: str) -> None:
    visitor = Visitor(url, address)
    await visitor.open()
    await visitor.socket.close()


async def addresses(url: str, stop: asyncio.Event) -> int:
    draw, done = random.Random(7), 0
    while done < 1000:
        pairs = [(draw.choice(KEYS), draw.choice(VALUES)) for _ in range(draw.randint(1, 6))]
        await visit(url, f"/{draw.choice(PAGES)}?{urllib.parse.urlencode(pairs)}")
        done += 1
    return done


async def forged(url: str, stop: asyncio.Event) -> int:
    done = 0
    while not stop.is_set():
        visitor = Visitor(url, "/")
        await visitor.open()
        for value in (-1.0, 1e308, float("inf"), float("nan"), 2.5):
            message = BackMsg()
            message.rerun_script.page_script_hash = visitor.page
            told = message.rerun_script.widget_states.widgets.add()
            told.id, told.double_value = visitor.widget[0], value
            await visitor.socket.send(message.SerializeToString())
            done += 1
        await visitor.socket.close()
        await asyncio.sleep(0.2)
    return done


async def frames(url: str, stop: asyncio.Event) -> int:
    done, frame = 0, b"\x00" * 60_000_000
    while not stop.is_set():
        with suppress(ConnectionClosed):
            async with stream(url) as wire:
                await wire.send(frame)
                await wire.recv()
        done += 1
        await asyncio.sleep(0.5)
    return done


async def sockets(url: str, stop: asyncio.Event) -> int:
    opened = []
    for _ in range(500):
        with suppress(OSError, ConnectionClosed):
            opened.append(await stream(url))
    await stop.wait()
    for wire in opened:
        await wire.close()
    return len(opened)


async def largest(url: str, stop: asyncio.Event) -> int:
    done = 0
    while not stop.is_set():
        await visit(url, LARGEST.format(seed=done))
        done += 1
    return done


WHO: dict[str, Callable[[str, asyncio.Event], Awaitable[int]] | None] = {
    "nobody": None, "1,000 random addresses": addresses, "forged values": forged, "frames of 60 MB": frames,
    "500 sockets": sockets, "the largest layers": largest,
}  # fmt: skip


async def beside(url: str, who: Callable | None, seconds: float) -> tuple[dict, int]:
    """The ten visitors' waits, and how often the other one did it."""
    stop = asyncio.Event()
    other = asyncio.create_task(who(url, stop)) if who else None
    made = await level(url, "/", 10, seconds, 2.0)
    stop.set()
    done = await other if other else 0
    waits = {f"p{p}_ms": round(1e3 * serving.percentile(made.waited, p), 1) for p in (50, 95)}
    return {**waits, "failures": sum(made.failures.values()), "kinds": dict(made.failures)}, done


def main() -> int:
    figures = {}
    with replica() as server:
        asyncio.run(level(server.url, "/", 5, 5, 0.2))
        start = memory_mb(server.process.pid)
        for name, who in WHO.items():
            waits, done = asyncio.run(beside(server.url, who, 30))
            figures[name] = {**waits, "times": done, "memory_mb": round(memory_mb(server.process.pid), 1)}
            sys.stdout.write(f"{name:24} {figures[name]}\n")
            sys.stdout.flush()
        time.sleep(90)  # forgotten sessions are kept for a minute
        asyncio.run(level(server.url, "/", 1, 3, 1))
        end = memory_mb(server.process.pid)
    figures["memory MB"] = {"before": round(start, 1), "90 s after all": round(end, 1)}
    failed = any(row.get("failures") for row in figures.values())
    met = {"nobody else's move failed": not failed, "memory returns": end < start + 100}
    serving.write("abuse", figures, met)
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
