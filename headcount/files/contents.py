"""Contents of an uploaded file in one of four formats: .keras, .weights.h5, .safetensors or .npz."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

from headcount.files.beside import Beside, read_beside
from headcount.files.formats import NPY_MAGIC, hdf5, npy, safetensors, unzipped
from headcount.files.tensors import MAX_FILE, MAX_NAME, Tensor, UnreadableFile, read_json
from headcount.names import counted

#: Most arrays in a file, and most bytes of a configuration. Large configurations have a few hundred kB.
MAX_TENSORS, MAX_CONFIG = 10_000, 8 << 20
ATTENTION = ("MultiHeadAttention", "GroupQueryAttention", "GroupedQueryAttention")
#: Advice for a pickle, which is never opened.
INSTEAD = (
    "A pickle can run code, so the app does not open it. In Python, run `import torch, safetensors.torch as st` and "
    "`st.save_file(torch.load('model.pt', weights_only=True), 'model.safetensors')`, then drop the new file."
)
READ = ".keras, .weights.h5, .safetensors or .npz"
HDF5_MAGIC, ZIP_MAGIC, BOM = b"\x89HDF\r\n\x1a\n", b"PK\x03\x04", b"\xef\xbb\xbf"
#: Advice for kinds of files that are not read, by their first bytes.
OTHERS = {
    NPY_MAGIC: "This is one NumPy array (.npy), not a layer. It can be the input X of a layer that is in another file.",
    b"\x80": f"This looks like a pickle, an older file format of PyTorch. {INSTEAD}",
    b"GGUF": "This is a GGUF file, which the app does not read: its numbers are often quantised. Drop a .safetensors file of the "
    "same model instead.",
}


@dataclass(frozen=True, slots=True)
class Contents:
    """The arrays of a file. A Keras file may also have `names` (layers' names by path) and `facts` (settings of attention layers
    by name). `beside` is the config.json that came with the weights. If a JSON file came but cannot be used, `unused` has the
    reason, followed by the names for each {} in it."""

    tensors: list[Tensor]
    names: dict[str, str] = field(default_factory=dict[str, str])
    facts: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    beside: Beside | None = None
    unused: tuple[str, ...] = ()


def is_json(data: bytes) -> bool:
    """Returns whether a file begins like a JSON object or list. A file whose ninth byte is "{" counts as safetensors instead."""
    return data[8:9] != b"{" and data.removeprefix(BOM).lstrip(b" \t\r\n")[:1] in (b"{", b"[")


def open_files(files: Mapping[str, bytes]) -> Contents:
    """Reads the file of weights among `files` (bytes by name), and its config.json if there is a readable one. Raises
    UnreadableFile if the files are too large, or if not exactly one is a readable file of weights."""
    total, weights = sum(map(len, files.values())), [data for data in files.values() if not is_json(data)]
    if total > MAX_FILE:
        raise UnreadableFile(f"{counted(len(files), 'file')} of {total:,} bytes; at most {MAX_FILE:,} bytes are read.")
    if len(weights) != 1:
        alone = "A config.json alone has no weights to show."
        many = f"{len(weights)} files of weights are there; one is read." if weights else alone
        raise UnreadableFile(f"{many} Drop one file of weights together with its config.json.")
    contents, found = open_file(weights[0]), list[Beside]()
    for text in filter(is_json, files.values()):  # a model's folder has others, of its words and its texts
        try:
            found.append(read_beside(read_json(text, "it", MAX_CONFIG)))
        except UnreadableFile as fault:
            contents = replace(contents, unused=(fault.sentence, *fault.names))
    if len(found) > 1:
        return replace(contents, unused=("two are there; weights have one.",))
    return replace(contents, beside=found[0], unused=()) if found else contents


def open_file(data: bytes) -> Contents:
    """Reads the arrays of a file. Its first bytes decide the format. Raises UnreadableFile with the reason."""
    contents = _opened(data)
    if len(contents.tensors) > MAX_TENSORS:
        raise UnreadableFile(f"{len(contents.tensors):,} arrays are there; at most {MAX_TENSORS:,} are looked at.")
    return contents


def _opened(data: bytes) -> Contents:
    if data.startswith(HDF5_MAGIC):
        return Contents(*hdf5(data))
    if data.startswith(ZIP_MAGIC):
        return _zip(data)
    if data[8:9] == b"{":
        return Contents(safetensors(data))
    for start, sentence in OTHERS.items():
        if data.startswith(start):
            raise UnreadableFile(sentence)
    begins = f"its first bytes are {data[:8].hex(' ')}" if data else "it is empty"
    raise UnreadableFile(f"This is no {READ} file: {begins}.")


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
    """Returns the settings of attention layers, by layer name, from the config.json in a .keras file. Runs no code."""
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
