"""Files that are none of the formats, or were made to do harm: what would run code would leave a mark."""

import io
import json
import os
import pickle
from pathlib import Path

import numpy as np

from tests.mha.loading.files import arrays, keras_h5, keras_model, npy, zipped

ONE = np.ones((2, 3), np.float32)


class Harm:
    """Unpickled, it writes the file `mark`."""

    def __init__(self, mark: Path):
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


def in_npz(data: bytes, name: str = "w_q.npy") -> bytes:
    return zipped({name: data})


def no_files() -> dict[str, bytes]:
    """None of the formats."""
    return {
        "empty": b"",
        "one byte": b"\0",
        "a few zeros": bytes(64),
        "text": b"import os; os.system('true')\n" * 9,
        "a picture": b"\x89PNG\r\n\x1a\n" + bytes(64),
        "a program": b"\x7fELF" + bytes(64),
        "gzip": b"\x1f\x8b\x08" + bytes(64),
        "a web page": b"<!doctype html><script>alert(1)</script>",
        "json": b'{"a": 1}',
        "pdf": b"%PDF-1.7\n" + bytes(64),
        "one array alone": npy(ONE),
    }


def pickles(mark: Path) -> dict[str, bytes]:
    harm = pickle.dumps(Harm(mark))
    objects = io.BytesIO()
    np.lib.format.write_array(objects, np.array([Harm(mark)], dtype=object), allow_pickle=True)
    return {
        "pickle": harm,
        "old pickle": pickle.dumps(Harm(mark), protocol=2),
        "old text pickle": pickle.dumps(Harm(mark), protocol=0),
        "PyTorch's pickle": zipped({"archive/data.pkl": harm, "archive/data/0": bytes(24)}),
        "objects in npz": in_npz(objects.getvalue()),
        "objects among arrays": zipped(
            {**{f"{name}.npy": npy(values) for name, values in arrays().items()}, "w_q.npy": objects.getvalue()}
        ),
        "a pickle for an array": in_npz(harm),
    }


def keras_files(mark: Path) -> dict[str, bytes]:
    code = f"__import__('os').system('touch {mark}')"
    lamb = {"class_name": "Lambda", "config": {"name": "l", "function": {"class_name": "__lambda__", "config": {"code": code}}}}
    config = {
        "module": "os",
        "class_name": "system",
        "config": {"layers": [lamb, {"class_name": code, "config": {"command": code}}]},
    }
    return {
        "a Lambda and no attention": keras_model(keras_h5({"w_q": ONE}), config),
        "no weights": zipped({"metadata.json": b"{}", "config.json": b"{}"}),
        "weights that are none": keras_model(b"these are no weights"),
        "config that is no JSON": keras_model(keras_h5(arrays()), b"{'a': 1}"),
        "a nested config": keras_model(keras_h5(arrays()), b"[" * 90_000 + b"]" * 90_000),
        "a config of 9 MB": keras_model(keras_h5(arrays()), json.dumps([str(i) for i in range(1_100_000)]).encode()),
        "weights cut off": keras_model(keras_h5(arrays())[:700]),
    }
