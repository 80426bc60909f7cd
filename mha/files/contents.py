"""A file's arrays, whatever its format: .keras, .weights.h5, .safetensors or .npz."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from mha.files.beside import Beside, read_beside
from mha.files.formats import NPY_MAGIC, hdf5, npy, safetensors, unzipped
from mha.files.tensors import MAX_FILE, MAX_NAME, Tensor, UnreadableFile, read_json
from mha.names import counted

#: Files that are read together; arrays in them; bytes of a configuration: large ones have some hundred kB.
MAX_FILES, MAX_TENSORS, MAX_CONFIG = 16, 10_000, 8 << 20
ATTENTION = ("MultiHeadAttention", "GroupQueryAttention", "GroupedQueryAttention")
#: What to do with a pickle, which is never opened.
INSTEAD = (
    "A pickle can run code, so it is not opened. In Python: `import torch, safetensors.torch as st` and "
    "`st.save_file(torch.load('model.pt', weights_only=True), 'model.safetensors')`, then drop that."
)
READ = ".keras, .weights.h5, .safetensors or .npz"
HDF5_MAGIC, ZIP_MAGIC, BOM = b"\x89HDF\r\n\x1a\n", b"PK\x03\x04", b"\xef\xbb\xbf"
#: Files that are not read, by how they begin, and what to say of them.
OTHERS = {
    NPY_MAGIC: "This is one NumPy array (.npy), not a layer. It can be the input X, below; a layer needs an .npz.",
    b"\x80": f"This looks like a pickle, as PyTorch once saved. {INSTEAD}",
    b"GGUF": "This is a GGUF file, whose numbers are quantised; a .safetensors file of the same model is read.",
}


@dataclass(frozen=True, slots=True)
class Contents:
    """The arrays read from a file. For Keras's files also `names`, the name of the layer at a path, and `facts`, a layer's
    settings in the architecture by that name. `beside`: a config.json that came with them."""

    tensors: list[Tensor]
    names: dict[str, str] = field(default_factory=dict[str, str])
    facts: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    beside: Beside | None = None


def is_json(data: bytes) -> bool:
    """Whether a file begins as a JSON object does, after UTF-8's mark of byte order."""
    return data[8:9] != b"{" and data.removeprefix(BOM).lstrip(b" \t\r\n")[:1] == b"{"


def open_files(files: Mapping[str, bytes]) -> Contents:
    """Files that belong together: weights, in one or several, with a config.json; an index of the parts says nothing more.
    UnreadableFile says what is wrong with one of them, or why they do not belong together."""
    total = sum(map(len, files.values()))
    if len(files) > MAX_FILES or total > MAX_FILE:
        dropped = f"{counted(len(files), 'file')} of {total:,} bytes"
        raise UnreadableFile(f"{dropped}; at most {MAX_FILES} files of {MAX_FILE:,} bytes in all are read.")
    found = [read_json(data, "config.json", MAX_CONFIG) for data in files.values() if is_json(data)]
    said = [one for one in found if "weight_map" not in one]
    if len(said) > 1:
        raise UnreadableFile("Two configurations (config.json) are there; weights have one.")
    opened = [open_file(data) for data in files.values() if not is_json(data)]
    if not opened:
        raise UnreadableFile("There is a config.json without weights; drop both together.")
    tensors = [tensor for contents in opened for tensor in contents.tensors]
    if len(tensors) > MAX_TENSORS:
        raise UnreadableFile(f"{len(tensors):,} arrays are there; at most {MAX_TENSORS:,} are looked at.")
    names = [tensor.name for tensor in tensors]
    if len({*names}) < len(names):
        raise UnreadableFile("{} is in two files; parts of one model have each array once.", max(names, key=names.count))
    return replace(opened[0], tensors=tensors, beside=read_beside(said[0]) if said else None)


def open_file(data: bytes) -> Contents:
    """Reads a file; its format is recognised by the first bytes, never by its name. UnreadableFile says what is wrong with it."""
    if data.startswith(HDF5_MAGIC):
        return Contents(*hdf5(data))
    if data.startswith(ZIP_MAGIC):
        return _zip(data)
    if data[8:9] == b"{":
        return Contents(safetensors(data))
    for start, sentence in OTHERS.items():
        if data.startswith(start):
            raise UnreadableFile(sentence)
    raise UnreadableFile(f"This is no {READ} file: it begins with {data[:8].hex(' ') or 'nothing'}.")


def _zip(data: bytes) -> Contents:
    parts = unzipped(data)
    if "model.weights.h5" in parts:
        return Contents(*hdf5(parts["model.weights.h5"]), _architecture(parts.get("config.json", b"{}")))
    if any(name.endswith("data.pkl") for name in parts):
        raise UnreadableFile(f"This is a PyTorch file with a pickle in it. {INSTEAD}")
    if arrays := [npy(name.removesuffix(".npy"), part) for name, part in parts.items() if name.endswith(".npy")]:
        return Contents(arrays)
    some = ", ".join("{}" for _ in [*parts][:3]) or "nothing"
    raise UnreadableFile(f"This zip archive holds {some}: neither Keras's weights nor NumPy arrays.", *[*parts][:3])


def _architecture(text: bytes) -> dict[str, dict[str, object]]:
    """The settings of every attention layer that Keras's config.json names, by its name. It is read as data: no class in it is
    looked up, no Lambda in it is run."""
    facts: dict[str, dict[str, object]] = {}
    todo: list[object] = [read_json(text, "config.json", MAX_CONFIG)]
    while todo:
        node = todo.pop()
        if isinstance(node, list):
            todo += cast(list[object], node)
        if isinstance(node, dict):
            entry = cast(dict[str, object], node)
            todo += entry.values()
            if isinstance(entry.get("config"), dict) and entry.get("class_name") in ATTENTION:
                settings = cast(dict[str, object], entry["config"])
                facts[str(settings.get("name"))[:MAX_NAME]] = settings
    return facts
