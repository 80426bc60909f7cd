"""An HDF5 file (.weights.h5, and the one inside .keras): plain datasets only, no link out of the file is ever followed."""

import io
from typing import Any

import numpy as np

from mha.arrays import Floats
from mha.loading.tensors import MOST_NAME, MOST_UNPACKED, Tensor, Unreadable, checked_count, checked_shape

MAGIC = b"\x89HDF\r\n\x1a\n"
#: Groups inside groups. Keras nests a few; a file whose groups contain themselves has no end.
MOST_DEPTH = 32
FILTERS = {"deflate", "gzip", "shuffle", "fletcher32", "lzf", "1", "2", "3", "32000"}


def tensors(data: bytes) -> tuple[list[Tensor], dict[str, str]]:
    """The arrays, and the name that Keras gave to the layer at each path.

    Unreadable where the file is broken, or points outside itself. ImportError where h5py is not installed.
    """
    import h5py  # only who opens such a file needs it

    try:
        file = h5py.File(io.BytesIO(data), "r")
    except Exception:  # whatever a broken file makes the library raise
        raise Unreadable("The file begins like HDF5 and cannot be opened: it is broken or cut off.") from None
    found: list[Tensor] = []
    names: dict[str, str] = {}
    try:
        _walk(file, "", found, names, set(), h5py)
    except Unreadable:
        raise
    except Exception:
        raise Unreadable("The HDF5 file is broken: its groups cannot be read.") from None
    return found, names


def _walk(group: Any, path: str, found: list[Tensor], names: dict[str, str], seen: set[int], h5py: Any) -> None:
    if path.count("/") > MOST_DEPTH:
        raise Unreadable(f"The HDF5 file nests more than {MOST_DEPTH} groups deep.")
    for name in group:
        here = f"{path}/{name}" if path else name
        if not isinstance(group.get(name, getlink=True), h5py.HardLink):
            raise Unreadable("{} is a link; only what lies in the file itself is read.", here)
        item = group[name]
        place = h5py.h5o.get_info(item.id).addr
        if place in seen:
            raise Unreadable("{} is in the file twice, or contains itself.", here)
        seen.add(place)
        checked_count(len(seen))
        if isinstance(item, h5py.Dataset):
            found.append(_tensor(here, item))
        elif isinstance(item, h5py.Group):
            if name == "vars" and (own := _own_name(item, h5py)):
                names[path] = own
            _walk(item, here, found, names, seen, h5py)


def _own_name(group: Any, h5py: Any) -> str:
    """Keras writes a layer's name as an attribute of the group that holds its variables."""
    if "name" not in group.attrs:
        return ""
    kind = group.attrs.get_id("name").get_type()
    if not isinstance(kind, h5py.h5t.TypeStringID) or group.attrs.get_id("name").get_storage_size() > 1 << 12:
        return ""
    name = group.attrs["name"]
    return str(name.decode(errors="replace") if isinstance(name, bytes) else name)[:MOST_NAME]


def _tensor(name: str, dataset: Any) -> Tensor:
    shape = checked_shape(name, dataset.shape if dataset.shape is not None else ())
    dtype = _word(dataset.dtype)

    def read() -> Floats:
        """The numbers, once it is known that they lie in the file and how many there are."""
        plan = dataset.id.get_create_plist()
        if dataset.external or dataset.is_virtual:
            raise Unreadable("{} lies in another file; only what lies in the file itself is read.", name)
        chunk = int(np.prod(dataset.chunks or (0,), dtype=object)) * dataset.dtype.itemsize
        if chunk > MOST_UNPACKED:
            raise Unreadable("{} is stored in pieces of " + f"{chunk:,} bytes; at most {MOST_UNPACKED:,} are read.", name)
        for i in range(plan.get_nfilters()):
            if str(code := plan.get_filter(i)[0]) not in FILTERS:
                raise Unreadable("{} is compressed in a way that is not read here (filter {}).", name, code)
        try:
            return dataset[()]
        except Exception:
            raise Unreadable("{} is broken: its numbers cannot be read.", name) from None

    return Tensor(name, shape, dtype, read)


def _word(dtype: np.dtype[Any]) -> str:
    """h5py has no bfloat16: Keras writes one as two opaque bytes, which are not read."""
    return dtype.name if dtype.kind in "fiub" else str(dtype)[:20]
