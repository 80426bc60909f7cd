"""What the page of figures has in the address besides the shared settings."""

from components.export.look import FONTS, LEAST_PX, MOST_PX, OWN, SIZES, THEMES
from components.export.registry import FIGURES

YES_NO = ("true", "false")
CHOICES = {
    "figure": tuple(FIGURES),
    "size": (*SIZES, OWN),
    "theme": tuple(THEMES),
    "font": FONTS,
    "with_title": YES_NO,
    "with_caption": YES_NO,
    "with_stamp": YES_NO,
}
#: Least, most, and what is shown where there is none: pixels of an own size.
NUMBERS = {"width": (LEAST_PX, MOST_PX, 1280), "height": (LEAST_PX, MOST_PX, 720)}
