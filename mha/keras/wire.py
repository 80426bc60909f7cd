"""Messages between the app and its bounded processes: a JSON header, then arrays' bytes. No pickle: none can run code.

Arrays are sent as float32, those of bytes (uint8) as they are.
"""

import json
import math
import struct
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from mha.arrays import Floats

LENGTH = struct.Struct(">I")
MAX_HEADER = 1 << 20  # bytes; sixty experiments in one request give some kB each, so more cannot be ours

#: What an array is sent as: numbers in four bytes, or the bytes of a file.
KINDS = ("<f4", "u1")
#: Plain JSON by name. Whoever takes a value out checks what it is.
Facts = dict[str, Any]
Arrays = dict[str, Floats]
Message = tuple[Facts, Arrays]


def send(stream: IO[bytes], facts: Mapping[str, object], arrays: Mapping[str, NDArray[Any]] | None = None) -> None:
    """Writes one message. OSError where the other side is gone; ValueError, and nothing written, for too long a header."""
    kinds = {name: "u1" if values.dtype == np.uint8 else "<f4" for name, values in (arrays or {}).items()}
    sent = {name: np.ascontiguousarray(values, dtype=kinds[name]) for name, values in (arrays or {}).items()}
    shapes = {name: (kinds[name], values.shape) for name, values in sent.items()}
    header = json.dumps({"facts": facts, "shapes": shapes}).encode()
    if len(header) > MAX_HEADER:
        raise ValueError(f"a message's header must be at most {MAX_HEADER} bytes, got {len(header)}")
    stream.write(LENGTH.pack(len(header)) + header)
    for values in sent.values():
        stream.write(values.data if values.size else b"")
    stream.flush()


def receive(stream: IO[bytes]) -> Message:
    """The next message. EOFError where the other side is gone, ValueError where what came is not a message."""
    (length,) = LENGTH.unpack(_exactly(stream, LENGTH.size))
    if length > MAX_HEADER:
        raise ValueError(f"no message: its header would be {length} bytes long")
    header: dict[str, Facts] = json.loads(_exactly(stream, length))
    arrays: Arrays = {}
    for name, (kind, shape) in header["shapes"].items():
        dtype = np.dtype(KINDS[KINDS.index(kind)])  # ValueError for any other
        arrays[name] = np.frombuffer(_exactly(stream, dtype.itemsize * math.prod(shape)), dtype).reshape(shape)
    return header["facts"], arrays


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError("the other side closed the connection")
    return data
