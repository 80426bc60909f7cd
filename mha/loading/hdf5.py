"""Arrays of an HDF5 file, by h5py.

Only plain datasets are read; no link out of the file is ever followed.
"""

import io
from importlib import import_module
from typing import Any

import numpy as np

from mha.arrays import Floats
from mha.loading.tensors import MOST_NAME, MOST_UNPACKED, Tensor, UnreadableFile, checked_count, checked_shape

#: Groups inside groups. Keras nests a few; a file whose groups contain themselves has no end.
MOST_DEPTH = 32


def library() -> Any:
    try:
        return import_module("h5py")  # optional, and slow to import
    except ImportError:
        raise UnreadableFile("This is an HDF5 file, and h5py, which reads them, is not installed here.") from None


def read(data: bytes) -> tuple[list[Tensor], dict[str, str]]:
    """The arrays, and the name that Keras gave to the layer at each path."""
    by = library()
    tensors: list[Tensor] = []
    names: dict[str, str] = {}
    try:
        _walk(by, by.File(io.BytesIO(data), "r"), "", tensors, names)
    except UnreadableFile:
        raise
    except Exception:  # whatever a broken file makes the library raise
        raise UnreadableFile("The HDF5 file cannot be read: it is broken, cut off, or a link leads out of it.") from None
    return tensors, names


def _walk(by: Any, group: Any, path: str, tensors: list[Tensor], names: dict[str, str]) -> None:
    if path.count("/") > MOST_DEPTH:
        raise UnreadableFile(f"The HDF5 file nests more than {MOST_DEPTH} groups deep, or a group contains itself.")
    for name in group:
        here = f"{path}/{name}" if path else name
        if not isinstance(group.get(name, getlink=True), by.HardLink):
            raise UnreadableFile("{} is a link; only what lies in the file itself is read.", here)
        item = group[name]
        if isinstance(item, by.Dataset):
            tensors.append(_dataset(here, item))
            checked_count(len(tensors))
        elif isinstance(item, by.Group):
            if name == "vars" and isinstance(layer := item.attrs.get("name"), str):  # Keras writes it beside its variables
                names[path] = layer[:MOST_NAME]
            _walk(by, item, here, tensors, names)


def _dataset(name: str, dataset: Any) -> Tensor:
    shape = checked_shape(name, dataset.shape if dataset.shape is not None else ())
    # Of bfloat16 no library knows: Keras writes two plain bytes for each number and says so beside them.
    brain = dataset.dtype.kind == "V" and dataset.dtype.itemsize == 2 and dataset.attrs.get("dtype") == "bfloat16"

    def numbers() -> Floats:
        """Checks that the numbers lie in the file, and how large their pieces are, before any are read."""
        if dataset.external or dataset.is_virtual:
            raise UnreadableFile("{} lies in another file; only what lies in the file itself is read.", name)
        chunk = int(np.prod(dataset.chunks or (0,), dtype=object)) * dataset.dtype.itemsize
        if chunk > MOST_UNPACKED:
            raise UnreadableFile("{} is stored in pieces of " + f"{chunk:,} bytes; at most {MOST_UNPACKED:,} are read.", name)
        try:
            return dataset[()].view("<u2") if brain else dataset[()]
        except Exception:
            raise UnreadableFile("{} cannot be read: it is broken, or compressed in another way than here.", name) from None

    kind = dataset.dtype.name if dataset.dtype.kind in "fiub" else str(dataset.dtype)[:20]
    return Tensor(name, shape, "bfloat16" if brain else kind, numbers)
