"""Command line `headcount`: serves the app, writes figures, the lesson's sheet or the quiz, or checks code."""

import sys
from collections.abc import Sequence
from importlib import import_module

from headcount.assets import APP

USAGE = """headcount: multi-head attention made visible.

  headcount serve [--server.port 8501 …]   the app, with any of Streamlit's own options: to this machine, or with
                                           --server.address 0.0.0.0 to all that reach it
  headcount figures --figure heads …       figures as files (headcount figures --help)
  headcount lesson --out lesson.pdf …      the lesson's sheet, two pages to print (headcount lesson --help)
  headcount quiz --seed 17 --versions 30 … the quiz's questions for Moodle, GIFT (headcount quiz --help)
  headcount check PATH …                   what looks like a slip in Python files, such as key_dim=d_model
"""
#: The modules of the other commands, by name: the library must not import modules of the app (tests/test_layers.py).
RUNS = {
    "figures": "headcount.export.command", "lesson": "components.app.lesson", "quiz": "components.pages.quiz.gift",
    "check": "headcount.pasted.check",
}  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit status. The status is 2 for an unknown command or a library that is missing."""
    command, *more = (sys.argv[1:] if argv is None else argv) or ["--help"]
    sys.path.insert(0, str(APP))  # the app's packages, before any other of the same name
    try:
        if command == "serve":
            from streamlit.web import cli

            return cli.main(["run", str(APP / "app.py"), *more], standalone_mode=False) or 0
        if command in RUNS:
            return import_module(RUNS[command]).main(more)
    except ModuleNotFoundError as why:
        needs = "app" if command == "serve" else "figures"
        sys.stderr.write(f"headcount {command} needs {why.name}: pip install 'headcount[{needs}]'\n")
        return 2
    (sys.stdout if command in ("--help", "-h") else sys.stderr).write(USAGE)
    return 0 if command in ("--help", "-h") else 2
