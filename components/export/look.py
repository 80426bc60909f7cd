"""How an exported figure looks: its size on paper or screen, its colours, its type, and what is written around it."""

from dataclasses import dataclass

from components.stage.text import FACES
from components.stage.theme import DARK, LIGHT, PRINT, SLIDE, Theme
from mha.config import whole

THEMES: dict[str, Theme] = {"light": LIGHT, "dark": DARK, "print": PRINT}
FONTS = tuple(FACES)
#: Least and most pixels of a side; a PNG has twice as many.
LEAST_PX, MAX_PX = 200, 2000
MM = 96 / 25.4
#: What a sheet has besides the figure, or not: fields of a Look.
PARTS = ("title", "caption", "stamp", "background")
#: Points that the usual type of a figure (13 pixels of the layout) has on paper, from least to most. The smallest words around a
#: figure have LEAST_PT.
LEAST_TYPE, MAX_TYPE, LEAST_PT = 6.5, 14.0, 6.0
#: Pixels of the layout to points, at the size that the layout has.
PT = 72 / 96
#: Millimetres: a figure's width on paper, and how high one may be: the text of a letter page with two lines of caption below.
LEAST_MM, MAX_MM, PAGE_MM = 40.0, 420.0, 225.0
#: Widths in millimetres, by the style's name, of a column, or of the text where there is one column: IEEEtran, acmart sigconf,
#: neurips, icml, acl, cvpr, and A4 and letter paper with margins of one inch.
STYLES = {
    "ieee": 88.9, "acm": 84.7, "neurips": 139.7, "icml": 82.6, "acl": 77.0, "cvpr": 82.6, "a4": 159.2, "letter": 165.1,
}  # fmt: skip
#: Dots per inch of a PNG of a size on paper, as printers ask for; pixels of a PNG for one of a screen.
PAPER_DPI, ON_SCREEN = 300, 2.0


@dataclass(frozen=True, slots=True)
class Size:
    """`width`, `height` in pixels of 1/96 inch; on paper the height is None and follows the content, and usual type comes out
    `type_pt` large. `least_pt`: a slide on which no type is smaller."""

    label: str
    width: float
    height: float | None
    type_pt: float = 0.0
    least_pt: float = 0.0

    @property
    def on_paper(self) -> bool:
        return self.height is None

    @property
    def dots(self) -> float:
        """PNG pixels for each pixel of 1/96 inch."""
        return PAPER_DPI / 96 if self.on_paper else ON_SCREEN


SIZES = {
    "screen": Size("16:9 screen", 1280, 720),
    "talk": Size("16:9 slide: no type below 16 pt, 12 at cells", 1280, 720, least_pt=16.0),
    "slide": Size("4:3 slide: no type below 16 pixels, 12 at cells; strong contrast", 800, 600, least_pt=12.0),
}
OWN, PAPER = "own", "paper"
#: What colour says, in a sentence by theme: of numbers above and below 0, of shares, and of bars; print has greys.
_HUES = {"signed": "Brown is above 0, teal below.", "head": "Colours are heads."}
COLOUR_WORDS = {
    "light": _HUES | {"share": "Violet: from 0 (pale) to 1 (deep)."},
    "dark": _HUES | {"share": "Violet: from 0 (dark) to 1 (bright)."},
    "print": {
        "signed": "The darker, the farther from 0; a bar marks negative numbers.",
        "share": "The darker, the larger the share.",
    },
}


@dataclass(frozen=True, slots=True)
class Look:
    """`size`: a name of SIZES, "own" with `width` and `height` in pixels, or "paper" with `width_mm` in millimetres and
    `type_pt`, the usual type's size in points. `base`: what the stamp's link begins with.

    ValueError names the field, the value and what is allowed.
    """

    size: str = "screen"
    theme: str = "light"
    font: str = "sans"
    title: bool = True
    caption: bool = True
    stamp: bool = True
    background: bool = True
    width: int = 1280
    height: int = 720
    width_mm: float = STYLES["icml"]
    type_pt: float = 8.0
    base: str = ""

    def __post_init__(self):
        for field, allowed in (("size", (*SIZES, PAPER, OWN)), ("theme", tuple(THEMES)), ("font", FONTS)):
            if getattr(self, field) not in allowed:
                raise ValueError(f"{field} must be {' or '.join(allowed)}, got {getattr(self, field)!r}")
        for field in ("width", "height"):
            whole(field, getattr(self, field), LEAST_PX, MAX_PX)
        for field, least, most in (("width_mm", LEAST_MM, MAX_MM), ("type_pt", LEAST_TYPE, MAX_TYPE)):
            if not least <= getattr(self, field) <= most:
                raise ValueError(f"{field} must be a number from {least:g} to {most:g}, got {getattr(self, field):g}")

    @property
    def format(self) -> Size:
        if self.size == PAPER:
            return Size("paper", self.width_mm * MM, None, type_pt=self.type_pt)
        return Size("own", self.width, self.height) if self.size == OWN else SIZES[self.size]

    @property
    def colours(self) -> Theme:
        return SLIDE if self.size in ("slide", "talk") and self.theme == "light" else THEMES[self.theme]
