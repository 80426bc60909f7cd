"""Runs what can be run here: the ledger's and NumPy's part of the claims and questions."""

from collections.abc import Mapping

from lessons.claims.question_runs import ASKED
from lessons.claims.runs import RUNS

HERE = {**RUNS, **ASKED}


def measure(name: str, arguments: Mapping[str, object]) -> dict:
    """Runs one here and now. KeyError for a name that is not in the table."""
    return HERE[name](**arguments)
