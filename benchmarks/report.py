"""All results on one page: reads `benchmarks/results/*.json`, writes `benchmarks/RESULTS.md`.

`python -m benchmarks.report` measures nothing. With `--measure` every benchmark runs before, one after the other: an hour, on a
quiet machine. Each has a process of its own: none inherits another's memory, threads or TensorFlow.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from benchmarks.serving import RESULTS, say

PAGE = Path(__file__).parent / "RESULTS.md"
NAMES = {
    "/": "Heads and parameters", "/projections": "Projections", "/attention": "Attention", "/concatenation": "Concatenation",
    "model": "another model", "heads": "heads, by slider", "guest": "guest, typed", "removed": "removed head, typed",
}  # fmt: skip


def table(head: list[str], rows: Iterable[list[str]]) -> list[str]:
    """A Markdown table; all columns but the first are numbers."""
    return ["| " + " | ".join(cells) + " |" for cells in (head, [":--"] + ["--:"] * (len(head) - 1), *rows)]


def mark(met: bool) -> str:
    return "met" if met else "**missed**"


def targets(result: dict) -> list[str]:
    return ["", *(f"- {words}: {mark(met)}" for words, met in result["met"].items())]


def number(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


def paint(text: str) -> Callable[[dict], list[str]]:
    """`text`: what was measured; {moves} stands for how often."""

    def section(result: dict) -> list[str]:
        rows = []
        for name, row in result["figures"].items():
            last = f"{name} with the last chart"
            last = ("1.25", last) if last in result["met"] else ("", "")  # no target in older results
            kinds = [("main", "floor", "main picture", "1.25", name), ("charts", "floor", "with the last chart", *last)]
            kinds.append(("main", "bare", "against one text and one canvas", "1.5", f"{name} to text and canvas"))
            for what, other, words, most, target in kinds:
                if f"{what}_to_{other}" not in row or (what == "charts" and row["app_charts_ms"] == row["app_main_ms"]):
                    continue
                times = [f"{row[f'{who}_{what}_ms']:.0f} / {row[f'{who}_{what}_p90_ms']:.0f}" for who in ("app", other)]
                met = mark(result["met"][target]) if target else ""
                rows.append([f"{NAMES[name]}: {words}", *times, f"{row[f'{what}_to_{other}']:.2f}", most, met])
        moves = min(row["moves"] for row in result["figures"].values())
        return [text.format(moves=moves), "", *table(["", "app", "floor", "ratio", "at most", ""], rows)]

    return section


def trace(result: dict) -> list[str]:
    rows = [
        [name, f"{row['trace_ms']:.3g}", f"{row['keras_ms']:.3g}", f"{row['trace_to_keras']:.2g}", f"{row['bare_ms']:.3g}",
         f"{row['trace_to_bare']:.2f}", mark(result["met"][name])]
        for name, row in result["figures"].items()
    ]  # fmt: skip
    head = ["", "trace ms", "Keras ms", "ratio", "bare products ms", "ratio", "targets"]
    versions = f"Keras {result['keras_version']}, TensorFlow {result['tensorflow_version']}"
    text = f"One forward pass with every intermediate kept, against the real layer ({versions}) called eagerly."
    return [text, "", *table(head, rows)]


def cold(result: dict) -> list[str]:
    words = {
        "up_s": "start of the process to listening", "navigation_to_figure_s": "first visitor's navigation to first figure",
        "start_to_figure_s": "start of the process to first figure",
    }  # fmt: skip
    figures, met = result["figures"], result["met"]
    rows = [
        [text, *(f"{figures[key][name]:.2f}" for name in ("app", "bare", "ratio")),
         *(["1.3", mark(met[key])] if key in met else ["", ""])]
        for key, text in words.items()
    ]  # fmt: skip
    text = f"Seconds, median of {figures['rounds']} rounds, against a bare Streamlit and Plotly page without TensorFlow."
    return [text, "", *table(["", "app", "bare", "ratio", "at most", ""], rows)]


def levels(text: str, first: str, rows: dict[str, dict]) -> list[str]:
    """What visitors waited, and what it took the servers. `first`: the head of the first column."""
    head = ["p50 ms", "p95", "p99", "failures", "CPU ms a move", "cores", "kB a move", "memory MB", "MB a visitor"]
    formats = {
        "p50_ms": number, "p95_ms": number, "p99_ms": number, "failures": str, "cpu_ms_per_rerun": "{:.1f}".format,
        "cores": "{:.2f}".format, "kB_per_move": "{:.0f}".format, "memory_mb": "{:.0f}".format, "mb_per_visitor": "{:.2f}".format,
    }  # fmt: skip
    cells = [[name, *(form(row[what]) for what, form in formats.items())] for name, row in rows.items()]
    return [text, "", *table([first, *head], cells)]


def load(result: dict) -> list[str]:
    rows = {f"{page}: {row['visitors']}": row for page, rows in result["figures"].items() for row in rows}
    text = (
        "Visitors at once on one process, each moving the heads slider every two seconds. A wait is counted from when the move "
        "was due until the last of its answer is there, without the browser's drawing. floor: one slider and one line."
    )
    return [*levels(text, "page: visitors", rows), *targets(result)]


def replicas(result: dict) -> list[str]:
    return [*levels("Visitors of `/attention`, any head count from 1 to 16.", "visitors", result["figures"]), *targets(result)]


def steady(result: dict) -> list[str]:
    """Memory alone: ten minutes are too long to keep a machine quiet, waits are measured by `load one`."""
    rows = [[f"{row['pages']:,}", str(row["failures"]), f"{row['memory_mb']:.0f}"] for row in result["figures"]["parts"]]
    text = (
        f"30 visitors for {result['figures']['minutes']:g} minutes, four seconds on each page: any page, any choices, layers of "
        "any size. The server's memory after each tenth."
    )
    return [text, "", *table(["pages so far", "failures", "memory MB"], rows), *targets(result)]


def failover(result: dict) -> list[str]:
    figures = result["figures"]
    text = (
        f"A replica in use killed (SIGKILL) {figures['kills']} times: the same screen works on at the other one after "
        f"{figures['median_s']:.2f} s (median), {figures['longest_s']:.2f} s at the longest."
    )
    return [text, *targets(result)]


def abuse(result: dict) -> list[str]:
    memory = result["figures"].pop("memory MB")
    rows = [
        [name, str(row["times"]), number(row["p50_ms"]), number(row["p95_ms"]), str(row["failures"]), f"{row['memory_mb']:.0f}"]
        for name, row in result["figures"].items()
    ]
    head = ["who else is there", "times", "p50 ms", "p95", "failures", "memory MB"]
    text = "Ten visitors on `/`, one process without a proxy, while somebody else means harm."
    after = " · ".join(f"{what} {value:.0f} MB" for what, value in memory.items())
    return [text, "", *table(head, rows), "", after, *targets(result)]


def visits(result: dict) -> list[str]:
    formats = {"requests": "{:.0f}", "kB": "{:,.0f}", "largest_paint_s": "{:.2f}", "shift": "{:.2f}"}
    rows = [
        [f"`{page}`", *(form.format(row[name][what]) for name in ("first", "second") for what, form in formats.items())]
        for page, row in result["figures"].items()
    ]  # fmt: skip
    text = (
        "In Chromium, 1280 × 720: until nothing more comes. With an empty cache, then the same browser once more (“again”). "
        "Largest contentful paint in seconds; shift: how far things moved while the page came up."
    )
    head = ["", "requests", "kB", "paint s", "shift", "requests again", "kB", "paint s", "shift"]
    return [text, "", *table(head, rows), *targets(result)]


def static(result: dict) -> list[str]:
    figures = result["figures"]

    def move(name: str) -> str:
        low, high = figures.get(f"{name}_quartiles", (None, None))  # none in older results
        return f"{figures[f'{name}_ms']:.0f}" + ("" if low is None else f" ({low:.0f} to {high:.0f})")

    rows = [
        ["picture that waits in the page, with its numbers, s", f"{figures['first_picture_s']:.2f}"],
        ["the app's own first picture, cold, s", f"{figures['cold_s']:.1f}"],
        ["the same on the second visit, s", f"{figures['second_s']:.1f}"],
        ["a move of the heads slider, ms", move("move")],
        ["the same on the app's own server, ms", move("server_move")],
        ["travels until the first picture, MB", f"{figures['at_first_mb']:.1f}"],
        *([f"of it `{name}`", f"{size:.2f}"] for name, size in figures["parts_mb"].items()),
        ["travels in all, for any page and offline, MB", f"{figures['all_mb']:.1f}"],
        [f"on the disk, {figures['files']} files, MB", f"{figures['on_disk_mb']:.0f}"],
    ]
    text = f"`build/static` from a plain web server on the same machine, in Chromium; medians of {figures['rounds']} visits"
    text += f", and of {figures['moves']} moves in turns with the server (quartiles in brackets)." if "moves" in figures else "."
    return [text, "", *table(["", ""], rows), *targets(result)]


class Section(NamedTuple):
    """One benchmark: the file with its results, its command, and its part of the page."""

    file: str
    command: str
    title: str
    lines: Callable[[dict], list[str]]


SECTIONS = (
    Section("paint", "paint slider", "Key press to picture", paint(
        "Milliseconds from a key press on the heads slider to the figure on the screen, in Chromium (d_model 16), median / 90th "
        "percentile of {moves} moves. The floor is a bare Streamlit page with the same finished figures that computes nothing. "
        "The app's stages and charts are sent the slider's next stops with the present one and draw them before the server has "
        "answered (the floor's are not). Where a page has both, the figure goes to the screen first.",
    )),
    *(
        Section(f"paint_{size}", f"paint {size}", f"Key press to picture: {size}", paint(
            "The same on the " + size + " slider of the pages whose picture it changes, {moves} moves each.",
        ))
        for size in ("d_model", "key_dim", "value_dim")
    ),
    Section("models", "paint models", "Another model", paint(
        "Milliseconds from Enter in the chooser of `/models` until the picture looks as it stays, median / "
        "90th percentile of {moves} switches among four models. The floor: a chooser, and the same charts and texts.",
    )),
    Section("trained", "paint trained", "Trained heads", paint(
        "The same on `/trained_heads`, {moves} moves each; the main picture is the guests' tables. The page shows other heads "
        "and another guest before its server has answered, the floor does not.",
    )),
    Section("trace", "trace", "The layer's numbers", trace),
    Section("cold", "cold", "Cold start", cold),
    Section("visits", "visits", "A first visit, and a second", visits),
    Section("static", "static", "Without a server", static),
    Section("load", "load one", "Many visitors, one process", load),
    Section("load_replicas", "load replicas", "Replicas behind nginx", replicas),
    Section("load_steady", "load steady", "Ten minutes", steady),
    Section("failover", "failover", "A replica dies", failover),
    Section("abuse", "abuse", "Somebody means harm", abuse),
)  # fmt: skip


def where(result: dict) -> str:
    """On what, with what and when it was measured."""
    known = [f"{name} {result[name]}" for name in ("python", "streamlit", "plotly", "numpy") if name in result]
    known += [result["date"], f"load {result['load']} at the end"] if "date" in result else []
    return f"{result['cores']} cores, {result['machine']}, " + ", ".join(known)


def page() -> str:
    lines = ["# Measured", "", "Written by `python -m benchmarks.report`. Only ratios carry over to other machines.", ""]
    for section in SECTIONS:
        result = json.loads((RESULTS / f"{section.file}.json").read_text())
        command = f"`python -m benchmarks.{section.command}`"
        lines += [f"## {section.title}", "", f"{command} · {where(result)}", "", *section.lines(result), ""]
    return "\n".join(lines)


def main() -> int:
    """The number of benchmarks that missed a target or failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", action="store_true", help="run every benchmark before")
    missed = []
    for section in SECTIONS if parser.parse_args().measure else ():
        module, *words = section.command.split()
        if subprocess.run((sys.executable, "-m", f"benchmarks.{module}", *words), check=False).returncode:
            missed.append(section.command)
    PAGE.write_text(page())
    say(f"{PAGE}" + (f"; missed a target or failed: {', '.join(missed)}" if missed else ""))
    return len(missed)


if __name__ == "__main__":
    sys.exit(main())
