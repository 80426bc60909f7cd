"""Every benchmark can be started, and the page with all results says what their files hold. Nothing is measured here."""

import sys
from importlib import import_module

import pytest

from benchmarks import report, serving
from tests.sources import ROOT, python_files

#: Pages and programs that a benchmark starts by themselves.
STARTED = {"benchmarks.floor"}
MODULES = [".".join(path.with_suffix("").parts) for path in python_files("benchmarks")]
COMMANDS = [section.command for section in report.SECTIONS]


def parse(monkeypatch: pytest.MonkeyPatch, command: str) -> int:
    """The exit status of a command line that only asks for help."""
    module, *words = command.split()
    monkeypatch.setattr(sys, "argv", [module, *words, "--help"])
    with pytest.raises(SystemExit) as ended:
        import_module(f"benchmarks.{module}").main()
    return ended.value.code


@pytest.mark.parametrize("name", sorted({*MODULES} - STARTED))
def test_each_file_can_be_imported(name: str):
    assert import_module(name).__doc__


@pytest.mark.parametrize("command", [*COMMANDS, "report --measure", "load", "paint"])
def test_each_command_is_understood(monkeypatch: pytest.MonkeyPatch, command: str):
    assert parse(monkeypatch, command) == 0


def test_a_command_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch):
    assert parse(monkeypatch, "load nothing") == 2


def test_the_results_page_is_made_of_the_results():
    assert report.PAGE.read_text() == report.page()


def test_each_file_with_results_is_on_the_page_and_has_a_benchmark():
    assert {path.stem for path in report.RESULTS.glob("*.json")} == {section.file for section in report.SECTIONS}


def test_the_floor_has_each_page_that_a_benchmark_asks_for():
    asked = {part for path in python_files("benchmarks") for part in (ROOT / path).read_text().split("?page=")[1:]}
    names = {part.split('"')[0] for part in asked if part[0].isalpha()}
    text = (ROOT / "benchmarks/floor.py").read_text()
    assert len(names) == 4
    assert [name for name in names if f"def {name}()" not in text] == []


@pytest.mark.parametrize(("arguments", "files"), [([], 1), (["one"], 1), (["--moves", "2"], 0)], ids=str)
def test_a_trial_with_other_numbers_does_not_overwrite_results(monkeypatch, tmp_path, arguments: list[str], files: int):
    monkeypatch.setattr(serving, "RESULTS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["benchmark", *arguments])
    assert serving.write("load", {}, {"fast": False}) == 1
    assert len(list(tmp_path.iterdir())) == files
