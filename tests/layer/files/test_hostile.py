"""Bad files: of no known format, broken, lying about themselves, or made to do harm. Each gets a sentence, and nothing in it is
run."""

import io
import json
import os
import pickle
import struct
import sys
import threading
import warnings
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import h5py
import numpy as np
import pytest

from headcount.bounded_process import Ended
from headcount.files import report
from headcount.files.formats import read_input
from headcount.files.report import inspect_file, inspect_in_subprocess
from headcount.files.tensors import UnreadableFile
from tests.layer.files.files import (
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

#: Would be there, had something in a file been run.
MARK = Path(__file__).with_name("mark-left-by-a-file")
ONE = np.ones((2, 3), np.float32)
TORCH = torch_names(SQUARE, arrays(SQUARE))
PLACE = "layers/att/query_dense/vars/0"


class Harm:
    """An object that writes the file `mark` when it is unpickled."""

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


def pickles() -> dict[str, bytes]:
    harm, objects = pickle.dumps(Harm(MARK)), io.BytesIO()
    np.lib.format.write_array(objects, np.array([Harm(MARK)], dtype=object), allow_pickle=True)
    among = {f"{name}.npy": npy(values) for name, values in arrays().items()} | {"w_q.npy": objects.getvalue()}
    return {
        "pickle": harm, "old pickle": pickle.dumps(Harm(MARK), protocol=2), "text pickle": pickle.dumps(Harm(MARK), protocol=0),
        "PyTorch's pickle": zipped({"archive/data.pkl": harm, "archive/data/0": bytes(24)}), "objects in npz": zipped(among),
        "a pickle for an array": zipped({"w_q.npy": harm}),
    }  # fmt: skip


CODE = f"__import__('os').system('touch {MARK}')"
LAMBDA = {"class_name": "Lambda", "config": {"name": "l", "function": {"class_name": "__lambda__", "config": {"code": CODE}}}}
RUNS = {"module": "os", "class_name": "system", "config": {"layers": [LAMBDA, {"class_name": CODE, "config": {"a": CODE}}]}}


def keras_files() -> dict[str, bytes]:
    return {
        "a Lambda and no attention": keras_model(keras_h5({"w_q": ONE}), RUNS),
        "no weights": zipped({"metadata.json": b"{}", "config.json": b"{}"}),
        "weights that are none": keras_model(b"these are no weights"),
        "config that is no JSON": keras_model(keras_h5(arrays()), b"{'a': 1}"),
        "a nested config": keras_model(keras_h5(arrays()), b"[" * 90_000 + b"]" * 90_000),
        "a config of 9 MB": keras_model(keras_h5(arrays()), b'["' + b"x" * (9 << 20) + b'"]'),
        "weights cut off": keras_model(keras_h5(arrays())[:700]),
    }


def npy_saying(shape: str, descr: str = "'<f4'") -> bytes:
    """An .npy file of 64 bytes with another header."""
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode() + bytes(64)


def archives() -> dict[str, bytes | Callable[[], bytes]]:
    """Bad archives by name. Those that take a while to make are functions."""
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


def put(values: np.ndarray, number: float) -> np.ndarray:
    made = values.copy()
    made.flat[3] = number
    return made


def tensors() -> dict[str, bytes]:
    """Safetensors files that its library refuses, or that have no layer whose arrays fit."""
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


def twice(parts: list[tuple[str, bytes]]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of the second one, and writes it
        for name, data in parts:
            archive.writestr(name, data)
    return made.getvalue()


def same_place() -> bytes:
    """A file in which both biases of a PyTorch layer, of 42 and 14 numbers, begin at the same byte."""
    whole = safetensors(TORCH)
    length = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + length])
    begin, _ = header["in_proj_bias"]["data_offsets"]
    header["out_proj.bias"]["data_offsets"] = [begin, begin + 4 * 14]
    return raw_safetensors(header, whole[8 + length :])


NAMED = [(f"{name}.npy", npy(values)) for name, values in arrays().items()]
TWICE = {
    "bytes of two arrays": same_place(), "an array twice in an npz": twice([*NAMED, NAMED[0]]),
    "weights twice in a .keras": twice([("config.json", b"{}"), *[("model.weights.h5", keras_h5(arrays()))] * 2]),
    "a key twice in the architecture": keras_model(keras_h5(arrays()), b'{"config": {}, "config": {}}'),
    "an output kernel twice": safetensors({f"{name}.weight": np.ones((14, 14), np.float32) for name in (
        "q_proj", "k_proj", "v_proj", "o_proj", "out_proj")}),
}  # fmt: skip


def edited(change: Callable[[h5py.File], object]) -> bytes:
    """A layer's file by Keras without the query's kernel, after `change`."""
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


FILES = {
    **no_files(), **pickles(), **tensors(), **TWICE,
    **{f"archive: {name}": data for name, data in archives().items()},
    **{f"keras: {name}": data for name, data in keras_files().items()},
    **{f"hdf5: {name}": data for name, data in hdf5_files().items()},
}  # fmt: skip
#: Words of the sentence, where they matter.
WORDS = {
    "one array alone": "the input X of a layer", "pickle": "A pickle can run code", "PyTorch's pickle": "safetensors.torch",
    "objects in npz": "Object arrays cannot be loaded", "not a number": "in_proj_weight holds 1 number that is NaN",
    "whole numbers": "no floating-point numbers", "no output": "It has no output kernel", "archive: encrypted": "encrypted",
    "archive: too large": "numbers; up to 8,388,608 are computed live", "beyond float32": "3.4e38",
    "archive: heads that do not divide": "w_k has the shape (11, 2, 5), which does not fit",
    "keras: no weights": "neither Keras's",
    "archive: eleven thousand parts": "at most 10,000", "a kernel of three axes": "(d_model, heads · size)",
    "archive: flat": "w_q has the shape (165,); it should be (d_model, heads, size)", "bytes of two arrays": "invalid offset",
    "an array twice in an npz": "w_q.npy is in", "weights twice in a .keras": "model.weights.h5 is in",
    "a key twice in the architecture": "config stands twice",
    "an output kernel twice": "arrays that are counted and not drawn here: out_p",
}  # fmt: skip


def sentence(data: bytes, see=inspect_file) -> str:
    """The visitor's sentence that says why the file or its first layer is not shown. Raises AssertionError if it is shown."""
    try:
        report, _ = see(data, 0)
    except UnreadableFile as error:
        return error.sentence.format(*error.names)
    raise AssertionError(f"shown: {report.entries[0]}")


@pytest.mark.parametrize("kind", FILES)
def test_a_bad_file_gives_a_sentence_and_nothing_of_it_is_run(kind):
    file = FILES[kind]
    said = sentence(file if isinstance(file, bytes) else file())
    assert said.endswith(".")
    assert 10 < len(said) < 400
    assert WORDS.get(kind, "") in said
    assert not MARK.exists()


@pytest.mark.parametrize("kind", ["every 97th byte changed", "numbers in another file", "a piece of 1 GB"])
def test_the_reader_in_a_process_of_its_own_says_the_same(kind):
    data = FILES[f"hdf5: {kind}"]
    assert sentence(data, inspect_in_subprocess) == sentence(data)


def test_a_lambda_beside_an_attention_layer_is_left_alone():
    """The layer is read all the same. The function in the architecture stays text."""
    report, flat = inspect_file(keras_model(keras_h5(arrays()), RUNS), 0)
    assert (report.entries[0].name, len(flat)) == ("attention", 8)
    assert not MARK.exists()


def test_the_pickles_would_have_left_a_mark(tmp_path):
    """Without this, a missing mark would mean nothing."""
    pickle.loads(pickle.dumps(Harm(tmp_path / "mark")))  # noqa: S301 (the harm is ours)
    assert (tmp_path / "mark").exists()


def test_a_file_of_more_than_64_mb_is_not_looked_at():
    with pytest.raises(UnreadableFile, match="at most 67,108,864 bytes are read"):
        inspect_file(bytes((64 << 20) + 1))


@pytest.mark.parametrize(("code", "seconds", "words"), [
    ("import os; os.abort()", 60.0, "its process ended"), ("import time; time.sleep(60)", 0.3, "was stopped"),
])  # fmt: skip
def test_a_reader_that_is_ended_or_takes_too_long_costs_a_sentence(monkeypatch, code, seconds, words):
    start = "from headcount.bounded_process import send; import sys; send(sys.stdout.buffer, {}); "
    monkeypatch.setattr("headcount.files.report.COMMAND", (sys.executable, "-c", start + code))
    monkeypatch.setattr("headcount.files.report.PATIENCE", seconds)
    with pytest.raises(UnreadableFile, match=words):
        inspect_in_subprocess(b"x")


def test_one_visitor_has_one_of_two_readers_and_who_waits_in_vain_is_told(monkeypatch):
    places, waits = report.Places(), pytest.raises(UnreadableFile, match="Other files are still being read")
    monkeypatch.setattr(report, "QUEUE", 0.01)
    with places.one("anna"):
        with waits, places.one("anna"):
            pass
        with places.one("ben"), waits, places.one("carl"):
            pass
        with places.one("carl"):
            pass
    with places.one("anna"):
        pass


def test_a_visitor_whose_file_takes_too_long_holds_no_other_s_back(monkeypatch):
    """The visitor sends two files, of which the first hangs. Another visitor's file is read meanwhile."""
    hung, done = threading.Event(), []
    ask = report.Process.ask

    def hangs(self, facts, arrays, seconds):
        if facts["names"] == ["hangs"]:
            hung.wait(60)
            raise Ended("it was stopped")
        return ask(self, facts, arrays, seconds)

    monkeypatch.setattr(report.Process, "ask", hangs)

    def drop(name: str, visitor: str) -> None:
        with suppress(UnreadableFile):
            inspect_in_subprocess({name: npz(arrays())}, 0, visitor)
            done.append(visitor)

    hostile = [threading.Thread(target=drop, args=("hangs", "mallory")) for _ in range(2)]
    for one in hostile:
        one.start()
    drop("fine", "anna")
    assert (done, [one.is_alive() for one in hostile]) == (["anna"], [True, True])
    hung.set()
    for one in hostile:
        one.join()


@pytest.mark.parametrize(("data", "words"), [
    (b"", "NumPy cannot read"), (npy(ONE)[:90], "NumPy cannot read"), (npy(ONE)[:-4], "NumPy cannot read"),
    (npy(np.array([["a"]])), "floating-point"),
    (npy(ONE[0]), "axes"), (npy(ONE[:0]), "axes"), (npy(ONE.astype(int)), "floating-point"),
    (npy(put(ONE, float("nan"))), "NaN"), (npy_saying("(-1, 3)"), "NumPy cannot read"),
    (npy_saying("(99999, 99999)"), "NumPy cannot read"), (pickles()["pickle"], "NumPy cannot read"),
])  # fmt: skip
def test_a_bad_input_gives_a_sentence(data, words):
    with pytest.raises(UnreadableFile, match=words):
        read_input(data)


def test_a_link_to_a_file_of_the_server_is_not_followed(tmp_path):
    """The other file is complete, and its numbers would fit."""
    (tmp_path / "secret.h5").write_bytes(keras_h5(arrays()))
    data = linked(h5py.ExternalLink(str(tmp_path / "secret.h5"), PLACE))
    assert "vars/0 is a link; only what lies in the file itself is read." in sentence(data)


def test_what_an_archive_unpacks_to_in_all_is_bounded(monkeypatch):
    """Each part may be small: the limit here is 16 kB instead of 256 MB."""
    monkeypatch.setattr("headcount.files.formats.MAX_UNPACKED", 1 << 14)
    many = npz({f"a{i}": np.random.default_rng(i).random(500) for i in range(9)})
    assert "would unpack to 37,152 bytes; at most 16,384 are" in sentence(many)
