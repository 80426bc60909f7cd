"""The shipped networks: files of plain arrays, each held to the manifest that was written when it was trained."""

import hashlib
import io
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from mha.assets import ASSETS
from mha.trained import dinner, sentence
from mha.trained.network import Network
from mha.trained.task import Task

FOLDER = ASSETS / "trained"
MOST_BYTES = 1 << 17  # of one file; the largest has 20 kB


#: Plain JSON by name, of a file that `make train` wrote.
Facts = dict[str, Any]


class Broken(Exception):
    """A file is missing, or is not the one that the manifest describes; the message is a sentence for the page."""


TASKS = {"dinner": dinner.TASK, "sentence": sentence.TASK}


def task_of(name: str) -> Task:
    """The task of a network by its name ("dinner-4", "sentence-16"), or by its own."""
    return TASKS[name.partition("-")[0]]


def manifest(task: str, folder: Path = FOLDER) -> Facts:
    """Recipe, versions, seed and why it, and for every network of the task its file, hash, accuracy and the difference between
    NumPy and Keras. Raises `Broken`."""
    return described(folder, "manifest.json", task)


def report(task: str, folder: Path = FOLDER) -> Facts:
    """Accuracy of every run of the task, all seeds, and what became of its networks when they were changed. Raises `Broken`."""
    return described(folder, "report.json", task)


@lru_cache(maxsize=8)
def _parsed(path: Path, changed: int) -> Facts:
    return json.loads(path.read_text(encoding="utf-8"))


def described(folder: Path, name: str, task: str) -> Facts:
    """A task's part of one of the two files. Read again only after the file has changed: the page needs it at every move."""
    try:
        return _parsed(folder / name, (folder / name).stat().st_mtime_ns)[task]
    except (OSError, ValueError, KeyError):
        raise Broken(f"`{name}` of the trained networks is missing or damaged; `make train` writes it anew.") from None


def verified(folder: Path, entry: Facts, most_bytes: int) -> bytes:
    """The file that an entry of a manifest describes, read whole and held to its hash before it is parsed. Raises `Broken`."""
    try:
        with (folder / entry["file"]).open("rb") as file:
            data = file.read(most_bytes)
    except OSError:
        raise Broken(f"The weights `{entry['file']}` are missing; `make train` makes them anew.") from None
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise Broken(
            f"The weights `{entry['file']}` are not those that were trained (their SHA-256 is not the manifest's), "
            "so nothing is shown; `make train` makes them anew."
        )
    return data


def load(name: str, folder: Path = FOLDER) -> Network:
    """One network. Raises `Broken`."""
    entry = manifest(task_of(name).name, folder)["networks"].get(name)
    if entry is None:
        raise Broken(f"The manifest of the trained networks does not know `{name}`; `make train` writes it anew.")
    data = verified(folder, entry, MOST_BYTES)
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        weights = {key: file[key] for key in file.files}
    for array in weights.values():
        array.flags.writeable = False  # shared by all visitors
    return Network(task_of(name), entry["heads"], weights=weights)
