"""Files that are none of the formats, are broken, lie about themselves, or were made to do harm: what would run leaves a mark."""

import io
import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

from tests.mha.files.files import (
    SQUARE,
    arrays,
    hdf5,
    keras_h5,
    keras_model,
    npy,
    npz,
    raw_safetensors,
    safetensors,
    torch_names,
    zipped,
)

ONE = np.ones((2, 3), np.float32)
TORCH = torch_names(SQUARE, arrays(SQUARE))
PLACE = "layers/att/query_dense/vars/0"


class Harm:
    """Unpickled, it writes the file `mark`."""

    def __init__(self, mark: Path):
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


def no_files() -> dict[str, bytes]:
    return {
        "empty": b"", "a few zeros": bytes(64), "text": b"import os; os.abort()\n" * 9, "a program": b"\x7fELF" + bytes(64),
        "a web page": b"<!doctype html><script>alert(1)</script>", "json": b'{"a": 1}', "one array alone": npy(ONE),
        "GGUF": b"GGUF" + bytes(64), "an archive's first bytes": b"PK\3\4" + bytes(64), "an empty archive": zipped({}),
        "only text": zipped({"readme.txt": b"hello"}),
    }  # fmt: skip


def pickles(mark: Path) -> dict[str, bytes]:
    harm, objects = pickle.dumps(Harm(mark)), io.BytesIO()
    np.lib.format.write_array(objects, np.array([Harm(mark)], dtype=object), allow_pickle=True)
    among = {f"{name}.npy": npy(values) for name, values in arrays().items()} | {"w_q.npy": objects.getvalue()}
    return {
        "pickle": harm, "old pickle": pickle.dumps(Harm(mark), protocol=2), "text pickle": pickle.dumps(Harm(mark), protocol=0),
        "PyTorch's pickle": zipped({"archive/data.pkl": harm, "archive/data/0": bytes(24)}), "objects in npz": zipped(among),
        "a pickle for an array": zipped({"w_q.npy": harm}),
    }  # fmt: skip


def keras_files(mark: Path) -> dict[str, bytes]:
    code = f"__import__('os').system('touch {mark}')"
    lamb = {"class_name": "Lambda", "config": {"name": "l", "function": {"class_name": "__lambda__", "config": {"code": code}}}}
    config = {"module": "os", "class_name": "system", "config": {"layers": [lamb, {"class_name": code, "config": {"a": code}}]}}
    return {
        "a Lambda and no attention": keras_model(keras_h5({"w_q": ONE}), config),
        "no weights": zipped({"metadata.json": b"{}", "config.json": b"{}"}),
        "weights that are none": keras_model(b"these are no weights"),
        "config that is no JSON": keras_model(keras_h5(arrays()), b"{'a': 1}"),
        "a nested config": keras_model(keras_h5(arrays()), b"[" * 90_000 + b"]" * 90_000),
        "a config of 9 MB": keras_model(keras_h5(arrays()), b'["' + b"x" * (9 << 20) + b'"]'),
        "weights cut off": keras_model(keras_h5(arrays())[:700]),
    }


def npy_saying(shape: str, descr: str = "'<f4'") -> bytes:
    """An .npy of 64 bytes that has another header."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + bytes(64)


def archives() -> dict[str, bytes | Callable[[], bytes]]:
    """Those that take a while to make are made when they are asked for (`bytes_of`)."""
    whole, locked = npz(arrays()), bytearray(npz({"w_q": ONE}))
    for place in (6, locked.rindex(b"PK\1\2") + 8):
        locked[place] |= 1
    shapes = {"a negative length": "(-2, 3)", "a petabyte": "(1125899906842624, 3, 5)", "nested": "(" * 9000 + ")" * 9000,
              "a call": "__import__('os').system('true')", "true for a length": "(True, 16)"}  # fmt: skip
    changed = {
        "words": np.array(["a", "b"]), "yes and no": np.ones((11, 3, 5), bool), "complex": np.ones((11, 3, 5), complex),
        "flat": np.ones(165), "empty": np.ones((11, 0, 5)),
    }  # fmt: skip
    return {
        **{name: zipped({"w_q.npy": npy_saying(shape)}) for name, shape in shapes.items()},
        **{name: npz({**arrays(), "w_q": values}) for name, values in changed.items()},
        "cut off": whole[: len(whole) // 2], "a byte changed": flipped(whole, 200), "encrypted": bytes(locked),
        "records": zipped({"w_q.npy": npy_saying("(2,)", "[('a', '<f4'), ('b', '<i4')]")}),
        "a bomb of text": lambda: zipped({"w_q.npy": bytes(64 << 20)}), "lzma": zipped({"w_q.npy": npy(ONE)}, zipfile.ZIP_LZMA),
        "out of the folder": zipped({"../../../../tmp/w_q.npy": npy(ONE)}),
        "too large": lambda: npz(
            dict.fromkeys(("w_q", "w_k", "w_v"), np.ones((4096, 32, 32), "f2")) | {"w_o": np.ones((32, 32, 4096))}
        ),
        "NaN throughout": npz({name: np.full_like(values, np.nan) for name, values in arrays().items()}),
        "heads that do not divide": npz({**arrays(), "w_k": np.ones((11, 2, 5))}),
        "a key of another size": npz({**arrays(), "w_k": np.ones((11, 3, 4))}),
        "eleven thousand parts": lambda: zipped(
            dict.fromkeys((f"{i}.npy" for i in range(11_000)), npy(np.ones(1))), zipfile.ZIP_STORED
        ),
    }  # fmt: skip


def bytes_of(file: bytes | Callable[[], bytes]) -> bytes:
    return file if isinstance(file, bytes) else file()


def put(values: np.ndarray, number: float) -> np.ndarray:
    made = values.copy()
    made.flat[3] = number
    return made


def tensors() -> dict[str, bytes]:
    """Safetensors files: what its library refuses, and what holds no layer that fits."""
    whole, packed, bias = safetensors(TORCH), TORCH["in_proj_weight"], TORCH["out_proj.bias"]
    said = {"dtype": "F32", "shape": (2, 3), "data_offsets": (0, 24)}
    lies = {
        "a word for a length": {"shape": ("2", 3)}, "more numbers than bytes": {"shape": (1 << 30, 3)},
        "bytes outside": {"data_offsets": (0, 1 << 40)}, "an unknown dtype": {"dtype": "F7"},
        "nine axes": {"shape": (1,) * 8 + (6,)},
    }  # fmt: skip
    changed = {
        "not a number": {"in_proj_weight": put(packed, np.nan)}, "infinite": {"out_proj.bias": put(bias, -np.inf)},
        "beyond float32": {"out_proj.bias": put(bias.astype(np.float64), 1e39)},
        "not three times as long": {"in_proj_weight": packed[1:]},
        "an output of another size": {"out_proj.weight": ONE}, "a bias of another size": {"in_proj_bias": ONE[0]},
        "a kernel of three axes": {"in_proj_weight": packed[None]},
    }  # fmt: skip
    return {
        **{name: raw_safetensors({"in_proj_weight": {**said, **lie}}, b"\0" * 24) for name, lie in lies.items()},
        **{name: safetensors({**TORCH, **values}) for name, values in changed.items()},
        "header cut off": whole[:40], "numbers cut off": whole[:-100], "header of 2^64 bytes": b"\xff" * 8 + b"{}",
        "a nested header": raw_safetensors(b'{"a":' * 5000 + b"1" + b"}" * 5000), "no array": raw_safetensors({}),
        "whole numbers": safetensors({name: values.astype(np.int64) for name, values in TORCH.items()}),
        "no output": safetensors({name: values for name, values in TORCH.items() if "out_proj" not in name}),
        "no attention": safetensors({"mlp.weight": ONE, "`**name**` | [x](javascript:1)": ONE}),
    }  # fmt: skip


def edited(change: Callable[[h5py.File], object]) -> bytes:
    """A layer as Keras writes it, without its query's kernel, and what `change` does to it."""
    made = io.BytesIO(keras_h5(arrays()))
    with h5py.File(made, "a") as file:
        del file[PLACE]
        change(file)
    return made.getvalue()


def replaced(**options) -> bytes:
    return edited(lambda file: file.create_dataset(PLACE, **options))


def linked(link: object) -> bytes:
    return edited(lambda file: file.__setitem__(PLACE, link))


def virtual(file: h5py.File) -> None:
    layout = h5py.VirtualLayout(shape=(11, 3, 5), dtype="<f4")
    layout[:] = h5py.VirtualSource("/etc/passwd", "x", shape=(11, 3, 5))
    file.create_virtual_dataset(PLACE, layout)


def flipped(data: bytes, *places: int) -> bytes:
    made = bytearray(data)
    for place in places:
        made[place] ^= 0xFF
    return bytes(made)


def hdf5_files() -> dict[str, bytes]:
    whole, outside = keras_h5(arrays()), [("/etc/passwd", 0, h5py.h5f.UNLIMITED)]
    return {
        "first bytes only": whole[:8], "half": whole[: len(whole) // 2], "end cut off": whole[:-64],
        "superblock changed": flipped(whole, 9, 13, 14), "heap changed": flipped(whole, *range(700, 900)),
        "every 97th byte changed": flipped(whole, *range(48, len(whole), 97)),
        "a link to another file": linked(h5py.ExternalLink("/etc/passwd", "/x")), "a soft link": linked(h5py.SoftLink("/layers")),
        "a group in itself": edited(lambda file: file["layers"].__setitem__("again", file["layers"])),
        "numbers in another file": replaced(shape=(11, 3, 5), dtype="<f4", external=outside), "a virtual array": edited(virtual),
        "forty groups deep": edited(lambda file: file.create_group("/".join("g" * 40))),
        "whole numbers": replaced(data=np.ones((11, 3, 5), np.int32)), "words": replaced(data=np.array([b"a", b"b"])),
        "lists of any length": replaced(shape=(2,), dtype=h5py.vlen_dtype(np.float32)), "nothing": replaced(data=h5py.Empty("f")),
        "a trillion numbers": replaced(shape=(1 << 40, 3, 5), dtype="<f4", chunks=(1024, 3, 5)),
        "a piece of 1 GB": replaced(shape=(11, 3, 5), maxshape=(None, 3, 5), dtype="<f4", chunks=(1 << 24, 3, 5)),
        "no attention": hdf5({"dense/vars/0": ONE}),
    }  # fmt: skip
