"""How wide words are, and where they break: measured in the fonts that the app is written in."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from PIL import ImageFont

#: Measured at this size and scaled: a font's widths are proportional to it.
MEASURED = 100


@dataclass(frozen=True, slots=True)
class Face:
    """`family` as the font names itself, `others` what stands in where it is not installed, `file` as Streamlit ships it."""

    family: str
    others: str
    file: str

    @property
    def css(self) -> str:
        return f"'{self.family}', {self.others}"

    @property
    def path(self) -> Path | None:
        """The font's file; None where this Streamlit has none of that name."""
        found = find_spec("streamlit")
        media = Path(found.origin).parent / "static" / "static" / "media" if found and found.origin else Path()
        return next(iter(sorted(media.glob(f"{self.file}*.woff2"))), None)


FACES = {
    "sans": Face("Source Sans 3", "'Source Sans Pro', 'Helvetica Neue', Arial, sans-serif", "SourceSansVF-Upright"),
    "serif": Face("Source Serif 4", "'Source Serif Pro', 'Times New Roman', serif", "SourceSerifVariable-Roman"),
    "mono": Face("Source Code Pro", "Menlo, Consolas, monospace", "SourceCodeVF-Upright"),
}


@cache
def _font(face: str, bold: bool) -> ImageFont.FreeTypeFont:
    path = FACES[face].path
    if path is None:
        return ImageFont.load_default(MEASURED)
    font = ImageFont.truetype(path, MEASURED)
    wanted = {b"Weight": 600 if bold else 400, b"Optical Size": 14}
    font.set_variation_by_axes([wanted.get(axis["name"], axis["default"]) for axis in font.get_variation_axes()])
    return font


@cache
def _width(text: str, face: str, bold: bool) -> float:
    return _font(face, bold).getlength(text) / MEASURED


def pieces(text: str) -> list[tuple[str, str]]:
    """A label's parts, each with "" (on the line), "_" (lowered) or "^" (raised)."""
    parts = [part for part in re.split(r"([_^]\{[^}]*\})", text) if part]
    return [(part[2:-1], part[0]) if re.match(r"[_^]\{", part) else (part, "") for part in parts]


#: Lowered and raised letters are that much smaller, and stand that much off the line: as in assets/stage/3_draw.js.
SMALLER, LOWERED, RAISED = 0.76, 0.22, -0.38


def width_of(text: str, size: float, face: str = "sans", bold: bool = False) -> float:
    """Pixels that a label takes; lowered and raised parts are smaller."""
    return sum(_width(part, face, bold) * size * (SMALLER if how else 1) for part, how in pieces(text))


def wrap(text: str, width: float, size: float, face: str = "sans", bold: bool = False) -> list[str]:
    """Lines no wider than `width`, broken at spaces; a word that is longer has a line of its own. "" has none."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width_of(longer, size, face, bold) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines
