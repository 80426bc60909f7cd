"""Runs the cards again: with NumPy in this process, with the real Keras layer in one of its own."""

import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from experiments.answers import results
from experiments.records import Run

HERE = Path(__file__).parent
#: Streamlit resets Keras wherever it finds it, so it is imported elsewhere.
PROGRAM = """
import json, sys
from experiments.answers import results
from experiments.records import Run
json.dump(results(Run(name, arguments, True) for name, arguments in json.load(sys.stdin)), sys.stdout)
"""


def by_keras(runs: Iterable[Run]) -> dict[str, dict]:
    """The result of each run of the real layer, by its key."""
    asked = json.dumps([(run.name, run.arguments) for run in runs])
    made = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM], input=asked, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return json.loads(made.stdout)


def by_numpy(runs: Iterable[Run]) -> dict[str, dict]:
    return results(run for run in runs if not run.keras)
