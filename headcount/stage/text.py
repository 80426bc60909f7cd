"""Text in pictures: formats of numbers, line breaks, and widths of labels in the embedded fonts, which the app uses too."""

import base64
import html
import json
import math
import re
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from headcount.assets import ASSETS
from headcount.names import decimals

FONTS = ASSETS / "fonts"
#: Distances in pictures, most of them in pixels. The JavaScript of the stage reads the same file.
LAYOUT = json.loads((ASSETS / "stage" / "layout.json").read_text(encoding="utf-8"))
#: Size of subscripts and superscripts, and their vertical offsets, all relative to the font size.
SMALLER, LOWERED, RAISED = (LAYOUT["words"][name] for name in ("smaller", "lowered", "raised"))
#: The size in pixels at which fonts are measured. Widths are proportional to the size.
MEASURED = 1000


@dataclass(frozen=True, slots=True)
class Face:
    """A font. `family` is embedded in files. `others` are fonts for programs that ignore embedded fonts. The fonts of similar
    width come first, because librsvg cannot squeeze a text to its width (`textLength`)."""

    family: str
    others: str
    file: str

    @property
    def css(self) -> str:
        return f"'{self.family}', {self.others}"

    def path(self, weight: int) -> Path:
        return FONTS / f"{self.file}-{weight}.woff2"


FACES = {
    "sans": Face(
        "Headcount Sans",
        "'Source Sans 3', 'Source Sans Pro', Carlito, Calibri, 'DejaVu Sans Condensed', Helvetica, Arial, sans-serif",
        "sans",
    ),
    "serif": Face(
        "Headcount Serif", "'Source Serif 4', 'Source Serif Pro', 'Times New Roman', 'DejaVu Serif Condensed', serif", "serif"
    ),
}
USUAL, BOLD = 400, 600


@cache
def embedded(face: str) -> str:
    """Returns the CSS rules that embed both weights of a font, in base64."""
    font, rules = FACES[face], []
    for weight in (USUAL, BOLD):
        data = base64.b64encode(font.path(weight).read_bytes()).decode()
        source = f"url(data:font/woff2;base64,{data}) format('woff2')"
        rules.append(f"@font-face{{font-family:'{font.family}';font-weight:{weight};src:{source}}}")
    return "".join(rules)


@cache
def _font(face: str, bold: bool):
    from PIL import ImageFont  # imported late: only exported figures need it

    # Pillow's other layout engine needs a system library, and would give other widths where that is missing.
    return ImageFont.truetype(FACES[face].path(BOLD if bold else USUAL), MEASURED, layout_engine=ImageFont.Layout.BASIC)


def pieces(text: str) -> list[tuple[str, str]]:
    """Splits a label such as "W_{Q}" into parts with positions: "" (on the line), "_" (subscript) or "^" (superscript)."""
    if "{" not in text:  # most words
        return [(text, "")] if text else []
    parts = [part for part in re.split(r"([_^]\{[^}]*\})", text) if part]
    return [(part[2:-1], part[0]) if re.match(r"[_^]\{", part) else (part, "") for part in parts]


def as_html(text: str) -> str:
    """Converts a label to HTML with subscripts and superscripts, in the form that Plotly reads. All other text is escaped."""
    tags = {"": "{}", "_": "<sub>{}</sub>", "^": "<sup>{}</sup>"}
    return "".join(tags[how].format(html.escape(part, quote=False)) for part, how in pieces(text))


@lru_cache(maxsize=4096)  # also for words that visitors type
def width_of(text: str, size: float, face: str = "sans", bold: bool = False) -> float:
    """Returns the width of a label in pixels, at font size `size`."""
    widths = (_font(face, bold).getlength(part) / MEASURED * (SMALLER if how else 1) for part, how in pieces(text))
    return sum(widths) * size


def wrap(text: str, width: float, size: float, face: str = "sans", bold: bool = False, whole_sizes: bool = False) -> list[str]:
    """Wraps text into lines of at most `width` pixels. A word too long for a line breaks only after ? and &, as in links, so a
    line may be too wide. `whole_sizes` keeps "6 × 4" in one line."""
    lines: list[str] = []
    for word in re.split(r"(?<!×) (?!×)" if whole_sizes else " ", " ".join(text.split())) if text.strip() else ():
        long = width_of(word, size, face, bold) > width
        for number, part in enumerate(re.split(r"(?<=[?&])", word) if long else [word]):
            longer = lines[-1] + ("" if number else " ") + part if lines and (number or not long) else ""
            if longer and width_of(longer, size, face, bold) <= width:
                lines[-1] = longer
            else:
                lines.append(part)
    return lines


def scale_end(top: float) -> str:
    """Formats the number at the end of a colour scale with two decimals. Small numbers have more (up to 20), to show a digit."""
    return decimals(top, 2 if top >= 0.005 else min(-math.floor(math.log10(top)), 20))


def compact(count: float) -> str:
    """Formats a count for a label beside the exact number: in full below 10,000, otherwise like 12.3k, 28.3M, 671B or 1.2T."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e4, "k")):
        if count >= size:
            scaled = count / (1e3 if letter == "k" else size)
            return f"{scaled:.3g}{letter}" if scaled < 999.5 else f"{scaled:,.0f}{letter}"
    return f"{count:,.0f}"


def bytes_in_words(count: float) -> str:
    """Formats a number of bytes in powers of 1,024 with at most three digits. From 1,000 on, the number is a whole number."""
    for size, word in ((1 << 50, "PiB"), (1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= size:
            return f"{count / size:,.3g} {word}" if count / size < 999.5 else f"{count / size:,.0f} {word}"
    return f"{count:,.0f} B"
