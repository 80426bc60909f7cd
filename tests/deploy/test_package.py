"""`pip install` of the repository: a wheel, beside its dependencies, serves the app, writes figures and shows a layer. And
what is installed where: TensorFlow has no build for Macs with an Intel processor. And `make run` serves this machine
alone, `make class` everybody in its network: neither asks where it is."""

import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
import segno
from packaging.requirements import Requirement

from deploy import class_room
from tests.sources import ROOT, project_files

QUIET = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INDEX": "1"}


def called(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], cwd=cwd, env=os.environ | QUIET, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Built from a copy: setuptools leaves its work in the tree."""
    pytest.importorskip("wheel", reason="setuptools builds wheels with it")
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for path in project_files():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tree / path)
    called(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", out, tree, cwd=out)
    return next(out.glob("headcount-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The folder of commands of a new environment that has the wheel, and sees the dependencies that are installed here."""
    place = tmp_path_factory.mktemp("environment")
    called(sys.executable, "-m", "venv", "--without-pip", place, cwd=place)
    python = place / "bin" / "python"
    packages = Path(called(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place).strip())
    called(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", wheel, cwd=place)
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "bin"


def test_a_wheel_has_what_the_app_needs_and_nothing_of_its_tests(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {path.as_posix() for path in project_files() if path.parts[0] in ("components", "lessons", "headcount")}
    beside = {path.as_posix() for path in project_files() if path.parts[0] in ("app.py", "assets", "pages", ".streamlit")}
    missing = (wanted | {f"headcount_app/{name}" for name in beside}) - names
    assert missing == set()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {
        "components",
        "lessons",
        "headcount",
        "headcount_app",
    }


def test_what_is_required_is_what_requirements_txt_lists(wheel):
    told = zipfile.ZipFile(wheel)
    metadata = told.read(next(name for name in told.namelist() if name.endswith("METADATA"))).decode()
    listed = [line for line in (ROOT / "requirements.txt").read_text().splitlines() if line and not line.startswith("#")]
    required = [line.partition(": ")[2] for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    name = lambda line: re.match(r"[\w-]+", line)[0]  # noqa: E731
    assert sorted(map(name, required)) == sorted(map(name, listed))
    assert f"Version: {tomllib.loads((ROOT / 'pyproject.toml').read_text())['project']['version']}" in metadata


def test_the_command_writes_a_figure_anywhere_and_a_trace_shows_itself(installed, tmp_path):
    """Nothing but headcount is imported by the one who runs the layer."""
    called(installed / "headcount", "figures", "--figure", "block_diagram", "--out", "f.svg", cwd=tmp_path)
    assert "Scaled dot-product attention" in (tmp_path / "f.svg").read_text()
    assert "headcount serve" in called(installed / "headcount", "--help", cwd=tmp_path)
    program = "from headcount import Config, run; print(run(Config(d_model=6, num_heads=3))._repr_html_()[:7])"
    assert called(installed / "python", "-c", program, cwd=tmp_path).strip() == "<iframe"


def test_the_command_serves_the_app_with_its_own_settings(installed, tmp_path):
    """Streamlit finds app.py, its pages and .streamlit/config.toml in the installed folder: the page's title comes from there."""
    program = (
        "from streamlit.testing.v1 import AppTest\n"
        "from headcount.assets import APP\n"
        "at = AppTest.from_file(str(APP / 'app.py'), default_timeout=60).run()\n"
        "assert not at.exception, at.exception\n"
        "print(APP.name, (APP / '.streamlit/config.toml').is_file(), at.title[0].value)\n"
    )
    told = called(installed / "python", "-W", "ignore", "-c", program, cwd=tmp_path).strip()
    assert told.startswith("headcount_app True ")
    assert "heads" in told.lower()


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


def recipe(target: str) -> str:
    done = subprocess.run(("make", "-n", target, "PORT=8617"), cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def test_run_listens_on_this_machine_and_class_does_not_say_so():
    assert "--server.address 127.0.0.1" in recipe("run")
    assert "-m deploy.class_room --server.port 8617" in recipe("class")


def test_a_class_is_served_everywhere_under_the_address_that_is_printed(monkeypatch, capsys):
    started = []
    monkeypatch.setattr(class_room.os, "execv", lambda _, command: started.append(command))
    monkeypatch.setattr(class_room, "own_address", lambda: "192.0.2.7")
    monkeypatch.setattr(class_room.sys, "argv", ["class_room", "--server.port", "8617", "--theme.base", "dark"])
    class_room.main()
    (command,) = started
    assert " ".join(command[1:]) == (
        "-m streamlit run app.py --server.headless true --server.port 8617 --server.address 0.0.0.0 "
        "--browser.serverAddress 192.0.2.7 --theme.base dark"
    )
    said, code = capsys.readouterr().out, io.StringIO()
    segno.make("http://192.0.2.7:8617", error="m").terminal(code, compact=True)
    assert "http://192.0.2.7:8617" in said
    assert said.endswith(code.getvalue())


def test_the_own_address_is_a_number_with_and_without_a_network(monkeypatch):
    assert re.fullmatch(r"\d+(\.\d+){3}", class_room.own_address())

    class Nowhere(class_room.socket.socket):
        def connect(self, *_):
            raise OSError("Network is unreachable")

    monkeypatch.setattr(class_room.socket, "socket", Nowhere)
    assert class_room.own_address() == "127.0.0.1"
