"""A .safetensors file: eight bytes of length, a JSON header, then the numbers. Simple enough to be read here, with bfloat16."""

import json
import struct
from typing import Any, cast

import numpy as np

from mha.arrays import Floats
from mha.loading.tensors import FLOAT_BYTES, Tensor, Unreadable, checked_count, checked_shape, each_key_once

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


def _header(data: bytes) -> tuple[dict[str, Any], int]:
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
    return cast(dict[str, Any], header), LENGTH.size + length


def _tensor(name: str, facts: object, body: memoryview) -> Tensor:
    entry = cast(dict[str, object], facts) if isinstance(facts, dict) else {}
    if not {"dtype", "shape", "data_offsets"} <= set(entry):
        raise Unreadable("{} has no dtype, shape and data_offsets in the safetensors header.", name)
    shape = checked_shape(name, entry["shape"])
    dtype = DTYPES.get(entry["dtype"] if isinstance(entry["dtype"], str) else "", str(entry["dtype"])[:20])
    begin, end = _offsets(name, entry["data_offsets"], len(body))
    tensor = Tensor(name, shape, dtype, lambda: _read(begin, dtype, shape, body))
    if dtype in FLOAT_BYTES and end - begin != tensor.size * FLOAT_BYTES[dtype]:
        declared = tensor.size * FLOAT_BYTES[dtype]
        raise Unreadable("{} should take " + f"{declared:,} bytes and has {end - begin:,}.", name)
    return tensor


def _offsets(name: str, offsets: object, size: int) -> tuple[int, int]:
    places = cast(list[object], offsets) if isinstance(offsets, list) else []
    whole = [n for n in places if isinstance(n, int) and not isinstance(n, bool)]
    if not len(whole) == len(places) == 2 or not 0 <= whole[0] <= whole[1] <= size:
        raise Unreadable("{} should lie at {}, outside " + f"the {size:,} bytes of the file.", name, cast(object, offsets))
    return whole[0], whole[1]


def _read(begin: int, dtype: str, shape: tuple[int, ...], body: memoryview) -> Floats:
    kind = "<u2" if dtype == "bfloat16" else np.dtype(dtype).newbyteorder("<")
    count = int(np.prod(shape, dtype=object))
    return np.frombuffer(body, kind, count, begin).reshape(shape)
