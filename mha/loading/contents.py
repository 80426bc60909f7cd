"""A file's arrays, whatever its format: .keras, .weights.h5, .safetensors or .npz."""

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, cast

import numpy as np

from mha.loading import hdf5
from mha.loading.archives import NPY_MAGIC, ZIP_MAGIC, arrays, open_zip, part
from mha.loading.beside import Beside, read_beside
from mha.loading.tensors import (
    FLOAT_BYTES,
    MOST_FILE,
    MOST_NAME,
    MOST_UNPACKED,
    Tensor,
    UnreadableFile,
    checked_count,
    checked_shape,
    read_json,
)

#: Bytes of an architecture that are read; those of large models are some hundred kB.
MOST_CONFIG = 8 << 20
ATTENTION = ("MultiHeadAttention", "GroupQueryAttention", "GroupedQueryAttention")
#: What to do with a pickle, which is never opened.
INSTEAD = (
    "A pickle can run code, so it is not opened. In Python: `import torch, safetensors.torch as st` and "
    "`st.save_file(torch.load('model.pt', weights_only=True), 'model.safetensors')`, then drop that."
)
HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
BOM = b"\xef\xbb\xbf"
#: Files that are read together, parts of one model among them.
MOST_FILES = 16
DTYPES = {"F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}


@dataclass(frozen=True, slots=True)
class Contents:
    """`kind` in words. For Keras's files also `names`, the name of the layer at a path, and `facts`, a layer's settings in the
    architecture by that name. Of several files: `beside`, a config.json."""

    kind: str
    tensors: list[Tensor]
    names: dict[str, str] = field(default_factory=dict[str, str])
    facts: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    beside: Beside | None = None


def is_json(data: bytes) -> bool:
    """Whether it begins as a JSON object does, after UTF-8's mark of byte order."""
    return data[8:9] != b"{" and data.removeprefix(BOM).lstrip(b" \t\r\n")[:1] == b"{"


def open_files(files: Mapping[str, bytes]) -> Contents:
    """Files that belong together: weights, in one or several, with a config.json; an index of the parts says nothing more.

    UnreadableFile says what is wrong with one of them, or why they do not belong together.
    """
    if len(files) == 1:
        return open_file(next(iter(files.values())))
    if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_FILE:
        total = sum(map(len, files.values()))
        raise UnreadableFile(f"{len(files)} files of {total:,} bytes; at most {MOST_FILES} of {MOST_FILE:,} in all are read.")
    said = [found for data in files.values() if is_json(data) and "weight_map" not in (found := _settings(data))]
    if len(said) > 1:
        raise UnreadableFile("Two configurations (config.json) are there; weights have one.")
    opened = {name: open_file(data) for name, data in files.items() if not is_json(data)}
    if not opened:
        raise UnreadableFile("There is a config.json and no weights; drop both together.")
    seen: dict[str, str] = {}
    for name, contents in opened.items():
        if both := next((tensor.name for tensor in contents.tensors if tensor.name in seen), None):
            raise UnreadableFile("{} is in {} and in {}; parts of one model have each array once.", both, seen[both], name)
        seen |= {tensor.name: name for tensor in contents.tensors}
    checked_count(len(seen))
    first = next(iter(opened.values()))
    tensors = [tensor for contents in opened.values() for tensor in contents.tensors]
    return replace(first, tensors=tensors, beside=read_beside(said[0]) if said else None)


def _settings(data: bytes) -> Mapping[str, object]:
    if len(data) > MOST_CONFIG:
        raise UnreadableFile(f"config.json has {len(data):,} bytes; at most {MOST_CONFIG:,} are read.")
    return cast(dict[str, object], read_json(data, "config.json"))


def open_file(data: bytes) -> Contents:
    """The format is recognised by the first bytes, never by the file's name. UnreadableFile says what is wrong with the file."""
    if not data:
        kinds = ".keras, .weights.h5, .safetensors or .npz"
        raise UnreadableFile(f"The file is empty; a {kinds} file with an attention layer is read.")
    if len(data) > MOST_FILE:
        raise UnreadableFile(f"The file has {len(data):,} bytes; at most {MOST_FILE:,} are read.")
    if data.startswith(HDF5_MAGIC):
        return Contents("an HDF5 file of weights", *hdf5.read(data))
    if data.startswith(ZIP_MAGIC):
        return _zip(data)
    if data.startswith(NPY_MAGIC):
        raise UnreadableFile("This is one NumPy array (.npy), not a layer. It can be the input X, below; a layer needs an .npz.")
    if data[8:9] == b"{":
        return Contents("a safetensors file", safetensors(data))
    if data[:1] == b"\x80":
        raise UnreadableFile(f"This looks like a pickle, as PyTorch once saved. {INSTEAD}")
    if data[:4] == b"GGUF":
        raise UnreadableFile("This is a GGUF file, whose numbers are quantised; a .safetensors file of the same model is read.")
    if is_json(data):
        raise UnreadableFile("This is a configuration (JSON) without weights; drop it together with them.")
    start = data[:8].hex(" ")
    raise UnreadableFile(f"This is none of .keras, .weights.h5, .safetensors and .npz: it begins with the bytes {start}.")


def _zip(data: bytes) -> Contents:
    archive = open_zip(data)
    names = archive.namelist()
    if "model.weights.h5" in names:
        facts = _architecture(archive) if "config.json" in names else {}
        return Contents("a Keras model", *hdf5.read(part(archive, "model.weights.h5")), facts)
    if "config.json" in names and "metadata.json" in names:
        raise UnreadableFile("This Keras file has no weights (model.weights.h5) in it.")
    if any(name.endswith("data.pkl") for name in names):
        raise UnreadableFile(f"This is a PyTorch file with a pickle in it. {INSTEAD}")
    if tensors := arrays(archive):
        return Contents("a NumPy archive", tensors)
    some = ", ".join("{}" for _ in names[:3])
    raise UnreadableFile(f"This zip archive holds {some or 'nothing'}: neither a Keras model nor NumPy arrays.", *names[:3])


def _architecture(archive: zipfile.ZipFile) -> dict[str, dict[str, object]]:
    """The settings of every attention layer that config.json names, by its name. It is read as data: no class in it is looked
    up, no Lambda in it is run."""
    text = part(archive, "config.json", min(MOST_CONFIG, MOST_UNPACKED))
    facts: dict[str, dict[str, object]] = {}
    todo = [read_json(text, "The architecture in this Keras file (config.json)")]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo += cast(list[object], node)
        if isinstance(node, dict):
            entry = cast(dict[str, object], node)
            todo += entry.values()
            if isinstance(entry.get("config"), dict) and entry.get("class_name") in ATTENTION:
                settings = cast(dict[str, object], entry["config"])
                facts[str(settings.get("name"))[:MOST_NAME]] = settings
    return facts


def safetensors(data: bytes) -> list[Tensor]:
    """By the format's own library. UnreadableFile in its words."""
    try:
        library = import_module("safetensors")  # optional: compiled, so not in the build without a server
    except ImportError:
        raise UnreadableFile("The library safetensors, which reads this file, is not here; save its arrays as .npz.") from None
    try:
        found: list[tuple[str, dict[str, Any]]] = library.deserialize(data)
    except Exception as error:
        words = str(error).removeprefix("Error while deserializing: ")
        raise UnreadableFile("The safetensors library cannot read the file: {}.", words) from None
    checked_count(len(found))
    return [_tensor(name, **facts) for name, facts in found]


def _tensor(name: str, shape: list[int], dtype: str, data: bytearray) -> Tensor:
    kind = DTYPES.get(dtype, dtype)
    stored = "<u2" if kind == "bfloat16" else np.dtype(kind).newbyteorder("<") if kind in FLOAT_BYTES else "u1"
    return Tensor(name, checked_shape(name, shape), kind, lambda: np.frombuffer(data, stored).reshape(shape))
