"""Which networks are trained, and where each one's weights wait until all are finished: an interrupted `make train` resumes."""

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from mha.trained import dinner, facts, sentences
from mha.trained.task import D_MODEL, HEADS, Task

BUILD = Path("build/training")
#: Steps of 64 fresh examples each.
STEPS = {"dinner": 4000, "sentence": 2000, "facts": 1500}
LONGER = 3  # would more training help? That many times the steps, for those that do not get everything right


class Trainable(Protocol):
    """One network to train. `file`: the name of the file in which its weights wait."""

    @property
    def file(self) -> str: ...

    def train(self) -> dict[str, np.ndarray]:
        """Its weights by name."""
        ...


T = TypeVar("T", bound=Trainable)


@dataclass(frozen=True, slots=True)
class Run:
    """One network: a task, its layers and heads, and the seed of its first numbers and of its examples. `times`: so many times
    the usual steps."""

    name: str
    layers: int
    heads: int
    seed: int
    times: int = 1

    @property
    def task(self) -> Task:
        return {"dinner": dinner.TASK, "sentence": sentences.TASK, "facts": facts.task(self.layers)}[self.name]

    @property
    def network(self) -> str:
        """The network's name among the shipped ones: "dinner-4", "facts-2x1"."""
        return f"{self.name}-{self.layers}x{self.heads}" if self.name == "facts" else f"{self.name}-{self.heads}"

    @property
    def file(self) -> str:
        return f"{self.network}-seed{self.seed}" + (f"-times{self.times}" if self.times > 1 else "") + ".npz"

    def train(self) -> dict[str, np.ndarray]:
        from training.recipe import train

        return train(self.task, self.heads, self.seed, STEPS[self.name] * self.times)


def planned() -> Iterator[Run]:
    """Seed by seed, so that what is shipped is there early: ten where one, few and many heads are compared, five elsewhere."""
    for seed in range(10):
        yield from (Run("dinner", 1, heads, seed) for heads in HEADS if seed < 5 or heads in (1, 2, 4, 8, 24))
        if seed < 5:
            yield from (Run("sentence", 1, heads, seed) for heads in (1, 2, 3))
            yield from (Run("facts", layers, heads, seed) for layers, heads in ((1, 4), (2, 1)))
    yield from (Run("dinner", 1, heads, seed, LONGER) for heads, seed in ((2, 0), (2, 1), (1, 0), (24, 0)))


def recipe() -> dict:
    """Everything that decides what a run learns, apart from its own task, heads and seed."""
    from training.recipe import BATCH, FLOOR, RATE, WARM_UP, tf

    return {
        "d_model": D_MODEL, "steps": STEPS, "batch": BATCH, "optimizer": "Adam", "rate": RATE, "warm_up": WARM_UP, "floor": FLOOR,
        "start": "embeddings N(0, 1), kernels Glorot uniform, biases 0, drawn by NumPy",
        "keras": version("keras"), "numpy": version("numpy"), "tensorflow": tf.__version__,
    }  # fmt: skip


def folder() -> Path:
    """Where finished runs of this recipe wait."""
    return folder_of(recipe())


def folder_of(recipe: dict, before: str = "") -> Path:
    """Where finished runs of a recipe wait; another recipe has another folder. `before`: what its name begins with."""
    digest = hashlib.sha256(json.dumps(recipe, sort_keys=True).encode()).hexdigest()
    return BUILD / f"{before}{digest[:12]}"


def finish(run: Trainable, place: Path) -> float:
    """Trains one network unless it is there already; seconds that it took."""
    path = place / run.file
    if path.exists():
        return 0.0
    began = time.perf_counter()
    weights = run.train()
    seconds = time.perf_counter() - began
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez(file, seconds=np.float32(seconds), **weights)
    part.rename(path)
    return seconds


def finish_all(runs: Sequence[T], place: Path, jobs: int) -> Iterator[tuple[T, float]]:
    """Each run as it is done, `jobs` at a time, each in a process with one thread."""
    from training.recipe import settle

    place.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=settle) as pool:
        waiting = {pool.submit(finish, run, place): run for run in runs}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def saved(run: Trainable, place: Path) -> tuple[dict[str, np.ndarray], float]:
    """A finished run's weights and the seconds that it took."""
    with np.load(place / run.file, allow_pickle=False) as file:
        arrays = dict(file)
    return arrays, float(arrays.pop("seconds"))
