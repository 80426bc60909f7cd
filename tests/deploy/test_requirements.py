"""What is installed where: TensorFlow has no build for Macs with an Intel processor."""

import re

import pytest
from packaging.requirements import Requirement

from tests.sources import ROOT

LINES = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
REQUIREMENTS = [Requirement(line.partition(" #")[0]) for line in LINES if line and not line.startswith("#")]


@pytest.mark.parametrize(("system", "machine", "judge"), [
    ("darwin", "x86_64", set()), ("darwin", "arm64", {"keras", "tensorflow"}), ("linux", "x86_64", {"keras", "tensorflow-cpu"}),
    ("linux", "aarch64", {"keras", "tensorflow"}), ("win32", "AMD64", {"keras", "tensorflow"}),
])  # fmt: skip
def test_keras_and_one_tensorflow_are_asked_for_where_there_is_a_build(system: str, machine: str, judge: set[str]):
    place = {"sys_platform": system, "platform_machine": machine}
    wanted = {one.name for one in REQUIREMENTS if one.marker is None or one.marker.evaluate(place)}
    assert wanted & {"keras", "tensorflow", "tensorflow-cpu"} == judge
    assert {"streamlit", "numpy", "h5py"} <= wanted


@pytest.mark.parametrize(("lock", "left_out"), [("keras", set()), ("small", {"keras", "tensorflow-cpu"})])
def test_a_lock_file_of_the_container_has_what_is_required_with_hashes(lock: str, left_out: set[str]):
    place = {"sys_platform": "linux", "platform_machine": "x86_64"}
    wanted = {one.name: one.specifier for one in REQUIREMENTS if one.marker is None or one.marker.evaluate(place)}
    text = (ROOT / f"deploy/requirements-{lock}.lock").read_text(encoding="utf-8")
    entries = re.findall(r"^([\w.-]+)==(\S+)((?:(?!^\w).)*)", text, re.DOTALL | re.MULTILINE)
    locked = {name: version for name, version, rest in entries if "--hash=sha256:" in rest}
    assert len(locked) == len(entries) > 20
    assert {name for name in wanted if name not in locked} == left_out
    assert {name for name in locked if name in wanted and locked[name] not in wanted[name]} == set()
