"""Which language models are trained, and where each one's weights wait until all are finished."""

import hashlib
import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from training.novels import BLOCK, PART, Novels, novels
from training.runs import BUILD

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
    """Where finished runs of this recipe wait; another recipe has another folder."""
    digest = hashlib.sha256(json.dumps(recipe(), sort_keys=True).encode()).hexdigest()
    return BUILD / f"language-{digest[:12]}"


def _path(run: LanguageRun, place: Path) -> Path:
    return place / f"{run.network}-seed{run.seed}.npz"


@cache
def text() -> Novels:
    """The novels, read once a process."""
    return novels()


def finish(run: LanguageRun, place: Path) -> float:
    """Trains one network unless it is there already; seconds that it took."""
    path = _path(run, place)
    if path.exists():
        return 0.0
    from training.language import STEPS, train

    began = time.perf_counter()
    weights = train(text(), run.d_model, run.heads, run.seed, STEPS[run.d_model])
    seconds = time.perf_counter() - began
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez(file, seconds=np.float32(seconds), **weights)
    part.rename(path)
    return seconds


def finish_all(runs: list[LanguageRun], place: Path, jobs: int) -> Iterator[tuple[LanguageRun, float]]:
    """Each run as it is done, `jobs` at a time, each in a process with one thread."""
    from training.recipe import settle

    place.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=settle) as pool:
        waiting = {pool.submit(finish, run, place): run for run in runs}
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def saved(run: LanguageRun, place: Path) -> tuple[dict[str, np.ndarray], float]:
    """A finished run's weights and the seconds that it took."""
    with np.load(_path(run, place), allow_pickle=False) as file:
        arrays = dict(file)
    return arrays, float(arrays.pop("seconds"))
