"""A class of visitors on one process, and on replicas: `python -m benchmarks.load [one|replicas|steady] [--seconds N]`.

one: the barest page, then `/`, `/attention` and `/keras_layer`, with 1, 10, 30, 60 and 100 visitors, each moving the heads slider
every two seconds; then two pages once more, where each head has sizes of its own and any head count from 1 to 16 is typed;
writes `benchmarks/results/load.json`. replicas: 100 and 250 visitors of `/attention`, on one process and on two behind nginx;
`load_replicas.json`. steady: 30 visitors of all pages in all sizes, for ten minutes; `load_steady.json`. Without an argument: all
three, one after the other (half an hour).

Servers run under the production settings (deploy/production.env); visitors are websockets of one other process. What a visitor
waits is counted from when the move was due: if the server is slower than its visitors, the time before a move could even be
sent belongs to the waiting.
"""

import asyncio
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from websockets.exceptions import ConnectionClosed

from benchmarks.serving import FLOOR, options, page_addresses, percentile, say, served, write
from benchmarks.visitor import Visitor
from deploy.replicas import Server, production, site
from mha.names import SIZES
from mha.settings import SHARED, AnyWhole, Number, Setting, Word

PAGES = {
    "floor": "/?page=bare",
    "/": "/",
    "/attention": "/attention?num_heads=8&query_len=16&key_len=16",
    "/keras_layer": "/keras_layer",
    "/, 1 … 16 heads": "/?split=free",
    "/attention, 1 … 16 heads": "/attention?split=free&numbers=seed",
}
LEVELS = (1, 10, 30, 60, 100)
REPLICATED = (100, 250)
HEADS = (1, 2, 4, 8, 16)
PAUSE = 2.0
OF_SIZES = [setting for setting in SHARED if setting.code in {name.code for name in SIZES}]
OTHERS = [setting for setting in SHARED if setting.kind != "text" and setting not in OF_SIZES]
#: Who goes through all pages looks at so many, each for so many seconds on average.
STAY, LOOK = 20, 4.0


@dataclass
class Measured:
    """Of all visitors of one level: seconds, bytes and what went wrong."""

    waits: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    failures: Counter = field(default_factory=Counter)

    def waits_ms(self, *percents: int) -> dict[str, float | None]:
        return {f"p{p}_ms": round(1e3 * percentile(self.waits, p), 1) if self.waits else None for p in percents}


async def stay(visitor: Visitor, start: float, stop: float, pause: float, measured: Measured) -> None:
    """Moves every `pause` seconds, from a random moment on; 0: at once after the answer. The first move is not counted."""
    due, counted, heads = start + random.random() * pause, False, 4
    varied = "split=free" in visitor.query  # any head count is a layer there
    try:
        while due < stop:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            heads = random.choice([stop for stop in (range(1, 17) if varied else HEADS) if stop != heads])
            try:
                await visitor.move(heads, typed=varied)
            except (RuntimeError, TimeoutError) as error:
                measured.failures[str(error) or "no answer in time"] += 1
            else:
                if counted:
                    measured.waits.append(time.perf_counter() - due)
                    measured.sizes.append(visitor.received)
            counted, due = True, due + pause if pause else time.perf_counter()
    except ConnectionClosed as error:
        measured.failures[f"connection closed: {error}"[:80]] += 1


async def level(
    url: str, address: str, count: int, seconds: float, pause: float, opened: Callable[[], None] = lambda: None
) -> Measured:
    """`count` visitors at once. `opened` is called when all have the page, before the first move."""
    measured = Measured()
    async with AsyncExitStack() as stack:

        async def come(place: int) -> Visitor | None:
            await asyncio.sleep(0.05 * place)
            try:
                visitor = await stack.enter_async_context(Visitor(url, address))
                await visitor.run()
            except (OSError, TimeoutError, ConnectionClosed) as error:
                measured.failures[f"did not get in: {error}"[:80]] += 1
                return None
            return visitor

        visitors = [visitor for visitor in await asyncio.gather(*map(come, range(count))) if visitor]
        opened()
        start = time.perf_counter()
        await asyncio.gather(*(stay(visitor, start, start + seconds, pause, measured) for visitor in visitors))
    return measured


def row(servers: Sequence[Server], address: str, count: int, seconds: float, pause: float = PAUSE, url: str = "") -> dict:
    """One level: what visitors waited in milliseconds, and what it took the servers. `url`: where visitors go, if not to the one
    server."""
    before = sum(server.memory_mb() for server in servers)
    at: dict[str, float] = {}

    def opened() -> None:
        at["cpu"], at["time"] = sum(server.processor_seconds() for server in servers), time.perf_counter()

    measured = asyncio.run(level(url or servers[0].url, address, count, seconds, pause, opened))
    spent = sum(server.processor_seconds() for server in servers) - at["cpu"]
    wall, memory = time.perf_counter() - at["time"], sum(server.memory_mb() for server in servers)
    moves = max(len(measured.waits) + count, 1)  # each visitor's first move is made, and not counted
    return {
        "visitors": count, "moves": len(measured.waits), **measured.waits_ms(50, 95, 99),
        "failures": sum(measured.failures.values()), "kinds": dict(measured.failures),
        "cpu_ms_per_rerun": round(1e3 * spent / moves, 2), "cores": round(spent / wall, 2),
        "kB_per_move": round(sum(measured.sizes) / max(len(measured.sizes), 1) / 1e3, 1), "memory_mb": round(memory, 1),
        "mb_per_visitor": round((memory - before) / count, 3),
    }  # fmt: skip


def warm(server: Server, address: str) -> None:
    """Imports, and the start of the Keras process, are not what is measured."""
    row([server], address, 5, 3, 0.2)


def one(seconds: float) -> int:
    figures: dict[str, list[dict]] = {}
    for name, address in PAGES.items():
        with served(FLOOR if name == "floor" else "app.py", **production()) as server:
            warm(server, address)
            figures[name] = []
            for count in LEVELS:
                figures[name].append(row([server], address, count, seconds))
                say(f"{name:14} {figures[name][-1]}")
    start, rows = {row["visitors"]: row for row in figures["/"]}, [row for rows in figures.values() for row in rows]
    return write("load", figures, {
        "30 visitors on / wait at most 100 ms (p95)": start[30]["p95_ms"] <= 100,
        "100 visitors on / wait at most 300 ms (p95)": start[100]["p95_ms"] <= 300,
        "no failures": not any(row["failures"] for row in rows),
        "under 1 MB a visitor": start[100]["mb_per_visitor"] < 1,
        "server below 250 MB": all(row["memory_mb"] < 250 for row in rows),
    })  # fmt: skip


def replicas(seconds: float) -> int:
    address, figures = PAGES["/attention, 1 … 16 heads"], {}
    with served(**production()) as server:
        warm(server, address)
        for count in REPLICATED:
            figures[f"one process: {count}"] = row([server], address, count, seconds)
    with tempfile.TemporaryDirectory() as folder, site(Path(folder)) as public:
        row(public.replicas, address, 10, 3, 0.2, public.url)
        for count in REPLICATED:
            figures[f"two replicas: {count}"] = row(public.replicas, address, count, seconds, url=public.url)
    for name, measured in figures.items():
        say(f"{name:14} {measured}")
    most = figures[f"two replicas: {REPLICATED[-1]}"]
    met = most["p95_ms"] <= 300 and not most["failures"]
    return write("load_replicas", figures, {f"{REPLICATED[-1]} visitors on two replicas wait at most 300 ms (p95)": met})


def anywhere(chance: random.Random) -> str:
    """Any page, with sizes and choices from the app's own table."""
    settings = [*chance.sample(OF_SIZES, 3), *chance.sample(OTHERS, 5)]
    query = {setting.code: setting.spell(any_value(setting, chance)) for setting in settings}
    return f"{chance.choice(page_addresses())}?{urlencode(query)}"


def any_value(setting: Setting, chance: random.Random) -> object:
    if setting in OF_SIZES and isinstance(setting, AnyWhole):  # as often from 2 to 4 as from 512 to 1024
        return round(setting.most ** chance.random())
    if isinstance(setting, Word):
        return chance.choice(setting.choices)
    if isinstance(setting, AnyWhole):
        return chance.randint(setting.least, min(setting.most, setting.least + 40))
    return round(chance.uniform(setting.least, setting.most), 2) if isinstance(setting, Number) else chance.random() < 0.5


async def wander(url: str, seed: int, stop: float, seen: Counter) -> None:
    """From page to page; after STAY of them another visitor comes."""
    chance = random.Random(seed)
    while time.perf_counter() < stop:
        async with Visitor(url, anywhere(chance)) as visitor:
            for _ in range(STAY):
                await asyncio.sleep(chance.uniform(0, 2 * LOOK))
                try:
                    await visitor.go(anywhere(chance))
                except TimeoutError:
                    seen["failures"] += 1
                seen["pages"], seen["failures"] = seen["pages"] + 1, seen["failures"] + len(visitor.errors)
                if time.perf_counter() > stop:
                    return


async def mixed(server: Server, seconds: float) -> list[dict]:
    """In ten parts: how many pages were seen, what failed, and the memory after each."""
    seen, parts = Counter(), []
    stop = time.perf_counter() + seconds
    crowd = asyncio.gather(*(wander(server.url, seed, stop, seen) for seed in range(30)))
    for _ in range(10):
        await asyncio.sleep(seconds / 10)
        parts.append({"pages": seen["pages"], "failures": seen["failures"], "memory_mb": round(server.memory_mb(), 1)})
        say(str(parts[-1]))
    await crowd
    return parts


def steady(seconds: float) -> int:
    with served(**production()) as server:
        parts = asyncio.run(mixed(server, seconds))
    most = max(part["memory_mb"] for part in parts)
    met = {"server at most 250 MB": most <= 250, "no failures": not parts[-1]["failures"]}
    return write("load_steady", {"minutes": seconds / 60, "parts": parts}, met)


#: By name: what is measured, and for how many seconds each level.
MEASURES = {"one": (one, 20), "replicas": (replicas, 30), "steady": (steady, 600)}


def main() -> int:
    args = options(__doc__, what=list(MEASURES), seconds=0.0)
    wanted = [MEASURES[args.what]] if args.what else MEASURES.values()
    return max(measure(args.seconds or usual) for measure, usual in wanted)


if __name__ == "__main__":
    sys.exit(main())
