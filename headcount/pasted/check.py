"""Finds probable mistakes in Python files that build attention layers (the command `headcount check`)."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from headcount.pasted.code import read_code
from headcount.pasted.trace import Unreadable


def main(argv: Sequence[str]) -> int:
    """Checks files and folders, and prints probable mistakes. Returns 2 for an unreadable file, 1 for a mistake, otherwise 0."""
    parser = argparse.ArgumentParser("headcount check", description=f"{__doc__} A comment `# headcount: ok` lets a call be.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    status = 0
    for path in parser.parse_args(argv).paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            if file != path and any(part.startswith(".") for part in file.relative_to(path).parts):
                continue
            try:
                slips = [one for one in read_code(file.read_text(encoding="utf-8")) if one.slip]
                sys.stdout.writelines(f"{file}:{one.line}: {one.title}. {one.says}\n" for one in slips)
                status = max(status, len(slips) and 1)
            except (OSError, UnicodeDecodeError, Unreadable) as fault:
                sys.stderr.write(f"{file}: {fault}\n")
                status = 2
    return status
