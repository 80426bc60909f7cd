"""How well a language model predicts text: its loss word by word."""

import numpy as np

from mha.arrays import Floats, Ints
from mha.language.network import LENGTH, Network, forward

#: Windows in one pass: its logits take 3 MB, and the scores of 16 heads stay below the size that is shared among threads.
PART = 8


def windows(ids: Ints, starts: Ints) -> tuple[Ints, Ints]:
    """What a network reads, the start mark and 31 words from each start, and the word that comes after each of these 32."""
    wanted = ids[starts[:, None] + np.arange(LENGTH)].astype(np.int32)
    return np.concatenate([np.zeros((len(starts), 1), np.int32), wanted[:, :-1]], axis=1), wanted


def losses(network: Network, seen: Ints, wanted: Ints, off: tuple[int, int] | None = None) -> Floats:
    """Minus the logarithm of the probability of each wanted word, axes (window, position). `off` as in `forward`."""
    parts = [slice(first, first + PART) for first in range(0, len(seen), PART)]
    return np.concatenate([loss_of(forward(network, seen[part], off).logits, wanted[part]) for part in parts])


def loss_of(logits: Floats, wanted: Ints) -> Floats:
    """The cross-entropy at each position, in nats."""
    shifted = logits - logits.max(axis=-1, keepdims=True)
    of_wanted = np.take_along_axis(shifted, wanted[..., None], axis=-1)[..., 0]
    return np.log(np.exp(shifted, out=shifted).sum(axis=-1)) - of_wanted
