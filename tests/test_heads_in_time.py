"""The benchmark of heads and time: its output, the schema of a machine's file, and its refusals."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.heads_in_time import BYTES, OPTIONS, ROUNDS, WAYS, Layer
from tests.sources import ROOT

#: What a file holds, a run of it and a series of that: the schema. A point is median, quartiles and rounds, or a reason.
FILE = {"machine": str, "device": str, "runs": list}
RUN = {"date": str, "threads": int, "load": float, "versions": dict, "series": list}
SERIES = {
    "way": WAYS, "convention": OPTIONS["convention"][0], "passes": OPTIONS["passes"][0], "dtype": BYTES, "width": int,
    "tokens": int, "batch": int, "points": dict,
}  # fmt: skip
TINY = "--width 104 --heads 1,8,13 --tokens 5,7 --together 11 --seconds 0.001 --way numpy"


def faults(result: dict) -> list[str]:
    """The faults of a file, in words."""
    found = of(FILE, result)
    for run in result.get("runs", ()):
        found += of(RUN, run)
        for one in run.get("series", ()):
            found += of(SERIES, one)
            for heads, point in one.get("points", {}).items():
                if isinstance(point, str):
                    good = point.startswith(("does not fit", "does not run"))
                else:
                    good = len(point) == 4 and 0 < point[1] <= point[0] <= point[2] and ROUNDS[0] <= point[3] <= ROUNDS[1]
                if not (good and heads.isdecimal()):
                    found.append(f"{heads} heads: {point}")
    return found


def of(fields: dict, given: dict) -> list[str]:
    found = [f"{key}, which is not known" for key in given if key not in fields]
    for key, kind in fields.items():
        fits = isinstance(given.get(key), kind) if isinstance(kind, type) else given.get(key) in kind
        found += [] if fits and (given[key] or key == "load") else [f"{key}={given.get(key)!r}"]
    return found


def measure(words: str, out: Path) -> subprocess.CompletedProcess[str]:
    script = ROOT / "benchmarks/heads_in_time.py"
    command = [sys.executable, str(script), *words.split(), "--out", str(out)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=out.parent)


def test_a_second_run_is_added_to_the_file_of_the_machine(tmp_path: Path):
    out = tmp_path / "machine.json"
    for runs in (1, 2):
        done = measure(TINY, out)
        assert (done.returncode, done.stderr) == (0, "")
        result = json.loads(out.read_text())
        assert faults(result) == []
        assert len(result["runs"]) == runs
        series = result["runs"][-1]["series"]
        assert [(one["tokens"], one["batch"], one["convention"]) for one in series] == [
            (5, 2, "paper"), (5, 2, "keras"), (7, 1, "paper"), (7, 1, "keras")
        ]  # fmt: skip
        assert {tuple(one["points"]) for one in series} == {("1", "8", "13")}
        assert {one["passes"] for one in series} == {"forward"}, "NumPy has no backward"
        assert f"13: {series[0]['points']['13'][0]:g};" in done.stdout.splitlines()[0]


def test_what_takes_more_memory_than_is_allowed_is_a_result(tmp_path: Path):
    """8 heads, 5 maps, 2 × 5 tokens: 4 · (5 · 2 · 8 · 5² + 4 · 104 · (104 + 20)) bytes; 13 heads have 13 maps."""
    measure(f"{TINY} --tokens 5 --convention paper --memory {4 * (5 * 2 * 8 * 25 + 4 * 104 * 124) / 1e9}", tmp_path / "a.json")
    points = json.loads((tmp_path / "a.json").read_text())["runs"][0]["series"][0]["points"]
    assert [isinstance(points[heads], list) for heads in ("1", "8", "13")] == [True, True, False]
    assert points["13"].startswith("does not fit: at least 0.00022 GB")


def test_both_conventions_have_the_same_layer_at_8_heads():
    sizes = {
        (word, heads): Layer("softmax", word, "backward", "float32", 104, 5, 2, heads).key_dim
        for word in OPTIONS["convention"][0] for heads in (1, 8, 13)
    }  # fmt: skip
    assert list(sizes.values()) == [104, 13, 8, 13, 13, 13]


@pytest.mark.parametrize(("words", "said"), [
    ("--heads 7", "heads must divide the width 512, got 7"), ("--tokens 0", "each must be above 0 and at most 131072, got '0'"),
    ("--heads 8,a", "each must be above 0 and at most 1024, got '8,a'"), ("--device tpu", "each must be one of cpu, cuda, mps"),
])  # fmt: skip
def test_what_cannot_be_measured_is_refused_with_what_is_allowed(tmp_path: Path, words: str, said: str):
    done = measure(words, tmp_path / "a.json")
    assert (done.returncode, "Traceback" in done.stderr, (tmp_path / "a.json").exists()) == (2, False, False)
    assert said in done.stderr


def test_a_run_is_not_added_to_the_file_of_another_machine(tmp_path: Path):
    (tmp_path / "a.json").write_text('{"machine": "an abacus", "device": "cpu", "runs": []}')
    done = measure(TINY, tmp_path / "a.json")
    assert done.returncode == 2
    assert "is not of this machine, but of 'an abacus'" in done.stderr
    assert "abacus" in (tmp_path / "a.json").read_text()


@pytest.mark.parametrize("path", sorted((ROOT / "assets/time").glob("*.json")), ids=lambda path: path.name)
def test_each_file_of_a_machine_is_as_the_schema_says(path: Path):
    assert faults(json.loads(path.read_text())) == []


def test_the_schema_finds_what_is_wrong(tmp_path: Path):
    measure(f"{TINY} --tokens 5", tmp_path / "a.json")
    good = json.loads((tmp_path / "a.json").read_text())
    for place, value in (
        (("machine",), ""), (("runs", 0, "threads"), "two"), (("runs", 0, "series", 0, "way"), "by hand"),
        (("runs", 0, "series", 0, "points", "8"), [2.0, 3.0, 4.0, 5]), (("runs", 0, "series", 0, "points", "8"), "no idea"),
        (("runs", 0, "series", 0, "points", "8"), [2.0, 1.0, 3.0, 1]), (("runs", 0, "series", 0, "points", "8"), [2.0, 1.0, 3.0]),
    ):  # fmt: skip
        bad = copy.deepcopy(good)
        holder = bad
        for key in place[:-1]:
            holder = holder[key]
        holder[place[-1]] = value
        assert len(faults(bad)) == 1, place
