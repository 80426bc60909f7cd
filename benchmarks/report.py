"""Writes `benchmarks/RESULTS.md` from `benchmarks/results/*.json`: `python -m benchmarks.report`, at the end of `make bench`."""

import json
import sys
from pathlib import Path

from benchmarks.measured import RESULTS

PAGE = Path(__file__).parent / "RESULTS.md"


def section(file: Path) -> list[str]:
    """What one file holds: a row for each measurement, a column for each of its numbers, and whether the targets were met."""
    result, rows = json.loads(file.read_text()), {}
    for name, one in result["figures"].items():
        rows |= {f"{name}: {row['visitors']} visitors": row for row in one} if isinstance(one, list) else {name: one}
    heads = [key for key, value in next(iter(rows.values())).items() if key not in ("visitors", "kinds")]
    cells = [["", *heads], [":--", *["--:"] * len(heads)]]
    cells += [[name, *(str(row[key]) for key in heads)] for name, row in rows.items()]
    facts = ", ".join(f"{key} {value}" for key, value in result.items() if key not in ("figures", "met"))
    met = [f"- {target}: {'met' if reached else '**missed**'}" for target, reached in result["met"].items()]
    return [f"## {file.stem}", "", facts, "", *(f"| {' | '.join(row)} |" for row in cells), "", *met, ""]


def page() -> str:
    head = ["# Measured", "", "By `make bench`. Only ratios carry over to other machines; each script says what it measures.", ""]
    return "\n".join([*head, *(line for file in sorted(RESULTS.glob("*.json")) for line in section(file))])


if __name__ == "__main__":
    sys.exit(PAGE.write_text(page()) == 0)
