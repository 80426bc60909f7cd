"""The app without a server: `python -m deploy.static.build` makes a folder that any web server can serve.

stlite and Pyodide's core come from npm, wheels of Python alone from the package index; the compiled wheels (numpy and what
Streamlit imports) are in no registry, only in Pyodide's release, and their hashes are in the lock file of its core. All others
have theirs in sources.json. `--files FOLDER` (make static STATIC_WHEELS=FOLDER) names a folder with files that are taken instead
of fetching them; what is missing is listed. See deploy/README.md.
"""

import argparse
import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
APP = ("app.py", "components", "lessons", "mha", "pages", "assets", ".streamlit")
#: Pyodide's own files, from its npm package.
CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
#: Not needed to run: maps of the sources, and drawings that no page makes.
LEFT_OUT = (".map", ".d.ts")
#: Where the parts come from, each with the hash that it must have.
KNOWN = json.loads((Path(__file__).parent / "sources.json").read_text(encoding="utf-8"))


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
        command = (shutil.which("npm") or "npm", "pack", "--silent", f"{part['name']}@{part['version']}")
        path = self.local(part["file"]) or self._run(part["file"], *command)
        integrity = "sha512-" + base64.b64encode(digest(path, "sha512")).decode()
        if integrity != part["integrity"]:
            raise WrongHash(f"{path.name} is {integrity}, and must be {part['integrity']}: it is not used.")
        return tarfile.open(path)

    def wheel(self, part: dict) -> Path:
        """A wheel of Python alone."""
        name, version = part["file"].split("-")[:2]
        options = ("--quiet", "--no-deps", "--only-binary=:all:", "--platform=any", "--python-version=3.13")
        command = (sys.executable, "-m", "pip", "download", *options, f"{name}=={version}")
        return checked(self.local(part["file"]) or self._run(part["file"], *command), part["sha256"])

    def release(self, entry: dict) -> Path:
        """A file of Pyodide's release, by its entry in the lock file."""
        name = entry["file_name"]
        path = self.local(name)
        if path is None:
            path = self.cache / name
            if not self.online:
                raise Missing(name)
            try:
                with urllib.request.urlopen(KNOWN["pyodide_release"] + name, timeout=60) as reply:
                    path.write_bytes(reply.read())
            except OSError as error:
                raise Missing(f"{name} ({error})") from error
        return checked(path, entry["sha256"])

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


def needed(lock: dict[str, dict]) -> list[str]:
    """What is taken from Pyodide's release: the packages of sources.json and all that they depend on."""
    names: set[str] = set()
    waiting = [plain(name) for name in KNOWN["from_pyodide"]]
    while waiting:
        name = waiting.pop()
        if name in names or name not in lock:
            continue
        names.add(name)
        waiting += map(plain, lock[name]["depends"])
    return sorted(names)


def app_archive(path: Path) -> list[str]:
    """The app's files in one archive, with fixed times: the same files give the same bytes. The pages' names."""
    files = sorted(file for top in APP for file in ([ROOT / top] if (ROOT / top).is_file() else (ROOT / top).rglob("*")))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts and "readme" not in file.parts:
                entry = zipfile.ZipInfo(file.relative_to(ROOT).as_posix(), (1980, 1, 1, 0, 0, 0))
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, file.read_bytes())
    return [file.stem for file in sorted((ROOT / "pages").glob("*.py"))]


def settings() -> dict[str, str | int | bool]:
    """.streamlit/config.toml as flat names, as stlite takes them; lists it does not take."""
    flat: dict[str, str | int | bool] = {}

    def walk(table: dict, prefix: str) -> None:
        for name, value in table.items():
            if isinstance(value, dict):
                walk(value, f"{prefix}{name}.")
            elif not isinstance(value, list):
                flat[prefix + name] = value

    walk(tomllib.loads((ROOT / ".streamlit/config.toml").read_text(encoding="utf-8")), "")
    return {name: value for name, value in flat.items() if not name.startswith("server.")}


def page(up: str) -> str:
    """One page's HTML; `up` leads to the build's own folder."""
    text = (Path(__file__).parent / "index.html").read_text(encoding="utf-8")
    return text.replace("@UP@", up).replace("@SETTINGS@", json.dumps(settings()))


def build(out: Path, parts: Parts, archive=app_archive) -> None:
    """Everything, in `out`. Missing lists all that is missing at once; WrongHash names a file with another hash."""
    npm = {part["name"]: part for part in KNOWN["npm"]}
    with parts.npm(npm["pyodide"]) as core:
        lock = json.load(core.extractfile("package/pyodide-lock.json"))
        packages = {plain(name): entry for name, entry in lock["packages"].items()}
        missing, paths, names = [], [], needed(packages)
        wanted = [(parts.release, packages[name]) for name in names] + [(parts.wheel, part) for part in KNOWN["wheels"]]
        for fetch, part in wanted:
            try:
                paths.append(fetch(part))
            except Missing as error:
                missing.append(str(error))
        if missing:
            raise Missing("\n".join(missing))
        shutil.rmtree(out, ignore_errors=True)
        (out / "pyodide").mkdir(parents=True)
        for name in CORE:
            (out / "pyodide" / name).write_bytes(core.extractfile(f"package/{name}").read())
    for path in paths:
        shutil.copy(path, out / "pyodide")
    # The lock file names all that is here and nothing else: the runtime has no reason to ask anybody for anything.
    entries = {name: packages[name] for name in names} | {entry["name"]: entry for entry in map(entry_of, KNOWN["wheels"])}
    (out / "pyodide/pyodide-lock.json").write_text(json.dumps({**lock, "packages": entries}), encoding="utf-8")
    with parts.npm(npm["@stlite/browser"]) as stlite:
        for member in stlite.getmembers():
            place = member.name.removeprefix("package/build/")
            if member.isfile() and place != member.name and not place.endswith(LEFT_OUT) and ".." not in place:
                target = out / "stlite" / place
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(stlite.extractfile(member).read())
    (out / "index.html").write_text(page("./"), encoding="utf-8")
    for name in archive(out / "app.zip"):
        (out / name).mkdir()
        (out / name / "index.html").write_text(page("../"), encoding="utf-8")


def entry_of(part: dict) -> dict:
    """A wheel of Python alone as an entry of the lock file; what it depends on is there anyway."""
    name, version = part["file"].split("-")[:2]
    return {
        "name": plain(name), "version": version, "file_name": part["file"], "sha256": part["sha256"], "install_dir": "site",
        "imports": [name], "depends": [], "package_type": "package", "unvendored_tests": False,
    }  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description="The app as a folder of static files")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "static")
    parser.add_argument("--files", type=Path, help="a folder with the files that this machine cannot fetch")
    parser.add_argument("--offline", action="store_true", help="fetch nothing")
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
    size = sum(file.stat().st_size for file in args.out.rglob("*") if file.is_file())
    sys.stdout.write(f"{args.out}: {size / 1e6:.0f} MB. Serve it: python -m http.server -d {args.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
