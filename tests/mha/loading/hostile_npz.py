"""Archives of NumPy arrays that are broken, lie, or unpack to more than they should."""

import struct
import zipfile

import numpy as np

from tests.mha.loading.files import arrays, npy, npz, zipped
from tests.mha.loading.hostile import ONE, in_npz


def npy_saying(text: str, body: bytes = b"\0" * 64, version: bytes = b"\1\0") -> bytes:
    """An .npy whose header is `text`."""
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text.encode() + body


def says(shape: str, descr: str = "'<f4'") -> str:
    return f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n"


def files() -> dict[str, bytes]:
    whole = npz(arrays())
    locked = bytearray(npz({"w_q": ONE}))
    for place in (6, locked.rindex(b"PK\1\2") + 8):
        locked[place] |= 1
    broken = bytearray(whole)
    broken[200] ^= 0xFF
    return {
        "cut off": whole[: len(whole) // 2],
        "end cut off": whole[:-30],
        "a byte changed": bytes(broken),
        "encrypted": bytes(locked),
        "an empty archive": zipped({}),
        "an archive's first bytes": b"PK\3\4" + bytes(64),
        "only text": zipped({"readme.txt": b"hello"}),
        "a bomb": in_npz(npy(np.zeros((2048, 2048), np.float32))),
        "a bomb of text": zipped({"w_q.npy": bytes(64 << 20)}),
        "other compression": zipped({"w_q.npy": npy(ONE)}, zipfile.ZIP_BZIP2),
        "lzma": zipped({"w_q.npy": npy(ONE)}, zipfile.ZIP_LZMA),
        "no NumPy header": in_npz(b"w_q w_q w_q w_q"),
        "an empty array file": in_npz(b""),
        "a negative length": in_npz(npy_saying(says("(-2, 3)"))),
        "a header of code": in_npz(npy_saying("__import__('os').system('true')\n")),
        "a nested literal": in_npz(npy_saying("(" * 9000 + ")" * 9000)),
        "records": in_npz(npy_saying(says("(2,)", "[('a', '<f4'), ('b', '<i4')]"))),
        "version 9": in_npz(npy_saying(says("(2,)"), version=b"\x09\0")),
        "words": npz({**arrays(), "w_q": np.array(["a", "b"])}),
        "yes and no": npz({**arrays(), "w_q": np.ones((11, 3, 5), bool)}),
        "complex": npz({**arrays(), "w_q": np.ones((11, 3, 5), complex)}),
        "fewer numbers than said": zipped(
            {**{f"{name}.npy": npy(values) for name, values in arrays().items()}, "w_q.npy": npy(arrays()["w_q"])[:-40]}
        ),
        "out of the folder": in_npz(npy(ONE), "../../../../tmp/w_q.npy"),
        "a petabyte": in_npz(npy_saying(says("(1125899906842624, 3, 5)"))),
        "declared too large": zipped(
            {
                f"w_{letter}.npy": npy_saying(says("(4096, 256, 512)" if letter != "o" else "(256, 512, 4096)"))
                for letter in "qkvo"
            }
        ),
        "NaN throughout": npz({name: np.full_like(values, np.nan) for name, values in arrays().items()}),
        "heads that do not divide": npz({**arrays(), "w_k": np.ones((11, 2, 5))}),
        "a key of another size": npz({**arrays(), "w_k": np.ones((11, 3, 4))}),
        "flat kernels": npz({k: v.reshape(-1) for k, v in arrays().items()}),
        "eleven thousand parts": zipped({f"{i}.npy": b"" for i in range(11_000)}, zipfile.ZIP_STORED),
    }
