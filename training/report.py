"""What is kept of the runs: the shipped weights with their manifest, and the report of all seeds."""

import hashlib
import json
import platform
from pathlib import Path

import numpy as np

from mha.trained.dinner import other_dishes
from mha.trained.measures import measure, moved, parts, same_twice
from mha.trained.network import Change, Network
from mha.trained.store import FOLDER
from mha.trained.task import HEADS, TEST_COUNT, TEST_SEED, Examples, fixed_examples
from training.runs import LONGER, STEPS, Run, planned, recipe, saved

#: One seed for all networks of a task, so that they all start from the same numbers. Why these: `WHY`.
SHIPPED = {"dinner": 0, "sentence": 2, "facts": 0}
WHY = {
    "dinner": "the first seed; with four heads each question has a head of its own that puts at least 0.9 of its mass there",
    "sentence": "picked by hand: of five, the one whose three heads are the cleanest",
    "facts": "the first seed",
}
TEMPERATURES = (0.0, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 16.0)
CHANGED_SEEDS = range(5)  # the seeds that every head count was trained with


def network_of(run: Run, place: Path) -> tuple[Network, float]:
    """A finished run's network and the seconds that it took."""
    weights, seconds = saved(run, place)
    return Network(run.task, run.heads, weights=weights), seconds


def rounded(values: object, places: int = 4) -> object:
    """Plain numbers for a file that is read by people."""
    return np.round(np.asarray(values, dtype=float), places).tolist()


def row(run: Run, network: Network, seconds: float, examples: Examples) -> dict:
    """One run in the report. `mass`: the attention on the answer of each question's best head in the last layer; `heads`: which
    one, from 1."""
    measured = measure(network, examples)
    last = measured.attention_on_answer[-1]
    entry = {
        "seed": run.seed, "accuracy": rounded(measured.accuracy), "mean": rounded(measured.mean),
        "mass": rounded(last.max(axis=1)), "heads": (last.argmax(axis=1) + 1).tolist(), "seconds": round(seconds, 1),
    }  # fmt: skip
    if run.name == "sentence":
        entry["same_twice"], entry["both_right"] = rounded(same_twice(network, examples))
    return entry


def changes(run: Run, network: Network, examples: Examples) -> dict:
    """A trained network of four heads after changes: cut for other heads, scores scaled, all dishes replaced."""
    return {
        "seed": run.seed,
        "recut": rounded([measure(network.cut_for(heads), examples).mean for heads in HEADS]),
        "temperature": rounded([measure(network, examples, Change(t)).mean for t in TEMPERATURES]),
        "moved": rounded(moved(network, examples, other_dishes(examples.tokens)).max()),
    }


def write_report(place: Path) -> dict:
    """Measures every run and writes report.json."""
    examples, runs, longer, changed = {}, {}, {}, {}
    for run in planned():
        network, seconds = network_of(run, place)
        fixed = examples.setdefault(run.name, fixed_examples(run.task))
        (runs if run.times == 1 else longer).setdefault(run.network, []).append(row(run, network, seconds, fixed))
        if run.network == "dinner-4" and run.seed in CHANGED_SEEDS and run.times == 1:
            changed.setdefault(run.network, []).append(changes(run, network, fixed))
    report = {
        "recipe": recipe(), "examples": TEST_COUNT, "example_seed": TEST_SEED,
        "recut_to": HEADS, "temperatures": TEMPERATURES, "runs": runs,
        "longer_times": LONGER, "longer": longer, "changed": changed,
    }  # fmt: skip
    write(FOLDER / "report.json", report)
    return report


def write(path: Path, value: dict) -> None:
    """JSON, one short list to a line, so that a change can be read."""
    path.write_text(_compact(value) + "\n", encoding="utf-8")


def _compact(value: object, level: int = 0) -> str:
    """Objects, and lists of them, over lines down to the third level; what is deeper, on one line."""
    indent = "\n" + " " * (level + 1)
    if level < 3 and isinstance(value, dict):
        return "{" + ",".join(f"{indent}{json.dumps(key)}: {_compact(one, level + 1)}" for key, one in value.items()) + "}"
    if level < 3 and isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return "[" + ",".join(indent + _compact(one, level + 1) for one in value) + "]"
    return json.dumps(value)


def difference_to_keras(network: Network, examples: Examples, dtype: str) -> dict[str, float]:
    """The largest differences between NumPy and Keras with the same weights, both in this precision."""
    from training.recipe import attention_weights, build, probabilities

    task, exact = network.task, network.as_type(np.dtype(dtype).type)
    model = build(task, network.heads, exact.weights, dtype)
    passes = [one for one, _ in parts(exact, examples)]
    ours = [np.concatenate([one.traces[layer].weights.values for one in passes]) for layer in range(task.layers)]
    theirs = attention_weights(model, task, examples.tokens)
    likely = np.concatenate([one.probabilities for one in passes])
    return {
        "attention": float(max(np.abs(a - b).max() for a, b in zip(ours, theirs, strict=True))),
        "probabilities": float(np.abs(likely - probabilities(model, examples.tokens)).max()),
    }


def write_weights(place: Path) -> None:
    """The shipped networks' weights and manifest.json, each network compared with Keras once more."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.npz"):
        old.unlink()
    networks = {}
    for run in (run for run in planned() if run.seed == SHIPPED[run.name] and run.times == 1):
        network, _ = network_of(run, place)
        path = FOLDER / f"{run.network}.npz"
        np.savez(path, **network.weights)
        examples = fixed_examples(run.task)
        networks[run.network] = {
            "file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "task": run.name, "layers": run.layers,
            "heads": run.heads, "seed": run.seed, "steps": STEPS[run.name], "parameters": network.parameters,
            "accuracy": rounded(measure(network, examples).accuracy),
            "keras": difference_to_keras(network, examples, "float32"),
            "keras_float64": difference_to_keras(network, examples, "float64"),
        }  # fmt: skip
    machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    write(FOLDER / "manifest.json", {"recipe": recipe(), "made_on": machine, "seeds": SHIPPED, "why": WHY, "networks": networks})
