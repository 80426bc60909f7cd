"""What a slider step sends, and what a visitor costs in memory.

`python -m benchmarks.wire [--steps N] [--visitors 1 10 20]` prints two tables and writes `benchmarks/results/wire.json`.

Bytes: every websocket message that Chromium receives for one step of the heads slider (no compression, as Streamlit serves it),
median over the steps, told apart by what it carries. `again`: a figure that the browser still has from two moves before is
sent as its number only (Streamlit's own cache), so steps to and fro are counted apart from steps to figures not seen lately.

Memory: resident memory of the server's process with so many visitors (websockets, without a browser) on all pages in turn,
each having moved the slider through its stops; after they have left; and with as many again, which shows what is kept.
"""

import argparse
import asyncio
import statistics
import sys
from collections import Counter

from playwright.sync_api import Browser

from benchmarks import serving
from benchmarks.paint import HEADS, PAGES, Contestant, labels, record
from benchmarks.visitors import visiting
from mha.cost import MOST_NUMBERS
from mha.keras.supervisor import Limits

#: Seconds that a server keeps the session of a visitor who has gone (Streamlit's default is 120).
KEPT_SECONDS = 3
KINDS = {"headcount_stage": "stages", "plotly_chart": "charts", "markdown": "texts and tables", "ref_hash": "references"}


def told_apart(sizes: Counter) -> dict[str, int]:
    parts: Counter = Counter()
    for kind, size in sizes.items():
        parts[KINDS.get(kind, "widgets and frame")] += size
    return dict(parts)


def per_step(browser: Browser, url: str, path: str, steps: int) -> dict:
    """Median bytes of a step, in all and by part, over whole rounds of 1 … 16 … 1 heads."""
    expected = labels(record(browser, url + path))
    visitor = Contestant(browser, url + path)
    visitor.move(expected)
    fresh, again = [], []
    for _ in range(steps):
        visitor.move(expected)
        (again if visitor.messages.sizes["ref_hash"] else fresh).append(Counter(visitor.messages.sizes))
    visitor.page.context.close()
    figures = {}
    for name, some in (("fresh", fresh), ("again", again)):
        if some:
            parts = [told_apart(sizes) for sizes in some]
            figures[name] = {
                "steps": len(some),
                "kB": round(statistics.median(sizes.total() for sizes in some) / 1000, 1),
                **{f"{part} kB": round(statistics.median(p.get(part, 0) for p in parts) / 1000, 1) for part in sorted(parts[0])},
            }
    return figures


async def wave(server: serving.Server, count: int) -> float:
    """Memory in MB while `count` visitors are there and have moved their sliders through all stops."""
    pages = [PAGES[i % len(PAGES)] for i in range(count)]
    async with asyncio.TaskGroup() as group:
        done, memory = asyncio.Event(), asyncio.Queue()

        async def visit(path: str) -> None:
            async with visiting(server.url, path, 1) as (visitor,):
                for heads in HEADS:
                    await visitor.run(heads)
                await memory.put(None)
                await done.wait()

        for path in pages:
            group.create_task(visit(path))
        for _ in pages:
            await memory.get()
        held = server.memory_mb()
        done.set()
    return held


def memory(counts: list[int]) -> dict:
    """Megabytes at rest, with each number of visitors, after they have gone, and the same again."""
    options = ("--server.disconnectedSessionTTL", str(KEPT_SECONDS))

    async def waves(server: serving.Server) -> dict:
        figures = {"started": server.memory_mb()}
        await wave(server, len(PAGES))  # everything imported, every cache in use
        for turn in ("", " again"):
            for count in counts:
                figures[f"{count} visitors{turn}"] = await wave(server, count)
                await asyncio.sleep(2 * KEPT_SECONDS)
                figures[f"after {count}{turn}"] = server.memory_mb()
        few, many = min(counts), max(counts)
        for turn in ("", " again"):
            more = figures[f"{many} visitors{turn}"] - figures[f"{few} visitors{turn}"]
            figures[f"each visitor more{turn}"] = more / max(many - few, 1)
        return {name: round(value, 2) for name, value in figures.items()}

    with serving.served("app.py", options=options) as server:
        return asyncio.run(waves(server))


def bounds() -> list[str]:
    """What is kept over all visitors, and how much of it at most."""
    limits = Limits()
    return [
        f"a trace holds at most {4 * MOST_NUMBERS >> 20} MB, and the app keeps a few (components/widgets/trace.py)",
        f"answers of the Keras layer: at most {limits.kept} and {limits.kept_bytes >> 20} MB",
        f"the Keras process: restarted above {limits.memory_bytes >> 30} GB",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=16)
    parser.add_argument("--visitors", type=int, nargs="+", default=[1, 10, 20])
    asked = parser.parse_args()
    out = sys.stdout.write
    sent = {}
    with serving.chromium() as browser, serving.served("app.py") as app:
        for path in PAGES:
            sent[path] = per_step(browser, app.url, path, asked.steps)
            for name, row in sent[path].items():
                out(f"{path:15} {name:6} {row['kB']:7.1f} kB  {row}\n")
    held = memory(asked.visitors)
    for name, value in held.items():
        out(f"{name:28} {value:8.2f} MB\n")
    serving.write("wire", {"bytes per step": sent, "memory MB": held, "bounds": bounds()}, {})
    return 0


if __name__ == "__main__":
    sys.exit(main())
