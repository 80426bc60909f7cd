"""What the page of trained heads says where its files are broken or missing."""

import shutil

from mha.trained import store
from tests.app.driver import open_page

PAGE = "trained_heads"


def test_a_broken_file_is_a_sentence_and_not_a_traceback(tmp_path, monkeypatch):
    shutil.copytree(store.FOLDER, tmp_path / "trained")
    (tmp_path / "trained" / "sentence.npz").write_bytes(b"no weights")
    monkeypatch.setattr(store.load, "__defaults__", (tmp_path / "trained",))
    at = open_page(PAGE)
    assert [error.message for error in at.exception] == []
    assert "are not those that were trained" in at.error[0].value


def test_a_report_that_is_missing_is_said(tmp_path, monkeypatch):
    shutil.copytree(store.FOLDER, tmp_path / "trained")
    (tmp_path / "trained" / "report.json").unlink()
    monkeypatch.setattr(store.report, "__defaults__", (tmp_path / "trained",))
    at = open_page(PAGE)
    assert [error.message for error in at.exception] == []
    assert "`report.json`" in at.error[0].value
