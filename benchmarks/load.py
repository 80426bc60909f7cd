"""Measures how long a class waits if one process serves it: `python -m benchmarks.load [--seconds N]`. Each page has 1 to 100
visitors, who move the heads slider every two seconds. The server has the production settings (deploy/production.env). A visitor
is a websocket in the benchmark's own process. A wait begins when the move is due, not when it can be sent."""

import asyncio
import random
import sys
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import numpy as np
from websockets.exceptions import ConnectionClosed

from benchmarks.measured import options, say, write
from tests.serving import Server, production, served
from tests.sockets import Visitor

PAGES = {"floor": "/", "/": "/", "/attention": "/attention?num_heads=8&query_len=16&key_len=16", "/keras_layer": "/keras_layer"}
LEVELS = (1, 10, 30, 60, 100)
HEADS = (1, 2, 4, 8, 16)
PAUSE = 2.0


@dataclass
class Measured:
    """Measurements of all visitors who are there at once: seconds of each wait, bytes of each answer, and errors."""

    waits: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    failures: Counter = field(default_factory=Counter)


async def stay(visitor: Visitor, start: float, stop: float, pause: float, measured: Measured) -> None:
    """Moves a visitor's slider every `pause` seconds until `stop`, from a random moment on. The first wait is not counted."""
    due, counted, heads = start + random.random() * pause, False, 4
    try:
        while due < stop:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            heads = random.choice([stop for stop in HEADS if stop != heads])
            try:
                await visitor.move(heads)
            except (RuntimeError, TimeoutError) as error:
                measured.failures[str(error) or "no answer in time"] += 1
            else:
                if counted:
                    measured.waits.append(time.perf_counter() - due)
                    measured.sizes.append(visitor.received)
            counted, due = True, due + pause
    except ConnectionClosed as error:
        measured.failures[f"connection closed: {error}"[:80]] += 1


async def level(server: Server, address: str, count: int, seconds: float, pause: float = PAUSE) -> dict:
    """Measures how long visitors wait (in milliseconds) and the server's load, while `count` visitors are there at once."""
    measured, before = Measured(), server.memory_mb()
    async with AsyncExitStack() as stack:

        async def come(place: int) -> Visitor | None:
            await asyncio.sleep(0.05 * place)
            try:
                visitor = await stack.enter_async_context(Visitor(server.url, address))
                await visitor.run()
            except (OSError, TimeoutError, ConnectionClosed) as error:
                measured.failures[f"did not get in: {error}"[:80]] += 1
                return None
            return visitor

        visitors = [visitor for visitor in await asyncio.gather(*map(come, range(count))) if visitor]
        spent, start = -server.processor_seconds(), time.perf_counter()
        await asyncio.gather(*(stay(visitor, start, start + seconds, pause, measured) for visitor in visitors))
        spent, memory = spent + server.processor_seconds(), server.memory_mb()
    waits = {
        f"p{part}_ms": round(1e3 * float(np.percentile(measured.waits, part)), 1) if measured.waits else None
        for part in (50, 95, 99)
    }
    moves = len(measured.waits) + count  # with each visitor's first move
    return {
        "visitors": count, "moves": len(measured.waits), **waits, "failures": measured.failures.total(),
        "kinds": dict(measured.failures), "cpu_ms_per_rerun": round(1e3 * spent / moves, 2),
        "kB_per_move": round(sum(measured.sizes) / max(len(measured.sizes), 1) / 1e3, 1), "memory_mb": round(memory, 1),
        "mb_per_visitor": round((memory - before) / count, 3),
    }  # fmt: skip


def main() -> int:
    seconds = options(__doc__, seconds=20.0).seconds
    figures: dict[str, list[dict]] = {}
    for name, address in PAGES.items():
        with served("benchmarks/floor.py" if name == "floor" else "app.py", **production()) as server:
            asyncio.run(level(server, address, 5, 3, 0.2))  # not measured: imports, Keras's start
            figures[name] = []
            for count in LEVELS:
                figures[name].append(asyncio.run(level(server, address, count, seconds)))
                say(f"{name:14} {figures[name][-1]}")
    start, rows = {row["visitors"]: row for row in figures["/"]}, [row for rows in figures.values() for row in rows]
    return write("load", figures, {
        "30 visitors on / wait at most 100 ms (p95)": start[30]["p95_ms"] <= 100,
        "100 visitors on / wait at most 300 ms (p95)": start[100]["p95_ms"] <= 300,
        "no failures": not any(row["failures"] for row in rows),
        "under 1 MB a visitor": start[100]["mb_per_visitor"] < 1,
        "server below 250 MB": all(row["memory_mb"] < 250 for row in rows),
    })  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
