"""The shipped language models: files of plain arrays, each held to the manifest that was written when it was trained."""

import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from mha.arrays import Floats
from mha.assets import ASSETS
from mha.language.network import Network
from mha.trained.store import Broken, Facts, described, verified

FOLDER = ASSETS / "language"
MOST_BYTES = 1 << 19  # of one file


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that the networks know, the most frequent first, and the number of each."""

    words: tuple[str, ...]
    numbers: dict[str, int]


def manifest(folder: Path = FOLDER) -> Facts:
    """Recipe, text, versions, and for every network its file, hash, perplexity and the difference between NumPy and Keras."""
    return described(folder, "manifest.json")


def report(folder: Path = FOLDER) -> Facts:
    """Perplexity of every run, what each shipped head looks at, and what is lost without it."""
    return described(folder, "report.json")


@lru_cache(maxsize=2)
def vocabulary(folder: Path = FOLDER) -> Vocabulary:
    """Raises `Broken` where the file is not the one that the manifest names."""
    words = tuple(verified(folder, manifest(folder)["vocabulary"], MOST_BYTES).decode().split("\n"))
    return Vocabulary(words, {word: number for number, word in enumerate(words)})


@lru_cache(maxsize=16)
def load(d_model: int, num_heads: int, folder: Path = FOLDER) -> Network:
    """One network, shared by all visitors. Raises `Broken`; KeyError for sizes that are not in SIZES."""
    entry = manifest(folder)["networks"][f"d{d_model}-h{num_heads}"]
    with np.load(io.BytesIO(verified(folder, entry, MOST_BYTES)), allow_pickle=False) as file:
        weights = unpacked({name: file[name] for name in file.files})
    for array in weights.values():
        array.flags.writeable = False
    return Network(d_model, num_heads, vocabulary(folder).words, weights=weights)


def packed(weights: dict[str, Floats]) -> dict[str, np.ndarray]:
    """As they are kept: the words' table as whole numbers from -127 to 127 with a factor for each word, the rest as float16."""
    factors = (np.abs(weights["words"]).max(axis=1) / 127).astype(np.float16)
    table = np.rint(weights["words"] / factors[:, None].astype(np.float32)).clip(-127, 127).astype(np.int8)
    rest = {name: weight.astype(np.float16) for name, weight in weights.items() if name != "words"}
    return {"words": table, "words_factor": factors, **rest}


def unpacked(arrays: dict[str, np.ndarray]) -> dict[str, Floats]:
    """The weights in float32. What was rounded stays rounded: these numbers are the network that is measured and shown."""
    rest = {name: array.astype(np.float32) for name, array in arrays.items() if not name.startswith("words")}
    return {"words": arrays["words"].astype(np.float32) * arrays["words_factor"].astype(np.float32)[:, None], **rest}


def _sizes() -> frozenset[tuple[int, int]]:
    try:
        return frozenset((entry["d_model"], entry["heads"]) for entry in manifest()["networks"].values())
    except Broken:
        return frozenset()


#: d_model and number of heads of every shipped network; empty where the manifest is missing.
SIZES = _sizes()
