"""A class of visitors on one process, and on replicas: `python -m benchmarks.load [one|replicas|switches|steady] [--seconds N]`.

one: the barest page, then `/`, `/attention` and `/keras_layer`, with 1, 10, 30, 60 and 100 visitors, each moving the heads slider
every two seconds; writes `benchmarks/results/load.json`. replicas: 100 visitors on `/attention`, on one process and on two
behind nginx; `load_replicas.json`. switches: 30 visitors on `/` with each tuning taken back in its turn; `load_switches.json`.
steady: 30 visitors for ten minutes; `load_steady.json`. Without a word: all four, one after the other (half an hour).

Servers run under the production settings (deploy/production.env); visitors are websockets of one other process.
"""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks import serving
from benchmarks.load_visitors import Measured, level
from benchmarks.untuned import TUNINGS
from deploy.replicas import Replica, site

PAGES = {"floor": "/", "/": "/", "/attention": "/attention?num_heads=8&query_len=16&key_len=16", "/keras_layer": "/keras_layer"}
LEVELS = (1, 10, 30, 60, 100)
PAUSE = 2.0
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    """User and system time of a process so far (Linux)."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(after_name[11]) + int(after_name[12])) / TICKS


def memory_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000


@contextmanager
def replica(script: str = "app.py", off: str = "") -> Iterator[Replica]:
    """One process under the production settings, with some tunings taken back."""
    with tempfile.TemporaryDirectory() as folder:
        made = Replica(Path(folder), script=script)
        if off:
            made.command = ("benchmarks.untuned", off, "run", script)
        try:
            made.start()
            made.wait()
            yield made
        finally:
            made.kill()


def row(url: str, address: str, count: int, seconds: float, pids: list[int], pause: float = PAUSE) -> dict:
    """One level: what visitors waited in milliseconds, and what it took the servers."""
    before = sum(map(memory_mb, pids))
    at: dict[str, float] = {}

    def opened() -> None:
        at["cpu"], at["time"] = sum(map(processor_seconds, pids)), time.perf_counter()

    made: Measured = asyncio.run(level(url, address, count, seconds, pause, opened))
    spent, wall = sum(map(processor_seconds, pids)) - at["cpu"], time.perf_counter() - at["time"]
    moves = max(len(made.waited) + count, 1)  # each visitor's first move is made, and not counted
    waits = {f"p{p}_ms": round(1e3 * serving.percentile(made.waited, p), 1) if made.waited else None for p in (50, 95, 99)}
    return {
        "visitors": count, "moves": len(made.waited), **waits, "failures": sum(made.failures.values()),
        "kinds": dict(made.failures), "cpu_ms_per_rerun": round(1e3 * spent / moves, 2), "cores": round(spent / wall, 2),
        "kB_per_move": round(sum(made.sizes) / max(len(made.sizes), 1) / 1e3, 1),
        "memory_mb": round(sum(map(memory_mb, pids)), 1),
        "mb_per_visitor": round((sum(map(memory_mb, pids)) - before) / count, 3),
    }  # fmt: skip


def say(name: str, made: dict) -> None:
    times, costs = ("p50_ms", "p95_ms", "p99_ms"), ("cpu_ms_per_rerun", "cores", "memory_mb", "mb_per_visitor")
    shown = ("visitors", "moves", *times, "failures", *costs)
    sys.stdout.write(f"{name:14}" + " ".join(f"{what} {made[what]}" for what in shown) + f" {made['kinds'] or ''}\n")
    sys.stdout.flush()


def one(seconds: float) -> None:
    figures, met = {}, {}
    for name, address in PAGES.items():
        with replica("benchmarks/floor/bare.py" if name == "floor" else "app.py") as server:
            row(server.url, address, 5, 3, [server.process.pid], 0.2)  # imports, and the worker, are not what is measured
            figures[name] = [row(server.url, address, count, seconds, [server.process.pid]) for count in LEVELS]
        for made in figures[name]:
            say(name, made)
    start, last = {made["visitors"]: made for made in figures["/"]}, figures["/"][-1]
    met = {
        "30 visitors on / wait at most 100 ms (p95)": start[30]["p95_ms"] <= 100,
        "100 visitors on / wait at most 300 ms (p95)": start[100]["p95_ms"] <= 300,
        "no failures": not any(made["failures"] for rows in figures.values() for made in rows),
        "under 1 MB a visitor": last["mb_per_visitor"] < 1,
        "server below 250 MB": all(made["memory_mb"] < 250 for rows in figures.values() for made in rows),
    }
    serving.write("load", figures, met)


def replicas(seconds: float) -> None:
    address, figures = PAGES["/attention"], {}
    with replica() as server:
        row(server.url, address, 5, 3, [server.process.pid], 0.2)
        figures["one process"] = row(server.url, address, 100, seconds, [server.process.pid])
    with tempfile.TemporaryDirectory() as folder, site(Path(folder)) as public:
        pids = [each.process.pid for each in public.replicas]
        row(public.url, address, 10, 3, pids, 0.2)
        figures["two replicas"] = row(public.url, address, 100, seconds, pids)
    for name, made in figures.items():
        say(name, made)
    two = figures["two replicas"]
    met = {"100 visitors on /attention wait at most 300 ms (p95)": two["p95_ms"] <= 300 and not two["failures"]}
    serving.write("load_replicas", figures, met)


def switches(seconds: float) -> None:
    figures = {}
    for off in ("", *TUNINGS):
        with replica(off=off) as server:
            row(server.url, "/", 5, 3, [server.process.pid], 0.2)
            name = f"without: {TUNINGS[off][0]}" if off else "as it is"
            figures[name] = row(server.url, "/", 30, seconds, [server.process.pid])
        say(name, figures[name])
    serving.write("load_switches", figures, {})


def steady(seconds: float) -> None:
    """In ten parts: memory after each says whether it is level."""
    with replica() as server:
        row(server.url, "/", 30, 10, [server.process.pid])
        parts = [row(server.url, "/", 30, seconds / 10, [server.process.pid]) for _ in range(10)]
    for made in parts:
        say("/", made)
    grown = parts[-1]["memory_mb"] - parts[4]["memory_mb"]
    met = {"memory level (below 5 MB more in the second half)": grown < 5}
    serving.write("load_steady", {"minutes": seconds / 60, "parts": parts}, met)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=("one", "replicas", "switches", "steady"))
    parser.add_argument("--seconds", type=float, help="measured for each level (20; steady: 600)")
    asked = parser.parse_args()
    for measure, usual in ((one, 20), (replicas, 30), (switches, 20), (steady, 600)):
        if asked.what in (None, measure.__name__):
            measure(asked.seconds or usual)
    return 0


if __name__ == "__main__":
    sys.exit(main())
