"""A zip file whose parts are read one at a time, each within bounds that are checked before and while it unpacks."""

import io
import zipfile
import zlib
from functools import partial

from mha.loading import npy
from mha.loading.refusal import Unreadable
from mha.loading.tensors import MOST_UNPACKED, Tensor, checked_count

MAGIC = b"PK\x03\x04"
#: No number compresses a thousandfold: what claims to is a bomb.
MOST_RATIO = 1000
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


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
        if part.compress_type not in PLAIN:
            raise Unreadable("{} in the archive is compressed in a way that is not read here.", part.filename)
        if part.file_size > MOST_RATIO * max(part.compress_size, 1) and part.file_size > 1 << 20:
            raise Unreadable("{} would unpack to " + f"{part.file_size:,} bytes from {part.compress_size:,}.", part.filename)
        unpacked += part.file_size
    if unpacked > MOST_UNPACKED:
        raise Unreadable(f"The archive would unpack to {unpacked:,} bytes; at most {MOST_UNPACKED:,} are.")
    return archive


def part(archive: zipfile.ZipFile, name: str, most: int = MOST_UNPACKED) -> bytes:
    """One part, unpacked. Unreadable where it is broken, or longer than it says or than `most`."""
    size = archive.getinfo(name).file_size
    if size > most:
        raise Unreadable("{} unpacks to " + f"{size:,} bytes; at most {most:,} are read.", name)
    try:
        with archive.open(name) as stream:
            data = stream.read(size)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError):
        raise Unreadable("{} in the archive is broken.", name) from None
    if len(data) != size:
        raise Unreadable("{} in the archive is not as long as it says.", name)
    return data


def arrays(archive: zipfile.ZipFile) -> list[Tensor]:
    """The arrays of an .npz, named as in the archive without ".npy"."""
    found: list[Tensor] = []
    for info in archive.infolist():
        if info.filename.endswith(".npy"):
            name = info.filename
            head = part_start(archive, name)
            made = npy.array(name.removesuffix(".npy"), head, partial(_opened, archive, name))
            found.append(made)
    return found


def _opened(archive: zipfile.ZipFile, name: str) -> io.BytesIO:
    return io.BytesIO(part(archive, name))


def part_start(archive: zipfile.ZipFile, name: str) -> io.BytesIO:
    """The part's first bytes: as many as a header may take."""
    try:
        with archive.open(name) as stream:
            return io.BytesIO(stream.read(npy.MOST_HEADER + 64))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError):
        raise Unreadable("{} in the archive is broken.", name) from None
