"""Bad files: a sentence for each, and nothing of them is run."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from mha.loading.archives import read_input
from mha.loading.isolated import inspect_in_subprocess
from mha.loading.report import inspect_file
from mha.loading.tensors import UnreadableFile
from tests.mha.loading import hostile, hostile_hdf5, hostile_npz, hostile_safetensors
from tests.mha.loading.files import arrays, hdf5, keras_h5, keras_model, npy, npz

#: Would be there, had something in a file been run.
MARK = Path(__file__).with_name("mark-left-by-a-file")
FILES = {
    **hostile.no_files(),
    **hostile.pickles(MARK),
    **hostile_safetensors.files(),
    **{f"archive: {name}": data for name, data in hostile_npz.files().items()},
    **{f"keras: {name}": data for name, data in hostile.keras_files(MARK).items()},
}
HDF5 = hostile_hdf5.files()


def sentence(data: bytes, see=inspect_file) -> str:
    """What a visitor reads: why the file, or its first layer, is not shown. AssertionError where it is shown."""
    try:
        report, _ = see(data, 0)
    except UnreadableFile as error:
        return error.sentence.format(*error.names)
    raise AssertionError(f"shown: {report.entries[0]}")


@pytest.mark.parametrize("kind", FILES)
def test_a_bad_file_gives_a_sentence(kind):
    said = sentence(FILES[kind])
    assert said.endswith(".")
    assert 10 < len(said) < 400
    assert not MARK.exists()


@pytest.mark.parametrize("kind", HDF5)
def test_a_bad_hdf5_file_gives_a_sentence(kind):
    said = sentence(HDF5[kind])
    assert said.endswith(".")
    assert 10 < len(said) < 400


@pytest.mark.parametrize("kind", ["every 97th byte changed", "numbers in another file", "a piece of 1 GB"])
def test_the_reader_in_a_process_of_its_own_says_the_same(kind):
    assert sentence(HDF5[kind], inspect_in_subprocess) == sentence(HDF5[kind])


def test_there_are_more_than_sixty():
    assert len(FILES) + len(HDF5) >= 100
    assert len({*FILES.values(), *HDF5.values()}) == len(FILES) + len(HDF5)


@pytest.mark.parametrize(("kind", "words"), [
    ("one array alone", "X, below"), ("pickle", "A pickle can run code"), ("PyTorch's pickle", "safetensors.torch"),
    ("objects in npz", "pickled Python objects"), ("not a number", "in_proj_weight holds 1 number that is NaN"),
    ("whole numbers", "holds I64, not floating-point"), ("no output", "It has no output kernel"),
    ("archive: a bomb of text", "no readable NumPy header"),
    ("archive: declared too large", "numbers; up to 8,388,608 are computed live"),
    ("archive: encrypted", "encrypted"), ("beyond float32", "3.4e38"),
    ("archive: heads that do not divide", "2 heads; they must divide the query's 3"), ("keras: no weights", "has no weights"),
])  # fmt: skip
def test_the_sentence_names_what_is_wrong(kind, words):
    said = sentence(FILES[kind])
    assert words in said


def test_a_lambda_beside_an_attention_layer_is_left_alone():
    """The layer is read all the same; the function in the architecture is text and stays text."""
    code = f"__import__('os').system('touch {MARK}')"
    config = {"config": {"layers": [{"class_name": "Lambda", "config": {"function": code}}]}}
    report, flat = inspect_file(keras_model(keras_h5(arrays()), config), 0)
    assert report.entries[0].name == "attention"
    assert len(flat) == 8
    assert not MARK.exists()


def test_the_pickles_would_have_left_a_mark(tmp_path):
    """So that a missing mark means something."""
    import pickle

    mark = tmp_path / "mark"
    pickle.loads(pickle.dumps(hostile.Harm(mark)))  # noqa: S301 (the harm is ours)
    assert mark.exists()


def test_a_file_of_more_than_64_mb_is_not_looked_at():
    with pytest.raises(UnreadableFile, match="at most 67,108,864"):
        inspect_file(bytes((64 << 20) + 1))


def test_a_reader_that_is_ended_by_what_it_reads_costs_a_sentence(monkeypatch):
    monkeypatch.setattr("mha.loading.isolated.COMMAND", ("python3", "-c", "import os; os.abort()"))
    with pytest.raises(UnreadableFile, match="broke the library that reads it"):
        inspect_in_subprocess(b"x")


def test_a_reader_that_takes_too_long_is_stopped(monkeypatch):
    monkeypatch.setattr("mha.loading.isolated.COMMAND", ("python3", "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr("mha.loading.isolated.PATIENCE", 0.3)
    with pytest.raises(UnreadableFile, match="was stopped"):
        inspect_in_subprocess(b"x")


@pytest.mark.parametrize(("data", "words"), [
    (b"", "not a NumPy array"), (b"PK\3\4", "not a NumPy array"), (npy(hostile.ONE)[:90], "header"),
    (npy(hostile.ONE)[:-4], "ends after"),
    (npy(hostile.ONE[0]), "axes"), (npy(hostile.ONE[:0]), "axes"), (npy(hostile.ONE.astype(int)), "floating-point"),
    (npy(hostile_safetensors.put(hostile.ONE, float("nan"))), "NaN"),
    (hostile_npz.npy_saying(hostile_npz.says("(-1, 3)")), "lengths"),
    (hostile_npz.npy_saying(hostile_npz.says("(99999, 99999)")), "axes"),
    (hostile.pickles(MARK)["pickle"], "not a NumPy array"),
])  # fmt: skip
def test_a_bad_input_gives_a_sentence(data, words):
    with pytest.raises(UnreadableFile, match=words):
        read_input(data)


def test_a_link_to_a_file_of_the_server_is_not_followed(tmp_path):
    """The other file is a whole one, and its numbers would fit."""
    (tmp_path / "secret.h5").write_bytes(keras_h5(arrays()))
    data = hostile_hdf5.linked(h5py.ExternalLink(str(tmp_path / "secret.h5"), hostile_hdf5.PLACE))
    assert "vars/0 is a link; only what lies in the file itself is read." in sentence(data)


def test_what_an_archive_unpacks_to_in_all_is_bounded(monkeypatch):
    """Each part may be small: here 16 kB of them, in place of 256 MB."""
    monkeypatch.setattr("mha.loading.archives.MOST_UNPACKED", 1 << 14)
    many = npz({f"a{i}": np.random.default_rng(i).random(500) for i in range(9)})
    assert "would unpack to 37,152 bytes; at most 16,384 are" in sentence(many)


def test_how_many_arrays_an_hdf5_file_holds_is_bounded(monkeypatch):
    monkeypatch.setattr("mha.loading.tensors.MOST_TENSORS", 20)
    assert "at most 20 are looked at" in sentence(hdf5({f"{i}": np.float32(1) for i in range(30)}))
