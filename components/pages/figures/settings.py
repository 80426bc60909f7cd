"""What the page of figures has in the address besides the shared settings."""

from components.export import look
from components.export.figures import FIGURES
from components.export.look import FONTS, LEAST_PX, MOST_PX, OWN, PAPER, PARTS, SIZES, STYLES, THEMES, Look
from mha.settings import Number, Switch, Whole, by_code, word

#: What a part of the sheet is called, where its code does not say it.
LABELS = {"stamp": "Settings and link"}
SETTINGS = (
    word("figure", tuple(FIGURES), "Figure"),
    word("size", (*SIZES, PAPER, OWN), "Size"),
    word("theme", tuple(THEMES), "Colours"),
    word("font", FONTS, "Font"),
    *(Switch(code=f"with_{part}", default=True, label=LABELS.get(part, part.capitalize())) for part in PARTS),
    Whole(code="width", default=1280, least=LEAST_PX, most=MOST_PX, label="Width in pixels"),
    Whole(code="height", default=720, least=LEAST_PX, most=MOST_PX, label="Height in pixels"),
    Number(
        code="width_mm",
        default=Look().width_mm,
        least=look.LEAST_MM,
        most=look.MOST_MM,
        label="Width in mm",
        help="One column of " + ", ".join(f"{style}: {width:g}" for style, width in STYLES.items()) + ".",
    ),
    Number(code="type_pt", default=Look().type_pt, least=look.LEAST_TYPE, most=look.MOST_TYPE, label="Type in points"),
)
BY_CODE = by_code(SETTINGS)
