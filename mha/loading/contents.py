"""A file's arrays, whatever its format: .keras, .weights.h5, .safetensors or .npz."""

import re
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from mha.arrays import Floats
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

if TYPE_CHECKING:
    import mmap

#: Bytes of an architecture that are read; those of large models are some hundred kB.
MOST_CONFIG = 8 << 20
ATTENTION = ("MultiHeadAttention", "GroupQueryAttention", "GroupedQueryAttention")
#: What to do with a pickle, which is never opened.
INSTEAD = (
    "A pickle can run code, so it is not opened. In Python: `import torch, safetensors.torch as st` and "
    "`st.save_file(torch.load('model.pt', weights_only=True), 'model.safetensors')`, then drop that."
)
HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
LENGTH = struct.Struct("<Q")
BOM = b"\xef\xbb\xbf"
#: Files that are read together, parts of one model among them.
MOST_FILES = 16
#: Bytes of a safetensors header, as in the format's own library.
MOST_HEADER = 100_000_000
DTYPES = {"F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}


@dataclass(frozen=True, slots=True)
class Contents:
    """`kind` in words. For Keras's files also `names`, the name of the layer at a path, and `facts`, a layer's settings in the
    architecture by that name. Of several files: `beside`, a config.json; `index`, which file has an array; `part`, which one of
    how many a single one is."""

    kind: str
    tensors: list[Tensor]
    names: dict[str, str] = field(default_factory=dict[str, str])
    facts: dict[str, dict[str, object]] = field(default_factory=dict[str, dict[str, object]])
    beside: Beside | None = None
    index: dict[str, str] = field(default_factory=dict[str, str])
    part: tuple[int, int] | None = None


def is_json(data: bytes) -> bool:
    """Whether it begins as a JSON object does, after UTF-8's mark of byte order."""
    return data[8:9] != b"{" and data.removeprefix(BOM).lstrip(b" \t\r\n")[:1] == b"{"


def open_files(files: Mapping[str, bytes]) -> Contents:
    """Files that belong together: weights, in one or several, with a config.json or the index of a model in several files.

    UnreadableFile says what is wrong with one of them, or why they do not belong together.
    """
    if len(files) > MOST_FILES or (len(files) > 1 and sum(map(len, files.values())) > MOST_FILE):
        total = sum(map(len, files.values()))
        raise UnreadableFile(f"{len(files)} files of {total:,} bytes; at most {MOST_FILES} of {MOST_FILE:,} in all are read.")
    opened: dict[str, Contents] = {}
    beside, index = None, dict[str, str]()
    for name, data in files.items():
        if len(files) == 1 or not is_json(data):
            opened[name] = open_file(data)
            continue
        found = read_json(data, name_of(name)) if len(data) <= MOST_CONFIG else None
        if not isinstance(found, dict):
            raise UnreadableFile(f"{name_of(name)} has {len(data):,} bytes; at most {MOST_CONFIG:,} are read.")
        settings = cast(dict[str, object], found)
        if "weight_map" in settings:
            index |= _index(settings["weight_map"])
        elif beside is not None:
            raise UnreadableFile("Two configurations (config.json) are there; weights have one.")
        else:
            beside = read_beside(settings)
    if not opened:
        raise UnreadableFile("There is a config.json and no weights; drop both together.")
    whole = next(iter(opened.values()))
    seen = {tensor.name: next(iter(opened)) for tensor in whole.tensors}
    for name, more in list(opened.items())[1:]:
        if both := next((tensor.name for tensor in more.tensors if tensor.name in seen), None):
            raise UnreadableFile("{} is in {} and in {}; parts of one model have each array once.", both, seen[both], name)
        seen |= {tensor.name: name for tensor in more.tensors}
    tensors = [tensor for contents in opened.values() for tensor in contents.tensors]
    checked_count(len(tensors))
    names = {path: called for contents in opened.values() for path, called in contents.names.items()}
    facts = {called: settings for contents in opened.values() for called, settings in contents.facts.items()}
    number = re.search(r"-0*([0-9]{1,5})-of-0*([0-9]{1,5})\.", next(iter(opened))) if len(opened) == 1 else None
    part = (int(number[1]), int(number[2])) if number else None
    return Contents(whole.kind, tensors, names, facts, beside, index, part)


def name_of(file: str) -> str:
    """A JSON file's name in a sentence: one of two that we know, whatever it is called."""
    return "The index of the parts" if file.endswith("index.json") else "config.json"


def _index(found: object) -> dict[str, str]:
    """Which file has an array, by the array's name. UnreadableFile where it is anything else, or too long."""
    entries = cast(dict[object, object], found) if isinstance(found, dict) else {"": None}
    if not all(isinstance(file, str) for file in entries.values()):
        raise UnreadableFile("weight_map in the index of the parts must give a file's name for each array.")
    checked_count(len(entries))
    return {str(name)[:MOST_NAME]: str(file)[:MOST_NAME] for name, file in entries.items()}


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


def safetensors(data: "bytes | mmap.mmap") -> list[Tensor]:
    """Eight bytes of length, a JSON header, then the numbers: simple enough to be read here, with bfloat16."""
    header, start = _header(data)
    checked_count(len(header))
    body = memoryview(data)[start:]
    arrays = {name: facts for name, facts in header.items() if name != "__metadata__"}
    tensors = [_tensor(name, facts, body) for name, facts in arrays.items()]
    _check_places({name: tuple(facts["data_offsets"]) for name, facts in arrays.items()}, len(body))
    return tensors


def _check_places(places: dict[str, tuple[int, int]], size: int) -> None:
    """As the format asks: every byte after the header belongs to exactly one array."""
    ended, before = 0, "the header"
    for name, (begin, end) in sorted(places.items(), key=lambda place: place[1]):
        if begin != ended:
            raise UnreadableFile("{} begins at byte " + f"{begin:,}; it must begin where {{}} ends, at {ended:,}.", name, before)
        ended, before = end, name
    if places and ended != size:
        raise UnreadableFile(f"The last {size - ended:,} bytes of the file belong to no array; each must belong to one.")


def _header(data: "bytes | mmap.mmap") -> tuple[dict[str, Any], int]:
    if len(data) < LENGTH.size:
        raise UnreadableFile(f"The file is {len(data)} bytes long: too short for a safetensors header.")
    (length,) = LENGTH.unpack_from(data)
    if length > min(MOST_HEADER, len(data) - LENGTH.size):
        raise UnreadableFile(f"The safetensors header should be {length:,} bytes long; the file has {len(data):,} in all.")
    header = read_json(data[LENGTH.size : LENGTH.size + length], "The safetensors header")
    if not isinstance(header, dict):
        raise UnreadableFile("The safetensors header is not a JSON object.")
    return cast(dict[str, Any], header), LENGTH.size + length


def _tensor(name: str, facts: object, body: memoryview) -> Tensor:
    entry = cast(dict[str, object], facts) if isinstance(facts, dict) else {}
    if not {"dtype", "shape", "data_offsets"} <= set(entry):
        raise UnreadableFile("{} has no dtype, shape and data_offsets in the safetensors header.", name)
    shape = checked_shape(name, entry["shape"])
    dtype = DTYPES.get(entry["dtype"] if isinstance(entry["dtype"], str) else "", str(entry["dtype"])[:20])
    begin, end = _offsets(name, entry["data_offsets"], len(body))
    tensor = Tensor(name, shape, dtype, lambda: _read(begin, dtype, shape, body))
    if dtype in FLOAT_BYTES and end - begin != tensor.size * FLOAT_BYTES[dtype]:
        declared = tensor.size * FLOAT_BYTES[dtype]
        raise UnreadableFile("{} should take " + f"{declared:,} bytes and has {end - begin:,}.", name)
    return tensor


def _offsets(name: str, offsets: object, size: int) -> tuple[int, int]:
    places = cast(list[object], offsets) if isinstance(offsets, list) else []
    whole = [n for n in places if isinstance(n, int) and not isinstance(n, bool)]
    if not len(whole) == len(places) == 2 or not 0 <= whole[0] <= whole[1] <= size:
        raise UnreadableFile("{} should lie at {}, outside " + f"the {size:,} bytes of the file.", name, cast(object, offsets))
    return whole[0], whole[1]


def _read(begin: int, dtype: str, shape: tuple[int, ...], body: memoryview) -> Floats:
    kind = "<u2" if dtype == "bfloat16" else np.dtype(dtype).newbyteorder("<")
    count = int(np.prod(shape, dtype=object))
    return np.frombuffer(body, kind, count, begin).reshape(shape)
