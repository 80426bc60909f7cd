"""Zip archives and NumPy's own files (.npy, .npz), read by Python's and NumPy's readers, within bounds.

Nothing is ever unpickled.
"""

import io
import math
import zipfile
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mha.arrays import Floats
from mha.loading.tensors import MOST_NUMBERS, MOST_UNPACKED, Tensor, UnreadableFile, checked_count, checked_shape

ZIP_MAGIC = b"PK\x03\x04"
NPY_MAGIC = b"\x93NUMPY"
#: Bytes of a header, as NumPy itself bounds it: it is a literal of Python's, and reading a long one takes stack and time.
MOST_HEADER = 10_000


def open_zip(data: bytes) -> zipfile.ZipFile:
    """UnreadableFile for a broken zip, one with too many parts or the same twice, or one that would unpack to too much."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except Exception:  # whatever a broken file makes Python's reader raise
        raise UnreadableFile("The file begins like a zip archive and is none: it is broken or cut off.") from None
    parts = archive.infolist()
    checked_count(len(parts))
    names = archive.namelist()
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise UnreadableFile("{} is in the archive twice; each part may be there once.", twice)
    if (unpacked := sum(part.file_size for part in parts)) > MOST_UNPACKED:
        raise UnreadableFile(f"The archive would unpack to {unpacked:,} bytes; at most {MOST_UNPACKED:,} are.")
    return archive


def part(archive: zipfile.ZipFile, name: str, most: int = MOST_UNPACKED) -> bytes:
    """One part, unpacked. UnreadableFile where it cannot be, or is longer than `most`."""
    if (size := archive.getinfo(name).file_size) > most:
        raise UnreadableFile("{} unpacks to " + f"{size:,} bytes; at most {most:,} are read.", name)
    try:
        return archive.read(name)
    except Exception:
        raise UnreadableFile("{} in the archive is broken, encrypted, or compressed in another way than here.", name) from None


def arrays(archive: zipfile.ZipFile) -> list[Tensor]:
    """The arrays of an .npz, named as in the archive without ".npy"."""
    return [tensor(name.removesuffix(".npy"), part(archive, name)) for name in archive.namelist() if name.endswith(".npy")]


def tensor(name: str, data: bytes) -> Tensor:
    """The array of an .npy. UnreadableFile where it is none, or holds anything else than plain numbers."""
    stream = io.BytesIO(data)
    try:
        old = np.lib.format.read_magic(stream) == (1, 0)
        header = np.lib.format.read_array_header_1_0 if old else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = header(stream, max_header_size=MOST_HEADER)
    except Exception:
        raise UnreadableFile("{} has no readable NumPy header.", name) from None
    if dtype.hasobject:
        raise UnreadableFile("{} holds pickled Python objects. Those can run code, so they are not opened.", name)
    if dtype.names or dtype.subdtype:
        raise UnreadableFile("{} holds records, not plain numbers.", name)
    start, shape = stream.tell(), checked_shape(name, shape)

    def read() -> NDArray[np.generic]:
        if (wanted := math.prod(shape) * dtype.itemsize) > len(data) - start:
            raise UnreadableFile("{} should hold " + f"{wanted:,} bytes and ends after {len(data) - start:,}.", name)
        return np.frombuffer(data, dtype, math.prod(shape), start).reshape(shape, order="F" if fortran else "C")

    return Tensor(name, shape, dtype.name, read)


def read_input(data: bytes) -> Floats:
    """The sequence X of a .npy file: axes (positions, width) or (batch, positions, width); of a batch the first is taken.

    UnreadableFile where it is not that.
    """
    if not data.startswith(NPY_MAGIC):
        raise UnreadableFile("The file is not a NumPy array (.npy): it does not begin as one.")
    x = tensor("the file", data)
    if len(x.shape) not in (2, 3) or 0 in x.shape or x.size > MOST_NUMBERS:
        raise UnreadableFile("X must have the axes (positions, width) or (batch, positions, width), got {}.", x.shape)
    values = x.numbers()
    return values[0] if values.ndim == 3 else values


def as_npz(arrays: Mapping[str, Floats]) -> bytes:
    """The arrays by their names as an .npz; the same arrays give the same bytes."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()
