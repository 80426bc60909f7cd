"""What others notice while somebody misbehaves: `python -m benchmarks.abuse [--seconds N]`.

Ten visitors move the heads slider on `/` every two seconds, alone and then together with each of: 1,000 random addresses, one
after another; raw messages with values out of every range; frames of 60 MB; 500 sockets at once; the largest layers that are
computed live. One process without a proxy, under the production settings. Writes `benchmarks/results/abuse.json`; memory is
taken again at the end.
"""

import asyncio
import random
import sys
import time
import urllib.parse
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress

from websockets.exceptions import ConnectionClosed

from benchmarks.load import level
from benchmarks.serving import options, say, served, write
from benchmarks.visitor import Visitor, stream
from deploy.replicas import production

PAGES = ("", "projections", "attention", "concatenation", "keras_layer", "nowhere")
KEYS = (
    "num_heads", "d_model", "key_dim", "query_len", "mask", "split", "cell", "tokens", "head", "divisor", "seed", "nobody",
)  # fmt: skip
VALUES = (
    "0", "-1", "99999999999", "4096", "512", "1e400", "NaN", "", " ", "é" * 300, "<b>", "../../etc/passwd", "%00", "a" * 3000,
    "true", "causal", "free", "q.1.1.1", "weights.999.9.9", "{{7*7}}", "'; drop", "\u202e", "🙂",
)  # fmt: skip
LARGEST = "/attention?d_model=1024&num_heads=16&query_len=256&key_len=256&seed={seed}"


def odd_addresses(count: int) -> Iterator[str]:
    """Any key with any value, the same in each run."""
    draw = random.Random(7)
    for _ in range(count):
        pairs = [(draw.choice(KEYS), draw.choice(VALUES)) for _ in range(draw.randint(1, 6))]
        yield f"/{draw.choice(PAGES)}?{urllib.parse.urlencode(pairs)}"


async def visit(url: str, address: str) -> None:
    async with Visitor(url, address) as visitor:
        await visitor.run()


# Each of these misbehaves until `stop` is set, and returns how often it did.


async def addresses(url: str, stop: asyncio.Event) -> int:
    """All of them, even after `stop`."""
    for address in odd_addresses(1000):
        await visit(url, address)
    return 1000


async def forged(url: str, stop: asyncio.Event) -> int:
    count = 0
    while not stop.is_set():
        async with Visitor(url) as visitor:
            await visitor.run()
            for value in (-1.0, 1e308, float("inf"), float("nan"), 2.5):
                await visitor.socket.send(visitor.message(num_heads=("double_value", value)))
                count += 1
        await asyncio.sleep(0.2)
    return count


async def frames(url: str, stop: asyncio.Event) -> int:
    count, frame = 0, b"\x00" * 60_000_000
    while not stop.is_set():
        with suppress(ConnectionClosed):
            async with stream(url) as socket:
                await socket.send(frame)
                await socket.recv()
        count += 1
        await asyncio.sleep(0.5)
    return count


async def sockets(url: str, stop: asyncio.Event) -> int:
    opened = []
    for _ in range(500):
        with suppress(OSError, ConnectionClosed):
            opened.append(await stream(url))
    await stop.wait()
    for socket in opened:
        await socket.close()
    return len(opened)


async def largest(url: str, stop: asyncio.Event) -> int:
    count = 0
    while not stop.is_set():
        await visit(url, LARGEST.format(seed=count))
        count += 1
    return count


Abuse = Callable[[str, asyncio.Event], Awaitable[int]]
ABUSES: dict[str, Abuse | None] = {
    "nobody": None, "1,000 random addresses": addresses, "forged values": forged, "frames of 60 MB": frames,
    "500 sockets": sockets, "the largest layers": largest,
}  # fmt: skip


async def together(url: str, abuse: Abuse | None, seconds: float) -> dict:
    """What the ten visitors waited, and how often the other one misbehaved."""
    stop = asyncio.Event()
    other = asyncio.create_task(abuse(url, stop)) if abuse else None
    measured = await level(url, "/", 10, seconds, 2.0)
    stop.set()
    return {
        **measured.waits_ms(50, 95), "failures": sum(measured.failures.values()), "kinds": dict(measured.failures),
        "times": await other if other else 0,
    }  # fmt: skip


def main() -> int:
    args = options(__doc__, seconds=30.0, rest=90.0)  # sessions whose visitor has gone are kept for a minute
    figures = {}
    with served(**production()) as server:
        asyncio.run(level(server.url, "/", 5, 5, 0.2))
        start = server.memory_mb()
        for name, abuse in ABUSES.items():
            row = asyncio.run(together(server.url, abuse, args.seconds))
            figures[name] = row | {"memory_mb": round(server.memory_mb(), 1)}
            say(f"{name:24} {figures[name]}")
        time.sleep(args.rest)
        asyncio.run(level(server.url, "/", 1, 3, 1))
        end = server.memory_mb()
    failed = any(row["failures"] for row in figures.values())
    figures["memory MB"] = {"before": round(start, 1), f"{args.rest:g} s after all": round(end, 1)}
    return write("abuse", figures, {"nobody else's move failed": not failed, "memory returns": end < start + 100})


if __name__ == "__main__":
    sys.exit(main())
