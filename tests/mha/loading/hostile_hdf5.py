"""HDF5 files that are broken, point outside themselves, or declare what no memory holds."""

import io
from collections.abc import Callable

import h5py
import numpy as np

from tests.mha.loading.files import arrays, hdf5, keras_h5

PLACE = "layers/att/query_dense/vars/0"


def edited(change: Callable[[h5py.File], object]) -> bytes:
    """A layer as Keras writes it, and what `change` does to it."""
    made = io.BytesIO(keras_h5(arrays()))
    with h5py.File(made, "a") as file:
        change(file)
    return made.getvalue()


def replaced(**options) -> bytes:
    """The query's kernel made anew with these options of h5py."""

    def change(file: h5py.File) -> None:
        del file[PLACE]
        file.create_dataset(PLACE, **options)

    return edited(change)


def linked(link: object) -> bytes:
    def change(file: h5py.File) -> None:
        del file[PLACE]
        file[PLACE] = link

    return edited(change)


def external(file: h5py.File) -> None:
    """Numbers that lie in another file of the server."""
    del file[PLACE]
    file.create_dataset(PLACE, (11, 3, 5), "<f4", external=[("/etc/passwd", 0, h5py.h5f.UNLIMITED)])


def virtual(file: h5py.File) -> None:
    layout = h5py.VirtualLayout(shape=(11, 3, 5), dtype="<f4")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", shape=(11, 3, 5))
    del file[PLACE]
    file.create_virtual_dataset(PLACE, layout)


def nested(file: h5py.File) -> None:
    group = file
    for _ in range(40):
        group = group.create_group("g")


def flipped(data: bytes, *places: int) -> bytes:
    made = bytearray(data)
    for place in places:
        made[place] ^= 0xFF
    return bytes(made)


def files() -> dict[str, bytes]:
    whole = keras_h5(arrays())
    return {
        "first bytes only": whole[:8],
        "superblock only": whole[:96],
        "half": whole[: len(whole) // 2],
        "end cut off": whole[:-64],
        "superblock changed": flipped(whole, 9, 13, 14),
        "first group changed": flipped(whole, *range(96, 136)),
        "heap changed": flipped(whole, *range(700, 900)),
        "every 97th byte changed": flipped(whole, *range(48, len(whole), 97)),
        "a link to another file": linked(h5py.ExternalLink("/etc/passwd", "/x")),
        "a soft link": linked(h5py.SoftLink("/layers")),
        "a group in itself": edited(lambda file: file["layers"].__setitem__("again", file["layers"])),
        "numbers in another file": edited(external),
        "a virtual array": edited(virtual),
        "forty groups deep": edited(nested),
        "whole numbers": replaced(data=np.ones((11, 3, 5), np.int32)),
        "words": replaced(data=np.array([b"a", b"b"])),
        "records": replaced(data=np.zeros(2, [("a", "<f4"), ("b", "<i4")])),
        "lists of any length": replaced(shape=(2,), dtype=h5py.vlen_dtype(np.float32)),
        "nothing": replaced(data=h5py.Empty("f")),
        "not a number": replaced(data=np.full((11, 3, 5), np.nan, np.float32)),
        "a trillion numbers": replaced(shape=(1 << 40, 3, 5), dtype="<f4", chunks=(1024, 3, 5)),
        "wider than wide": replaced(shape=(1 << 24, 3, 5), dtype="<f4", chunks=(1024, 3, 5)),
        "a piece of 1 GB": replaced(shape=(11, 3, 5), maxshape=(None, 3, 5), dtype="<f4", chunks=(1 << 24, 3, 5)),
        "no attention": hdf5({"dense/vars/0": np.ones((2, 3), np.float32)}),
    }
