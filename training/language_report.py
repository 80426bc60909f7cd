"""The language models' report: perplexity of every run, what each shipped head looks at, and what is lost without it."""

import numpy as np

from mha.arrays import Bools, Floats, Ints
from mha.language.heads import NAMES, measure, targets
from mha.language.measures import PART, losses, windows
from mha.language.network import Network, forward
from mha.language.store import FOLDER
from training.language_runs import SHIPPED, LanguageRun, network_of, text
from training.report import rounded, write

FEWEST = 100  # of a word's occurrences, for what its prediction loses to be a figure
MOST_HURT = 8  # words


def held_out() -> tuple[Ints, Ints]:
    """All held-out windows: what is read and what comes next."""
    novels = text()
    return windows(novels.ids, novels.held_out)


def all_targets(seen: Ints) -> dict[str, Bools]:
    """`targets` of every window, axes "bts"."""
    vocabulary = text().vocabulary
    each = [targets([vocabulary[number] for number in window]) for window in seen]
    return {code: np.stack([one[code] for one in each]) for code in NAMES}


def look(network: Network, seen: Ints, wanted: dict[str, Bools]) -> list[list[dict]]:
    """By layer and head: the share of the weight on each measure's targets."""
    totals = [{code: np.zeros(network.heads) for code in NAMES} for _ in range(network.layers)]
    for first in range(0, len(seen), PART):
        part = slice(first, first + PART)
        here = {code: where[part] for code, where in wanted.items()}
        for total, trace in zip(totals, forward(network, seen[part]).traces, strict=True):
            for code, values in measure(trace.weights.values, here).items():
                total[code] += values * max(int(here[code].any(axis=-1).sum()), 1)
    rows = {code: int(where.any(axis=-1).sum()) for code, where in wanted.items()}
    return [
        [{"values": {code: rounded(total[code][head] / rows[code]) for code in NAMES}} for head in range(network.heads)]
        for total in totals
    ]


def without(network: Network, layer: int, head: int, seen: Ints, wanted: Ints, usual: Floats) -> dict:
    """What the held-out loss gains when one head is set to 0, and the words whose prediction suffers most."""
    more = losses(network, seen, wanted, (layer, head)) - usual
    count = np.bincount(wanted.ravel(), minlength=len(network.vocabulary))
    total = np.bincount(wanted.ravel(), weights=more.ravel(), minlength=len(network.vocabulary))
    mean = np.where(count >= FEWEST, total / np.maximum(count, 1), -np.inf)
    worst = np.argsort(-mean)[:MOST_HURT]
    return {
        "loss": rounded(more.mean()),
        "words": [[network.vocabulary[word], rounded(mean[word], 3), int(count[word])] for word in worst],
    }


