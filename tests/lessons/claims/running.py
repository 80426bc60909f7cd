"""Runs the claims and questions: in this process, or by the real Keras layer in its own (`ask` of tests/conftest.py)."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from lessons.claims import Run, measure

HERE = Path(__file__).parent
#: [row, file, line, verdict] of every statement of the three articles, as they were judged when they were collected.
TABLE = json.loads((HERE / "table.json").read_text())


def results(runs: Iterable[Run], ask: Callable[..., dict] | None = None) -> dict[str, dict]:
    """What each run gave, by its key. AssertionError with Keras's reason where there is none."""
    runs = {run.key: run for run in runs}
    return {key: ask(run.name, **run.arguments) if run.keras else measure(run.name, run.arguments) for key, run in runs.items()}
