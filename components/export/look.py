"""How an exported figure looks: its size on paper or screen, its colours, its type, and what is written around it."""

from dataclasses import dataclass

from components.figures.text import FACES
from components.figures.theme import DARK, LIGHT, PRINT, Theme
from mha.config import whole

THEMES: dict[str, Theme] = {"light": LIGHT, "dark": DARK, "print": PRINT}
FONTS = tuple(FACES)
#: Least and most pixels of a side; a PNG at 3× has at most three times as many.
LEAST_PX, MOST_PX = 200, 2000
MM = 96 / 25.4
#: What can be written around a figure: fields of a Look.
PARTS = ("title", "caption", "stamp")
#: A column's figure is laid out larger and set at three quarters: 13 pixels of type become 7.3 points, usual in papers.
COLUMN = 0.75
#: PNG of a size on paper: dots per inch at 1×, so that 2× is what printers ask for.
PAPER_DPI = 150


@dataclass(frozen=True, slots=True)
class Size:
    """`width`, `height` in pixels of 1/96 inch; a height of None follows the content. `mm`: named in millimetres."""

    label: str
    width: float
    height: float | None
    mm: bool = False

    @property
    def dots(self) -> float:
        """PNG pixels at 1× for each pixel of 1/96 inch."""
        return PAPER_DPI / 96 if self.mm else 1.0


SIZES = {
    "slide": Size("16:9 slide", 1280, 720),
    "single": Size("single column, 88 mm", 88 * MM, None, mm=True),
    "double": Size("double column, 180 mm", 180 * MM, None, mm=True),
    "square": Size("square", 1080, 1080),
}
OWN = "own"


@dataclass(frozen=True, slots=True)
class Look:
    """`size`: a name of SIZES, or "own" with `width` and `height` in pixels. `base`: what the stamp's link begins with.

    ValueError names the field, the value and what is allowed.
    """

    size: str = "slide"
    theme: str = "light"
    font: str = "sans"
    title: bool = True
    caption: bool = True
    stamp: bool = True
    width: int = 1280
    height: int = 720
    base: str = ""

    def __post_init__(self):
        for field, allowed in (("size", (*SIZES, OWN)), ("theme", tuple(THEMES)), ("font", FONTS)):
            if getattr(self, field) not in allowed:
                raise ValueError(f"{field} must be {' or '.join(allowed)}, got {getattr(self, field)!r}")
        for field in ("width", "height"):
            whole(field, getattr(self, field), LEAST_PX, MOST_PX)

    @property
    def format(self) -> Size:
        return Size("own", self.width, self.height) if self.size == OWN else SIZES[self.size]

    @property
    def colours(self) -> Theme:
        return THEMES[self.theme]
