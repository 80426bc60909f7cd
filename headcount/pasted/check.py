"""The command `headcount check`: attention in files and folders of Python, and what looks like a slip."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from headcount.pasted.code import read_code
from headcount.typed import Unreadable


def files_in(paths: Sequence[Path]) -> Iterator[Path]:
    """The files that are named, and those of Python in the folders that are, without hidden ones."""
    for path in paths:
        inside = sorted(path.rglob("*.py")) if path.is_dir() else [path]
        yield from (one for one in inside if one == path or not any(part.startswith(".") for part in one.relative_to(path).parts))


def main(argv: Sequence[str]) -> int:
    """The exit status: 1 where something looks like a slip, 2 where a file cannot be read, else 0."""
    parser = argparse.ArgumentParser("headcount check", description=f"{__doc__} A comment `# headcount: ok` lets a call be.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    parser.add_argument("--all", action="store_true", help="every call of attention, not only what looks like a slip")
    chosen, status = parser.parse_args(argv), 0
    for path in files_in(chosen.paths):
        try:
            found = read_code(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, Unreadable) as fault:
            sys.stderr.write(f"{path}: {fault}\n")
            status = 2
            continue
        for one in found:
            if one.slip or chosen.all:
                sys.stdout.write(f"{path}:{one.line}: {one.title}. {one.says}\n")
            status = max(status, int(one.slip))
    return status
