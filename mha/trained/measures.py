"""What a trained network can do, measured on fixed examples: accuracy, where heads look, what is lost without one."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mha.arrays import Floats, Ints
from mha.trained.facts import PAIRS
from mha.trained.network import AS_TRAINED, Change, Network, Pass, forward
from mha.trained.sentences import NAMES
from mha.trained.task import UNASKED, Examples

#: Examples in one pass: the scores of 24 heads stay below the size from which work is handed out to threads, head by head.
PART = 128


@dataclass(frozen=True, slots=True)
class Measured:
    """`accuracy`, axis "r": share of right answers to each question. `mass`, one array "rh" per layer: the weight that a head
    puts on the position at which the answer stands, meant over all who ask."""

    accuracy: Floats
    mass: tuple[Floats, ...]

    @property
    def mean(self) -> float:
        """Right answers to all questions together, each question counted alike."""
        return float(self.accuracy.mean())


def parts(network: Network, examples: Examples, change: Change = AS_TRAINED) -> Iterator[tuple[Pass, Examples]]:
    """Pass by pass through all examples."""
    for first in range(0, len(examples.tokens), PART):
        some = slice(first, first + PART)
        part = Examples(examples.tokens[some], examples.answers[some], examples.asked[some])
        yield forward(network, part.tokens, change), part


def measure(network: Network, examples: Examples, change: Change = AS_TRAINED) -> Measured:
    """Accuracy and mass of one network, as trained or changed."""
    questions = len(network.task.questions)
    right = np.zeros(questions)
    mass = [np.zeros((questions, network.heads)) for _ in range(network.task.layers)]
    for made, part in parts(network, examples, change):
        right += ((made.said == part.answers) & (part.answers != UNASKED)).sum(axis=(0, 1))
        for layer, trace in enumerate(made.traces):
            mass[layer] += mass_on(trace.weights.values, part.asked)
    asked = (examples.answers != UNASKED).sum(axis=(0, 1))
    return Measured(right / asked, tuple(total / asked[:, None] for total in mass))


def mass_on(weights: Floats, asked: Ints) -> Floats:
    """Weights "bhts" added up where each question's answer stands ("btr"), axes "rh"."""
    at = np.where(asked == UNASKED, 0, asked)
    found = np.take_along_axis(weights, at[:, None], axis=-1)  # "bhtr"
    return np.where((asked != UNASKED)[:, None], found, 0).sum(axis=(0, 2), dtype=np.float64).T


def without_each(network: Network, examples: Examples) -> Floats:
    """Accuracy, axes "hr", with each head of a one-layer network off in turn: one pass, as the output is a sum over heads."""
    answers = network.weights["answer_w"]
    right = np.zeros((network.heads, len(network.task.questions)))
    for made, part in parts(network, examples):
        trace, asked = made.traces[0], part.answers != UNASKED
        reach = trace.params.w_o.values @ answers  # "hv" to the logits
        for head in range(network.heads):
            lost = (trace.context.values[:, :, head] @ reach[head]).reshape(made.logits.shape)
            said = (made.logits - lost).argmax(axis=-1)
            right[head] += ((said == part.answers) & asked).sum(axis=(0, 1))
    return right / (examples.answers != UNASKED).sum(axis=(0, 1))


def moved(network: Network, examples: Examples, others: Examples) -> Floats:
    """How far each head's maps move from one set of examples to another like it, axis "h": half the summed difference of a row
    (total variation: 0 the same, 1 nothing in common), meant over all rows."""
    total = np.zeros(network.heads)
    for (here, _), (there, _) in zip(parts(network, examples), parts(network, others), strict=True):
        difference = np.abs(here.traces[0].weights.values - there.traces[0].weights.values)
        total += difference.sum(axis=-1, dtype=np.float64).sum(axis=(0, 2)) / 2
    return total / (len(examples.tokens) * network.task.length)


def same_twice(network: Network, examples: Examples) -> tuple[float, float]:
    """Of the verbs between two names: the share at which the network answers who and whom with one and the same word, and the
    share at which both answers are right (sentences only)."""
    verbs = same = both = 0
    for made, part in parts(network, examples):
        is_verb = part.asked[..., 1] != UNASKED
        names = is_verb & (part.answers[..., :2] < len(NAMES)).all(axis=-1)
        verbs += names.sum()
        same += (names & (made.said[..., 0] == made.said[..., 1])).sum()
        both += (names & (made.said == part.answers)[..., :2].all(axis=-1)).sum()
    return float(same / verbs), float(both / verbs)


def asked_rows(examples: Examples, number: int = 0) -> tuple[int, ...]:
    """The positions of one example at which something is asked; only their rows of a map were ever trained."""
    return tuple(np.flatnonzero((examples.answers[number] != UNASKED).any(axis=-1)).tolist())


def mass_before(network: Network, examples: Examples) -> Floats:
    """The first layer's mean weight from each thing told (facts only) to the word before it, axes "rh" with one row."""
    rows = np.arange(1, 2 * PAIRS, 2)
    total = np.zeros(network.heads)
    for made, _ in parts(network, examples):
        total += made.traces[0].weights.values[:, :, rows, rows - 1].sum(axis=(0, 2), dtype=np.float64)
    return (total / (len(rows) * len(examples.tokens)))[None]
