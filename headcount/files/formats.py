"""Readers of arrays in .npy, zip, safetensors and HDF5 files, with limits on size. No reader unpickles anything."""

import io
import math
import zipfile
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headcount.arrays import Floats
from headcount.files.tensors import MAX_NAME, MAX_NUMBERS, Tensor, UnreadableFile

NPY_MAGIC = b"\x93NUMPY"
#: Most bytes of an unpacked file, and most characters of NumPy's header, a Python literal that is slow to parse.
MAX_UNPACKED, MAX_HEADER = 256 << 20, 10_000
#: Deepest nesting of groups in an HDF5 file. Keras nests a few levels; a group that contains itself would never end.
MAX_DEPTH = 32
DTYPES = {"F16": "<f2", "BF16": "<u2", "F32": "<f4", "F64": "<f8"}


def library(name: str, instead: str) -> Any:
    """Imports h5py or safetensors. If the library is missing, raises UnreadableFile with the advice `instead`."""
    try:
        return import_module(name)
    except ImportError:
        raise UnreadableFile(f"The library {name}, which reads this file, is not here; {instead}.") from None


def unzipped(data: bytes) -> dict[str, bytes]:
    """Returns the files in a zip archive by name. Raises UnreadableFile if it is broken or too large, or has a name twice."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if len({*(names := archive.namelist())}) < len(names):
                raise UnreadableFile("{} is in the archive twice; each part may be there once.", max(names, key=names.count))
            if (unpacked := sum(part.file_size for part in archive.infolist())) > MAX_UNPACKED:
                raise UnreadableFile(f"The archive would unpack to {unpacked:,} bytes; at most {MAX_UNPACKED:,} are.")
            return {name: archive.read(name) for name in names}
    except (UnreadableFile, MemoryError):
        raise
    except Exception as error:  # a broken file can make Python's reader raise anything
        said = str(error).rstrip(".") or type(error).__name__
        raise UnreadableFile("The zip archive is damaged or incomplete. Python says: {}.", said) from None


def npy(name: str, data: bytes) -> Tensor:
    """Reads an .npy file and calls the array `name`. Raises UnreadableFile if NumPy refuses the file or finds pickled objects."""
    try:
        return Tensor(name, np.lib.format.read_array(io.BytesIO(data), allow_pickle=False, max_header_size=MAX_HEADER))
    except Exception as error:
        words = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise UnreadableFile("NumPy cannot read {} as a NumPy array (.npy): {}.", name, words) from None


def read_input(data: bytes) -> Floats:
    """Reads an input X from an .npy file, with axes (positions, d_model) or (batch, positions, d_model). Returns the first
    sample. Raises UnreadableFile for other axes, for an empty or too large array, and for anything but finite floats."""
    x = npy("the file", data)
    if len(x.shape) not in (2, 3) or 0 in x.shape or x.values.size > MAX_NUMBERS:
        raise UnreadableFile("X must have the axes (positions, width) or (batch, positions, width), got {}.", x.shape)
    values = x.numbers()
    return values[0] if values.ndim == 3 else values


def as_npz(arrays: Mapping[str, Floats]) -> bytes:
    """Returns arrays as the bytes of an .npz file. The same arrays in the same order always give the same bytes."""
    stream, named = io.BytesIO(), dict[str, Any](arrays)
    np.savez(stream, **named)
    return stream.getvalue()


def safetensors(data: bytes) -> list[Tensor]:
    """Reads the arrays of a safetensors file. Raises UnreadableFile if the library refuses the file or is missing."""
    by = library("safetensors", "save its arrays as .npz")
    try:
        found: list[tuple[str, dict[str, Any]]] = by.deserialize(data)
    except Exception as error:
        words = str(error).removeprefix("Error while deserializing: ")
        raise UnreadableFile("The safetensors library cannot read the file: {}.", words) from None
    tensors: list[Tensor] = []
    for name, facts in sorted(found, key=lambda one: one[0]):  # the library gives them in any order
        dtype, shape = str(facts["dtype"]), facts["shape"]
        if dtype in DTYPES:
            values = np.frombuffer(facts["data"], DTYPES[dtype]).reshape(shape)
            tensors.append(Tensor(name, from_bfloat16(values) if dtype == "BF16" else values))
        else:
            tensors.append(Tensor(name, np.broadcast_to(np.uint8(0), shape)))
    return tensors


def from_bfloat16(halves: NDArray[np.uint16]) -> Floats:
    """Converts bfloat16 numbers, stored as 16-bit integers, to float32."""
    return (halves.astype(np.uint32) << 16).view(np.float32)


def hdf5(data: bytes) -> tuple[list[Tensor], dict[str, str]]:
    """Reads an HDF5 file. Returns its arrays, and Keras's layer names by path. Raises UnreadableFile for a broken file, too deep
    nesting, and too large arrays. Soft and external links also raise the error, because they are never followed."""
    by = library("h5py", "save the layer's arrays as .npz")
    tensors: list[Tensor] = []
    names: dict[str, str] = {}

    def walk(group: Any, path: str) -> None:
        if path.count("/") > MAX_DEPTH:
            raise UnreadableFile(f"The HDF5 file nests more than {MAX_DEPTH} groups deep, or a group contains itself.")
        for name in group:
            here = f"{path}/{name}" if path else name
            if not isinstance(group.get(name, getlink=True), by.HardLink):
                raise UnreadableFile("{} is a link; only what lies in the file itself is read.", here)
            item = group[name]
            if isinstance(item, by.Dataset):
                tensors.append(_dataset(here, item))
            elif isinstance(item, by.Group):
                if name == "vars" and isinstance(layer := item.attrs.get("name"), str):  # Keras writes it beside its variables
                    names[path] = layer[:MAX_NAME]
                walk(item, here)

    try:
        walk(by.File(io.BytesIO(data), "r"), "")
    except (UnreadableFile, MemoryError):
        raise
    except Exception:  # a broken file can make the library raise anything
        raise UnreadableFile("The HDF5 file cannot be read: it is broken, cut off, or a link leads out of it.") from None
    return tensors, names


def _dataset(name: str, dataset: Any) -> Tensor:
    if dataset.external or dataset.is_virtual:
        raise UnreadableFile("{} lies in another file; only what lies in the file itself is read.", name)
    lengths = (dataset.shape or (), dataset.chunks or ())
    if (size := max(map(math.prod, lengths)) * dataset.dtype.itemsize) > MAX_UNPACKED:
        raise UnreadableFile("{} takes " + f"{size:,} bytes; at most {MAX_UNPACKED:,} are read.", name)
    # NumPy and h5py have no bfloat16: Keras stores two bytes per number, and the type as an attribute.
    if dataset.dtype.kind == "V" and dataset.dtype.itemsize == 2 and dataset.attrs.get("dtype") == "bfloat16":
        return Tensor(name, from_bfloat16(dataset[()].view("<u2")))
    return Tensor(name, np.asarray(dataset[()]))
