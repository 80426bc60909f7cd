"""Facts to repeat: four pairs ("Ana tea Bob jazz ..."), then the names in another order, each to be completed.

Only the words before it can help: finding what followed a name takes a first layer in which every word learns which word stood
before it, and a second that looks for the position that holds the name. One layer, however many heads, cannot do it.
"""

import numpy as np

from mha.trained.task import UNASKED, Examples, Task

NAMES = ("Ana", "Bob", "Cleo", "Dan", "Eva", "Finn", "Gus", "Hal", "Ida", "Jon")
THINGS = ("tea", "jazz", "chess", "rain", "cats", "films", "figs", "snow", "maths", "bikes")
WORDS = (*NAMES, *THINGS)
PAIRS = 4
LENGTH = 4 * PAIRS - 1
REPEATED = tuple(range(2 * PAIRS, LENGTH, 2))  # the positions of the names that are to be completed


def draw(rng: np.random.Generator, count: int) -> Examples:
    """`count` sequences: tokens are (word, position), the answer at a repeated name is the word that followed it."""
    names = rng.random((count, len(NAMES))).argsort(axis=1)[:, :PAIRS]
    things = len(NAMES) + rng.random((count, len(THINGS))).argsort(axis=1)[:, :PAIRS]
    order = rng.random((count, PAIRS)).argsort(axis=1)
    pairs = np.stack([names, things], axis=-1)
    repeated = np.take_along_axis(pairs, order[:, :, None], axis=1)
    words = np.concatenate([pairs, repeated], axis=1).reshape(count, 4 * PAIRS)[:, :LENGTH]
    answers = np.full((count, LENGTH, 1), UNASKED)
    answers[:, REPEATED, 0] = repeated[:, :, 1]
    answer_at = np.full_like(answers, UNASKED)
    answer_at[:, REPEATED, 0] = 2 * order + 1
    positions = np.broadcast_to(np.arange(LENGTH), words.shape)
    return Examples(np.stack([words, positions], axis=-1).astype(np.int32), answers, answer_at)


def task(layers: int) -> Task:
    """The task for a network of one or two layers."""
    return Task("facts", (("word", len(WORDS)), ("position", LENGTH)), ("next",), WORDS, LENGTH, draw, layers, causal=True)
