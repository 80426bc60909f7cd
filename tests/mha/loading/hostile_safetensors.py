"""Safetensors files that lie about themselves, and such as hold no layer."""

import struct

import numpy as np

from tests.mha.loading.files import SQUARE, arrays, raw_safetensors, safetensors, torch_names

ONE = np.ones((2, 3), np.float32)
TORCH = torch_names(SQUARE, arrays(SQUARE))


def changed(named: dict[str, np.ndarray], name: str, values: np.ndarray) -> dict[str, np.ndarray]:
    return {**named, name: values}


def put(values: np.ndarray, number: float) -> np.ndarray:
    made = values.copy()
    made.flat[3] = number
    return made


def header(dtype: object = "F32", shape: object = (2, 3), offsets: object = (0, 24)) -> bytes:
    """A safetensors file with one array, in_proj_weight, and 24 bytes."""
    return raw_safetensors({"in_proj_weight": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}, b"\0" * 24)


def files() -> dict[str, bytes]:
    whole = safetensors(TORCH)
    return {
        "header cut off": whole[:40],
        "numbers cut off": whole[:-100],
        "no header": struct.pack("<Q", 0) + b"{" + bytes(9),
        "header longer than the file": struct.pack("<Q", 1 << 40) + b"{}",
        "header of 2^64 bytes": b"\xff" * 8 + b"{}",
        "header that is no JSON": raw_safetensors(b"{in_proj_weight}"),
        "a list for a header": raw_safetensors(b"{}"[:1] + b"]"),
        "a nested header": raw_safetensors(b'{"a":' * 5000 + b"1" + b"}" * 5000),
        "text for an array": raw_safetensors({"in_proj_weight": "x"}),
        "no dtype": raw_safetensors({"in_proj_weight": {"shape": [2], "data_offsets": [0, 8]}}),
        "negative length": header(shape=(-2, 3)),
        "a broken length": header(shape=(2.5, 3)),
        "a word for a length": header(shape=("2", 3)),
        "true for a length": header(shape=(True, 24)),
        "a number for a shape": header(shape=6),
        "nine axes": header(shape=(1,) * 8 + (6,)),
        "a length of 2^70": header(shape=(1 << 70,)),
        "more numbers than bytes": header(shape=(1 << 30, 3)),
        "bytes outside": header(offsets=(0, 1 << 40)),
        "bytes backwards": header(offsets=(24, 0)),
        "bytes from before": header(offsets=(-24, 0)),
        "words for places": header(offsets=("a", "b")),
        "one place": header(offsets=(0,)),
        "an unknown dtype": header(dtype="F8_E4M3"),
        "a list for a dtype": header(dtype=["F32"]),
        "no array": raw_safetensors({}),
        "empty array": header(shape=(0, 3), offsets=(0, 0)),
        "whole numbers": safetensors({name: values.astype(np.int64) for name, values in TORCH.items()}),
        "not a number": safetensors(changed(TORCH, "in_proj_weight", put(TORCH["in_proj_weight"], np.nan))),
        "infinite": safetensors(changed(TORCH, "out_proj.bias", put(TORCH["out_proj.bias"], -np.inf))),
        "beyond float32": safetensors(changed(TORCH, "out_proj.bias", put(TORCH["out_proj.bias"].astype(np.float64), 1e39))),
        "no output": safetensors({name: values for name, values in TORCH.items() if "out_proj" not in name}),
        "an output of another size": safetensors(changed(TORCH, "out_proj.weight", ONE)),
        "a bias of another size": safetensors(changed(TORCH, "in_proj_bias", ONE[0])),
        "not three times as long": safetensors(changed(TORCH, "in_proj_weight", TORCH["in_proj_weight"][1:])),
        "a kernel of three axes": safetensors(changed(TORCH, "in_proj_weight", TORCH["in_proj_weight"][None])),
        "no attention": safetensors({"mlp.weight": ONE, "`**name**` | [x](javascript:1)": ONE}),
        "eleven thousand arrays": raw_safetensors({f"a{i}": {} for i in range(11_000)}),
    }
