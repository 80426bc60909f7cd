"""A file's arrays, whatever kind of file it is: told by its first bytes, not by its name."""

import json
import zipfile
from dataclasses import dataclass, field
from typing import cast

from mha.loading import hdf5, npy, safetensors_file, zipped
from mha.loading.refusal import MOST_NAME, Unreadable, each_key_once
from mha.loading.tensors import MOST_FILE, MOST_UNPACKED, Tensor

#: Bytes of an architecture that are read; those of large models are some hundred kB.
MOST_CONFIG = 8 << 20
ATTENTION = ("MultiHeadAttention", "GroupQueryAttention", "GroupedQueryAttention")


@dataclass(frozen=True, slots=True)
class Contents:
    """`kind` in words. Of Keras's files also `names`: what the layer at a path is called, and `facts`: by that name, what the
    architecture says of it."""

    kind: str
    tensors: list[Tensor]
    names: dict[str, str] = field(default_factory=dict[str, str])
    facts: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])


def open_file(data: bytes) -> Contents:
    """Unreadable says what is wrong with the file."""
    if not data:
        raise Unreadable("The file is empty; a .keras, .weights.h5, .safetensors or .npz file with an attention layer is read.")
    if len(data) > MOST_FILE:
        raise Unreadable(f"The file has {len(data):,} bytes; at most {MOST_FILE:,} are read.")
    if data.startswith(hdf5.MAGIC):
        return Contents("an HDF5 file of weights", *_hdf5(data))
    if data.startswith(zipped.MAGIC):
        return _archive(data)
    if data.startswith(npy.MAGIC):
        raise Unreadable("This is one NumPy array (.npy), not a layer. It can be the input X, below; a layer needs an .npz.")
    if data[8:9] == b"{":
        return Contents("a safetensors file", safetensors_file.tensors(data))
    if data[:1] == b"\x80":
        raise Unreadable("This looks like a pickle, as PyTorch once saved. A pickle can run code, so it is not opened.")
    start = data[:8].hex(" ")
    raise Unreadable(f"This is none of .keras, .weights.h5, .safetensors and .npz: it begins with the bytes {start}.")


def _archive(data: bytes) -> Contents:
    archive = zipped.open_zip(data)
    names = archive.namelist()
    if "model.weights.h5" in names:
        facts = architecture(archive) if "config.json" in names else {}
        return Contents("a Keras model", *_hdf5(zipped.part(archive, "model.weights.h5")), facts)
    if "config.json" in names and "metadata.json" in names:
        raise Unreadable("This Keras file has no weights (model.weights.h5) in it.")
    if any(name.endswith("data.pkl") for name in names):
        raise Unreadable("This is a PyTorch file with a pickle in it. A pickle can run code: save the weights as .safetensors.")
    if found := zipped.arrays(archive):
        return Contents("a NumPy archive", found)
    some = ", ".join("{}" for _ in names[:3])
    raise Unreadable(f"This zip archive holds {some or 'nothing'}: neither a Keras model nor NumPy arrays.", *names[:3])


def _hdf5(data: bytes) -> tuple[list[Tensor], dict[str, str]]:
    try:
        return hdf5.tensors(data)
    except ImportError:
        raise Unreadable("This is an HDF5 file, and h5py, which reads them, is not installed here.") from None


def architecture(archive: zipfile.ZipFile) -> dict[str, dict[str, object]]:
    """The settings of every attention layer that config.json names, by its name. It is read as data: no class in it is looked
    up, no Lambda in it is run."""
    try:
        text = zipped.part(archive, "config.json", min(MOST_CONFIG, MOST_UNPACKED))
        tree = json.loads(text, object_pairs_hook=each_key_once)
    except (ValueError, RecursionError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable("The architecture in this Keras file (config.json) is not JSON.") from None
    found: dict[str, dict[str, object]] = {}
    todo: list[object] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo += cast(list[object], node)
        if isinstance(node, dict):
            entry = cast(dict[str, object], node)
            todo += entry.values()
            if isinstance(entry.get("config"), dict) and entry.get("class_name") in ATTENTION:
                settings = cast(dict[str, object], entry["config"])
                found[str(settings.get("name"))[:MOST_NAME]] = settings
    return found
