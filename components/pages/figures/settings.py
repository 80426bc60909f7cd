"""What the page of figures has in the address besides the shared settings."""

from components.export.figures import FIGURES
from components.export.look import FONTS, LEAST_PX, MOST_PX, OWN, PARTS, SIZES, THEMES
from mha.settings import Switch, Whole, by_code, word

#: What a part of the sheet is called, where its code does not say it.
LABELS = {"stamp": "Settings and link"}
SETTINGS = (
    word("figure", tuple(FIGURES), "Figure"),
    word("size", (*SIZES, OWN), "Size"),
    word("theme", tuple(THEMES), "Colours"),
    word("font", FONTS, "Font"),
    *(Switch(code=f"with_{part}", default=True, label=LABELS.get(part, part.capitalize())) for part in PARTS),
    Whole(code="width", default=1280, least=LEAST_PX, most=MOST_PX, label="Width in pixels"),
    Whole(code="height", default=720, least=LEAST_PX, most=MOST_PX, label="Height in pixels"),
)
BY_CODE = by_code(SETTINGS)
