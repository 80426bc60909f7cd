"""`pip install` of the repository: a wheel and its dependencies serve the app, write figures and show a layer. Also which
packages are installed where (TensorFlow has no build for Macs with an Intel processor). Also `make run`, which serves only this
machine, and `make class`, which serves its network."""

import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import urllib.request
import zipfile
from pathlib import Path

import pytest
import segno
from packaging.requirements import Requirement

from components.app.votes import SECRET, VARIABLE, is_signed
from deploy import class_room
from tests.serving import free_port, wait_for
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
    """A wheel built from a copy, as from a clean checkout."""
    tree, out = tmp_path_factory.mktemp("tree"), tmp_path_factory.mktemp("wheel")
    for path in project_files():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tree / path)
    called(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", out, tree, cwd=out)
    return next(out.glob("headcount-*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The commands' folder of a new environment that has the wheel, and uses the dependencies installed here."""
    place = tmp_path_factory.mktemp("environment")
    called(sys.executable, "-m", "venv", "--without-pip", place, cwd=place)
    python = place / "bin" / "python"
    packages = Path(called(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=place).strip())
    called(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", wheel, cwd=place)
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return place / "bin"


def test_a_wheel_has_one_name_with_the_app_inside_and_nothing_of_its_tests(wheel):
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    library = {path.as_posix() for path in project_files() if path.parts[0] == "headcount"}
    inside = ("app.py", "assets", "pages", "components", "lessons", ".streamlit")
    app = {f"headcount/app/{path.as_posix()}" for path in project_files() if path.parts[0] in inside}
    assert names == library | app
    assert "headcount/py.typed" in names


def test_the_extras_are_what_requirements_txt_lists_and_the_layer_needs_numpy_alone():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    (numpy,) = map(Requirement, project["dependencies"])
    asked = [Requirement(line) for name in ("figures", "files", "keras", "app") for line in extras[name]]
    listed = {str(one) for one in REQUIREMENTS if one.name != "numpy"}
    assert {str(one) for one in asked if one.name != "headcount"} == listed
    assert {*Requirement(extras["all"][0]).extras} | {*Requirement(extras["app"][0]).extras} == {
        "app",
        "keras",
        "figures",
        "files",
    }
    assert numpy.name == "numpy"
    assert [version for version in ("2.0.2", "2.1.0", "2.4.6", "3.0.0") if version in numpy.specifier] == ["2.1.0", "2.4.6"]


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder with packages that have the same names as the app's."""
    for name in ("components", "lessons", "pages"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise SystemExit('the foreign {name}')")
    return tmp_path


def test_the_commands_run_in_a_folder_with_foreign_packages_of_the_apps_names(installed, folder):
    called(installed / "headcount", "figures", "--figure", "block_diagram", "--out", "f.svg", cwd=folder)
    assert "Scaled dot-product attention" in (folder / "f.svg").read_text()
    called(installed / "python", "-m", "headcount", "lesson", "--out", "lesson.html", cwd=folder)
    assert "How many heads?" in (folder / "lesson.html").read_text()
    assert "headcount serve" in called(installed / "headcount", "--help", cwd=folder)
    program = (
        "import headcount; trace = headcount.load('trained').run(); print(trace._repr_html_()[:7], trace.figure().data[0].type)"
    )
    assert called(installed / "python", "-c", program, cwd=folder).strip() == "<iframe heatmap"


@pytest.mark.keras
def test_the_lines_of_the_readme_run_and_give_what_they_say(installed, folder):
    (lines,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    said = [line.split("  # ") for line in lines.splitlines() if re.search(r"  # [\d(]", line)]
    assert len(said) == 2
    program = "\n".join([lines, *(f"print({expression})" for expression, _ in said)])
    assert called(installed / "python", "-c", program, cwd=folder).splitlines() == [value for _, value in said]


def test_the_app_is_served_from_a_folder_with_foreign_packages_of_its_names(installed, folder):
    """Streamlit's answer to an agent has the start page's heading, with the settings of the app's own file."""
    port, log = free_port(), folder / "log"
    words = (
        installed / "headcount",
        "serve",
        "--server.port",
        f"{port}",
        "--server.headless",
        "true",
        "--server.enableAgentApi",
        "true",
    )
    with log.open("w") as out:
        process = subprocess.Popen(list(map(str, words)), cwd=folder, stdout=out, stderr=out, start_new_session=True)
    try:
        wait_for(f"http://127.0.0.1:{port}", process, log)
        asked = urllib.request.Request(
            f"http://127.0.0.1:{port}/_stcore/agent/interact", b"{}", {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            told = answer.read().decode()
    finally:
        process.terminate()
        process.wait(20)
    assert "1,088" in told
    assert "xception" not in told, told[:2000]


LINES = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
REQUIREMENTS = [Requirement(line.partition(" #")[0]) for line in LINES if line and not line.startswith("#")]


@pytest.mark.parametrize(("system", "machine", "judge"), [
    ("darwin", "x86_64", set()), ("darwin", "arm64", {"keras", "tensorflow"}), ("linux", "x86_64", {"keras", "tensorflow-cpu"}),
    ("linux", "aarch64", {"keras", "tensorflow"}), ("win32", "AMD64", {"keras", "tensorflow"}),
])  # fmt: skip
def test_keras_and_one_tensorflow_are_asked_for_where_there_is_a_build(system: str, machine: str, judge: set[str]):
    place = {"sys_platform": system, "platform_machine": machine, "python_version": "3.13"}
    newer = {one.name for one in REQUIREMENTS if one.marker is None or one.marker.evaluate(place | {"python_version": "3.14"})}
    assert newer & {"keras", "tensorflow", "tensorflow-cpu"} == set()
    wanted = {one.name for one in REQUIREMENTS if one.marker is None or one.marker.evaluate(place)}
    assert wanted & {"keras", "tensorflow", "tensorflow-cpu"} == judge
    assert {"streamlit", "numpy", "h5py"} <= wanted


@pytest.mark.parametrize(("lock", "left_out"), [("keras", set()), ("small", {"keras", "tensorflow-cpu"})])
def test_a_lock_file_of_the_container_has_what_is_required_with_hashes(lock: str, left_out: set[str]):
    place = {"sys_platform": "linux", "platform_machine": "x86_64", "python_version": "3.12"}
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
    monkeypatch.setenv(VARIABLE, "")
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
    room = re.search(r"^Phones, to vote: (http://192\.0\.2\.7:8617/\?room=(\w+))$", said, re.MULTILINE)
    segno.make(room[1], error="m").terminal(code, compact=True)
    assert "Everybody in this network: http://192.0.2.7:8617/\n" in said
    assert code.getvalue() in said
    lead = re.search(rf"^Your own screen, for nobody else: {re.escape(room[1])}&lead=(\w+)&present=1$", said, re.MULTILINE)
    assert is_signed(room[2], lead[1])
    assert class_room.os.environ[VARIABLE] == SECRET


def test_the_own_address_is_a_number_with_and_without_a_network(monkeypatch):
    assert re.fullmatch(r"\d+(\.\d+){3}", class_room.own_address())

    class Nowhere(class_room.socket.socket):
        def connect(self, *_):
            raise OSError("Network is unreachable")

    monkeypatch.setattr(class_room.socket, "socket", Nowhere)
    assert class_room.own_address() == "127.0.0.1"
