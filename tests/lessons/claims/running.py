"""Runs the claims and questions: in this process, or by the real Keras layer in its own."""

import json
from collections.abc import Iterable
from pathlib import Path

from lessons.claims import Run, measure
from mha.keras.client import KerasClient
from mha.keras.question import question

HERE = Path(__file__).parent
LONG = 300  # seconds: TensorFlow is loaded, and every run made, on a machine that may be busy
#: [row, file, line, verdict] of every statement of the three articles, as they were judged when they were collected.
TABLE = json.loads((HERE / "table.json").read_text())


def results(runs: Iterable[Run]) -> dict[str, dict]:
    """What each run gave, by its key. AssertionError with Keras's reason where there is none."""
    runs = {run.key: run for run in runs}
    found = {name: measure(run.name, run.arguments) for name, run in runs.items() if not run.keras}
    by_keras = {name: run for name, run in runs.items() if run.keras}
    if by_keras:
        client = KerasClient()
        try:
            for name, run in by_keras.items():  # one by one: each request has its own time
                asked = question(run.name, **run.arguments)
                found[name] = client.result(asked, wait=LONG)
                assert found[name] is not None, client.failure(asked)
        finally:
            client.close()
    return found
