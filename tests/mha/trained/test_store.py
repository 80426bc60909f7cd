"""The shipped files: held to their manifest, small, and what they claim is what the issue asks for."""

import shutil
from statistics import mean

import pytest

from mha.trained import dinner, sentence, store
from mha.trained.store import FOLDER, Broken, load, manifest, report

TASKS = ("dinner", "sentence")


@pytest.fixture
def folder(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "trained")
    return tmp_path / "trained"


def test_a_changed_byte_in_the_weights_is_said_and_nothing_is_read(folder, monkeypatch):
    path = folder / "dinner.npz"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    monkeypatch.setattr(store.np, "load", lambda *a, **k: pytest.fail("looked into a file that is not ours"))
    with pytest.raises(Broken, match=r"`dinner\.npz` are not those that were trained"):
        load("dinner-4", folder)


def test_a_file_that_goes_on_is_not_read_to_its_end(folder):
    with (folder / "dinner.npz").open("ab") as file:
        file.write(bytes(1 << 20))
    with pytest.raises(Broken):
        load("dinner-1", folder)


def test_missing_files_are_said(folder):
    (folder / "dinner.npz").unlink()
    with pytest.raises(Broken, match=r"`dinner\.npz` are missing"):
        load("dinner-2", folder)
    (folder / "report.json").write_text("{")
    with pytest.raises(Broken, match=r"`report.json` .* missing or damaged"):
        report("dinner", folder)
    (folder / "manifest.json").unlink()
    with pytest.raises(Broken, match=r"`manifest.json` .* missing or damaged"):
        load("dinner-1", folder)


def test_loaded_weights_cannot_be_changed_by_one_visitor_for_all():
    with pytest.raises(ValueError, match="read-only"):
        load("dinner-4").weights["answer_b"][0] = 1


def test_all_shipped_files_are_below_500_kb_and_in_the_manifest_with_every_head_count_of_a_task():
    files = list(FOLDER.iterdir())
    assert sum(path.stat().st_size for path in files) < 500_000
    named = {manifest(task)["file"] for task in TASKS}
    assert {path.name for path in files} == named | {"manifest.json", "report.json"}
    assert {one["heads"] for one in manifest("dinner")["networks"].values()} == {*dinner.HEADS}
    paper = {f"sentence-{heads}" for heads in sentence.HEADS}
    assert {*manifest("sentence")["networks"]} == paper | {f"sentence-{heads}-key4" for heads in (1, 2, 8)}


def runs(name):
    return report(store.task_of(name).name)["runs"][name]


def shown(name):
    return next(run for run in runs(name) if run["seed"] == manifest(store.task_of(name).name)["seed"])


def test_one_head_gets_under_six_in_ten_and_four_get_all():
    assert [len(runs(f"dinner-{heads}")) for heads in dinner.HEADS] == [10, 10, 5, 10, 5, 10, 5, 10]
    assert mean(run["mean"] for run in runs("dinner-1")) < 0.6
    assert sum(run["mean"] >= 0.9995 for run in runs("dinner-4")) >= 9
    assert mean(run["mean"] for run in runs("dinner-24")) < 0.85


def test_in_the_shipped_networks_each_question_has_a_head_of_its_own():
    assert min(shown("dinner-4")["mass"]) >= 0.9
    assert min(shown("sentence-4")["mass"]) >= sentence.NAME_FROM
    assert shown("dinner-4")["heads"] != shown("sentence-4")["heads"] == [1, 2, 3, 4]
    assert sorted(shown("dinner-4")["heads"]) == [1, 2, 3, 4]


def test_one_head_cannot_tell_who_from_whom_with_any_seed():
    assert len(runs("sentence-1")) == len(runs("sentence-4")) == 10
    assert max(min(run["accuracy"][:2]) for run in runs("sentence-1")) < 0.6
    assert min(shown("sentence-4")["accuracy"]) > 0.999
