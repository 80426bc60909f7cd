"""The shipped files: held to their manifest, small, and what they claim is what the issue asks for."""

import json
import shutil
from statistics import mean

import pytest

from mha.trained import store
from mha.trained.store import FOLDER, Broken, load, manifest, report
from mha.trained.task import HEADS


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "trained")
    return tmp_path / "trained"


def test_a_changed_byte_in_the_weights_is_said_and_nothing_is_read(folder, monkeypatch):
    path = folder / "dinner-4.npz"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    monkeypatch.setattr(store.np, "load", lambda *a, **k: pytest.fail("looked into a file that is not ours"))
    with pytest.raises(Broken, match=r"`dinner-4\.npz` are not those that were trained"):
        load("dinner-4", folder)


def test_a_file_that_goes_on_is_not_read_to_its_end(folder):
    with (folder / "dinner-1.npz").open("ab") as file:
        file.write(bytes(1 << 20))
    with pytest.raises(Broken):
        load("dinner-1", folder)


def test_missing_files_are_said(folder):
    (folder / "dinner-2.npz").unlink()
    with pytest.raises(Broken, match=r"`dinner-2\.npz` are missing"):
        load("dinner-2", folder)
    (folder / "report.json").write_text("{")
    with pytest.raises(Broken, match=r"`report.json` .* missing or damaged"):
        report(folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(Broken, match=r"`manifest.json` .* missing or damaged"):
        load("dinner-1", folder)


def test_loaded_weights_cannot_be_changed_by_one_visitor_for_all():
    with pytest.raises(ValueError, match="read-only"):
        load("dinner-4").weights["answer_b"][0] = 1


def test_all_shipped_files_are_below_500_kb_and_in_the_manifest():
    files = list(FOLDER.iterdir())
    assert sum(path.stat().st_size for path in files) < 500_000
    named = {one["file"] for one in manifest()["networks"].values()}
    assert {path.name for path in files} == named | {"manifest.json", "report.json"}


def test_every_network_of_a_task_comes_from_the_same_seed():
    seeds = manifest()["seeds"]
    assert all(one["seed"] == seeds[one["task"]] for one in manifest()["networks"].values())
    assert {one["heads"] for one in manifest()["networks"].values() if one["task"] == "dinner"} == set(HEADS)


def runs(name):
    return report()["runs"][name]


def test_one_head_gets_under_six_in_ten_and_four_get_all():
    assert [len(runs(f"dinner-{heads}")) for heads in HEADS] == [10, 10, 5, 10, 5, 10, 5, 10]
    assert mean(run["mean"] for run in runs("dinner-1")) < 0.6
    assert sum(run["mean"] >= 0.9995 for run in runs("dinner-4")) >= 9
    assert mean(run["mean"] for run in runs("dinner-24")) < 0.85


def test_in_the_shipped_network_each_question_has_a_head_of_its_own():
    shown = next(run for run in runs("dinner-4") if run["seed"] == manifest()["seeds"]["dinner"])
    assert min(shown["mass"]) >= 0.9
    assert sorted(shown["heads"]) == [1, 2, 3, 4]


def test_one_head_says_the_same_name_twice_and_three_do_not():
    assert min(run["same_twice"] for run in runs("sentence-1")) > 0.9
    assert max(run["same_twice"] for run in runs("sentence-3")) < 0.05
    assert min(run["mean"] for run in runs("sentence-3")) > 0.99


def test_two_layers_do_what_one_cannot():
    assert min(run["mean"] for run in runs("facts-2x1")) > 0.99
    assert max(run["mean"] for run in runs("facts-1x4")) < 0.6


def test_numpy_was_held_to_keras_when_the_weights_were_made():
    """Logits reach 700, so that float32 leaves some 1e-5 of a probability to rounding; in float64 the two are one function."""
    for one in manifest()["networks"].values():
        assert max(one["keras_float64"].values()) < 1e-5
        assert max(one["keras"].values()) < 1e-4
    assert max(manifest()["networks"]["dinner-4"]["keras"].values()) < 1e-5


def test_the_report_is_plain_data():
    assert json.loads((FOLDER / "report.json").read_text())["examples"] == 2000
