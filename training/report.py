"""Results of the training: the shipped weights with their manifest, and a report on all seeds."""

import hashlib
import json
import platform
from dataclasses import replace

import numpy as np

from headcount.trained.measures import measure, parts
from headcount.trained.network import Network
from headcount.trained.store import FOLDER
from headcount.trained.task import TEST_COUNT, TEST_SEED, Examples, fixed_examples
from training.runs import LONGER, TASKS, NetworkRun, recipe

#: The seed of the shipped networks, which all start from the same numbers. `WHY` has the reason for it.
SHIPPED = 2
WHY = {
    "sentence": "picked by hand: the only one of ten whose four heads each have a question, and the default sentence was "
    "picked so that one head errs",
    "stops": "that of the sentence; a network with a seed of its own has one whose heads mix the questions less",
}
#: Shipped networks with a seed of their own, because with the common seed their heads mix the questions.
CRISPER = {"stops-64-4-16-16": 0}


def network_of(run: NetworkRun, weights: dict[str, np.ndarray]) -> Network:
    """Makes the network that ships from the weights of a finished run. The heads are in the order of the questions. At a slider's
    stop, the weights are rounded to float16."""
    network = Network(run.task, run.heads, weights)
    if run.name == "stops":
        network = network.as_type(np.float16).as_type(np.float32)
    return by_question(network)


def ships(run: NetworkRun) -> bool:
    """Returns whether the app shows this run's network."""
    return run.times == 1 and run.seed == CRISPER.get(run.network, SHIPPED)


def by_question(network: Network) -> Network:
    """Reorders the heads by questions. Each question in turn takes the remaining head with the largest attention weight on the
    answer. All other heads follow. The order changes the layer's output only by rounding."""
    on_answer = measure(network, fixed_examples(network.task)).attention_on_answer
    rest = sorted(range(network.heads), key=lambda head: (on_answer[:, head].argmax(), -on_answer[:, head].max()))
    order: list[int] = []
    for looks in on_answer[: network.heads]:
        order.append(max(rest, key=lambda head: looks[head]))
        rest.remove(order[-1])
    order += rest
    axis = {"w_q": 1, "w_k": 1, "w_v": 1, "b_q": 0, "b_k": 0, "b_v": 0, "w_o": 0}
    turned = {f"layer1_{name}": np.take(network.weights[f"layer1_{name}"], order, axis=at) for name, at in axis.items()}
    return replace(network, weights={**network.weights, **turned})


def rounded(values: object) -> object:
    return np.round(np.asarray(values, dtype=float), 4).tolist()


def row(run: NetworkRun, network: Network, examples: Examples) -> dict:
    """Describes one run in the report. `mass`: for each question, the attention weight on the answer in the question's best head.
    `heads`: the number of this head, from 1, in the order in which the best heads first appear."""
    measured = measure(network, examples)
    on_answer = measured.attention_on_answer
    best = (on_answer.argmax(axis=1) + 1).tolist()
    taken = [*dict.fromkeys(best)]
    best = [taken.index(head) + 1 for head in best]
    return {
        "seed": run.seed, "accuracy": rounded(measured.accuracy), "mean": rounded(measured.mean),
        "mass": rounded(on_answer.max(axis=1)), "heads": best,
    }  # fmt: skip


def report_of(name: str, networks: dict[NetworkRun, Network]) -> dict:
    """Measures the `networks` of a task's runs. Returns the task's part of report.json."""
    examples, runs, longer = fixed_examples(TASKS[name]), {}, {}
    for run, network in networks.items():
        (runs if run.times == 1 else longer).setdefault(run.network, []).append(row(run, network, examples))
    return {"examples": TEST_COUNT, "example_seed": TEST_SEED, "runs": runs, "longer_times": LONGER, "longer": longer}


def write(file: str, tasks: dict) -> None:
    """Replaces the entries of these tasks in a JSON file. The entries of all other tasks stay."""
    path = FOLDER / file
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(_compact(known | tasks) + "\n", encoding="utf-8")


def _compact(value: object, level: int = 0) -> str:
    """Formats JSON. Entries of dicts, and of lists with dicts, get a line each down to level four. The rest is on one line."""
    indent = "\n" + " " * (level + 1)
    if level < 4 and isinstance(value, dict):
        return "{" + ",".join(f"{indent}{json.dumps(key)}: {_compact(one, level + 1)}" for key, one in value.items()) + "}"
    if level < 4 and isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return "[" + ",".join(indent + _compact(one, level + 1) for one in value) + "]"
    return json.dumps(value)


def difference_to_keras(network: Network, examples: Examples, dtype: str) -> dict[str, float]:
    """Computes how far apart NumPy and Keras are at most, in attention weights and in probabilities, both in `dtype`."""
    from training.recipe import attention_weights, build, probabilities

    exact = network.as_type(np.dtype(dtype).type)
    model = build(network.task, network.heads, exact.weights, dtype)
    passes = [one for one, _ in parts(exact, examples)]
    attention = np.concatenate([one.trace.weights.values for one in passes])
    likely = np.concatenate([one.probabilities for one in passes])
    return {
        "attention": float(np.abs(attention - attention_weights(model, network.task, examples.tokens)).max()),
        "probabilities": float(np.abs(likely - probabilities(model, examples.tokens)).max()),
    }


def manifest_of(name: str, finished: dict[NetworkRun, Network]) -> dict:
    """Writes the weights of a task's shipped networks. Returns the task's part of manifest.json, with differences from Keras."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    networks, arrays, examples = {}, {}, fixed_examples(TASKS[name])
    for run, network in ((run, network) for run, network in finished.items() if ships(run)):
        found = measure(network, examples)
        if name == "stops":
            arrays[run.network] = np.concatenate([weight.ravel() for weight in network.weights.values()]).astype(np.float16)
        else:
            arrays |= {f"{run.network}/{key}": weight for key, weight in network.weights.items()}
        networks[run.network] = {
            "heads": run.heads, "parameters": network.parameters, "accuracy": rounded(found.accuracy),
            "on_answer": rounded(found.attention_on_answer),
            "keras": difference_to_keras(network, examples, "float32"),
            "keras_float64": difference_to_keras(network, examples, "float64"),
            **({"seed": run.seed} if run.network in CRISPER else {}),
        }  # fmt: skip
    path = FOLDER / f"{name}.npz"
    (np.savez_compressed if name == "stops" else np.savez)(path, **arrays)
    file = {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    return {"recipe": recipe(name), "made_on": machine, "seed": SHIPPED, "why": WHY[name], **file, "networks": networks}
