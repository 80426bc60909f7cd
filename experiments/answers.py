"""Runs every card's experiments in NumPy and the real Keras, and writes assets/answers.json for the app (`make answers`)."""

import json
import os
import sys
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
    """Returns the result of each run by its key, as plain JSON. The first run of Keras imports TensorFlow."""
    return {run.key: plain(by_keras(run) if run.keras else measure(run.name, run.arguments)) for run in runs}


def by_keras(run: Run) -> dict:
    """Returns the result of a run of the real Keras layer, computed as in the app's worker, without layers of earlier runs."""
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


def every() -> dict[str, Any]:
    """Returns all cards as plain JSON, with the versions of the libraries."""
    found = results({run.key: run for one in CARDS for run in one.runs}.values())
    from experiments.runs import real_layer

    return {"versions": {**real_layer.versions(), "NumPy": np.__version__}, "cards": [card(one, found) for one in CARDS]}


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Lists the differences between two sets of answers: a line for each part of a card that differs."""
    said = [f"{name}: {before['versions'].get(name)} -> {version}" for name, version in after["versions"].items()
            if version != before["versions"].get(name)]  # fmt: skip
    old, new = ({one["id"]: one for one in book["cards"]} for book in (before, after))
    said += [f"{name} is gone: {old[name]['asks']}" for name in old if name not in new]
    for name, one in new.items():
        if name not in old:
            said.append(f"{name} is new: {one['asks']}")
        else:
            was = old[name]
            said += [f"{name}, {part}: {was.get(part)}\n  -> {says}" for part, says in one.items() if says != was.get(part)]
    return said


def main() -> None:
    warnings.simplefilter("ignore")
    text = json.dumps(every(), ensure_ascii=False, indent=1) + "\n"
    before = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {"versions": {}, "cards": []}
    said = changes(before, json.loads(text))
    FILE.write_text(text, encoding="utf-8")
    sys.stdout.write("".join(f"{line}\n" for line in said or ["Nothing has changed."]))


if __name__ == "__main__":
    main()
