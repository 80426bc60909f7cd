"""What is kept of the language models: weights, vocabulary and manifest of those that are shipped, and the report of all runs."""

import hashlib
import platform
from collections.abc import Callable
from pathlib import Path

import numpy as np

from mha.arrays import Bools, Floats, Ints
from mha.language.heads import NAMES, UNNAMED, measure, names_of, targets
from mha.language.network import Network, forward
from mha.language.store import FOLDER, packed, unpacked
from training.language_runs import LanguageRun, planned, recipe, text
from training.novels import ABOUT
from training.perplexity import PART, loss_of, losses, windows
from training.report import rounded, write
from training.runs import saved

SHIPPED = 0
WHY = "the first seed, for every size"
REMOVED_IN = 8  # a head is removed in each eighth held-out window: 124 heads are, in turn
FEWEST = 25  # of a word's occurrences there, for what its prediction loses to be a figure
MOST_HURT = 8  # words


def network_of(run: LanguageRun, place: Path) -> tuple[Network, float]:
    """A finished run's network, its numbers rounded as they are shipped, and the seconds that it took."""
    weights, seconds = saved(run, place)
    return Network(run.d_model, run.heads, text().vocabulary, weights=unpacked(packed(weights))), seconds


def held_out() -> tuple[Ints, Ints]:
    """All held-out windows: what is read, and what comes next."""
    return windows(text().ids, text().held_out)


def all_targets(seen: Ints) -> dict[str, Bools]:
    """`targets` of every window, axes "bts"."""
    each = [targets([text().vocabulary[number] for number in window]) for window in seen]
    return {code: np.stack([one[code] for one in each]) for code in NAMES}


def look(network: Network, seen: Ints, wanted: Ints, where: dict[str, Bools]) -> tuple[Floats, list[dict[str, Floats]]]:
    """The loss at every position, and for every layer the share of each head's weight on each measure's targets, axis "h"."""
    lost, maps = [], [[] for _ in range(network.layers)]
    for first in range(0, len(seen), PART):
        result = forward(network, seen[first:first + PART])
        lost.append(loss_of(result.logits, wanted[first:first + PART]))
        for layer, trace in enumerate(result.traces):
            maps[layer].append(trace.weights.values)
    return np.concatenate(lost), [measure(np.concatenate(each), where) for each in maps]


def by_head(values: dict[str, Floats]) -> list[dict[str, float]]:
    """One dictionary a head."""
    return [{code: float(each[head]) for code, each in values.items()} for head in range(len(next(iter(values.values()))))]


def without(network: Network, layer: int, head: int, seen: Ints, wanted: Ints, usual: Floats) -> dict:
    """How much the loss (nats a word) rises when one head's result is 0, and the words whose prediction suffers most:
    word, rise, occurrences."""
    more = losses(network, seen, wanted, (layer, head)) - usual
    count = np.bincount(wanted.ravel(), minlength=len(network.vocabulary))
    total = np.bincount(wanted.ravel(), weights=more.ravel(), minlength=len(network.vocabulary))
    mean = np.where(count >= FEWEST, total / np.maximum(count, 1), -np.inf)
    worst = np.argsort(-mean, kind="stable")[:MOST_HURT]
    words = [[network.vocabulary[word], rounded(mean[word], 3), int(count[word])] for word in worst]
    return {"loss": rounded(more.mean()), "words": words}


def unigram(wanted: Ints) -> float:
    """The perplexity of guessing each word by how often it stands in the text that is learnt, whatever stood before."""
    _, learnt = windows(text().ids, text().learnt)
    count = np.bincount(learnt.ravel(), minlength=len(text().vocabulary)) + 1
    return float(np.exp(-np.log(count / count.sum())[wanted].mean()))


def measured(run: LanguageRun, place: Path, seen: Ints, wanted: Ints, where: dict[str, Bools]) -> tuple[dict, list[list[dict]]]:
    """One run in the report, and its heads by layer; without what is lost when they are removed unless it is shipped."""
    network, seconds = network_of(run, place)
    lost, shares = look(network, seen, wanted, where)
    some = slice(None, None, REMOVED_IN)
    heads = [[{"values": {code: rounded(value) for code, value in one.items()}} for one in by_head(layer)] for layer in shares]
    for layer, head in np.ndindex(len(heads), network.heads) if run.seed == SHIPPED else ():
        heads[layer][head]["without"] = without(network, layer + 1, head, seen[some], wanted[some], lost[some])
    row = {
        "seed": run.seed, "perplexity": rounded(np.exp(lost.mean(dtype=np.float64)), 2),
        "names": [[[code for code, _ in names_of(one["values"])] or [UNNAMED] for one in layer] for layer in heads],
        "seconds": round(seconds, 1),
    }  # fmt: skip
    return row, heads


def write_report(place: Path, tell: Callable[[str], object]) -> dict:
    """Measures every run and writes report.json."""
    seen, wanted = held_out()
    where = all_targets(seen)
    even = np.tri(seen.shape[1]) / np.arange(1, seen.shape[1] + 1)[:, None]
    spread_evenly = measure(np.broadcast_to(even, (len(seen), 1, *even.shape)), where)
    runs, heads = {}, {}
    for run in planned():
        row, of_heads = measured(run, place, seen, wanted, where)
        runs.setdefault(run.network, []).append(row)
        if run.seed == SHIPPED:
            heads[run.network] = of_heads
        tell(f"{run.network}, seed {run.seed}: perplexity {row['perplexity']}")
    report = {
        "recipe": recipe(), "windows": len(seen), "predictions": int(wanted.size), "coverage": rounded(text().coverage),
        "unigram": rounded(unigram(wanted), 2),
        "measured_in": {code: int(each.any(axis=-1).sum()) for code, each in where.items()},
        "even": {code: rounded(value[0]) for code, value in spread_evenly.items()},
        "removed_in": len(seen[::REMOVED_IN]), "fewest": FEWEST, "runs": runs, "heads": heads,
    }  # fmt: skip
    write(FOLDER / "report.json", report)
    return report


def difference_to_keras(network: Network, seen: Ints, dtype: str) -> dict[str, float]:
    """The largest difference between NumPy and Keras with the same weights, both in this precision, of each intermediate."""
    from training.language import intermediates, keras_intermediates

    exact = network.as_type(np.dtype(dtype).type)
    ours, theirs = intermediates(forward(exact, seen)), keras_intermediates(dict(exact.weights), network.heads, seen, dtype)
    return {name: float(np.abs(ours[name] - theirs[name]).max()) for name in ours}


def write_weights(place: Path, report: dict) -> None:
    """The shipped networks' weights, the vocabulary and manifest.json, each network compared with Keras once more."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.npz"):
        old.unlink()
    seen, networks = held_out()[0][:16], {}
    for run in (run for run in planned() if run.seed == SHIPPED):
        weights, _ = saved(run, place)
        path = FOLDER / f"{run.network}.npz"
        np.savez(path, **packed(weights))
        network, _ = network_of(run, place)
        networks[run.network] = {
            "file": path.name, "sha256": _hash(path), "d_model": run.d_model, "heads": run.heads, "layers": network.layers,
            "seed": run.seed, "parameters": network.parameters,
            "perplexity": next(row["perplexity"] for row in report["runs"][run.network] if row["seed"] == SHIPPED),
            "keras": difference_to_keras(network, seen, "float32"),
            "keras_float64": difference_to_keras(network, seen, "float64"),
        }  # fmt: skip
    words = FOLDER / "vocabulary.txt"
    words.write_text("\n".join(text().vocabulary), encoding="utf-8")
    machine = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    write(FOLDER / "manifest.json", {
        "text": {**ABOUT, "words": len(text().ids), "vocabulary": len(text().vocabulary), "coverage": rounded(text().coverage)},
        "recipe": recipe(), "made_on": machine, "seed": SHIPPED, "why": WHY,
        "vocabulary": {"file": words.name, "sha256": _hash(words)}, "networks": networks,
    })  # fmt: skip


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
