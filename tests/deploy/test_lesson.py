"""The lesson as plain pages (`make lesson`): files that need no other, no server, no Python and, for reading, no JavaScript."""

import base64
import io
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from deploy.static import cover
from headcount.stage import svg
from headcount.stage.both import in_both
from headcount.stage.layout import Rect
from headcount.stage.scene import Block, Grid, Length
from headcount.stage.theme import DARK, LIGHT, Theme
from lessons.walk import STEPS
from tests.browser.helpers import problems
from tests.browser.screen import becomes
from tests.browser.test_accessibility import AXE

#: A page's file, and what its heading says with 8 heads in Keras's way.
WITH_EIGHT = {
    "index.html": "Twice the heads. Twice the parameters?",
    "projections/index.html": "Each head reads all of X through its own 16 × 4 slice.",
    "concatenation/index.html": "8 heads × 4 columns = 32, then one matrix mixes them.",
    "attention/index.html": "Of 8 heads, 2 keep to a question: “where” and “when”.",
    "trained_heads/index.html": "One head cannot tell who from whom; 8 heads can.",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("lesson") / "lesson"
    cover.build(out, "https://lesson.example/")
    return out


def test_every_page_is_one_file_of_at_most_a_megabyte_and_the_folder_of_three(folder: Path):
    pages = [file.relative_to(folder).as_posix() for file in folder.rglob("*.html")]
    assert sorted(pages) == sorted([*WITH_EIGHT, *(f"walk/{step}/index.html" for step in range(1, len(STEPS) + 1))])
    assert max(file.stat().st_size for file in folder.rglob("*.html")) <= 1_000_000
    assert sum(file.stat().st_size for file in folder.rglob("*.*")) <= 3_000_000
    assert folder.with_suffix(".zip").stat().st_size <= 2_000_000


def test_a_page_has_its_head_and_asks_nothing_of_others(folder: Path):
    """Links to the pages beside it are allowed."""
    titles = set()
    for file in folder.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert text.count("<h1") == 1, file
        said = dict(re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)">', text))
        assert said["description"] == said["og:description"] != "", file
        own = file.parent.name if f"{file.parent.name}/index.html" in WITH_EIGHT else "heads"
        assert said["og:image"] == f"https://lesson.example/preview/{own}.png"
        with Image.open(folder / said["og:image"].removeprefix("https://lesson.example/")) as picture:
            assert picture.size == (600, 315)
        titles.add(said["og:title"])
        asked = [one for one in re.findall(r'\b(?:src|href)="([^"]*)"|url\(([^)]*)\)', text) for one in one if one]
        beside = [one for one in asked if not one.startswith("data:")]
        assert all((file.parent / one.partition("?")[0]).is_file() for one in beside), beside
        assert len(beside) > 5, file
    assert len(titles) == len(WITH_EIGHT) + len(STEPS)


def test_a_colour_and_an_image_of_a_picture_follow_the_readers_theme():
    light, dark = (
        '<rect fill="#ffffff"/><image href="a"/><rect fill="#0b0b0b"/>',
        '<rect fill="#1b222c"/><image href="b"/><rect fill="#0c0c0c"/>',
    )
    drawn = in_both(light, dark, 7, 11)
    first, second = re.findall(r'fill="var\((--\w+)\)"', drawn)
    light, dark = re.findall(r"svg{(.*?)}", drawn)
    assert light == f"{first}:#ffffff;{second}:#0b0b0b;"
    assert dark == f"{first}:#1b222c;{second}:#0c0c0c;"
    assert '<image href="a"/><image href="b"/>' in drawn


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_cells_as_an_image_have_the_colours_that_they_have_as_rectangles(theme: Theme):
    """The grid has a masked cell, which is transparent."""
    values = np.random.default_rng(7).normal(size=(5, 7)).astype(np.float32)
    values[1, 2] = np.nan
    drawn = [
        svg.cells(
            Block("a", "a", Length(), Length(), 5, 7), Rect(3, 11, 91, 65), Grid(values), 2.0, svg.Ink(theme, images=images), 0
        )
        for images in (False, True)
    ]
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(re.search(r"base64,([^\"]*)", drawn[1])[1]))))
    colours = [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue, opaque in pixels.reshape(-1, 4).tolist() if opaque]
    assert colours == re.findall(r'<rect [^>]*fill="(#\w+)"', drawn[0])
    assert len(colours) == 5 * 7 - 1
    assert "<rect" not in drawn[1]


def test_formulas_are_read_in_a_line_and_nothing_else_is_markup():
    assert cover.marked(r"$d_{model} \cdot h$ of $W_Q$, <b>", inline=True) == (
        "d<sub>model</sub>\u202f·\u202fh of W<sub>Q</sub>, &lt;b&gt;"
    )  # fmt: skip


def test_a_link_of_the_app_is_one_between_pages_that_exist():
    links = '<a href="./?present=1&amp;step=5">Show it</a> <a href="./attention?num_heads=2">maps</a> <a href="./quiz">ask</a>'
    assert cover.linked(links, "../", frozenset(("walk/5", "attention"))) == (
        '<a href="../walk/5/index.html">Show it</a> <a href="../attention/index.html?num_heads=2">maps</a> ask'
    )  # fmt: skip


def alive(page: Page, file: Path) -> Page:
    """The page of a file, which may load only that file."""
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-alive]")
    assert problems(page) == [f"a request that leaves this machine: {file.as_uri()}"]
    problems(page).clear()
    return page


@pytest.mark.browser
@pytest.mark.parametrize("name", WITH_EIGHT)
def test_heads_and_the_convention_move_in_a_file(new_page: Callable[..., Page], folder: Path, name: str):
    page = alive(new_page(alone=True), folder / name)
    first = page.locator("h1").inner_text(), page.locator("section details").first.inner_text()
    page.locator("#heads").focus()
    page.keyboard.press("ArrowRight")
    becomes(page, lambda: page.locator("output").inner_text(), "8")
    page.get_by_role("radio", name="Keras").check(force=True)
    assert page.locator("h1").inner_text() == WITH_EIGHT[name]
    assert page.locator("#heads").get_attribute("aria-valuetext") == "8 heads"
    page.locator("section summary").first.click()
    assert (page.locator("h1").inner_text(), page.locator("section details").first.inner_text()) != first
    found = page.evaluate(f"async () => {{ {AXE}; return (await axe.run()).violations.map((one) => one.id); }}")
    assert found == []


@pytest.mark.browser
def test_a_card_that_is_pressed_is_the_layer_that_is_shown(new_page: Callable[..., Page], folder: Path):
    page = alive(new_page(alone=True), folder / "index.html")
    page.locator("canvas.over").focus()
    page.keyboard.press("ArrowDown")
    becomes(page, lambda: page.get_by_role("radio", name="Keras").is_checked(), True)
    page.keyboard.press("ArrowLeft")
    becomes(page, lambda: page.locator("output").inner_text(), "2")


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_without_javascript_heading_picture_and_words_are_there(browser: Browser, folder: Path, width: int, theme: str):
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 720}, color_scheme=theme)
    page = context.new_page()
    for name in (*WITH_EIGHT, "walk/3/index.html"):
        page.goto((folder / name).as_uri())
        assert page.locator("h1").is_visible()
        seen = [box for svg in page.locator("figure svg").all() if svg.is_visible() and (box := svg.bounding_box())]
        assert seen, name
        assert all(box["width"] > 250 and box["x"] + box["width"] <= width for box in seen), name
        assert not page.locator("#controls").is_visible() if page.locator("#controls").count() else True
        assert page.locator("noscript p").is_visible()
    context.close()
