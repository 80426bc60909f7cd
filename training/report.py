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
    return Network(run.task, run.heads, weights), seconds


def rounded(values: object, places: int = 4) -> object:
    """Plain numbers for a file that is read by people."""
    return np.round(np.asarray(values, dtype=float), places).tolist()


def row(run: Run, network: Network, seconds: float, examples: Examples) -> dict:
    """One run in the report. `mass`: of each question's best head in the last layer; `heads`: which one, from 1."""
    made = measure(network, examples)
    last = made.mass[-1]
    found = {
        "seed": run.seed, "accuracy": rounded(made.accuracy), "mean": rounded(made.mean), "mass": rounded(last.max(axis=1)),
        "heads": (last.argmax(axis=1) + 1).tolist(), "seconds": round(seconds, 1),
    }  # fmt: skip
    if run.name == "sentence":
        found["same_twice"], found["both_right"] = rounded(same_twice(network, examples))
    return found


def changes(run: Run, network: Network, examples: Examples) -> dict:
    """What becomes of a trained network of four heads: cut for other heads, scores scaled, all dishes replaced."""
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
    made = {
        "recipe": recipe(), "examples": TEST_COUNT, "example_seed": TEST_SEED,
        "recut_to": HEADS, "temperatures": TEMPERATURES, "runs": runs,
        "longer_times": LONGER, "longer": longer, "changed": changed,
    }  # fmt: skip
    write(FOLDER / "report.json", made)
    return made


def write(path: Path, made: dict) -> None:
    """JSON, one short list to a line, so that a change can be read."""
    text = json.dumps(made, indent=1)
    inner = json.dumps(made)
    path.write_text((text if len(inner) < 3000 else _compact(made)) + "\n", encoding="utf-8")


def _compact(made: dict, deep: int = 0) -> str:
    """Objects over lines down to the third level, what is deeper on one line."""
    if deep >= 3 or not isinstance(made, dict | list) or (isinstance(made, list) and not any(isinstance(x, dict) for x in made)):
        return json.dumps(made)
    space = "\n" + " " * (deep + 1)
    if isinstance(made, list):
        return "[" + ",".join(space + _compact(x, deep + 1) for x in made) + "]"
    return "{" + ",".join(f"{space}{json.dumps(key)}: {_compact(value, deep + 1)}" for key, value in made.items()) + "}"


def held_to_keras(network: Network, examples: Examples, dtype: str) -> dict[str, float]:
    """How far NumPy is from Keras with the same weights, both in this precision: what is left in float64 is no rounding."""
    from training.recipe import attention_weights, build, probabilities

    task, exact = network.task, network.as_type(np.dtype(dtype).type)
    model = build(task, network.heads, exact.weights, dtype)
    passes = [made for made, _ in parts(exact, examples)]
    ours = [np.concatenate([made.traces[layer].weights.values for made in passes]) for layer in range(task.layers)]
    theirs = attention_weights(model, task, examples.tokens)
    likely = np.concatenate([made.probabilities for made in passes])
    return {
        "attention": float(max(np.abs(a - b).max() for a, b in zip(ours, theirs, strict=True))),
        "probabilities": float(np.abs(likely - probabilities(model, examples.tokens)).max()),
    }


def write_weights(place: Path) -> None:
    """The shipped networks' weights and manifest.json, each network held to Keras once more."""
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
            "keras": held_to_keras(network, examples, "float32"), "keras_float64": held_to_keras(network, examples, "float64"),
        }  # fmt: skip
    machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    write(FOLDER / "manifest.json", {"recipe": recipe(), "made_on": machine, "seeds": SHIPPED, "why": WHY, "networks": networks})
