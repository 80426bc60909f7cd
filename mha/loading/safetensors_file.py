"""A .safetensors file: eight bytes of length, a JSON header, then the numbers. Simple enough to be read here, with bfloat16."""

import json
import struct

import numpy as np

from mha.loading.refusal import Unreadable, each_key_once
from mha.loading.tensors import FLOAT_BYTES, Tensor, checked_count, checked_shape

LENGTH = struct.Struct("<Q")
#: As in the format's own library.
MOST_HEADER = 100_000_000
DTYPES = {"F16": "float16", "BF16": "bfloat16", "F32": "float32", "F64": "float64"}


def tensors(data: bytes) -> list[Tensor]:
    """Unreadable where the header is not one, or declares what the file does not hold."""
    header, start = _header(data)
    checked_count(len(header))
    body = memoryview(data)[start:]
    arrays = {name: facts for name, facts in header.items() if name != "__metadata__"}
    found = [_tensor(name, facts, body) for name, facts in arrays.items()]
    _check_places({name: tuple(facts["data_offsets"]) for name, facts in arrays.items()}, len(body))
    return found


def _check_places(places: dict[str, tuple[int, int]], size: int) -> None:
    """As the format asks: every byte after the header belongs to exactly one array."""
    ended, before = 0, "the header"
    for name, (begin, end) in sorted(places.items(), key=lambda place: place[1]):
        if begin != ended:
            raise Unreadable("{} begins at byte " + f"{begin:,}; it must begin where {{}} ends, at {ended:,}.", name, before)
        ended, before = end, name
    if places and ended != size:
        raise Unreadable(f"The last {size - ended:,} bytes of the file belong to no array; each must belong to one.")


def _header(data: bytes) -> tuple[dict, int]:
    if len(data) < LENGTH.size:
        raise Unreadable(f"The file is {len(data)} bytes long: too short for a safetensors header.")
    (length,) = LENGTH.unpack_from(data)
    if length > min(MOST_HEADER, len(data) - LENGTH.size):
        raise Unreadable(f"The safetensors header should be {length:,} bytes long; the file has {len(data):,} in all.")
    try:
        header = json.loads(data[LENGTH.size : LENGTH.size + length], object_pairs_hook=each_key_once)
    except Unreadable:
        raise
    except (ValueError, RecursionError):
        raise Unreadable("The safetensors header is not JSON.") from None
    if not isinstance(header, dict):
        raise Unreadable("The safetensors header is not a JSON object.")
    return header, LENGTH.size + length


def _tensor(name: str, facts: object, body: memoryview) -> Tensor:
    if not isinstance(facts, dict) or not {"dtype", "shape", "data_offsets"} <= set(facts):
        raise Unreadable("{} has no dtype, shape and data_offsets in the safetensors header.", name)
    shape = checked_shape(name, facts["shape"])
    dtype = DTYPES.get(facts["dtype"] if isinstance(facts["dtype"], str) else "", str(facts["dtype"])[:20])
    tensor = Tensor(name, shape, dtype, lambda: _read(begin, dtype, shape, body))
    begin, end = _offsets(name, facts["data_offsets"], len(body))
    if dtype in FLOAT_BYTES and end - begin != tensor.size * FLOAT_BYTES[dtype]:
        declared = tensor.size * FLOAT_BYTES[dtype]
        raise Unreadable("{} should take " + f"{declared:,} bytes and has {end - begin:,}.", name)
    return tensor


def _offsets(name: str, offsets: object, size: int) -> tuple[int, int]:
    whole = isinstance(offsets, list) and len(offsets) == 2 and all(type(n) is int for n in offsets)
    if not whole or not 0 <= offsets[0] <= offsets[1] <= size:
        raise Unreadable("{} should lie at {}, outside " + f"the {size:,} bytes of the file.", name, offsets)
    return offsets[0], offsets[1]


def _read(begin: int, dtype: str, shape: tuple[int, ...], body: memoryview) -> np.ndarray:
    kind = "<u2" if dtype == "bfloat16" else np.dtype(dtype).newbyteorder("<")
    count = int(np.prod(shape, dtype=object))
    return np.frombuffer(body, kind, count, begin).reshape(shape)
