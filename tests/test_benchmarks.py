"""Every benchmark starts, and the pages with results have the numbers of their files. Nothing is measured here."""

import json
import sys
from importlib import import_module

import pytest

from benchmarks import measured
from tests.sources import ROOT

#: Each with the options that it takes.
COMMANDS = {
    "benchmarks.paint": "num_heads --moves 3", "benchmarks.load": "--seconds 3", "tests.deploy.promises": "",
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_is_understood(monkeypatch: pytest.MonkeyPatch, name: str):
    """Only the command line is read, which ends with the help."""
    module = import_module(name)
    for words, code in ((f"{COMMANDS[name]} --help", 0), (f"{COMMANDS[name]} nothing", 2)):
        monkeypatch.setattr(sys, "argv", [name, *words.split()])
        with pytest.raises(SystemExit) as ended:
            module.main()
        assert ended.value.code == code


def test_the_results_page_is_made_of_the_results():
    assert measured.PAGE.read_text() == measured.page()
    assert "| num_heads on /attention |" in measured.page()
    assert "100 visitors |" in measured.page()


def test_each_promise_has_its_measured_figure_beside_it_or_the_reason_why_there_is_none():
    text = (ROOT / "SECURITY.md").read_text()
    cells = [line.split("|")[3].strip() for line in text.splitlines() if line.startswith("|")][2:]
    said = [one["measured"] for one in measured.results()["promises"]["figures"].values()]
    assert [one for one in said if one not in text] == []
    assert len(cells) > 10
    for cell in cells:
        left = cell
        for one in said:
            left = left.replace(one, "")
        assert left != cell or cell.startswith("Not measured: "), cell
        assert not any(letter.isdigit() for letter in left), "a figure that nobody measured"


@pytest.mark.parametrize(("arguments", "kept"), [([], True), (["d_model"], False), (["--moves", "2"], False)], ids=str)
def test_a_trial_with_other_numbers_does_not_overwrite_results(monkeypatch, tmp_path, arguments: list[str], kept: bool):
    monkeypatch.setattr(measured, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(measured, "PAGE", tmp_path / "RESULTS.md")
    before = {"load": {"figures": {"slow": {}}}, "paint": {"figures": {}, "met": {}}}
    measured.RESULTS.write_text(json.dumps(before))
    monkeypatch.setattr(sys, "argv", ["benchmark", *arguments])
    assert measured.write("load", {}, {"fast": False}) == 1
    assert (measured.results()["load"] != before["load"]) == kept == measured.PAGE.exists()
    assert measured.results()["paint"] == before["paint"]
