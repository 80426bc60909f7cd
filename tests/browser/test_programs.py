"""The app's SVGs in other programs, if these are installed: the same picture as in Chromium."""

import io
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from headcount.export import browser
from headcount.export.figures import FIGURES
from headcount.export.rendering import file_of
from headcount.export.request import request_of
from headcount.export.style import Style
from headcount.stage.text import FACES

WIDE, HIGH = 1280, 720
#: Program → what makes a PNG of an SVG.
PROGRAMS: dict[str, Callable[[Path, Path], list[object]]] = {
    "rsvg-convert": lambda svg, png: ["rsvg-convert", "-w", WIDE, "-h", HIGH, "-o", png, svg],
    "inkscape": lambda svg, png: ["inkscape", "--export-type=png", f"--export-filename={png}", "-w", WIDE, "-h", HIGH, svg],
    "soffice": lambda svg, png: [
        "soffice", f"-env:UserInstallation=file://{png.parent}/office", "--headless", "--convert-to", "png", "--outdir",
        png.parent, svg,
    ],
    "firefox-esr": lambda svg, png: [
        "firefox-esr", "--headless", "--profile", png.parent, f"--window-size={WIDE},{HIGH}", f"--screenshot={png}",
        f"file://{svg}",
    ],
}  # fmt: skip
DRAWN = ["heads", "steps", "block_diagram", "time", "divisors"]
pytestmark = pytest.mark.usefixtures("chromium_for_files")


def drawn_by(program: str, svg: str, folder: Path) -> Image.Image:
    (folder / "f.svg").write_text(svg, encoding="utf-8")
    command = [str(part) for part in PROGRAMS[program](folder / "f.svg", folder / "f.png")]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    with Image.open(folder / "f.png") as picture:
        return picture.convert("L")


def installed_fonts() -> set[str]:
    """The installed font families, as a style sheet names them."""
    listed = subprocess.run(["fc-list", ":", "family"], check=True, capture_output=True, text=True, timeout=60).stdout
    families = {name.strip() for line in listed.splitlines() for name in line.split(",")}
    return families | {f"'{name}'" for name in families}


def small(picture: Image.Image) -> np.ndarray:
    """The grey (0 to 255) of squares of 16 × 16 pixels. Edges may be smoothed differently, shapes must be in the same place."""
    return np.asarray(picture.convert("L").resize((WIDE // 16, HIGH // 16), Image.Resampling.BOX), dtype=float)


def of_chromium(svg: str) -> Image.Image:
    return Image.open(io.BytesIO(browser.png(svg, WIDE, HIGH, 1)))


def same(one: Image.Image, other: Image.Image) -> None:
    ours, theirs = small(one), small(other)
    assert np.ptp(ours) > 60, "there is something to compare"
    assert np.abs(ours - theirs).max() < 40
    assert np.abs(ours - theirs).mean() < 2


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("program", PROGRAMS)
def test_words_as_text_stay_on_the_sheet(program, name, tmp_path):
    """Firefox uses the embedded font. Inkscape and LibreOffice stretch another to its width; librsvg does not, so lines leave
    room. So only shapes are compared, and no word may pass the edge."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed here")
    svg = file_of(FIGURES[name], request_of({"numbers": "seed"}), Style(theme="print"), "svg").decode()
    theirs, ours = drawn_by(program, svg, tmp_path), of_chromium(svg)
    if program == "firefox-esr":
        same(ours, theirs)
        return
    wider = program == "rsvg-convert"
    if not wider or any(name in installed_fonts() for name in FACES["sans"].others.split(", ")[:-3]):
        margin = np.asarray(theirs.resize((WIDE, HIGH)), dtype=float)[:, -8 if wider else -20 :]
        assert margin.min() > 250, "no word runs over the edge"
    shapes = re.sub(r"<text .*?</text>", "", svg)
    same(of_chromium(shapes), drawn_by(program, shapes, tmp_path))
