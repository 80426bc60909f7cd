"""The build without a server: every part has the hash it must have, and the pages say what is missing in a browser.

What cannot be tried everywhere: the compiled wheels are only in Pyodide's release. Where STATIC_WHEELS names a folder with
them, the last test opens the real thing in Chromium.
"""

import base64
import hashlib
import http.server
import io
import json
import os
import tarfile
import threading
import zipfile
from functools import partial
from pathlib import Path

import pytest

from components.streamlit import runtime as in_browser
from components.widgets import check as proof
from components.widgets.check import sentence
from deploy.static import build as building
from deploy.static.build import KNOWN, Missing, Parts, WrongHash, needed, plain
from mha import Config, count_parameters, run
from tests.sources import ROOT

LOCK = {
    "numpy": {"depends": [], "file_name": "numpy-2-x.whl"},
    "pandas": {"depends": ["numpy", "python-dateutil"], "file_name": "pandas-3-x.whl"},
    "python-dateutil": {"depends": ["six"], "file_name": "dateutil-5-x.whl"},
    "six": {"depends": [], "file_name": "six-7-x.whl"},
    "scipy": {"depends": ["numpy"], "file_name": "scipy-11-x.whl"},
}


def test_what_is_needed_is_all_that_it_depends_on_and_no_more():
    assert needed(LOCK) == ["numpy", "pandas", "python-dateutil", "six"]


def test_a_file_with_another_hash_is_not_used(tmp_path: Path):
    (tmp_path / "numpy-2-x.whl").write_bytes(b"not numpy")
    entry = {"file_name": "numpy-2-x.whl", "sha256": hashlib.sha256(b"numpy").hexdigest()}
    with pytest.raises(WrongHash, match=r"numpy-2-x\.whl has sha256"):
        Parts(tmp_path / "cache", tmp_path, online=False).release(entry)


def test_a_package_with_another_hash_is_not_opened(tmp_path: Path):
    part = KNOWN["npm"][0]
    (tmp_path / part["file"]).write_bytes(b"something else")
    with pytest.raises(WrongHash, match="must be sha512-"):
        Parts(tmp_path / "cache", tmp_path, online=False).npm(part)


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(Missing, match="numpy"):
        Parts(tmp_path, online=False).release({"file_name": "numpy-2-x.whl", "sha256": "0"})


def tarball(path: Path, files: dict[str, bytes]) -> dict:
    with tarfile.open(path, "w:gz") as made:
        for name, data in files.items():
            told = tarfile.TarInfo(f"package/{name}")
            told.size = len(data)
            made.addfile(told, io.BytesIO(data))
    digest = hashlib.sha512(path.read_bytes()).digest()
    return {"file": path.name, "integrity": "sha512-" + base64.b64encode(digest).decode(), "version": "2"}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The build from stand-ins for all that comes from elsewhere."""
    given = tmp_path / "given"
    given.mkdir()
    lock = {"info": {"python": "3.13.2"}, "packages": {}}
    for name, entry in LOCK.items():
        (given / entry["file_name"]).write_bytes(name.encode())
        lock["packages"][name] = entry | {"sha256": hashlib.sha256(name.encode()).hexdigest()}
    core = {name: name.encode() for name in building.CORE} | {"pyodide-lock.json": json.dumps(lock).encode()}
    npm = [
        tarball(given / "pyodide-2.tgz", core) | {"name": "pyodide"},
        tarball(given / "stlite-2.tgz", {"build/stlite.js": b"export", "build/x.js.map": b"map", "build/../../out": b"no"})
        | {"name": "@stlite/browser"},
    ]
    (given / "plotly-7-py3-none-any.whl").write_bytes(b"plotly")
    wheels = [{"file": "plotly-7-py3-none-any.whl", "sha256": hashlib.sha256(b"plotly").hexdigest()}]
    monkeypatch.setitem(KNOWN, "npm", npm)
    monkeypatch.setitem(KNOWN, "wheels", wheels)
    building.build(tmp_path / "out", Parts(tmp_path / "cache", given, online=False))
    return tmp_path / "out"


def test_the_lock_file_of_the_build_names_what_is_there_and_nothing_else(small: Path):
    packages = json.loads((small / "pyodide/pyodide-lock.json").read_text())["packages"]
    assert sorted(packages) == ["numpy", "pandas", "plotly", "python-dateutil", "six"]
    for entry in packages.values():
        assert hashlib.sha256((small / "pyodide" / entry["file_name"]).read_bytes()).hexdigest() == entry["sha256"]


def test_every_page_has_an_address_of_its_own_and_leads_to_the_same_files(small: Path):
    for page in (ROOT / "pages").glob("*.py"):
        html = (small / page.stem / "index.html").read_text()
        assert "../stlite/stlite.js" in html
        assert "@" not in html.split("<script", 1)[1].replace("@stlite", "")
    assert "./stlite/stlite.js" in (small / "index.html").read_text()


def test_the_app_is_in_it_whole_and_nothing_that_was_not_asked_for(small: Path):
    with zipfile.ZipFile(small / "app.zip") as archive:
        names = archive.namelist()
        assert archive.read("app.py") == (ROOT / "app.py").read_bytes()
    assert {"mha/forward.py", "pages/attention.py", "assets/proof.json", ".streamlit/config.toml"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests", "deploy", "benchmarks"))]
    assert not (small / "stlite/x.js.map").exists()
    assert not (small.parent / "out/out").exists()


def test_the_settings_are_the_servers_without_what_only_a_server_has():
    told = building.settings()
    assert told["theme.light.primaryColor"] == "#1b2430"
    assert told["runner.postScriptGC"] is False
    assert not [name for name in told if name.startswith("server.")]


def test_in_a_browser_the_line_shows_the_stored_proof_marked_as_such(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(in_browser, "IN_BROWSER", True)
    said = sentence(run(Config()), None, "missing", None, "NumPy")
    assert said.startswith("✓ Stored proof, not a live one (Keras 3.")
    assert "count_params() 1,088" in said
    assert "no TensorFlow in a browser" in said
    said = sentence(run(Config(d_model=21, num_heads=7)), None, "missing", None, "NumPy")
    assert "this layer was not asked for" in said
    assert "✓" not in said


def test_the_stored_proof_is_of_layers_whose_counts_are_right():
    rows = proof.stored()["layers"]
    assert len(rows) > 40
    assert [row for row in rows if count_parameters(Config(**row["layer"])) != row["count"] or row["output"] > 1e-5] == []


def test_the_pinned_files_are_named_after_their_versions():
    for part in KNOWN["npm"]:
        assert part["version"] in part["file"]
        assert part["integrity"].startswith("sha512-")
    assert {plain(part["file"].split("-")[0]) for part in KNOWN["wheels"]} >= {"plotly", "blinker"}


@pytest.mark.browser
@pytest.mark.skipif(not os.environ.get("STATIC_WHEELS"), reason="STATIC_WHEELS names no folder with Pyodide's compiled wheels")
def test_the_real_build_shows_its_first_picture_in_a_browser(new_page, tmp_path: Path):
    building.build(tmp_path / "out", Parts(ROOT / "build/parts", Path(os.environ["STATIC_WHEELS"])))
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path / "out")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/attention/?num_heads=8")
    page.wait_for_selector("h1:has-text('8 heads, 8 maps')", timeout=120_000)
    page.wait_for_selector(".stage[data-drawn]", timeout=60_000)
    server.shutdown()
