"""Arrays of an HDF5 file: by h5py, and where nothing compiled can be had (deploy/static) by pyfive, which is Python alone.

Only plain datasets are read; no link out of the file is ever followed.
"""

import io
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Protocol

import numpy as np

from mha.arrays import Floats
from mha.loading.tensors import MOST_NAME, MOST_UNPACKED, Tensor, UnreadableFile, checked_count, checked_shape

#: Groups inside groups. Keras nests a few; a file whose groups contain themselves has no end.
MOST_DEPTH = 32
#: Bytes of an attribute that are read.
MOST_ATTRIBUTE = 1 << 12


class Library(Protocol):
    """What is asked of one that reads HDF5. Groups and datasets are its own."""

    Dataset: type
    Group: type
    #: What it undoes, as the format numbers it: deflate is 1, shuffle 2, Fletcher's checksum 3, LZF 32000.
    undoes: frozenset[int]

    def open(self, file: io.BytesIO) -> Any: ...

    def members(self, group: Any) -> Iterator[tuple[str, int | None]]:
        """Names in a group, each with the place of what it names in the file; None where it is a link."""
        ...

    def word(self, item: Any, key: str) -> str:
        """A short attribute; empty where it is none, or no text."""
        ...

    def lies_elsewhere(self, dataset: Any) -> bool: ...

    def filters(self, dataset: Any) -> list[int]: ...


class ByH5py:
    undoes = frozenset({1, 2, 3, 32000})

    def __init__(self):
        import h5py  # optional, and slow to import

        self.h5py: Any = h5py
        self.Dataset, self.Group = h5py.Dataset, h5py.Group

    def open(self, file: io.BytesIO) -> Any:
        return self.h5py.File(file, "r")

    def members(self, group: Any) -> Iterator[tuple[str, int | None]]:
        for name in group:
            hard = isinstance(group.get(name, getlink=True), self.h5py.HardLink)
            yield name, self.h5py.h5o.get_info(group.id, name.encode()).addr if hard else None

    def word(self, item: Any, key: str) -> str:
        if key not in item.attrs or item.attrs.get_id(key).get_storage_size() > MOST_ATTRIBUTE:
            return ""
        if not isinstance(item.attrs.get_id(key).get_type(), self.h5py.h5t.TypeStringID):
            return ""
        return as_text(item.attrs[key])

    def lies_elsewhere(self, dataset: Any) -> bool:
        return bool(dataset.external or dataset.is_virtual)

    def filters(self, dataset: Any) -> list[int]:
        plan = dataset.id.get_create_plist()
        return [plan.get_filter(i)[0] for i in range(plan.get_nfilters())]


class ByPyfive:
    undoes = frozenset({1, 2, 3})
    VIRTUAL = 3

    def __init__(self):
        self.pyfive: Any = import_module("pyfive")  # optional: where there is no h5py; it has no types
        self.objects: Any = import_module("pyfive.dataobjects")
        self.Dataset, self.Group = self.pyfive.Dataset, self.pyfive.Group

    def open(self, file: io.BytesIO) -> Any:
        return self.pyfive.File(file)

    def members(self, group: Any) -> Iterator[tuple[str, int | None]]:
        for name, place in group._links.items():
            yield name, None if isinstance(place, str) else int(place)

    def word(self, item: Any, key: str) -> str:
        text = as_text(item.attrs.get(key, ""))
        return text if len(text) <= MOST_ATTRIBUTE else ""

    def lies_elsewhere(self, dataset: Any) -> bool:
        place = dict(self.members(dataset.parent))[dataset.name.rpartition("/")[2]]
        about = self.objects.DataObjects(dataset.file._fh, place)
        return bool(about.find_msg_type(self.objects.EXTERNAL_DATA_FILES_MSG_TYPE)) or dataset.id.layout_class == self.VIRTUAL

    def filters(self, dataset: Any) -> list[int]:
        return [one["filter_id"] for one in dataset.id.filter_pipeline or ()]


def as_text(value: object) -> str:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return value if isinstance(value, str) else ""


def library() -> Library:
    for one in (ByH5py, ByPyfive):
        try:
            return one()
        except ImportError:
            continue
    raise UnreadableFile("This is an HDF5 file, and h5py, which reads them, is not installed here.")


def read(data: bytes) -> tuple[list[Tensor], dict[str, str]]:
    """The arrays, and the name that Keras gave to the layer at each path."""
    by = library()
    try:
        file = by.open(io.BytesIO(data))
    except Exception:  # whatever a broken file makes the library raise
        raise UnreadableFile("The file begins like HDF5 and cannot be opened: it is broken or cut off.") from None
    tensors: list[Tensor] = []
    names: dict[str, str] = {}
    try:
        _walk(by, file, "", tensors, names, set())
    except UnreadableFile:
        raise
    except Exception:
        raise UnreadableFile("The HDF5 file's groups cannot be read: it is broken, or a link leads out of it.") from None
    return tensors, names


def _walk(by: Library, group: Any, path: str, tensors: list[Tensor], names: dict[str, str], seen: set[int]) -> None:
    if path.count("/") > MOST_DEPTH:
        raise UnreadableFile(f"The HDF5 file nests more than {MOST_DEPTH} groups deep.")
    for name, place in by.members(group):
        here = f"{path}/{name}" if path else name
        if place is None:
            raise UnreadableFile("{} is a link; only what lies in the file itself is read.", here)
        if place in seen:
            raise UnreadableFile("{} is in the file twice, or contains itself.", here)
        seen.add(place)
        checked_count(len(seen))
        item = group[name]
        if isinstance(item, by.Dataset):
            tensors.append(_dataset(by, here, item))
        elif isinstance(item, by.Group):
            if name == "vars" and (layer := by.word(item, "name")):  # Keras writes it beside a layer's variables
                names[path] = layer[:MOST_NAME]
            _walk(by, item, here, tensors, names, seen)


def _dataset(by: Library, name: str, dataset: Any) -> Tensor:
    shape = checked_shape(name, dataset.shape if dataset.shape is not None else ())
    dtype = dataset.dtype.name if dataset.dtype.kind in "fiub" else str(dataset.dtype)[:20]
    # Of bfloat16 no library knows: Keras writes two plain bytes for each number and says so beside them.
    brain = dataset.dtype.kind == "V" and dataset.dtype.itemsize == 2 and by.word(dataset, "dtype") == "bfloat16"

    def numbers() -> Floats:
        """Checks that the numbers lie in the file, and how they are stored, before any are read."""
        if by.lies_elsewhere(dataset):
            raise UnreadableFile("{} lies in another file; only what lies in the file itself is read.", name)
        chunk = int(np.prod(dataset.chunks or (0,), dtype=object)) * dataset.dtype.itemsize
        if chunk > MOST_UNPACKED:
            raise UnreadableFile("{} is stored in pieces of " + f"{chunk:,} bytes; at most {MOST_UNPACKED:,} are read.", name)
        if unknown := [code for code in by.filters(dataset) if code not in by.undoes]:
            raise UnreadableFile("{} is compressed in a way that is not read here (filter {}).", name, unknown[0])
        try:
            return dataset[()].view("<u2") if brain else dataset[()]
        except Exception:
            raise UnreadableFile("{} is broken: its numbers cannot be read.", name) from None

    return Tensor(name, shape, "bfloat16" if brain else dtype, numbers)
