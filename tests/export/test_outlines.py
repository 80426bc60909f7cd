"""Words as shapes: as wide as the text, at its place, letter by letter from our own fonts; what no font has stays text."""

import re
import xml.etree.ElementTree as ET

import pytest
from PIL import ImageFont

from components.export.figures import FIGURES
from components.export.look import FONTS, Look
from components.export.outlines import glyph_of, of_sheet
from components.export.rendering import file_of
from components.export.request import request_of
from components.figures.svg import Ink, line
from components.figures.text import BOLD, FACES, USUAL, width_of
from components.figures.theme import LIGHT

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"


def sheet(words: str) -> str:
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"<svg {names}><title>t</title><desc>d</desc><defs><style>@font-face</style></defs>{words}</svg>"


def outlined(words: str, face: str = "sans") -> ET.Element:
    return ET.fromstring(of_sheet(sheet(words), face))


def places(root: ET.Element) -> list[list[float]]:
    """The six numbers of each letter's matrix."""
    return [[float(part) for part in re.findall(r"-?[\d.]+", use.attrib["transform"])] for use in root.iter(f"{SVG}use")]


@pytest.mark.parametrize("name", ["heads", "steps", "block_diagram"])
@pytest.mark.parametrize("font", FONTS)
def test_a_whole_figure_has_no_text_and_no_font_and_says_each_of_its_words(name, font):
    ask, look = request_of({"mask": "causal", "numbers": "seed"}), Look(font=font)
    text = ET.fromstring(file_of(FIGURES[name], ask, look, "svg"))
    data = file_of(FIGURES[name], ask, Look(font=font, text="outlines"), "svg").decode()
    root = ET.fromstring(data)
    assert not list(root.iter(f"{SVG}text"))
    assert "font-face" not in data
    said = ["".join(one.itertext()) for one in text.iter(f"{SVG}text")]
    assert [group.attrib["aria-label"] for group in root.iter(f"{SVG}g") if "aria-label" in group.attrib] == said
    known = {path.attrib["id"] for path in root.iter(f"{SVG}path") if "id" in path.attrib}
    assert {use.attrib[LINK].removeprefix("#") for use in root.iter(f"{SVG}use")} == known


@pytest.mark.parametrize("font", FONTS)
def test_a_letter_is_as_wide_as_in_the_font_and_has_its_parts(font):
    """Pillow reads the font itself; 1,000 units are the type's size. Parts: of ÷ a line and two dots, of o an edge and a hole."""
    for weight in (USUAL, BOLD):
        known = ImageFont.truetype(FACES[font].path(weight), 1000)
        for letter, parts in {"÷": 3, "=": 2, "−": 1, "o": 2}.items():
            found = glyph_of(letter, font, weight == BOLD)
            assert found.width == pytest.approx(known.getlength(letter), abs=1)
            assert found.path.count("M") == found.path.count("Z") == parts


def test_words_begin_end_and_are_centred_where_the_text_was():
    """Of "HQ" with 30 pixels a letter: the second letter stands one letter's width behind the first."""
    ink = Ink(LIGHT)
    for anchor, share in (("start", 0), ("middle", 0.5), ("end", 1)):
        root = outlined(line("HQ", 100, 70, 30, ink, fill="#112233", anchor=anchor))
        (group,) = root.iter(f"{SVG}g")
        x, y = (float(part) for part in re.findall(r"[\d.]+", group.attrib["transform"]))
        assert (x, y) == (pytest.approx(100 - share * width_of("HQ", 30), abs=0.02), 70)
        assert group.attrib["fill"] == "#112233"
        first, second = places(root)
        assert first[:4] == [0.03, 0, 0, -0.03]
        assert second[4] - first[4] == pytest.approx(width_of("H", 30), abs=0.02)


def test_a_lowered_letter_is_smaller_and_lower_and_a_turned_word_stays_turned():
    root = outlined(line("W_{Q}", 0, 0, 20, Ink(LIGHT), fill="#000000", more=' transform="rotate(-40 0 0)"'))
    usual, low = places(root)
    assert (usual[0], usual[5]) == (0.02, 0)
    assert low[0] < 0.02
    assert low[5] > 0
    assert next(root.iter(f"{SVG}g")).attrib["transform"].startswith("rotate(-40 0 0) translate(")


def test_a_name_that_is_squeezed_into_its_room_is_squeezed_as_shapes_too():
    """Into 10 pixels, from the right."""
    squeezed = outlined(line("incomprehensible", 50, 0, 20, Ink(LIGHT), fill="#000000", anchor="end", more=' textLength="10"'))
    move = next(squeezed.iter(f"{SVG}g")).attrib["transform"]
    share = 10 / width_of("incomprehensible", 20)
    assert move.startswith("translate(40 0) scale(")
    assert float(re.search(r"scale\(([\d.]+) 1\)", move)[1]) == pytest.approx(share, abs=0.01)


def test_a_letter_that_no_font_has_stays_text_with_its_font_and_the_others_are_shapes():
    ink = Ink(LIGHT)
    data = of_sheet(sheet(line("注意", 0, 0, 10, ink, fill="#000") + line("ok", 0, 0, 10, ink, fill="#000")), "serif")
    root = ET.fromstring(data)
    assert ["".join(text.itertext()) for text in root.iter(f"{SVG}text")] == ["注意"]
    assert "@font-face" in data
    assert len(list(root.iter(f"{SVG}use"))) == 2
    assert glyph_of("注", "sans", False) is None
    assert glyph_of("√", "mono", True) is not None, "from another face, where this one has none"


def test_what_a_visitor_types_is_only_a_label():
    ask = request_of({"numbers": "seed", "tokens": '"><script>x</script>'})
    data = file_of(FIGURES["steps"], ask, Look(text="outlines"), "svg")
    assert not list(ET.fromstring(data).iter(f"{SVG}script"))
