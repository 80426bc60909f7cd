"""The build without a server: every part has the hash it must have, and the pages say what is missing in a browser.

The last test builds the real thing and opens it in Chromium. It needs parts from npm and the package index (or in a folder named
by STATIC_WHEELS), kept in build/parts; where they cannot be had it is skipped and says which.
"""

import ast
import asyncio
import base64
import gzip
import hashlib
import http.server
import io
import json
import os
import re
import sys
import tarfile
import threading
import xml.etree.ElementTree as ET
import zipfile
from functools import partial
from html import escape
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import pytest
from PIL import Image
from playwright.sync_api import Page
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from streamlit.web.server.starlette.starlette_websocket import StarletteSessionClient

from components.export import browser
from components.export.rendering import FORMATS
from components.figures.text import _font
from components.frame import ENTRIES, START
from components.pages.claims import results
from components.pages.keras_layer.reply_text import state_line
from components.streamlit import runtime as in_browser
from components.widgets import check as proof
from components.widgets.check import sentence
from deploy.static import boot
from deploy.static import build as building
from deploy.static.build import KNOWN, Missing, Parts, WrongHash, plain
from lessons.claims import CLAIMS, QUESTIONS
from mha import Config, count_parameters, run
from mha.keras.question import Reply
from mha.reading import Reading
from mha.trained.sentence import DEFAULT, LENGTH
from tests.app.driver import in_thread, open_page
from tests.browser.helpers import GO, problems
from tests.browser.screen import arithmetic, becomes, result
from tests.browser.stage import lit_card
from tests.browser.watch import watch
from tests.mha.loading.files import arrays, keras_h5, keras_model
from tests.sources import ROOT

LOCK = {
    "numpy": {"depends": [], "file_name": "numpy-2-x.whl"},
    "pillow": {"depends": [], "file_name": "pillow-3-x.whl"},
    "scipy": {"depends": ["numpy"], "file_name": "scipy-11-x.whl"},
}


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


def wheel(path: Path, files: dict[str, bytes]) -> bytes:
    path.write_bytes(building.archived(files.items()))
    return path.read_bytes()


CHUNK = """export const k = (_e) => ({ pathname: we, hostname: De } = this.requireServerUri());
let { activeTheme: ye } = (0, import_react.useContext)(ThemeContext), be = createSidebarTheme(ye);
if (ve = cf + 500 - Jr(), 10 < ve) later();"""
WORKER = "async function xe(t, s, n, l, r) {\n  return 1;\n}\n"
STLITE = {
    "build/stlite.js": b'import "./core-1.js"; o = { pyodideUrl: e.pyodideUrl, };',
    "build/core-1.js": f'{CHUNK} new URL("data:text/javascript;base64,{base64.b64encode(WORKER.encode()).decode()}");'
    'import("./Slider-2.js"); import("./Snow-3.js"); url("./assets/5.woff2")'.encode(),
    "build/Slider-2.js": b"slides", "build/Snow-3.js": b'import "./flake-7.js"', "build/flake-7.js": b"falls",
    "build/stlite.css": b"p {}", "build/assets/5.woff2": b"letters", "build/assets/7.woff2": b"of the snow",
    "build/x.js.map": b"map", "build/../../out": b"no",
}  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build from stand-ins for all that comes from elsewhere, with an image that holds what IMPORTED says. Tests only
    read it: it takes a second."""
    place = tmp_path_factory.mktemp("small")
    given = place / "given"
    given.mkdir()
    lock = {"info": {"python": "3.13.2"}, "packages": {}}
    for name, entry in LOCK.items():
        within = {"core.py": b"1", "tests/test_core.py": b"2", "used.so": b"17", "unused.so": b"19"}
        data = wheel(given / entry["file_name"], {f"{name}/{file}": content for file, content in within.items()})
        lock["packages"][name] = entry | {"sha256": hashlib.sha256(data).hexdigest()}
    core = {name: name.encode() for name in building.CORE} | {"pyodide-lock.json": json.dumps(lock).encode()}
    core["python_stdlib.zip"] = building.archived([("os.pyc", b"11"), ("wave.pyc", b"13")])
    wheel(given / "streamlit-2-x.whl", {"streamlit/hello/x.py": b"3", "streamlit/core.pyc": b"5"})
    stlite = STLITE | {"build/wheels/streamlit-2-x.whl": (given / "streamlit-2-x.whl").read_bytes()}
    npm = [
        tarball(given / "pyodide-2.tgz", core) | {"name": "pyodide"},
        tarball(given / "stlite-2.tgz", stlite) | {"name": "@stlite/browser"},
    ]
    data = wheel(given / "blinker-7-py3-none-any.whl", {"blinker/core.py": b"7"})
    wheels = [{"file": "blinker-7-py3-none-any.whl", "sha256": hashlib.sha256(data).hexdigest()}]
    with patch.dict(KNOWN, npm=npm, wheels=wheels):
        building.build(place / "out", Parts(place / "cache", given, online=False), freeze=unfrozen)
    return place / "out"


IMPORTED = {
    "/lib/python.zip/blinker/core.py", "/lib/python313.zip/os.pyc", "/lib/python3.13/site-packages/numpy/used.so",
    "/home/pyodide/mha/forward.py",
}  # fmt: skip


def unfrozen(parts: dict, core: dict[str, bytes]) -> dict[str, bytes]:
    archives = {name: building.archived(files) for name, files in parts.items()}
    return building.remaining(archives, IMPORTED, core["python_stdlib.zip"]) | {"memory.bin": b"image"}


def inside(archive: Path | io.BytesIO) -> set[str]:
    with zipfile.ZipFile(archive) as opened:
        return set(opened.namelist())


def apart(bundle: Path) -> dict[str, bytes]:
    """What image.js makes of it."""
    data = gzip.decompress(bundle.read_bytes())
    at = 4 + int.from_bytes(data[:4], "little")
    files = {}
    for name, size in json.loads(data[4:at]):
        files[name] = data[at : at + size]
        at += size
    assert at == len(data)
    return files


def test_what_nothing_imports_and_what_the_image_holds_is_not_in_the_folder(small: Path):
    files = apart(small / "files.bin")
    assert {name for name in files if "/numpy/" in name} == {"/lib/python3.13/site-packages/numpy/core.py"}
    python = inside(io.BytesIO(files["/lib/python.zip"]))
    assert python == {"streamlit/core.pyc", "google/__init__.py", "headcount_boot.py"}
    assert apart(small / "libraries.bin") == {"/lib/python3.13/site-packages/numpy/used.so": b"17"}
    assert inside(small / "pyodide/python_stdlib.zip") == {"wave.pyc"}
    assert inside(small / "PIL.zip") == {"pillow/core.py", "pillow/used.so", "pillow/unused.so"}


def test_no_part_of_streamlits_screen_that_the_app_asks_for_is_left_out():
    function = {part: re.sub("(?<=[a-z])(?=[A-Z])", "_", part).lower() for part in building.NOT_SHOWN}
    asked = {
        node.func.attr
        for folder in ("components", "pages")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and getattr(node.func.value, "id", "") == "st"
    }
    assert not asked & {*function.values(), "altair_chart", "line_chart", "pydeck_chart", "graphviz_chart"}


def test_programs_of_what_the_app_never_shows_are_left_out_with_all_that_only_they_need(small: Path):
    there = {file.relative_to(small / "stlite").as_posix() for file in (small / "stlite").rglob("*") if file.is_file()}
    assert there == {"stlite.js", "core-1.js", "Slider-2.js", "stlite.css", "assets/5.woff2"}
    assert not (small.parent / "out/out").exists()


def test_the_worker_starts_as_the_app_does_and_another_stlite_is_refused(small: Path):
    assert (small / "worker.js").read_text().splitlines()[:3] == [
        'import { start } from "./start.js";', "async function xe(t, s, n, l, r) {", "  return start(n);",
    ]  # fmt: skip
    assert "worker: e.worker" in (small / "stlite/stlite.js").read_text()
    assert "if (ve = 0, 10 < ve) later();" in (small / "stlite/core-1.js").read_text()  # nothing waits after a skeleton
    changed = {name.removeprefix("build/"): data for name, data in STLITE.items()} | {"stlite.js": b"another"}
    with pytest.raises(ValueError, match="stlite: 'pyodideUrl"):
        building.front(changed)


def test_the_runtime_is_told_of_no_package_that_it_could_ask_for(small: Path):
    lock = json.loads((small / "pyodide/pyodide-lock.json").read_text())
    assert (lock["info"], lock["packages"]) == ({"python": "3.13.2"}, {})


def test_every_page_has_an_address_of_its_own_and_leads_to_the_same_files(small: Path):
    for page in (ROOT / "pages").glob("*.py"):
        place, up = ("", "./") if page.stem == "heads" else (page.stem, "../")
        html = (small / place / "index.html").read_text()
        assert f'open("{up}", python, said)' in html
        assert f'new Worker("{up}worker.js"' in html
        assert "@" not in html


def test_the_first_picture_stands_in_the_page_with_its_numbers(small: Path):
    """16 columns, four matrices of 16 × 16 and four biases of 16."""
    html = (small / "index.html").read_text()
    assert f"Paper, PyTorch: 1 head: {4 * 16 * 16 + 4 * 16:,} parameters; 2 heads: {4 * 16 * 16 + 4 * 16:,} parameters;" in html
    for theme in ("light", "dark"):
        assert (small / f"first/heads-{theme}.svg").read_text().startswith("<svg")
        assert f"./first/heads-{theme}.svg" in html


def test_the_app_is_in_it_whole_and_nothing_that_was_not_asked_for(small: Path):
    home = "/home/pyodide/"
    names = {name.removeprefix(home) for name in apart(small / "files.bin") if name.startswith(home)}
    assert {"app.py", "mha/config.py", "pages/attention.py", "assets/proof.json", "static.json"} <= names
    assert "mha/forward.py" not in names  # it is in the image
    assert not [name for name in names if "__pycache__" in name or name.startswith(("tests", "deploy", "benchmarks"))]


def test_what_is_kept_offline_is_all_that_is_there(small: Path):
    files = json.loads((small / "offline.js").read_text().split("const FILES = ", 1)[1].split(";\n", 1)[0])
    there = {file.relative_to(small).as_posix() for file in small.rglob("*") if file.is_file()}
    assert set(files) == there - {"offline.js"}
    for name, beginning in files.items():
        assert hashlib.sha256((small / name).read_bytes()).hexdigest().startswith(beginning)


def test_a_course_lists_every_file_and_begins_with_a_page_that_is_there(small: Path):
    with zipfile.ZipFile(building.course(small)) as course:
        manifest = ET.fromstring(course.read("imsmanifest.xml"))
        names = set(course.namelist())
    space = {"": "http://www.imsproject.org/xsd/imscp_rootv1p1p2"}
    assert {file.get("href") for file in manifest.findall(".//file", space)} == names - {"imsmanifest.xml"}
    assert {one.get("href") for one in manifest.findall(".//resource", space)} - {None} == {"index.html", "quiz/index.html"}


def test_words_measured_letter_by_letter_are_as_wide_as_in_the_font():
    table = json.loads(json.dumps(boot.measured()))
    for face, bold in (("sans", False), ("serif", True)):
        letters = boot.Letters(*table[f"{face} {bold}"])
        for words in ("AVATAR Today, 1,088 parameters", "W_Q · Xᵀ ÷ √d", "Type “Te” – ₂₃"):
            assert letters.getlength(words) == pytest.approx(_font(face, bold).getlength(words), rel=0.005)


def test_the_stand_in_for_pillow_knows_no_image_and_gives_way_when_one_is_opened(monkeypatch: pytest.MonkeyPatch):
    import PIL.Image as real

    real.init()  # a part that is imported for the first time below would belong to the other PIL for good
    for module in [module for module in sys.modules if module.partition(".")[0] == "PIL"]:
        monkeypatch.delitem(sys.modules, module)
    boot.stand_in_for_pillow()
    late = sys.modules["PIL.Image"]
    assert late is not real
    assert not isinstance(real.new("L", (2, 3)), (late.Image, sys.modules["PIL.ImageFile"].ImageFile))
    file = io.BytesIO()
    late.new("L", (5, 7)).save(file, "PNG")
    assert late.open(file).size == (5, 7)
    assert sys.modules["PIL.Image"] is not late


def test_each_message_of_a_run_is_in_the_page_before_the_run_goes_on(monkeypatch: pytest.MonkeyPatch):
    for owner, name in ((AppSession, "_on_scriptrunner_event"), (Runtime, "_enqueued_some_message"),
                        (StarletteSessionClient, "write_forward_msg")):  # fmt: skip
        monkeypatch.setattr(owner, name, getattr(owner, name))  # given back at the end
    posted = []
    boot.send_at_once(posted.append)
    Session = type("Session", (AppSession,), {"__del__": lambda _: None})
    session, client, runtime = (object.__new__(one) for one in (Session, StarletteSessionClient, Runtime))
    runtime._session_mgr = SimpleNamespace(list_active_sessions=lambda: [SimpleNamespace(session=session, client=client)])
    runtime._message_cache = None
    vars(session).update(
        _scriptrunner=None, _state=AppSessionState.APP_IS_RUNNING, _browser_queue=ForwardMsgQueue(),
        _message_enqueued_callback=runtime._enqueued_some_message,
    )

    async def run_of_a_page() -> None:
        session._event_loop = asyncio.get_running_loop()
        for place in (3, 5):
            message = ForwardMsg()
            message.metadata.delta_path[:] = [0, place]
            message.delta.new_element.markdown.body = "words"
            session._on_scriptrunner_event(None, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, message)
            assert [*ForwardMsg.FromString(posted[-1]).metadata.delta_path] == [0, place]

    in_thread(run_of_a_page())
    assert len(posted) == 2


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


def test_in_a_browser_no_page_advises_to_install_what_cannot_be_there(monkeypatch: pytest.MonkeyPatch):
    reply = Reply("missing")
    assert "`pip install tensorflow`" in state_line(reply, "")
    monkeypatch.setattr(in_browser, "IN_BROWSER", True)
    said, stored = state_line(reply, ""), proof.stored()
    assert said.startswith("What is shown is by formula: there is no TensorFlow in a browser, so the real layer is not run.")
    assert f"(Keras {stored['keras']} on TensorFlow {stored['tensorflow']}, {stored['date']})" in said
    assert f"the same for {len(stored['layers'])} layers" in said
    assert "install" not in said


def test_in_a_browser_no_kind_of_file_is_off(monkeypatch: pytest.MonkeyPatch):
    def of_figures() -> tuple[list[str], list[str], list[str]]:
        """Labels of the buttons that are off, of the kinds in a zip, and what is said about them."""
        page = open_page("figures")
        off = [button.proto.label for button in page.get("download_button") if button.proto.disabled]
        kinds = next(pills for pills in page.button_group if pills.key == "zip_kinds").options
        return off, kinds, [said.value for said in (*page.caption, *page.info)]

    assert of_figures()[1] == [label for label, _ in FORMATS.values()]
    monkeypatch.setattr(in_browser, "IN_BROWSER", True)
    monkeypatch.setattr(browser, "missing", lambda: f"None is written by a server. {browser.WITHOUT}")
    off, kinds, said = of_figures()
    assert off == []
    assert kinds == [label for kind, (label, _) in FORMATS.items() if kind not in ("pdf", "png@2x", "png@3x")]
    assert [one for one in said if "written by a server" in one or browser.WITHOUT in one] == []


def test_the_stored_proof_is_of_layers_whose_counts_are_right():
    rows = proof.stored()["layers"]
    assert len(rows) > 40
    assert [row for row in rows if count_parameters(Config(**row["layer"])) != row["count"] or row["output"] > 1e-5] == []


def test_with_the_stored_runs_alone_every_claim_has_its_verdict_and_every_question_its_answer(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(in_browser, "IN_BROWSER", True)
    known = results._known.__wrapped__()
    monkeypatch.setattr(results, "_known", lambda: known)
    monkeypatch.setattr(results, "keras_client", lambda: pytest.fail("Keras was asked"))
    expected = {row[0]: row[3] for row in json.loads((ROOT / "tests/lessons/claims/table.json").read_text(encoding="utf-8"))}
    given = {claim.number: results.judgement_of(claim).verdict for claim in CLAIMS}
    assert given == {number: expected[number] for number in given}
    assert [question.id for question in QUESTIONS if results.answer_to(question) is None] == []
    assert re.fullmatch(r"the real Keras layer, stored \d{4}-\d\d-\d\d \(Keras 3\S+ on TensorFlow 2\S+\)", results.run_by(True))
    monkeypatch.setattr(in_browser, "IN_BROWSER", False)
    assert results.run_by(True) == "the real Keras layer"


def test_the_pinned_files_are_named_after_their_versions():
    for part in KNOWN["npm"]:
        assert part["version"] in part["file"]
        assert part["integrity"].startswith("sha512-")
    assert {plain(part["file"].split("-")[0]) for part in KNOWN["wheels"]} >= {"protobuf", "blinker"}


# All that is seen in a browser is one test: few starts of Python (3 s of computing each) serve all of it.
SETTLED = """() => {
  const app = document.querySelector('[data-testid="stApp"]');
  return app.dataset.testScriptState === 'notRunning'
    && !document.querySelector('[data-testid="stSkeleton"], [data-stale="true"]')
    && [...document.querySelectorAll('.headcount-chart')]
      .every((chart) => !chart.checkVisibility() || chart.querySelector('.main-svg'));
}"""
PATIENCE = 120_000  # milliseconds


def ready(page: Page) -> None:
    page.wait_for_selector("html[data-ready]", state="attached", timeout=PATIENCE)
    settled(page)


def settled(page: Page) -> None:
    """Nothing has been under way for half a second."""
    still = 0
    while still < 5:
        page.wait_for_timeout(100)
        page.wait_for_function(SETTLED, timeout=PATIENCE)
        still += 1
    assert page.locator('[data-testid="stException"]').count() == 0


def title(page: Page) -> str:
    return page.locator("#root h1").first.inner_text()


def titled(page: Page, words: str) -> None:
    page.locator("#root h1", has_text=words).first.wait_for(timeout=PATIENCE)
    settled(page)


def choose_page(page: Page, name: str) -> None:
    """By the menu, where most pages stand below the name of a section."""
    before = title(page)
    link = page.locator('[data-testid="stTopNavLink"]:visible', has_text=name)
    for section in page.locator('[data-testid="stTopNavSection"]:visible').all():
        if link.count():
            break
        section.click()
        page.locator('[data-testid="stTopNavDropdownLink"]').first.wait_for()
        link = page.locator('[data-testid="stTopNavDropdownLink"]:visible', has_text=name)
        if not link.count():
            page.keyboard.press("Escape")
            page.locator('[data-testid="stTopNavDropdownLink"]').first.wait_for(state="hidden")
    link.first.click()
    changed = "before => (document.querySelector('#root h1')?.innerText ?? before) !== before"
    page.wait_for_function(changed, arg=before, timeout=PATIENCE)
    settled(page)


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """The real thing in a sub-folder of a web server's. Skipped, with the reason, where the parts cannot be had."""
    given = os.environ.get("STATIC_WHEELS")
    try:
        with patch.object(building, "packed", partial(gzip.compress, compresslevel=1)):  # as quickly as it can be, not as small
            building.build(tmp_path / "site/class/headcount", Parts(ROOT / "build/parts", Path(given) if given else None))
    except Missing as error:
        pytest.skip(f"parts of the static build are not to be had from here: {str(error)[:300]}")
    return tmp_path / "site"


@pytest.fixture
def platform() -> str:
    """The other half of SCORM 1.2, as a learning platform has it."""
    try:
        with Parts(ROOT / "build/parts").npm(KNOWN["tried_against"]) as archive:
            program = archive.extractfile("package/dist/scorm12.min.js").read().decode()
    except Missing as error:
        pytest.skip(f"scorm-again is not to be had from here: {error}")
    return f"{program}; window.API = new Scorm12API({{ autocommit: false }});"


@pytest.mark.first
@pytest.mark.browser
def test_without_a_server_and_without_a_network_the_app_is_all_there(new_page, built: Path, platform: str):
    handler = partial(QuietHandler, directory=built)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_port}/class/headcount"
    page = new_page(alone=True)

    # A link to a page, with a setting and a chosen cell; before Python is there, no numbers that would not hold for it.
    page.goto(f"{site}/attention/?num_heads=8&cell=weights.2.9.12")
    assert page.locator("#first nav a").count() == len(ENTRIES)
    assert page.locator("#ahead").count() == 0
    ready(page)
    assert title(page).startswith("8 heads, 8 maps")
    assert page.locator("#first").count() == 0
    assert page.url == f"{site}/attention?num_heads=8&cell=weights.2.9.12"
    # The arithmetic of the cell is right, and it is that of the layer that was trained with eight heads.
    product, root, score = map(float, re.findall(r"-?[0-9]+\.[0-9]+", arithmetic(page).replace("−", "-"))[:3])
    assert score == pytest.approx(product / root, abs=5e-3)
    trained = Reading(DEFAULT).layer(Config(16, 8, query_len=LENGTH, key_len=LENGTH))
    assert result(page) == pytest.approx(trained.trace().weights.values[0, 1, 8, 11], abs=2e-3)

    law = "More heads: the paper cuts finer, Keras adds pieces."
    links = {f"{site}/": (START.title, law), page.url: ("Attention", title(page))}
    for name in [*ENTRIES, START.title]:
        if name != "Attention":
            choose_page(page, name)
            assert page.locator('[data-testid="stMain"] h1').count() == 1, name
            links[page.url] = name, title(page)
        if name == "Heads and parameters":
            assert "so this is not compared live" in page.locator(".st-key-check").inner_text()  # trained numbers
        if name == "Claims, checked":
            assert page.locator(".st-key-claims_tally").inner_text().startswith(f"All {len(CLAIMS)} run: ")

    # The heads slider, and a picture as a file.
    slider = page.locator('input[type="range"][aria-label="Heads `num_heads`"]').first
    slider.focus()
    page.keyboard.press("ArrowLeft")
    becomes(page, lambda: lit_card(page), ("paper 4", 1088))
    page.get_by_text("As a table or a file").first.click()
    settled(page)
    with page.expect_download(timeout=PATIENCE) as saved:
        page.locator(".st-key-law_files").get_by_role("button", name="SVG").click()
    root = ET.fromstring(Path(saved.value.path()).read_bytes())
    assert root.tag.endswith("svg")
    assert saved.value.suggested_filename == "heads_d16_h4.svg"

    # What a server's Chromium writes, the visitor's does: a PNG with the picture in it, and a PDF by its own dialog.
    choose_page(page, "Figures to take away")
    settled(page)
    with page.expect_download(timeout=PATIENCE) as saved:
        page.get_by_role("button", name="PNG 2×").click()
    picture = Image.open(Path(saved.value.path())).convert("RGB")
    assert (saved.value.suggested_filename, picture.size) == ("heads_d16_h4@2x.png", (2 * 1280, 2 * 720))
    assert len(picture.getcolors(1 << 22)) > 100
    page.get_by_role("button", name="PDF", exact=True).click()
    sheet = page.frame_locator(".headcount-print")
    sheet.locator("svg desc").wait_for(state="attached", timeout=PATIENCE)
    assert sheet.locator("svg").bounding_box()["width"] == 1280
    choose_page(page, START.title)

    # The presenter, then out of it.
    page.get_by_text("Present", exact=True).first.click()
    page.wait_for_function("location.search.includes('present=1')", timeout=PATIENCE)
    settled(page)
    assert page.locator("#root h1, #root h2").count() > 0

    # All is kept. Then the web server is gone, and the links that were copied here are opened.
    page.wait_for_function(KEPT, timeout=PATIENCE)
    server.shutdown()
    server.server_close()
    later = page.context.new_page()
    watch(later)
    later.add_init_script(platform)
    assert len(links) == len(ENTRIES) + 1  # the start page without and with settings
    kept = "async (link) => (await (await fetch(link)).text()).match(/ aria-current=page>([^<]*)/)[1]"
    for link, (name, headline) in sorted(links.items(), key=lambda one: "/quiz?" in one[0]):  # the quiz last: it is answered
        if re.fullmatch(COLD, link.removeprefix(site)):
            later.goto(link)
            ready(later)
        else:  # its document is kept as well, and the Python that runs by now shows its screen
            assert later.evaluate(kept, link) == escape(name)
            later.evaluate(GO, link)
            becomes(later, lambda: title(later), headline)
            settled(later)
        assert (later.url.partition("?")[0], title(later)) == (link.partition("?")[0], headline)
    later.locator(".st-key-option_1 button").click()
    titled(later, "of 1 right.")
    right = int(title(later).split(": ")[1].split(" ")[0])
    assert later.evaluate("API.LMSGetValue('cmi.core.score.raw')") == str(100 * right)
    assert later.evaluate("API.LMSGetValue('cmi.core.lesson_status')") == "incomplete"

    # A Keras file, which is HDF5, is read here by Python alone.
    later.goto(f"{site}/own_layer/")
    ready(later)
    keras = {"name": "mine.keras", "mimeType": "application/zip", "buffer": keras_model(keras_h5(arrays()))}
    later.locator('input[type="file"]').first.set_input_files(keras)
    titled(later, "3 heads, 11 wide: your layer has 854 parameters.")
    assert problems(later) == []


#: The links that start Python anew: without and with settings, with a cell, to a file to be given, and to where answers count.
COLD = r"/(|attention|own_layer|quiz)(\?.*)?"
#: Whether every file is in the browser's own store.
KEPT = """async () => {
  const text = await (await fetch(new URL('offline.js', document.querySelector('link[rel=icon]').href))).text();
  const files = Object.keys(JSON.parse(text.split('const FILES = ')[1].split(';\\n')[0]));
  const cache = await caches.open((await caches.keys())[0]);
  return (await cache.keys()).length === files.length;
}"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass
