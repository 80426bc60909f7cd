"""Runs every card's experiments in NumPy and the real Keras, and writes assets/answers.json for the app (`make answers`)."""

import json
import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from typing import Any

import numpy as np

from experiments.cards import CARDS
from experiments.records import Card, Run
from experiments.runs import measure
from headcount.assets import ASSETS
from headcount.keras.client import ENVIRONMENT

FILE = ASSETS / "answers.json"


def results(runs: Iterable[Run]) -> dict[str, dict]:
    """Returns the result of each run as plain JSON, by the run's key. The first run of Keras imports TensorFlow."""
    return {run.key: plain(by_keras(run) if run.keras else measure(run.name, run.arguments)) for run in runs}


def by_keras(run: Run) -> dict:
    """Runs an experiment with the real Keras layer, under the app worker's environment variables. Returns the result."""
    os.environ.update(ENVIRONMENT)  # read when TensorFlow is imported
    from experiments.runs import real_layer

    return real_layer.result(run.name, dict(run.arguments))


def plain(value: Any) -> Any:
    """Returns the value with NumPy's types replaced by Python's."""
    if isinstance(value, Mapping):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def card(one: Card, found: Mapping[str, dict]) -> dict[str, Any]:
    """Returns a card as plain JSON: its question, its answer with the runs' numbers, and its page."""
    answer = one.reply(*(found[run.key] for run in one.runs))
    return {
        "id": one.id, "also": one.also, "topic": one.topic, "asks": one.asks, "asked": one.asked,
        "addresses": one.addresses, "see": astuple(one.see), "by": one.by, "text": answer.text, "rows": answer.rows,
    }  # fmt: skip


def main() -> None:
    warnings.simplefilter("ignore")
    found = results({run.key: run for one in CARDS for run in one.runs}.values())
    from experiments.runs import real_layer

    versions = {**real_layer.versions(), "NumPy": np.__version__}
    book = {"versions": versions, "cards": [card(one, found) for one in CARDS]}
    FILE.write_text(json.dumps(book, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
