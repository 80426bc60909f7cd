"""Shared parts of the benchmarks: options of the command line, the file of results, and the page of results."""

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results.json"
PAGE = Path(__file__).parent / "RESULTS.md"


def options(description: str, what: Sequence[str] = (), **defaults: float) -> argparse.Namespace:
    """Parses the command line. It may have a number for each name in `defaults`, and one of the words in `what`."""
    parser = argparse.ArgumentParser(description=description)
    if what:
        parser.add_argument("what", nargs="?", choices=what)
    for name, default in defaults.items():
        parser.add_argument(f"--{name}", type=type(default), default=default, help="default: %(default)s")
    return parser.parse_args()


def write(name: str, figures: dict, met: dict[str, bool], **more: object) -> int:
    """Writes measurements, targets and machine of a benchmark to RESULTS and PAGE. With arguments on the command line, it is a
    trial, and nothing is written. Returns 0 if all targets are met, else 1."""
    machine = {"cores": os.cpu_count(), "machine": platform.machine(), "python": platform.python_version()}
    versions = {name: version(name) for name in ("streamlit", "plotly", "numpy")}
    when = {"date": time.strftime("%Y-%m-%d"), "load": round(os.getloadavg()[0], 1)}
    result = {"figures": figures, "met": met, **when, **machine, **versions, **more}
    if sys.argv[1:]:
        say("A trial: the results are not written.")
    else:
        RESULTS.write_text(json.dumps(dict(sorted({**results(), name: result}.items())), indent=2) + "\n")
        PAGE.write_text(page())
    for target, reached in met.items():
        say(f"{target}: {'met' if reached else 'MISSED'}")
    return 0 if all(met.values()) else 1


def results() -> dict[str, dict]:
    return json.loads(RESULTS.read_text())


def page() -> str:
    head = ["# Measured", "", "By `make bench`. Only ratios carry over to other machines; each script says what it measures.", ""]
    return "\n".join([*head, *(line for name, result in results().items() for line in _section(name, result))])


def _section(benchmark: str, result: dict) -> list[str]:
    """Returns the lines of one benchmark: a table with a row for each measurement, and its targets."""
    rows = {}
    for name, one in result["figures"].items():
        rows |= {f"{name}: {row['visitors']} visitors": row for row in one} if isinstance(one, list) else {name: one}
    heads = [key for key in dict.fromkeys(key for row in rows.values() for key in row) if key not in ("visitors", "kinds")]
    cells = [["", *heads], [":--", *["--:"] * len(heads)]]
    cells += [[name, *(str(row.get(key, "")) for key in heads)] for name, row in rows.items()]
    facts = ", ".join(f"{key} {value}" for key, value in result.items() if key not in ("figures", "met"))
    met = [f"- {target}: {'met' if reached else '**missed**'}" for target, reached in result["met"].items()]
    return [f"## {benchmark}", "", facts, "", *(f"| {' | '.join(row)} |" for row in cells), "", *met, ""]


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
