"""The shipped language models: held to their manifest, small, and what the report says of them."""

import io
import json
import shutil
from statistics import mean

import numpy as np
import pytest

from mha.language import store
from mha.language.heads import NAMES, UNNAMED, named
from mha.language.network import shapes
from mha.language.store import FOLDER, SIZES, Broken, load, manifest, packed, report, unpacked, vocabulary
from training.novels import FILE


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "language")
    return tmp_path / "language"


@pytest.mark.parametrize("name", ["d64-h4.npz", "vocabulary.txt"])
def test_a_changed_byte_is_said_and_nothing_is_read(folder, monkeypatch, name):
    path = folder / name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    monkeypatch.setattr(store.np, "load", lambda file, **k: pytest.fail("looked into a file that is not ours"))
    with pytest.raises(Broken, match=rf"`{name}` are not those that were trained"):
        vocabulary(folder) if name == "vocabulary.txt" else load(64, 4, folder)


def test_a_file_that_goes_on_is_not_read_to_its_end(folder):
    with (folder / "d16-h1.npz").open("ab") as file:
        file.write(bytes(1 << 20))
    with pytest.raises(Broken):
        load(16, 1, folder)


def test_missing_files_are_said(folder):
    (folder / "d16-h2.npz").unlink()
    with pytest.raises(Broken, match=r"`d16-h2\.npz` are missing"):
        load(16, 2, folder)
    (folder / "report.json").write_text("{")
    with pytest.raises(Broken, match=r"`report.json` .* missing or damaged"):
        report(folder)


def test_loaded_weights_cannot_be_changed_by_one_visitor_for_all():
    with pytest.raises(ValueError, match="read-only"):
        load(64, 4).weights["words"][0, 0] = 1


def test_the_networks_are_those_of_the_two_sizes_and_fit_into_two_million_bytes():
    assert {(d, h) for d in (64, 16) for h in (1, 2, 4, 8, 16)} == SIZES
    files = list(FOLDER.iterdir())
    assert sum(path.stat().st_size for path in files) < 2_000_000
    wanted = {one["file"] for one in manifest()["networks"].values()} | {"manifest.json", "report.json", "vocabulary.txt"}
    assert {path.name for path in files} == wanted
    assert FILE.stat().st_size < 1_500_000


@pytest.mark.parametrize("size", sorted(SIZES))
def test_every_weight_has_its_shape(size):
    network = load(*size)
    assert {name: weight.shape for name, weight in network.weights.items()} == shapes(3000, *size)


def test_what_is_shipped_is_rounded_once_and_comes_back_as_it_was():
    weights = dict(load(16, 4).weights)
    again = unpacked(packed(weights))
    for name, weight in weights.items():
        np.testing.assert_allclose(again[name], weight, rtol=1e-2 if name == "words" else 0, atol=1e-3 if name == "words" else 0)


def test_a_table_is_kept_within_half_a_step_of_its_factor():
    """By hand: the largest of (0.5, -1.27) is 127 steps of 0.01."""
    rest = {"positions": np.array([[0.5]], np.float32)}
    kept = packed({"words": np.array([[0.5, -1.27]], np.float32), **rest})
    assert kept["words"].tolist() == [[50, -127]]
    np.testing.assert_allclose(unpacked(kept)["words"], [[0.5, -1.27]], rtol=1e-3)


def test_the_files_are_plain_arrays():
    for entry in manifest()["networks"].values():
        with np.load(io.BytesIO((FOLDER / entry["file"]).read_bytes()), allow_pickle=False) as file:
            assert {file[name].dtype.kind for name in file.files} == {"f", "i"}


def test_the_manifest_says_how_far_numpy_is_from_keras():
    for entry in manifest()["networks"].values():
        assert max(entry["keras"].values()) < 1e-4
        assert max(entry["keras_float64"].values()) < 1e-10


def test_the_report_has_every_seed_and_the_shipped_one_first():
    rows = report()["runs"]
    assert set(rows) == set(manifest()["networks"])
    for name, entry in manifest()["networks"].items():
        assert (rows[name][0]["seed"], rows[name][0]["perplexity"]) == (entry["seed"], entry["perplexity"])


def test_one_head_predicts_worse_than_several_where_there_is_room_and_all_better_than_counting_words():
    perplexity = {size: mean(row["perplexity"] for row in report()["runs"]["d{}-h{}".format(*size)]) for size in SIZES}
    assert perplexity[64, 1] > max(perplexity[64, heads] for heads in (2, 4, 8, 16))
    assert max(perplexity.values()) < report()["unigram"]


def test_the_names_of_the_report_are_those_that_the_measures_give():
    for name, rows in report()["runs"].items():
        for number, layer in enumerate(rows[0]["names"], 1):
            assert [[code for code, _ in named(name, number, head)] for head in range(len(layer))] == layer


@pytest.mark.parametrize(("network", "heads"), [("d16-h4", 4), ("d64-h4", 4), ("d64-h8", 8)])
@pytest.mark.parametrize("layer", [1, 2])
def test_at_least_two_heads_of_a_layer_of_four_or_eight_have_a_name_and_not_all_the_same(network, heads, layer):
    codes = [code for head in range(heads) for code, _ in named(network, layer, head) if code != UNNAMED]
    assert len(codes) >= len(set(codes)) >= 2


def test_a_removed_head_costs_something_somewhere_and_the_words_are_known():
    known = set(vocabulary().words)
    for layers in report()["heads"].values():
        assert max(head["without"]["loss"] for layer in layers for head in layer) > 0.01
        assert all(word in known for layer in layers for head in layer for word, _, _ in head["without"]["words"])


def test_the_report_is_plain_json_of_measures_with_names():
    assert set(json.loads((FOLDER / "report.json").read_text())["even"]) == set(NAMES)
