"""NumPy's files. Of an .npy the header is read and checked before any number is; no pickle, ever. Weights are saved as .npz."""

import io
import math
from collections.abc import Callable, Mapping
from typing import IO, Any

import numpy as np

from mha.arrays import Floats
from mha.forward import PARAMS
from mha.loading.tensors import FLOATS, MOST_NUMBERS, Tensor, Unreadable, checked_shape
from mha.params import Params

MAGIC = b"\x93NUMPY"
#: Bytes of a header, as NumPy itself bounds it: it is a literal of Python's, and reading a long one takes stack and time.
MOST_HEADER = 10_000


def array(name: str, stream: IO[bytes], reopen: Callable[[], IO[bytes]]) -> Tensor:
    """The array whose header is next in `stream`; `reopen` gives the stream anew, at its start. Unreadable where it is none."""
    shape, fortran, dtype = _header(name, stream)
    if dtype.hasobject:
        raise Unreadable("{} holds pickled Python objects. Those can run code, so they are not opened.", name)
    if dtype.names or dtype.subdtype:
        raise Unreadable("{} holds records, not plain numbers.", name)

    def read() -> Floats:
        with reopen() as again:
            _header(name, again)
            wanted = math.prod(shape) * dtype.itemsize
            data = again.read(wanted)
        if len(data) < wanted:
            raise Unreadable("{} should hold " + f"{wanted:,} bytes and ends after {len(data):,}.", name)
        return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")

    return Tensor(name, shape, dtype.name, read)


def _header(name: str, stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(stream)
        readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, fortran, dtype = readers[version](stream, max_header_size=MOST_HEADER)
    except KeyError:
        raise Unreadable("{} is a NumPy array of an unknown version.", name) from None
    except (ValueError, TypeError, EOFError, RecursionError, MemoryError, SyntaxError):
        raise Unreadable("{} has no readable NumPy header.", name) from None
    return checked_shape(name, shape), fortran, dtype


def read_input(data: bytes) -> Floats:
    """The sequence X of a .npy file: axes (positions, width) or (batch, positions, width); of a batch the first is taken.

    Unreadable where it is not that.
    """
    if not data.startswith(MAGIC):
        raise Unreadable("The file is not a NumPy array (.npy): it does not begin as one.")
    found = array("the file", io.BytesIO(data), lambda: io.BytesIO(data))
    if found.dtype not in FLOATS:
        raise Unreadable("X must be floating-point numbers, got {}.", found.dtype)
    if len(found.shape) not in (2, 3) or 0 in found.shape or found.size > MOST_NUMBERS:
        raise Unreadable("X must have the axes (positions, width) or (batch, positions, width), got {}.", found.shape)
    values = found.numbers()
    return values[0] if values.ndim == 3 else values


def as_npz(arrays: Mapping[str, Floats]) -> bytes:
    """The arrays by their names; the same arrays give the same bytes."""
    made = io.BytesIO()
    np.savez(made, allow_pickle=False, **arrays)
    return made.getvalue()


def by_name(params: Params) -> dict[str, Floats]:
    """Kernels and biases under the names that `mha.loading` finds again, in Keras's shapes."""
    return {name: array.values for name in PARAMS if (array := getattr(params, name)) is not None}
