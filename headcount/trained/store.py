"""Loader of the trained networks. Each task has a file of arrays, which is checked against the manifest of the training."""

import hashlib
import io
import json
import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from headcount.arrays import Floats
from headcount.assets import ASSETS
from headcount.trained import sentence, stops
from headcount.trained.network import Network
from headcount.trained.task import Task

FOLDER = ASSETS / "trained"
MAX_BYTES = 1 << 21  # of one file; the largest has 1.6 MB

#: JSON values by name, from a file that `make train` writes.
Facts = dict[str, Any]


class Broken(Exception):
    """Error: a file of the trained networks is missing, damaged or changed. The message is a sentence for visitors."""


TASKS = {"sentence": sentence.TASK, "stops": sentence.TASK}


def task_of(name: str) -> Task:
    """Returns the task of a network by its name, such as "sentence-16". Raises KeyError if no task has such a name."""
    part = name.partition("-")[0]
    return stops.task_at(stops.sizes_of(name)[0]) if part == "stops" else TASKS[part]


def manifest(task: str, folder: Path = FOLDER) -> Facts:
    """Reads a task's part of the manifest: recipe, versions, seed, file, hash, and results of its networks. Raises `Broken`."""
    return described(folder, "manifest.json", task)


def report(task: str, folder: Path = FOLDER) -> Facts:
    """Reads a task's part of the report: the accuracy of every training run, for all seeds. Raises `Broken`."""
    return described(folder, "report.json", task)


@lru_cache(maxsize=8)
def _parsed(path: Path, changed: int) -> Facts:
    return json.loads(path.read_text(encoding="utf-8"))


def described(folder: Path, name: str, task: str) -> Facts:
    """Reads a task's part of a JSON file, which is parsed again after a change. Raises `Broken` if it is missing or damaged."""
    try:
        return _parsed(folder / name, (folder / name).stat().st_mtime_ns)[task]
    except (OSError, ValueError, KeyError):
        raise Broken(f"`{name}` of the trained networks is missing or damaged; `make train` writes it again.") from None


def verified(path: Path, sha256: str) -> bytes:
    """Reads a file of weights. Raises `Broken` if the file is missing, or if its SHA-256 is not `sha256`."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES)
    except OSError:
        raise Broken(f"The weights `{path.name}` are missing; `make train` makes them again.") from None
    if hashlib.sha256(data).hexdigest() != sha256:
        raise Broken(
            f"The weights `{path.name}` are not those that were trained (their SHA-256 is not the manifest's), "
            "so nothing is shown; `make train` makes them again."
        )
    return data


def load(name: str, folder: Path = FOLDER) -> Network:
    """Loads a network, which all visitors share. Raises KeyError if no task has such a name. Raises `Broken` if the manifest does
    not list the network, or if a file is missing or changed."""
    facts = manifest(task_of(name).name, folder)
    if (entry := facts["networks"].get(name)) is None:
        raise Broken(f"The manifest of the trained networks does not know `{name}`; `make train` writes it again.")
    path = folder / facts["file"]
    return _network(name, entry["heads"], path, facts["sha256"], path.stat().st_mtime_ns if path.exists() else 0)


@lru_cache(maxsize=32)
def _network(name: str, heads: int, path: Path, sha256: str, changed: int) -> Network:
    with np.load(io.BytesIO(verified(path, sha256)), allow_pickle=False) as file:
        if name in file.files:
            weights = unpacked(name, file[name])
        else:
            weights = {key.removeprefix(f"{name}/"): file[key] for key in file.files if key.startswith(f"{name}/")}
    for array in weights.values():
        array.flags.writeable = False  # shared by all visitors
    return Network(task_of(name), heads, weights)


def unpacked(name: str, flat: Floats) -> dict[str, Floats]:
    """Splits the single array of a "stops" network into weights by name, in float32."""
    shapes = task_of(name).shapes(*stops.sizes_of(name)[1:])
    ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
    pieces = np.split(flat.astype(np.float32), ends[:-1])
    return {key: piece.reshape(shape) for (key, shape), piece in zip(shapes.items(), pieces, strict=True)}
