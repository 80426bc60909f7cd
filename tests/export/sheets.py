"""Reads from an SVG where everything is on a sheet."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from headcount.stage.text import width_of
from tests.stage.reading import Label

SVG = "{http://www.w3.org/2000/svg}"


def words(root: ET.Element | str) -> list[str]:
    """All lines of text on a sheet."""
    root = ET.fromstring(root) if isinstance(root, str) else root
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]


def placed(element: ET.Element, x: float = 0, y: float = 0, scale: float = 1) -> Iterator[tuple[ET.Element, float, float, float]]:
    """Every element with the shift (x, y) and the scale that the groups around it add up to."""
    if found := re.match(r"translate\((\S+) (\S+)\)(?: scale\((\S+)\))?", element.get("transform", "")):
        x, y, scale = x + scale * float(found[1]), y + scale * float(found[2]), scale * float(found[3] or 1)
    yield element, x, y, scale
    for child in element:
        yield from placed(child, x, y, scale)


def points(root: ET.Element, wide: float) -> Iterator[float]:
    """The size in points of every text on a sheet that is `wide` points wide; subscripts are smaller."""
    point = wide / float(root.get("viewBox").split()[2])
    return (float(text.get("font-size")) * scale * point for text, _, _, scale in placed(root) if text.tag == f"{SVG}text")


def text_boxes(root: ET.Element, font: str = "sans") -> list[Label]:
    """The boxes of all texts that are not rotated. A capital is 0.7 of the type size high, a descender 0.2."""
    found = []
    for text, x, y, scale in placed(root):
        if text.tag != f"{SVG}text" or "transform" in text.attrib:
            continue
        size, bold = float(text.get("font-size")), "font-weight" in text.attrib
        parts = [(text.text or "", size)] + [(t.text, float(t.get("font-size", size))) for t in text]
        wide = sum(width_of(part, its, font, bold) for part, its in parts)
        left = float(text.get("x")) - {"middle": wide / 2, "end": wide}.get(text.get("text-anchor"), 0)
        low = y + scale * float(text.get("y"))
        sides = x + scale * left, low - scale * 0.7 * size, x + scale * (left + wide), low + scale * 0.2 * size
        found.append(("".join(text.itertext()), *sides))
    return found


def shape_boxes(root: ET.Element) -> Iterator[Label]:
    """The boxes of every rectangle and image except the background, and of every outline."""
    for element, x, y, scale in placed(root):
        of = element.get
        if element.tag in (f"{SVG}rect", f"{SVG}image") and of("width") != "100%":
            left, top, wide, high = (scale * float(of(key, 0)) for key in ("x", "y", "width", "height"))
            yield "cells", x + left, y + top, x + left + wide, y + top + high
        for sides in re.findall(r"M(\S+?) (\S+?)h(\S+?)v(\S+?)h", of("d", "")):
            left, top, wide, high = (scale * float(side) for side in sides)
            yield "outline", x + left, y + top, x + left + wide, y + top + high


def outside(root: ET.Element, boxes: list[Label], by: float) -> list[Label]:
    """Boxes that reach over the sheet's edge by more than `by` pixels."""
    _, _, width, height = map(float, root.get("viewBox").split())
    return [one for one in boxes if min(one[1], one[2]) < -by or one[3] > width + by or one[4] > height + by]
