"""Files that Chromium must make or open: PDF, PNG, charts as SVG, HTML with the network off, and the page itself."""

import asyncio
import io
import os
import re
import signal
import time
import xml.etree.ElementTree as ET
import zipfile
import zlib
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from components.app import lesson
from headcount.export import browser as rendering_browser
from headcount.export.browser import SharedBrowser
from headcount.export.figures import FIGURES
from headcount.export.rendering import file_of, sheet_of
from headcount.export.request import request_of
from headcount.export.style import Style
from tests.browser.helpers import address, open_app, wait_until_settled
from tests.browser.screen import becomes
from tests.export.sheets import SVG, words
from tests.serving import Server

pytestmark = pytest.mark.usefixtures("chromium_for_files")


def made(name: str, kind: str, look: Style | None = None, **asked) -> bytes:
    return file_of(FIGURES[name], request_of(asked), look or Style(), kind)


@pytest.mark.parametrize(
    ("look", "width"), [(Style(size="slide"), 2560), (Style(), 1950), (Style(size="own", width_mm=152.4), 1800)]
)
def test_a_png_has_as_many_pixels_as_it_says(look, width):
    """A slide has 192 dots an inch, all else 300, for 6.5 and 6 inches."""
    assert Image.open(io.BytesIO(made("attention", "png", look))).size[0] == pytest.approx(width, abs=2)


def streams(pdf: bytes) -> bytes:
    found = re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.S)
    unpacked = []
    for part in found:
        try:
            unpacked.append(zlib.decompress(part))
        except zlib.error:
            unpacked.append(part)
    return b"\n".join(unpacked)


def test_a_pdf_is_one_page_of_vectors_and_text():
    pdf = made("heads", "pdf", Style(size="own", width_mm=180))
    assert pdf.count(b"/Type /Page\n") == 1
    wide, high = (float(part) for part in re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf).groups())
    assert wide == pytest.approx(180 / 25.4 * 72, abs=0.01), "not a point wider: LaTeX complains of what is wider than its column"
    assert 100 < high < 700
    assert b"/Title (More heads: the paper cuts thinner slices, Keras adds slices)" in pdf
    assert b"/StructTreeRoot" in pdf
    alt = re.search(rb"/S /Figure[^>]*/Alt <([0-9A-F]+)>", pdf)[1].decode()
    assert bytes.fromhex(alt).decode("utf-16").startswith("Each card shows the weights of one layer"), "what is drawn, in words"
    assert b"/Subtype /Image" not in pdf
    assert b"/FontFile" in pdf
    assert b"/ToUnicode" in pdf
    drawn = streams(pdf)
    assert drawn.count(b" re\n") + drawn.count(b" l\n") > 1984, "the cells of eight W_Q are drawn, not painted"
    assert b"BT" in drawn


def test_a_chart_is_vectors_and_text_on_the_same_sheet():
    root = ET.fromstring(made("time", "svg", num_heads=4))
    said = [line.replace("\u200b", "").strip() for line in words(root)]
    assert said[0].startswith("128 heads have as many parameters as 8 and take ")
    assert {"measured time", "heads (h)", "parameters", "4 heads"} <= set(said)
    assert not list(root.iter(f"{SVG}image"))


#: What a chart's words measure on its sheet, in a browser: of each how far it is from the sheet's edges.
MEASURED = """() => {
  const svg = document.querySelector("svg"), { left, top, width, height } = svg.getBoundingClientRect();
  const words = [...svg.querySelectorAll(".main-svg text")].filter((text) => text.textContent.trim());
  return words.map((text) => {
    const box = text.getBoundingClientRect();
    return [text.textContent, box.left - left, box.top - top, left + width - box.right, top + height - box.bottom];
  });
}"""


@pytest.mark.parametrize("size", ["page", "column", "slide"])
def test_every_word_of_a_chart_is_on_its_sheet(page, size):
    page.set_viewport_size({"width": 1300, "height": 1400})
    over = {}
    for name, figure in FIGURES.items():
        if figure.draw(request_of({"head_off": 1})).is_plotted:
            page.set_content(made(name, "svg", Style(size=size), head_off=1).decode())
            found = page.evaluate(MEASURED)
            assert len(found) > 1
            over[name] = [one for one in found if min(one[1:]) < -1.5]
    assert over == {name: [] for name in over}


def test_a_maps_cells_have_the_colours_that_are_asked_for():
    """The first map's largest weight is nearly 1: the scale's last colour, in print black. A sheet's background is white."""
    for theme, darkest in (("light", (65, 35, 100)), ("print", (0, 0, 0))):
        picture = Image.open(io.BytesIO(made("attention", "png", Style(theme=theme)))).convert("RGB")
        colours = {colour for _, colour in picture.getcolors(1 << 24)}
        assert min(max(abs(a - b) for a, b in zip(colour, darkest, strict=True)) for colour in colours) <= 2, theme


def test_another_browser_gives_the_same_bytes(monkeypatch):
    """Plotly makes random ids, and a PDF has its time."""
    files = (("divisors", "svg"), ("attention", "pdf"), ("right_answers", "pdf"), ("steps", "png", Style(size="slide")))
    once = {file: made(*file) for file in files}
    sheet_of.cache_clear()
    rendering_browser.chart.cache_clear()
    other = SharedBrowser()
    monkeypatch.setattr(rendering_browser, "SHARED", other)
    again = {file: made(*file) for file in files}
    other.close()
    assert [file for file in files if again[file] != once[file]] == []


def test_a_browser_that_dies_is_replaced():
    once = made("steps", "pdf")
    shared = rendering_browser.SHARED

    async def die(browser):
        await browser.close()
        raise OSError("gone")

    with pytest.raises(rendering_browser.NoBrowser, match=r"The browser failed \(OSError\)"):
        shared.ask(die)
    assert made("steps", "pdf") == once


def test_work_that_takes_too_long_is_given_up(monkeypatch):
    async def sleep(browser):
        await asyncio.sleep(60)

    monkeypatch.setattr(rendering_browser, "LIMIT", 0.5)
    shared = SharedBrowser(start=lambda: asyncio.sleep(0))
    with pytest.raises(rendering_browser.NoBrowser, match="did not finish"):
        shared.ask(sleep)
    shared.close()


def processes_of(group: int) -> list[int]:
    """The processes of a group that have not ended (Linux)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its_group = stat.read_text().rpartition(")")[2].split()[:3]
            found += [int(stat.parent.name)] * (int(its_group) == group and state != "Z")
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="groups of processes are read where Linux shows them")
def test_a_browser_that_hangs_is_ended_with_all_its_processes_and_the_next_figure_gets_another(monkeypatch):
    """A stopped process hears nothing, not even the end of the process that started it."""
    monkeypatch.setattr(rendering_browser, "CLOSING", 0.5, raising=False)
    shared, groups = SharedBrowser(), []

    async def stop(browser):
        groups.append(browser._browser.subprocess.pid)
        for pid in {*processes_of(groups[0])} - {groups[0]}:  # all but the one that waits for it
            os.kill(pid, signal.SIGSTOP)
        return await browser.png("<svg></svg>", 10, 10, 1)

    try:
        shared.ask(lambda browser: browser.png("<svg></svg>", 10, 10, 1))
        monkeypatch.setattr(rendering_browser, "LIMIT", 1.0)
        with pytest.raises(rendering_browser.NoBrowser, match="did not finish within 1 seconds"):
            shared.ask(stop)
        deadline = time.monotonic() + 20
        while processes_of(groups[0]) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert processes_of(groups[0]) == []
        monkeypatch.setattr(rendering_browser, "LIMIT", 40.0)
        assert shared.ask(lambda browser: browser.png("<svg></svg>", 10, 10, 1))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(groups[0], signal.SIGKILL)
        shared.close()


def test_a_browser_that_hangs_while_it_starts_is_ended(tmp_path, monkeypatch):
    """It never answers, and has a child process, as Chromium has."""
    program, pids = tmp_path / "chromium", tmp_path / "pids"
    program.write_text(f"#!/bin/sh\nsleep 300 &\necho $$ $! > {pids}\nwait\n")
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(program))
    monkeypatch.setattr(rendering_browser, "LIMIT", 2.0)
    shared = SharedBrowser()
    with pytest.raises(rendering_browser.NoBrowser):
        shared.ask(lambda browser: browser.png("<svg></svg>", 10, 10, 1))
    shared.close()
    here = [int(pid) for pid in pids.read_text().split()]
    deadline = time.monotonic() + 20
    while (left := [pid for pid in here if Path(f"/proc/{pid}/stat").exists()]) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


def test_a_scenes_file_works_without_a_network_and_keeps_hover_and_the_heads_slider(new_page):
    page = new_page(offline=True)
    page.set_content(made("heads", "html").decode())
    page.wait_for_selector(".stage[data-drawn]")
    label = page.locator(".over").get_attribute("aria-label")
    assert label.endswith("The chosen layer is the paper’s, with 4 heads.")
    page.locator("#heads").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.over').getAttribute('aria-label').endsWith('paper’s, with 8 heads.')")
    assert page.locator("output").inner_text() == "8"
    page.locator(".over").hover(position={"x": 60, "y": 140})
    page.wait_for_selector(".tip:not([hidden])")
    assert re.match(r"W_Q of head 1, row \d+, column \d+ = −?\d\.\d{3}", page.locator(".tip").inner_text())


def test_a_charts_file_works_without_a_network(new_page):
    page = new_page(offline=True)
    page.set_content(made("time", "html").decode())
    page.wait_for_selector(".main-svg")
    page.locator("#heads").focus()
    page.keyboard.press("Home")
    page.locator(".textpoint text").get_by_text("1 head").wait_for()
    tools = page.locator(".modebar-btn").evaluate_all("buttons => buttons.map((button) => button.dataset.title)")
    assert "Download plot as a PNG" in tools
    assert not [tool for tool in tools if "share" in tool.lower()]
    assert page.evaluate("document.querySelector('figure')._context.plotlyServerURL") == "", "nowhere to send it to"


#: Of each map's words the least distance of two that follow each other, beside its rows and above its columns.
PITCHES = """() => ["ytick", "xtick"].map((kind) => [...document.querySelectorAll(`g.${kind} text`)]
  .map((text) => text.getBoundingClientRect()).map((box) => kind === "ytick" ? box.top : box.left))"""


@pytest.mark.parametrize("width", [390, 690, 720, 1100])
def test_words_at_the_maps_of_a_file_stand_apart_on_a_page_of_any_width(new_page, width):
    """Each row has its word if there is room, otherwise only the asking row. Below are the words that it attends to."""
    page = new_page(offline=True)
    page.set_viewport_size({"width": width, "height": 900})
    page.set_content(made("attention", "html").decode())
    page.wait_for_selector(".main-svg")
    rows, columns = page.evaluate(PITCHES)
    assert len(rows) >= 1
    assert len(columns) >= 1
    for places in (rows, columns):
        steps = [after - before for before, after in pairwise(places) if 0 < after - before < 60]
        assert min(steps, default=60) >= 12.5
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_the_page_a_chart_is_previewed_and_its_pdf_saved(page, server):
    open_app(page, f"{server}/figures?figure=divisors&size=column&theme=print")
    picture = page.locator(".st-key-preview img")
    picture.wait_for()
    assert picture.get_attribute("alt").startswith("The bars show the attention weights of query ")
    assert picture.evaluate("image => image.naturalWidth") > 300
    page.get_by_role("radio", name="PDF").click()
    with page.expect_download() as saving:
        page.locator(".st-key-figure_row").get_by_role("button", name="Save PDF").click()
    assert saving.value.suggested_filename == "divisors_d16_h4.pdf"
    assert saving.value.path().read_bytes() == made("divisors", "pdf", Style(size="column", theme="print"))


@pytest.fixture
def without_chromium(tmp_path, monkeypatch):
    """A fresh server that has no Chromium."""
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "none"))
    with Server(tmp_path / "server.log") as running:
        yield running.url


def test_a_server_without_chromium_leaves_a_charts_files_to_the_readers_browser(page, without_chromium):
    open_app(page, f"{without_chromium}/figures?figure=divisors&size=page")
    page.locator(".st-key-preview .main-svg").first.wait_for()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save SVG").click()
    assert saved.value.suggested_filename == "divisors_d16_h4.svg"
    assert {"weight", "Ana", "thanks"} <= {*words(saved.value.path().read_text())}
    page.get_by_role("radio", name="PNG").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save PNG").click()
    with Image.open(saved.value.path()) as picture:
        assert picture.size[0] == pytest.approx(1950, abs=2)


def test_all_figures_come_as_one_zip(page, server):
    look = Style(size="own", width_mm=152.4)
    open_app(page, f"{server}/figures?num_heads=2&size=own&width_mm=152.4")
    page.get_by_role("button", name="All 22 as a zip").click()
    with page.expect_download(timeout=120_000) as saving:
        page.get_by_role("button", name=re.compile("Save figures_d16_h2.zip")).click(timeout=120_000)
    with zipfile.ZipFile(saving.value.path()) as box:
        names = box.namelist()
        shared = request_of({"num_heads": 2}).in_a_set()  # all of them show the network with 2 heads
        assert box.read("heads_d16_h2.svg") == file_of(FIGURES["heads"], shared, look, "svg")
    assert "block_diagram_d16_h2.svg" in names
    assert "concatenation_d16_h2.png" in names
    assert {name.rpartition(".")[2] for name in names} == {"svg", "pdf", "png", "csv", "json", "txt"}


def test_the_lessons_first_page_is_full_and_no_line_to_write_on_touches_the_next_question(page):
    """At 96 pixels an inch, A4 without its sheet's margins is 269 mm high."""
    page.set_content(lesson.page())
    first, *guesses = (one.bounding_box() for one in page.locator("section:first-of-type, .guess").all())
    assert 0.97 < first["height"] / (269 / 25.4 * 96) <= 1
    lines = [box["y"] + box["height"] for box in guesses]
    assert min(after["y"] - line for line, after in zip(lines, guesses[1:], strict=False)) >= 10


def test_a_press_anywhere_on_a_thumbnail_opens_it_and_keys_go_from_one_to_the_next(page, server):
    open_app(page, f"{server}/figures")
    wait_until_settled(page)
    assert {
        ends["y"] + ends["height"] <= 700
        for ends in (one.bounding_box() for one in page.locator("[class*=st-key-thumb_] img").all())
    } == {True}
    page.locator(".st-key-take_heads button").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == FIGURES["pieces"].title
    box = page.locator(".st-key-thumb_cuts_schematic img").bounding_box()
    page.mouse.click(box["x"] + 20, box["y"] + 20)
    becomes(page, lambda: address(page), "/figures?figure=cuts_schematic")
    becomes(page, page.locator(".st-key-preview img").count, 1)
    wait_until_settled(page)
    below = page.locator(".st-key-preview img").bounding_box()
    assert below["y"] + below["height"] <= 708


def test_on_a_phone_two_thumbnails_are_in_a_row_and_no_word_lies_on_another(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    open_app(page, f"{server}/figures")
    wait_until_settled(page)
    title, lead = (page.locator(one).first.bounding_box() for one in ("h1", ".st-key-at_once p"))
    assert title["y"] + title["height"] <= lead["y"]
    first, second, third = (page.locator(f".st-key-thumb_{one}").bounding_box() for one in ("heads", "pieces", "block_diagram"))
    assert first["y"] == second["y"] < second["y"] + second["height"] <= third["y"]
    assert second["x"] + second["width"] <= 390


def test_on_a_phone_the_opened_figure_stands_above_its_choices(page, server):
    page.set_viewport_size({"width": 390, "height": 844})
    open_app(page, f"{server}/figures?figure=steps")
    picture, row = (page.locator(one).bounding_box() for one in (".st-key-preview img", ".st-key-figure_row"))
    assert picture["y"] + picture["height"] < row["y"]
    assert row["y"] + row["height"] < 844
