"""What a trained network can do, measured on fixed examples: accuracy, where heads look, what is lost without one."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from headcount.arrays import Floats, Ints
from headcount.trained.network import Network, Pass, forward
from headcount.trained.task import UNASKED, Examples

#: Examples in one pass: the scores of 24 heads stay below the size from which work is handed out to threads, head by head.
PART = 128


@dataclass(frozen=True, slots=True)
class Measured:
    """`accuracy`, axis "r": share of right answers to each question. `attention_on_answer`, axes "rh": the weight that a
    head puts on the position at which the answer stands, averaged over all positions with this question."""

    accuracy: Floats
    attention_on_answer: Floats

    @property
    def mean(self) -> float:
        """Right answers to all questions together, each question counted alike."""
        return float(self.accuracy.mean())


def parts(network: Network, examples: Examples) -> Iterator[tuple[Pass, Examples]]:
    """All examples, PART at a time: the pass and the examples that went through it."""
    for first in range(0, len(examples.tokens), PART):
        part = examples[first : first + PART]
        yield forward(network, part.tokens), part


def measure(network: Network, examples: Examples) -> Measured:
    """Accuracy of one network and where its heads look."""
    questions = len(network.task.questions)
    right = np.zeros(questions)
    attention = np.zeros((questions, network.heads))
    for result, part in parts(network, examples):
        right += ((result.predicted == part.answers) & (part.answers != UNASKED)).sum(axis=(0, 1))
        attention += attention_on(part.answer_at, result.trace.weights.values)
    count = (examples.answers != UNASKED).sum(axis=(0, 1))
    return Measured(right / count, attention / count[:, None])


def attention_on(answer_at: Ints, weights: Floats) -> Floats:
    """Weights "bhts" added up where each question's answer stands ("btr"), axes "rh"."""
    position = np.where(answer_at == UNASKED, 0, answer_at)
    on_answer = np.take_along_axis(weights, position[:, None], axis=-1)  # "bhtr"
    return np.where((answer_at != UNASKED)[:, None], on_answer, 0).sum(axis=(0, 2), dtype=np.float64).T


def without_each(network: Network, examples: Examples) -> Floats:
    """Accuracy, axes "hr", with each head off in turn: one pass, as the output is a sum over heads."""
    answers = network.weights["answer_w"]
    right = np.zeros((network.heads, len(network.task.questions)))
    for result, part in parts(network, examples):
        trace, is_question = result.trace, part.answers != UNASKED
        to_logits = trace.params.w_o.values @ answers  # axes "hva"
        for head in range(network.heads):
            share = (trace.context.values[:, :, head] @ to_logits[head]).reshape(result.logits.shape)
            predicted = (result.logits - share).argmax(axis=-1)
            right[head] += ((predicted == part.answers) & is_question).sum(axis=(0, 1))
    return right / (examples.answers != UNASKED).sum(axis=(0, 1))
