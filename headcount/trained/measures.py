"""Measurements of a trained network on fixed examples: accuracy, attention of its heads, and accuracy without each head."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from headcount.arrays import Floats, Ints
from headcount.trained.network import Network, Pass, forward
from headcount.trained.task import UNASKED, Examples

#: Examples in one forward pass. With this few, NumPy does not spread the scores of 24 heads over threads.
PART = 128


@dataclass(frozen=True, slots=True)
class Measured:
    """Measurements of one network. `accuracy`: the fraction of right answers to each question. `attention_on_answer`, axes
    (question, head): the attention weight on the answer's position, averaged over all positions with this question."""

    accuracy: Floats
    attention_on_answer: Floats

    @property
    def mean(self) -> float:
        """The mean of the questions' accuracies."""
        return float(self.accuracy.mean())


def parts(network: Network, examples: Examples) -> Iterator[tuple[Pass, Examples]]:
    """Runs the network on PART examples at a time. Yields each forward pass with its examples."""
    for first in range(0, len(examples.tokens), PART):
        part = examples[first : first + PART]
        yield forward(network, part.tokens), part


def measure(network: Network, examples: Examples) -> Measured:
    questions = len(network.task.questions)
    right = np.zeros(questions)
    attention = np.zeros((questions, network.heads))
    for result, part in parts(network, examples):
        right += ((result.predicted == part.answers) & (part.answers != UNASKED)).sum(axis=(0, 1))
        attention += attention_on(part.answer_at, result.trace.weights.values)
    count = (examples.answers != UNASKED).sum(axis=(0, 1))
    return Measured(right / count, attention / count[:, None])


def attention_on(answer_at: Ints, weights: Floats) -> Floats:
    """Returns the sum of the attention weights on the answers' positions over batch and queries. The result has the axes
    (question, head), `weights` (batch, head, query, key). `answer_at`, axes (batch, query, question), has the positions, or
    UNASKED."""
    position = np.where(answer_at == UNASKED, 0, answer_at)
    on_answer = np.take_along_axis(weights, position[:, None], axis=-1)  # "bhtr"
    return np.where((answer_at != UNASKED)[:, None], on_answer, 0).sum(axis=(0, 2), dtype=np.float64).T


def without_each(network: Network, examples: Examples) -> Floats:
    """Returns the accuracy if one head is left out, axes (head, question). One pass suffices: the output is a sum over heads."""
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
