"""Which language models are trained, and where each one's weights wait until all are finished."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np

from training.novels import BLOCK, PART, Novels, novels
from training.runs import folder_of

SEEDS = {64: 4, 16: 3}  # by d_model
HEADS = (1, 2, 4, 8, 16)


@dataclass(frozen=True, slots=True)
class LanguageRun:
    """One language model: its sizes and the seed of its first numbers and of the windows that it sees."""

    d_model: int
    heads: int
    seed: int

    @property
    def network(self) -> str:
        return f"d{self.d_model}-h{self.heads}"

    @property
    def file(self) -> str:
        return f"{self.network}-seed{self.seed}.npz"

    def train(self) -> dict[str, np.ndarray]:
        from training.language import STEPS, train

        return train(text(), self.d_model, self.heads, self.seed, STEPS[self.d_model])


def planned() -> Iterator[LanguageRun]:
    """Seed by seed, so that what is shipped is there early."""
    for seed in range(max(SEEDS.values())):
        yield from (LanguageRun(size, heads, seed) for size in SEEDS if seed < SEEDS[size] for heads in HEADS)


def recipe() -> dict:
    """Everything that decides what a network learns, apart from its own sizes and seed."""
    from training.language import BATCH, DECAY, FLOOR, RATE, STEPS, WARM_UP, keras
    from training.recipe import tf

    return {
        "steps": {str(size): steps for size, steps in STEPS.items()}, "batch": BATCH, "optimizer": "AdamW",
        "rate": {str(size): rate for size, rate in RATE.items()}, "weight_decay": DECAY, "clip_norm": 1.0, "warm_up": WARM_UP,
        "floor": FLOOR, "start": "tables N(0, 0.05²), kernels Glorot uniform, gains 1, biases 0, drawn by NumPy",
        "held_out": f"each {PART}th block of {BLOCK:,} words", "keras": version("keras"), "numpy": version("numpy"),
        "backend": f"{keras.backend.backend()} {tf.__version__}",
    }  # fmt: skip


def folder() -> Path:
    """Where finished runs of this recipe wait."""
    return folder_of(recipe(), "language-")


@cache
def text() -> Novels:
    """The novels, read once a process."""
    return novels()
