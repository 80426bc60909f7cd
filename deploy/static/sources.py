"""Where the parts of the static build come from, each with the hash it must have.

stlite and Pyodide's core come from npm, wheels of Python alone from the package index; the compiled wheels (numpy and what
Streamlit imports) are in no registry, only in Pyodide's release, and their hashes are in the lock file of its core.
"""

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
from pathlib import Path

KNOWN = json.loads((Path(__file__).parent / "sources.json").read_text(encoding="utf-8"))


class Missing(Exception):
    """A part that is neither in the given folder nor to be had from here; says both."""


class Wrong(Exception):
    """A file that is not what its name says."""


def digest(path: Path, kind: str = "sha256") -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, kind).digest()


def checked(path: Path, sha256: str) -> Path:
    if digest(path).hex() != sha256:
        raise Wrong(f"{path.name} has sha256 {digest(path).hex()}, and must have {sha256}: it is not used.")
    return path


def plain(name: str) -> str:
    """As package names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


class Parts:
    """Files by name: from `given` if they are there, else fetched into `cache`. `online` False: nothing is fetched."""

    def __init__(self, cache: Path, given: Path | None = None, online: bool = True):
        self.cache, self.given, self.online = cache, given, online
        cache.mkdir(parents=True, exist_ok=True)

    def held(self, name: str) -> Path | None:
        return next((folder / name for folder in (self.given, self.cache) if folder and (folder / name).is_file()), None)

    def npm(self, part: dict) -> tarfile.TarFile:
        """A package as npm gives it, opened."""
        path = self.held(part["file"])
        if path is None:
            self._run(part["file"], shutil.which("npm") or "npm", "pack", "--silent", f"{part['name']}@{part['version']}")
            path = self.cache / part["file"]
        told = "sha512-" + base64.b64encode(digest(path, "sha512")).decode()
        if told != part["integrity"]:
            raise Wrong(f"{path.name} is {told}, and must be {part['integrity']}: it is not used.")
        return tarfile.open(path)

    def wheel(self, part: dict) -> Path:
        """A wheel of Python alone."""
        path = self.held(part["file"])
        if path is None:
            name, version = part["file"].split("-")[:2]
            options = ("--quiet", "--no-deps", "--only-binary=:all:", "--platform=any", "--python-version=3.13")
            self._run(part["file"], sys.executable, "-m", "pip", "download", *options, f"{name}=={version}")
            path = self.cache / part["file"]
        return checked(path, part["sha256"])

    def release(self, entry: dict) -> Path:
        """A file of Pyodide's release, by its entry in the lock file."""
        name = entry["file_name"]
        path = self.held(name)
        if path is None:
            path = self.cache / name
            if not self.online:
                raise Missing(name)
            try:
                with urllib.request.urlopen(KNOWN["pyodide_release"] + name, timeout=60) as answer:
                    path.write_bytes(answer.read())
            except OSError as error:
                raise Missing(f"{name} ({error})") from error
        return checked(path, entry["sha256"])

    def _run(self, wanted: str, *command: str) -> None:
        if not self.online:
            raise Missing(wanted)
        try:
            ended = subprocess.run(command, cwd=self.cache, capture_output=True, text=True, check=False)
        except OSError as error:
            raise Missing(f"{wanted} ({error})") from error
        if ended.returncode or not (self.cache / wanted).is_file():
            raise Missing(f"{wanted} ({' '.join(command[:3])}: {ended.stderr.strip()[-200:]})")


def needed(lock: dict[str, dict]) -> list[str]:
    """What is taken from Pyodide's release: the packages of sources.json and all that they depend on."""
    found: dict[str, None] = {}
    waiting = [plain(name) for name in KNOWN["from_pyodide"]]
    while waiting:
        name = waiting.pop()
        if name in found or name not in lock:
            continue
        found[name] = None
        waiting += map(plain, lock[name]["depends"])
    return sorted(found)
