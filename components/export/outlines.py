"""A finished sheet with its words as shapes: it looks the same in every program, whatever fonts that has, and needs none."""

import gzip
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape

from components.figures.svg import px
from components.figures.text import BOLD, FACES, FONTS, USUAL

#: Where a face lacks a letter, it is taken from the next of these that has it.
OTHERS = ("sans", "serif", "mono")


@dataclass(frozen=True, slots=True)
class Glyph:
    """`id` in the file; `width` and `path` in units of the font, `em` of them for the type's size."""

    id: str
    width: float
    path: str
    em: int


@cache
def _outlines() -> dict:
    return json.loads(gzip.decompress((FONTS / "outlines.json.gz").read_bytes()))


def glyph_of(letter: str, face: str, bold: bool) -> Glyph | None:
    """A letter's shape; None where no font has it."""
    letter = " " if letter in "\u00a0\u2009\u202f" else letter
    for name in dict.fromkeys((face, *OTHERS)):
        file = f"{FACES[name].file}-{BOLD if bold else USUAL}"
        font = _outlines()[file]
        if letter in font["glyphs"]:
            width, path = font["glyphs"][letter]
            return Glyph(f"{file}-{ord(letter):x}", width, path, font["em"])
    return None


def of_sheet(svg: str, face: str) -> str:
    """The sheet with every line of type as shapes. A line with a letter that no font here has stays text, with the fonts."""
    used: dict[str, Glyph] = {}
    drawn = re.sub(r"<text .*?</text>", lambda found: _line(found[0], face, used), svg, flags=re.S)
    if "<text " not in drawn:
        drawn = re.sub(r"<defs><style>.*?</style></defs>", "", drawn, count=1, flags=re.S)
    shapes = "".join(f'<path id="{glyph.id}" d="{glyph.path}"/>' for glyph in used.values() if glyph.path)
    return drawn.replace("</desc>", f"</desc><defs>{shapes}</defs>", 1)


def _line(text: str, face: str, used: dict[str, Glyph]) -> str:
    element = ET.fromstring(text.replace("xml:space", "space"))
    bold, size = "font-weight" in element.attrib, float(element.attrib["font-size"])
    pieces = [(letter, part, off, glyph_of(letter, face, bold))
              for words, part, off in _parts(element, size) for letter in words]  # fmt: skip
    if any(glyph is None for *_, glyph in pieces):
        return text
    parts, at = [], 0.0
    for _, part, off, glyph in pieces:
        if glyph is None:
            continue
        scale = part / glyph.em
        if glyph.path:
            used[glyph.id] = glyph
            parts.append(f'<use xlink:href="#{glyph.id}" transform="matrix({scale:.5f} 0 0 -{scale:.5f} {px(at)} {px(off)})"/>')
        at += glyph.width * scale
    wide = float(element.get("textLength", at))  # a name wider than its room is squeezed
    left = float(element.attrib["x"]) - {"middle": wide / 2, "end": wide}.get(element.get("text-anchor", ""), 0.0)
    move = f"{element.get('transform', '')} translate({px(left)} {px(float(element.attrib['y']))})".strip()
    move += f" scale({wide / at:.4f} 1)" if at and wide < 0.98 * at else ""
    label = escape("".join(element.itertext()))
    return f'<g transform="{move}" fill="{element.attrib["fill"]}" aria-label="{label}">{"".join(parts)}</g>'


def _parts(element: ET.Element, size: float) -> Iterator[tuple[str, float, float]]:
    """Pieces of a line: words, size of their type, and how far below the line they stand."""
    off = 0.0
    yield element.text or "", size, off
    for span in element:
        off += float(span.get("dy", "0"))
        yield span.text or "", float(span.get("font-size", size)), off
        yield span.tail or "", size, off
