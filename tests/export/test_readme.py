"""The README's pictures are what `make figures` renders, today."""

import re
import shlex
import xml.etree.ElementTree as ET

import pytest

from components.export.command import main
from tests.sources import ROOT

SVG = "{http://www.w3.org/2000/svg}"
MAKE = (ROOT / "Makefile").read_text()
COMMON = shlex.split(re.search(r"^FIGURE := \$\(PYTHON\) -m components\.export (.*)$", MAKE, re.M)[1])
LINES = [shlex.split(line) for line in re.findall(r"^\t\$\(FIGURE\) (.*)$", MAKE, re.M)]
FILES = [line[line.index("--out") + 1] for line in LINES]


def test_make_figures_renders_every_picture_of_the_readme():
    shown = re.findall(r"\]\((assets/readme/[^)]+)\)", (ROOT / "README.md").read_text())
    made = [*FILES, *re.findall(r"^\t\$\(PYTHON\) -m tests\.browser\.screenshot (.*)$", MAKE, re.M)]
    assert sorted(shown) == sorted(made) == sorted(f"assets/readme/{path.name}" for path in (ROOT / "assets/readme").iterdir())


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


@pytest.mark.parametrize("line", LINES, ids=FILES)
def test_a_picture_in_the_readme_is_what_the_app_draws(line, tmp_path):
    """Words and places to the letter. A colour may differ by 1 of 255 where another machine rounds a product otherwise."""
    out = tmp_path / "f.svg"
    words = [*COMMON, *line]
    words[words.index("--out") + 1] = str(out)
    assert main(words) == 0
    made, shown = ET.parse(out).getroot(), ET.parse(ROOT / line[line.index("--out") + 1]).getroot()
    assert [e.tag for e in made.iter()] == [e.tag for e in shown.iter()]
    for one, other in zip(made.iter(), shown.iter(), strict=True):
        assert one.text == other.text
        fills = one.attrib.pop("fill", ""), other.attrib.pop("fill", "")
        assert one.attrib == other.attrib
        if fills[0] != fills[1]:
            assert max(abs(a - b) for a, b in zip(*map(rgb, fills), strict=True)) <= 1
