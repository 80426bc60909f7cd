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

#: Training steps of a run, each with 64 new examples, and how many times as many a longer run has.
STEPS, LONGER = 6000, 3
#: Seeds: of the sentence, at a slider's stop (the shipped one first), in Keras's convention, and of longer runs with one head.
SEEDS, STOPS_SEEDS, KERAS_SEEDS, LONGER_SEEDS = range(10), (2, 0, 1), (0, 1, 2), (0, 1)
#: The folder of finished runs, with a subfolder for each recipe. Interrupted training continues from here.
BUILD = Path("build/training")


@dataclass(frozen=True, slots=True)
class NetworkRun:
    """The training of one network. `name`: the task. `seed`: for initial weights and examples. `times`: multiplies the steps.
    - `sizes`: those of a slider's stop or of Keras's convention. None: head sizes are d_model / heads, as in the paper."""

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
        return stops.name_of(self.sizes) if self.sizes else f"{self.name}-{self.heads}"

    @property
    def file(self) -> Path:
        """The file with the weights of the finished run."""
        told = hashlib.sha256(json.dumps(recipe(self.name)).encode()).hexdigest()[:12]
        return BUILD / told / f"{self.network}_seed{self.seed}_times{self.times}.npz"

    def train(self) -> dict[str, np.ndarray]:
        """Returns the weights by name. If the run's file does not exist, trains the network and writes the file."""
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


def planned(name: str) -> Iterator[NetworkRun]:
    """Yields the runs of a task, seed by seed."""
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
    """Returns the settings that the runs of this task have in common, and the versions of the libraries."""
    from training.recipe import BATCH, FLOOR, RATE, WARM_UP, tf

    return {
        "d_model": "of each stop" if name == "stops" else TASKS[name].d_model,
        "steps": STEPS, "batch": BATCH, "optimizer": "Adam",
        "rate": RATE, "warm_up": WARM_UP, "floor": FLOOR,
        "start": "embeddings N(0, 1), kernels Glorot uniform, biases 0, drawn by NumPy",
        "keras": version("keras"), "numpy": version("numpy"), "tensorflow": tf.__version__,
    }  # fmt: skip
