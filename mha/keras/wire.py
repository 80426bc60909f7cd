"""Messages between the app and its worker: a JSON header, then the arrays' bytes. No pickle: a message cannot run code."""

import json
import math
import struct
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from mha.arrays import Floats

LENGTH = struct.Struct(">I")
MAX_HEADER = 1 << 20  # bytes; sixty experiments in one request give some kB each, so more cannot be ours

#: Plain JSON by name. Whoever takes a value out checks what it is.
Facts = dict[str, Any]
Arrays = dict[str, Floats]
Message = tuple[Facts, Arrays]


def send(stream: IO[bytes], facts: Mapping[str, object], arrays: Mapping[str, Floats] | None = None) -> None:
    """Writes one message. OSError where the other side is gone; ValueError, and nothing written, for too long a header."""
    sent = {name: np.ascontiguousarray(values, dtype="<f4") for name, values in (arrays or {}).items()}
    header = json.dumps({"facts": facts, "shapes": {name: values.shape for name, values in sent.items()}}).encode()
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
    for name, shape in header["shapes"].items():
        arrays[name] = np.frombuffer(_exactly(stream, 4 * math.prod(shape)), dtype="<f4").reshape(shape)
    return header["facts"], arrays


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError("the other side closed the connection")
    return data
