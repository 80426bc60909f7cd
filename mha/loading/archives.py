"""Zip archives and NumPy's own files (.npy, .npz): each part within bounds that are checked before and while it is unpacked.

An array's header is read and checked before any of its numbers. Nothing is ever unpickled.
"""

import io
import math
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np

from mha.arrays import Floats
from mha.loading.tensors import (
    FLOAT_BYTES,
    MOST_NUMBERS,
    MOST_UNPACKED,
    Tensor,
    UnreadableFile,
    checked_count,
    checked_shape,
)

ZIP_MAGIC = b"PK\x03\x04"
#: No number compresses a thousandfold: what claims to is a bomb.
MOST_RATIO = 1000
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
NPY_MAGIC = b"\x93NUMPY"
#: Bytes of a header, as NumPy itself bounds it: it is a literal of Python's, and reading a long one takes stack and time.
MOST_HEADER = 10_000


def open_zip(data: bytes) -> zipfile.ZipFile:
    """UnreadableFile for a broken zip, one with too many parts, one that is encrypted or would unpack to too much."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError, MemoryError):
        raise UnreadableFile("The file begins like a zip archive and is none: it is broken or cut off.") from None
    parts = archive.infolist()
    checked_count(len(parts))
    unpacked = 0
    names: set[str] = set()
    for part in parts:
        if part.filename in names:
            raise UnreadableFile("{} is in the archive twice; each part may be there once.", part.filename)
        names.add(part.filename)
        if part.flag_bits & 1:
            raise UnreadableFile("{} in the archive is encrypted.", part.filename)
        if part.compress_type not in PLAIN:
            raise UnreadableFile("{} in the archive is compressed in a way that is not read here.", part.filename)
        if part.file_size > MOST_RATIO * max(part.compress_size, 1) and part.file_size > 1 << 20:
            raise UnreadableFile("{} would unpack to " + f"{part.file_size:,} bytes from {part.compress_size:,}.", part.filename)
        unpacked += part.file_size
    if unpacked > MOST_UNPACKED:
        raise UnreadableFile(f"The archive would unpack to {unpacked:,} bytes; at most {MOST_UNPACKED:,} are.")
    return archive


def part(archive: zipfile.ZipFile, name: str, most: int = MOST_UNPACKED) -> bytes:
    """One part, unpacked. UnreadableFile where it is broken, or longer than it says or than `most`."""
    size = archive.getinfo(name).file_size
    if size > most:
        raise UnreadableFile("{} unpacks to " + f"{size:,} bytes; at most {most:,} are read.", name)
    data = _unpacked(archive, name, size)
    if len(data) != size:
        raise UnreadableFile("{} in the archive is not as long as it says.", name)
    return data


def _unpacked(archive: zipfile.ZipFile, name: str, size: int) -> bytes:
    """The first `size` bytes of a part."""
    try:
        with archive.open(name) as stream:
            return stream.read(size)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError):
        raise UnreadableFile("{} in the archive is broken.", name) from None


def arrays(archive: zipfile.ZipFile) -> list[Tensor]:
    """The arrays of an .npz, named as in the archive without ".npy"."""

    def array(name: str) -> Tensor:
        start = io.BytesIO(_unpacked(archive, name, MOST_HEADER + 64))
        return _array(name.removesuffix(".npy"), start, lambda: io.BytesIO(part(archive, name)))

    return [array(name) for name in archive.namelist() if name.endswith(".npy")]


def _array(name: str, stream: IO[bytes], reopen: Callable[[], IO[bytes]]) -> Tensor:
    """The array whose header is next in `stream`; `reopen` opens that stream again, at its start."""
    shape, fortran, dtype = _header(name, stream)
    if dtype.hasobject:
        raise UnreadableFile("{} holds pickled Python objects. Those can run code, so they are not opened.", name)
    if dtype.names or dtype.subdtype:
        raise UnreadableFile("{} holds records, not plain numbers.", name)

    def read() -> Floats:
        with reopen() as stream:
            _header(name, stream)
            wanted = math.prod(shape) * dtype.itemsize
            data = stream.read(wanted)
        if len(data) < wanted:
            raise UnreadableFile("{} should hold " + f"{wanted:,} bytes and ends after {len(data):,}.", name)
        return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")

    return Tensor(name, shape, dtype.name, read)


def _header(name: str, stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(stream)
        readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, fortran, dtype = readers[version](stream, max_header_size=MOST_HEADER)
    except KeyError:
        raise UnreadableFile("{} is a NumPy array of an unknown version.", name) from None
    except (ValueError, TypeError, EOFError, RecursionError, MemoryError, SyntaxError):
        raise UnreadableFile("{} has no readable NumPy header.", name) from None
    return checked_shape(name, shape), fortran, dtype


def read_input(data: bytes) -> Floats:
    """The sequence X of a .npy file: axes (positions, width) or (batch, positions, width); of a batch the first is taken.

    UnreadableFile where it is not that.
    """
    if not data.startswith(NPY_MAGIC):
        raise UnreadableFile("The file is not a NumPy array (.npy): it does not begin as one.")
    x = _array("the file", io.BytesIO(data), lambda: io.BytesIO(data))
    if x.dtype not in FLOAT_BYTES:
        raise UnreadableFile("X must be floating-point numbers, got {}.", x.dtype)
    if len(x.shape) not in (2, 3) or 0 in x.shape or x.size > MOST_NUMBERS:
        raise UnreadableFile("X must have the axes (positions, width) or (batch, positions, width), got {}.", x.shape)
    values = x.numbers()
    return values[0] if values.ndim == 3 else values


def as_npz(arrays: Mapping[str, Floats]) -> bytes:
    """The arrays by their names as an .npz; the same arrays give the same bytes."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()
