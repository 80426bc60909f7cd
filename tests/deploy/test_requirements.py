"""What is installed where: TensorFlow has no build for Macs with an Intel processor."""

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
