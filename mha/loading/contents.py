"""A file's arrays, whatever kind of file it is: told by its first bytes, not by its name."""

import io
import json
import zipfile
import zlib
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from mha.loading import hdf5, npy, safetensors_file
from mha.loading.tensors import MOST_FILE, MOST_NAME, MOST_UNPACKED, Tensor, Unreadable, checked_count, each_key_once

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
    if data.startswith(ZIP_MAGIC):
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
    archive = open_zip(data)
    names = archive.namelist()
    if "model.weights.h5" in names:
        facts = architecture(archive) if "config.json" in names else {}
        return Contents("a Keras model", *_hdf5(_part(archive, "model.weights.h5")), facts)
    if "config.json" in names and "metadata.json" in names:
        raise Unreadable("This Keras file has no weights (model.weights.h5) in it.")
    if any(name.endswith("data.pkl") for name in names):
        raise Unreadable("This is a PyTorch file with a pickle in it. A pickle can run code: save the weights as .safetensors.")
    if found := _arrays(archive):
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
        text = _part(archive, "config.json", min(MOST_CONFIG, MOST_UNPACKED))
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


# A zip archive: its parts are read one at a time, each within bounds that are checked before and while it unpacks.

ZIP_MAGIC = b"PK\x03\x04"
#: No number compresses a thousandfold: what claims to is a bomb.
MOST_RATIO = 1000
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: What reading a part of a broken archive raises.
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)


def open_zip(data: bytes) -> zipfile.ZipFile:
    """Unreadable for a broken zip, one with too many parts, one that is encrypted or would unpack to too much."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError, MemoryError):
        raise Unreadable("The file begins like a zip archive and is none: it is broken or cut off.") from None
    parts = archive.infolist()
    checked_count(len(parts))
    unpacked = 0
    names: set[str] = set()
    for part in parts:
        if part.filename in names:
            raise Unreadable("{} is in the archive twice; each part may be there once.", part.filename)
        names.add(part.filename)
        if part.flag_bits & 1:
            raise Unreadable("{} in the archive is encrypted.", part.filename)
        if part.compress_type not in COMPRESSIONS:
            raise Unreadable("{} in the archive is compressed in a way that is not read here.", part.filename)
        if part.file_size > MOST_RATIO * max(part.compress_size, 1) and part.file_size > 1 << 20:
            raise Unreadable("{} would unpack to " + f"{part.file_size:,} bytes from {part.compress_size:,}.", part.filename)
        unpacked += part.file_size
    if unpacked > MOST_UNPACKED:
        raise Unreadable(f"The archive would unpack to {unpacked:,} bytes; at most {MOST_UNPACKED:,} are.")
    return archive


def _part(archive: zipfile.ZipFile, name: str, most: int = MOST_UNPACKED) -> bytes:
    """One part, unpacked. Unreadable where it is broken, or longer than it says or than `most`."""
    size = archive.getinfo(name).file_size
    if size > most:
        raise Unreadable("{} unpacks to " + f"{size:,} bytes; at most {most:,} are read.", name)
    try:
        with archive.open(name) as stream:
            data = stream.read(size)
    except BROKEN_ZIP:
        raise Unreadable("{} in the archive is broken.", name) from None
    if len(data) != size:
        raise Unreadable("{} in the archive is not as long as it says.", name)
    return data


def _arrays(archive: zipfile.ZipFile) -> list[Tensor]:
    """The arrays of an .npz, named as in the archive without ".npy"."""
    names = [info.filename for info in archive.infolist() if info.filename.endswith(".npy")]
    return [npy.array(name.removesuffix(".npy"), _start(archive, name), partial(_opened, archive, name)) for name in names]


def _opened(archive: zipfile.ZipFile, name: str) -> io.BytesIO:
    return io.BytesIO(_part(archive, name))


def _start(archive: zipfile.ZipFile, name: str) -> io.BytesIO:
    """The part's first bytes: as many as a header may take."""
    try:
        with archive.open(name) as stream:
            return io.BytesIO(stream.read(npy.MOST_HEADER + 64))
    except BROKEN_ZIP:
        raise Unreadable("{} in the archive is broken.", name) from None
