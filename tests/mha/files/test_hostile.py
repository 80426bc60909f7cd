"""Bad files: a sentence for each, and nothing of them is run."""

import pickle
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from mha.files.formats import read_input
from mha.files.report import inspect_file, inspect_in_subprocess
from mha.files.tensors import UnreadableFile
from tests.mha.files import hostile
from tests.mha.files.files import arrays, keras_h5, keras_model, npy, npz

#: Would be there, had something in a file been run.
MARK = Path(__file__).with_name("mark-left-by-a-file")
FILES = {
    **hostile.no_files(), **hostile.pickles(MARK), **hostile.tensors(),
    **{f"archive: {name}": data for name, data in hostile.archives().items()},
    **{f"keras: {name}": data for name, data in hostile.keras_files(MARK).items()},
}  # fmt: skip
HDF5 = hostile.hdf5_files()
#: Words of the sentence, where they matter.
WORDS = {
    "one array alone": "X, below", "pickle": "A pickle can run code", "PyTorch's pickle": "safetensors.torch",
    "objects in npz": "Object arrays cannot be loaded", "not a number": "in_proj_weight holds 1 number that is NaN",
    "whole numbers": "no floating-point numbers", "no output": "It has no output kernel", "archive: encrypted": "encrypted",
    "archive: too large": "numbers; up to 8,388,608 are computed live", "beyond float32": "3.4e38",
    "archive: heads that do not divide": "2 heads; they must divide the query's 3", "keras: no weights": "neither Keras's",
    "archive: eleven thousand parts": "at most 10,000", "a kernel of three axes": "(d_model, heads · size)",
    "archive: flat": "(d_model, heads · size)",
}  # fmt: skip


def sentence(data: bytes, see=inspect_file) -> str:
    """What a visitor reads: why the file, or its first layer, is not shown. AssertionError where it is shown."""
    try:
        report, _ = see(data, 0)
    except UnreadableFile as error:
        return error.sentence.format(*error.names)
    raise AssertionError(f"shown: {report.entries[0]}")


@pytest.mark.parametrize("kind", [*FILES, *(f"hdf5: {name}" for name in HDF5)])
def test_a_bad_file_gives_a_sentence_and_nothing_of_it_is_run(kind):
    said = sentence(HDF5[kind[6:]] if kind.startswith("hdf5: ") else hostile.bytes_of(FILES[kind]))
    assert said.endswith(".")
    assert 10 < len(said) < 400
    assert WORDS.get(kind, "") in said
    assert not MARK.exists()


@pytest.mark.parametrize("kind", ["every 97th byte changed", "numbers in another file", "a piece of 1 GB"])
def test_the_reader_in_a_process_of_its_own_says_the_same(kind):
    assert sentence(HDF5[kind], inspect_in_subprocess) == sentence(HDF5[kind])


def test_a_lambda_beside_an_attention_layer_is_left_alone():
    """The layer is read all the same; the function in the architecture is text and stays text."""
    code = f"__import__('os').system('touch {MARK}')"
    config = {"config": {"layers": [{"class_name": "Lambda", "config": {"function": code}}]}}
    report, flat = inspect_file(keras_model(keras_h5(arrays()), config), 0)
    assert (report.entries[0].name, len(flat)) == ("attention", 8)
    assert not MARK.exists()


def test_the_pickles_would_have_left_a_mark(tmp_path):
    """So that a missing mark means something."""
    pickle.loads(pickle.dumps(hostile.Harm(tmp_path / "mark")))  # noqa: S301 (the harm is ours)
    assert (tmp_path / "mark").exists()


def test_a_file_of_more_than_64_mb_is_not_looked_at():
    with pytest.raises(UnreadableFile, match="of 67,108,864 bytes in all"):
        inspect_file(bytes((64 << 20) + 1))


@pytest.mark.parametrize(("code", "seconds", "words"), [
    ("import os; os.abort()", 60.0, "its process ended"), ("import time; time.sleep(60)", 0.3, "was stopped"),
])  # fmt: skip
def test_a_reader_that_is_ended_or_takes_too_long_costs_a_sentence(monkeypatch, code, seconds, words):
    start = "from mha.keras.wire import send; import sys; send(sys.stdout.buffer, {}); "
    monkeypatch.setattr("mha.files.report.COMMAND", (sys.executable, "-c", start + code))
    monkeypatch.setattr("mha.files.report.PATIENCE", seconds)
    with pytest.raises(UnreadableFile, match=words):
        inspect_in_subprocess(b"x")


@pytest.mark.parametrize(("data", "words"), [
    (b"", "NumPy cannot read"), (npy(hostile.ONE)[:90], "NumPy cannot read"), (npy(hostile.ONE)[:-4], "NumPy cannot read"),
    (npy(hostile.ONE[0]), "axes"), (npy(hostile.ONE[:0]), "axes"), (npy(hostile.ONE.astype(int)), "floating-point"),
    (npy(hostile.put(hostile.ONE, float("nan"))), "NaN"), (hostile.npy_saying("(-1, 3)"), "NumPy cannot read"),
    (hostile.npy_saying("(99999, 99999)"), "NumPy cannot read"), (hostile.pickles(MARK)["pickle"], "NumPy cannot read"),
])  # fmt: skip
def test_a_bad_input_gives_a_sentence(data, words):
    with pytest.raises(UnreadableFile, match=words):
        read_input(data)


def test_a_link_to_a_file_of_the_server_is_not_followed(tmp_path):
    """The other file is a whole one, and its numbers would fit."""
    (tmp_path / "secret.h5").write_bytes(keras_h5(arrays()))
    data = hostile.linked(h5py.ExternalLink(str(tmp_path / "secret.h5"), hostile.PLACE))
    assert "vars/0 is a link; only what lies in the file itself is read." in sentence(data)


def test_what_an_archive_unpacks_to_in_all_is_bounded(monkeypatch):
    """Each part may be small: here 16 kB of them, in place of 256 MB."""
    monkeypatch.setattr("mha.files.formats.MAX_UNPACKED", 1 << 14)
    many = npz({f"a{i}": np.random.default_rng(i).random(500) for i in range(9)})
    assert "would unpack to 37,152 bytes; at most 16,384 are" in sentence(many)
