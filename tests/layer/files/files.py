"""Makes files with attention layers without the libraries that usually write them, and a layer to put in them."""

import io
import json
import struct
import zipfile

import numpy as np

from headcount import Config, Inputs, make_params, run
from headcount.arrays import Array
from headcount.files import fit
from headcount.files.report import inspect_file

CFG = Config(d_model=11, num_heads=3, key_dim=5, value_dim=7, query_len=4, key_len=6, seed=8)
SQUARE = Config(d_model=14, num_heads=2, key_dim=7, value_dim=7, query_len=5, key_len=5, seed=9)


def arrays(cfg: Config = CFG) -> dict[str, np.ndarray]:
    """The seeded layer's weights under their own names."""
    return make_params(cfg).by_name


def output_of(data: bytes, number: int = 0, num_heads: int | None = None, x: np.ndarray | None = None, **lengths) -> np.ndarray:
    """The output of layer `number` in a file, on `x` or on a seed's inputs, with `num_heads` or the file's heads."""
    report, flat = inspect_file(data, number)
    if x is not None:
        lengths = {"query_len": x.shape[1], "batch": x.shape[0]}
    sizes = report.entries[number].sizes
    cfg = fit.config(sizes, num_heads or sizes.num_heads, **lengths)
    inputs = None if x is None else Inputs(Array(x, "btm"), Array(x, "bsm"))
    return run(cfg, params=fit.params(flat, cfg), inputs=inputs).output.values


def npz(named: dict[str, np.ndarray]) -> bytes:
    made = io.BytesIO()
    np.savez(made, **named)
    return made.getvalue()


def npy(values: np.ndarray) -> bytes:
    made = io.BytesIO()
    np.save(made, values)
    return made.getvalue()


DTYPES = {"float16": "F16", "float32": "F32", "float64": "F64", "int64": "I64", "bool": "BOOL"}


def safetensors(named: dict[str, np.ndarray], dtypes: dict[str, str] | None = None, metadata: dict | None = None) -> bytes:
    """The bytes of a safetensors file: eight bytes with the header's length, a JSON header, the arrays."""
    header, body = {"__metadata__": metadata} if metadata else {}, b""
    for name, values in named.items():
        raw = np.ascontiguousarray(values).tobytes()
        dtype = (dtypes or {}).get(name, DTYPES.get(values.dtype.name, "F32"))
        header[name] = {"dtype": dtype, "shape": list(values.shape), "data_offsets": [len(body), len(body) + len(raw)]}
        body += raw
    return raw_safetensors(header, body)


def raw_safetensors(header: object, body: bytes = b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def hdf5(named: dict[str, np.ndarray], attributes: dict[str, str] | None = None, **options) -> bytes:
    import h5py

    made = io.BytesIO()
    with h5py.File(made, "w") as file:
        for name, values in named.items():
            file.create_dataset(name, data=values, **options)
        for group, name in (attributes or {}).items():
            file.require_group(group).attrs["name"] = name
    return made.getvalue()


#: What Keras calls the variables in a file, by our names.
KERAS = {
    f"{kind}_{letter}": f"{part}_dense/vars/{number}"
    for letter, part in (("q", "query"), ("k", "key"), ("v", "value"), ("o", "output"))
    for kind, number in (("w", 0), ("b", 1))
}


def keras_h5(named: dict[str, np.ndarray], path: str = "layers/att", own_name: str = "attention", **options) -> bytes:
    """The bytes of a .weights.h5 file in Keras 3's layout."""
    return hdf5({f"{path}/{KERAS[name]}": values for name, values in named.items()}, {f"{path}/vars": own_name}, **options)


def zipped(parts: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compression) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return made.getvalue()


def keras_model(weights: bytes, config: object = None) -> bytes:
    plain = config if isinstance(config, bytes) else json.dumps(config or {}).encode()
    return zipped({"metadata.json": b"{}", "config.json": plain, "model.weights.h5": weights})


def torch_names(cfg: Config, named: dict[str, np.ndarray], at: str = "") -> dict[str, np.ndarray]:
    """The weights under the names and in the shapes of torch.nn.MultiheadAttention, for layers of the paper's split."""
    rows = [named[f"w_{letter}"].reshape(cfg.d_model, -1).T for letter in "qkv"]
    made = {f"{at}in_proj_weight": np.concatenate(rows), f"{at}out_proj.weight": named["w_o"].reshape(-1, cfg.d_model).T}
    if "b_q" in named:
        made[f"{at}in_proj_bias"] = np.concatenate([named[f"b_{letter}"].reshape(-1) for letter in "qkv"])
        made[f"{at}out_proj.bias"] = named["b_o"]
    return made


def bert_names(cfg: Config, named: dict[str, np.ndarray], at: str) -> dict[str, np.ndarray]:
    made = {f"{at}attention.output.dense.weight": named["w_o"].reshape(-1, cfg.d_model).T,
            f"{at}attention.output.dense.bias": named["b_o"]}  # fmt: skip
    for letter, word in (("q", "query"), ("k", "key"), ("v", "value")):
        made[f"{at}attention.self.{word}.weight"] = named[f"w_{letter}"].reshape(cfg.d_model, -1).T
        made[f"{at}attention.self.{word}.bias"] = named[f"b_{letter}"].reshape(-1)
    return made


def gpt2_names(cfg: Config, named: dict[str, np.ndarray], at: str) -> dict[str, np.ndarray]:
    """The weights under GPT-2's names. Its Conv1D has the shape (in, out)."""
    columns = [named[f"w_{letter}"].reshape(cfg.d_model, -1) for letter in "qkv"]
    return {
        f"{at}c_attn.weight": np.concatenate(columns, axis=1),
        f"{at}c_attn.bias": np.concatenate([named[f"b_{letter}"].reshape(-1) for letter in "qkv"]),
        f"{at}c_proj.weight": named["w_o"].reshape(-1, cfg.d_model), f"{at}c_proj.bias": named["b_o"],
    }  # fmt: skip
