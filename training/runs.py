"""The networks that are trained, with their settings."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from headcount.trained import sentence, stops
from headcount.trained.store import TASKS
from headcount.trained.task import Task

#: Training steps of a run, each with 64 new examples.
STEPS = 6000
STOPS_SEEDS = (2, 0, 1)  # of the sentence at a slider's stop, the shipped one first
#: The folder of finished runs, with a subfolder for each recipe. Interrupted training continues from here.
BUILD = Path("build/training")
KERAS_SEEDS = (0, 1, 2)  # of the sentence in Keras's convention
LONGER_SEEDS = (0, 1)  # of the sentence with one head
LONGER = 3  # would more training help? That many times the steps, for those that do not get everything right


@dataclass(frozen=True, slots=True)
class NetworkRun:
    """One network: a task, its heads, and the seed of its first numbers and of its examples. `times` multiplies the usual steps.
    `sizes` are those of a stop or of Keras's convention; None: d_model / heads as in the paper's."""

    name: str
    heads: int
    seed: int
    times: int = 1
    sizes: stops.Sizes | None = None

    @property
    def task(self) -> Task:
        return stops.task_at(self.sizes[0]) if self.sizes and self.name == "stops" else TASKS[self.name]

    @property
    def network(self) -> str:
        """The name of the network: "sentence-4", or "sentence-8-key4" in Keras's convention."""
        return stops.name_of(self.sizes) if self.sizes else f"{self.name}-{self.heads}"

    @property
    def file(self) -> Path:
        """The file in which the run's weights are kept when it is finished."""
        told = hashlib.sha256(json.dumps(recipe(self.name)).encode()).hexdigest()[:12]
        return BUILD / told / f"{self.network}_seed{self.seed}_times{self.times}.npz"

    def train(self) -> dict[str, np.ndarray]:
        """Returns the weights by name: read from the run's file, or trained and then kept there."""
        from training.recipe import train

        if self.file.exists():
            with np.load(self.file) as kept:
                return {**kept}
        weights = train(self.task, self.heads, self.seed, STEPS * self.times, *(self.sizes or ())[2:])
        self.file.parent.mkdir(parents=True, exist_ok=True)
        half = self.file.with_suffix(".half.npz")
        np.savez(half, **weights)
        half.replace(self.file)
        return weights


#: Results of each run of a task.
Weights = dict[NetworkRun, dict[str, np.ndarray]]
SEEDS = range(10)


def planned(name: str) -> Iterator[NetworkRun]:
    """Lists a task's networks, seed by seed: ten seeds if head counts are compared, fewer elsewhere."""
    if name == "stops":
        for seed in STOPS_SEEDS:
            for sizes, network in stops.NETWORKS.items():
                if network.startswith(name):
                    yield NetworkRun(name, sizes[1], seed, sizes=sizes)
        return
    for seed in SEEDS:
        yield from (NetworkRun(name, heads, seed) for heads in sentence.HEADS)
    for seed in KERAS_SEEDS:
        yield from (NetworkRun(name, h, seed, sizes=(sentence.D_MODEL, h, *[sentence.KEY_DIM] * 2)) for h in sentence.KERAS_HEADS)
    yield from (NetworkRun(name, 1, seed, LONGER) for seed in LONGER_SEEDS)


def recipe(name: str) -> dict:
    """Returns everything besides heads and seed that decides what a run of this task learns."""
    from training.recipe import BATCH, FLOOR, RATE, WARM_UP, tf

    return {
        "d_model": "of each stop" if name == "stops" else TASKS[name].d_model,
        "steps": STEPS, "batch": BATCH, "optimizer": "Adam",
        "rate": RATE, "warm_up": WARM_UP, "floor": FLOOR,
        "start": "embeddings N(0, 1), kernels Glorot uniform, biases 0, drawn by NumPy",
        "keras": version("keras"), "numpy": version("numpy"), "tensorflow": tf.__version__,
    }  # fmt: skip
