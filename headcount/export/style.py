"""Style of an exported figure: size, colours, font, and the texts around the figure."""

from dataclasses import dataclass

from headcount.names import listed
from headcount.settings import Number, Switch, by_code, word
from headcount.stage.text import FACES
from headcount.stage.theme import DARK, LIGHT, PRINT, SLIDE, Theme

THEMES: dict[str, Theme] = {"light": LIGHT, "dark": DARK, "print": PRINT}
FONTS = tuple(FACES)
#: Pixels of a millimetre and of an inch, points of a pixel, and pixels of the smallest font in a layout.
MM, INCH, PT, LEAST_PX = 96 / 25.4, 96, 72 / 96, 12
#: Factor by which fonts are enlarged, because they come out a little smaller in a PDF.
SPARE = 1.006
#: Optional parts of a sheet. Each is a field of Style.
PARTS = ("title", "caption", "stamp", "background")
#: Least and most millimetres of a width that the user chooses.
LEAST_MM, MAX_MM = 40.0, 420.0
#: Largest height of a picture with an 8 pt font, in millimetres: the text height of a letter page, less two lines of caption.
PAGE_MM = 225.0
#: Dots per inch of a PNG for print, and of one for a slide.
PAPER_DPI, ON_SCREEN = 300, 192


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a sheet in pixels of 1/96 inch. If `height` is None, the height follows from the content. `least_pt` is the
    size of the smallest font in points, except in subscripts and superscripts."""

    label: str
    width: float
    height: float | None
    least_pt: float

    @property
    def is_slide(self) -> bool:
        return self.height is not None

    @property
    def dots(self) -> float:
        """Pixels of a PNG per pixel of 1/96 inch."""
        return (ON_SCREEN if self.is_slide else PAPER_DPI) / INCH

    @property
    def scale(self) -> float:
        """Pixels on the sheet per pixel of the layout."""
        return SPARE * self.least_pt / PT / LEAST_PX

    @property
    def most_high(self) -> float:
        """Largest height of the layout in pixels."""
        return (self.height or 0) / self.scale if self.is_slide else PAGE_MM * MM / (SPARE * 8 / PT / LEAST_PX)


SIZES = {
    "page": Size("6.5 in, as wide as a page: no type below 8 pt", 6.5 * INCH, None, 8.0),
    "column": Size("3.5 in, a column of a paper: no type below 8 pt", 3.5 * INCH, None, 8.0),
    "slide": Size("16:9 slide: no type below 12 pt", 1280, 720, 12.0),
}
OWN = "own"
#: Sentences by theme on what colours mean: "signed" numbers, weights ("share"), heads, and rows without an answer ("pale").
_HUES = {
    "signed": "Brown is above 0, teal below.", "head": "Colours are heads.", "line": "Colours are heads.",
    "pale": "Grey rows answer no question.",
}  # fmt: skip
COLOUR_WORDS = {
    "light": _HUES | {"share": "Violet: from 0 (pale) to 1 (deep)."},
    "dark": _HUES | {"share": "Violet: from 0 (dark) to 1 (bright)."},
    "print": {
        "signed": "The darker, the farther from 0; a bar marks negative numbers.",
        "share": "The darker, the larger the share.",
        "line": "Dashes are heads.",
        "pale": "Rows of half the height answer no question.",
    },
}


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a figure. `size` is a name in SIZES, or "own" for a width of `width_mm` millimetres. With "own", the layout is
    that of a column or of a page, whichever is nearer in width, and the fonts change in proportion. `base` is the beginning of
    the link in the stamp. Raises ValueError, which names the field, the value and what is allowed."""

    size: str = "page"
    theme: str = "light"
    font: str = "sans"
    title: bool = True
    caption: bool = True
    stamp: bool = True
    background: bool = True
    width_mm: float = 139.7
    base: str = ""

    def __post_init__(self):
        for field, allowed in (("size", (*SIZES, OWN)), ("theme", tuple(THEMES)), ("font", FONTS)):
            if getattr(self, field) not in allowed:
                raise ValueError(f"{field} must be {listed([*allowed], 'or')}, got {getattr(self, field)!r}")
        if not LEAST_MM <= self.width_mm <= MAX_MM:
            raise ValueError(f"width_mm must be a number from {LEAST_MM:g} to {MAX_MM:g}, got {self.width_mm:g}")

    @property
    def layout(self) -> str:
        """The name in SIZES of the layout that this style uses."""
        if self.size != OWN:
            return self.size
        return min(("column", "page"), key=lambda name: abs(SIZES[name].width - self.width_mm * MM))

    @property
    def format(self) -> Size:
        known, width = SIZES[self.layout], self.width_mm * MM
        return known if self.size != OWN else Size(OWN, width, None, known.least_pt * width / known.width)

    @property
    def colours(self) -> Theme:
        return SLIDE if self.size == "slide" and self.theme == "light" else THEMES[self.theme]


#: Labels of parts whose field names do not say enough.
NAMES = {"stamp": "Settings and link"}
#: The settings of a Style, by code.
BY_CODE = by_code((
    word("size", (*SIZES, OWN), "Size"),
    word("theme", tuple(THEMES), "Colours"),
    word("font", FONTS, "Font"),
    *(Switch(code=f"with_{part}", default=True, label=NAMES.get(part, part.capitalize())) for part in PARTS),
    Number(
        code="width_mm", default=Style().width_mm, least=LEAST_MM, most=MAX_MM, label="Width in mm",
        help="Up to 127 mm the figure has the layout of a column, above it that of a page. In each, letters grow with the width.",
    ),
))  # fmt: skip
