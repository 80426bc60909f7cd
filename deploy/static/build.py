"""The app without a server: `python -m deploy.static.build` makes a folder that any web server can serve.

`--files FOLDER` (make static STATIC_WHEELS=FOLDER) gives files instead of fetching them; what is missing is listed. See
deploy/README.md.
"""

import argparse
import json
import shutil
import sys
import tomllib
import zipfile
from pathlib import Path

from deploy.static.sources import KNOWN, Missing, Parts, Wrong, needed, plain

ROOT = Path(__file__).parents[2]
APP = ("app.py", "components", "lessons", "mha", "pages", "assets", ".streamlit")
#: Pyodide's own files, from its npm package.
CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
#: Not needed to run: maps of the sources, and drawings that no page makes.
LEFT_OUT = (".map", ".d.ts")


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
    """Everything, in `out`. Missing lists all that could not be had, at once; Wrong names a file with another hash."""
    npm = {part["name"]: part for part in KNOWN["npm"]}
    with parts.npm(npm["pyodide"]) as core:
        lock = json.load(core.extractfile("package/pyodide-lock.json"))
        packages = {plain(name): entry for name, entry in lock["packages"].items()}
        missing, wheels = [], {}
        for name in needed(packages):
            try:
                wheels[name] = parts.release(packages[name])
            except Missing as error:
                missing.append(str(error))
        own = []
        for part in KNOWN["wheels"]:
            try:
                own.append((part, parts.wheel(part)))
            except Missing as error:
                missing.append(str(error))
        if missing:
            raise Missing("\n".join(missing))
        shutil.rmtree(out, ignore_errors=True)
        (out / "pyodide").mkdir(parents=True)
        for name in CORE:
            (out / "pyodide" / name).write_bytes(core.extractfile(f"package/{name}").read())
    for path in (*wheels.values(), *(path for _, path in own)):
        shutil.copy(path, out / "pyodide")
    # The lock file names all that is here and nothing else: the runtime has no reason to ask anybody for anything.
    kept = {name: packages[name] for name in wheels} | {plain(part["file"].split("-")[0]): entry_of(part) for part, _ in own}
    (out / "pyodide/pyodide-lock.json").write_text(json.dumps({**lock, "packages": kept}), encoding="utf-8")
    with parts.npm(npm["@stlite/browser"]) as stlite:
        for member in stlite.getmembers():
            place = member.name.removeprefix("package/build/")
            if member.isfile() and place != member.name and not place.endswith(LEFT_OUT) and ".." not in place:
                target = out / "stlite" / place
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(stlite.extractfile(member).read())
    names = archive(out / "app.zip")
    (out / "index.html").write_text(page("./"), encoding="utf-8")
    for name in names:
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
    asked = parser.parse_args()
    try:
        build(asked.out, Parts(ROOT / "build" / "parts", asked.files, not asked.offline))
    except Missing as error:
        sys.stderr.write(
            f"Not to be had from here:\n{error}\n\nThe compiled wheels are in Pyodide's release ({KNOWN['pyodide_release']}), "
            "in no package registry. Put these files into a folder and say: make static STATIC_WHEELS=folder\n"
        )
        return 1
    except Wrong as error:
        sys.stderr.write(f"{error}\n")
        return 1
    size = sum(file.stat().st_size for file in asked.out.rglob("*") if file.is_file())
    sys.stdout.write(f"{asked.out}: {size / 1e6:.0f} MB. Serve it: python -m http.server -d {asked.out}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
