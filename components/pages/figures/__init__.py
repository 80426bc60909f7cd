"""Figures: the page's settings and its record."""

from components.page import Page
from headcount.export import look
from headcount.export.figures import FIGURES
from headcount.export.request import B_HEADS, B_SPLIT, FRAME, LINES, OF_B
from headcount.settings import word

FIGURE = word("figure", tuple(FIGURES), "Figure")

PAGE = Page(
    "figures", "Figures", "if you write or teach", own=False,
    settings=(FIGURE, FRAME, LINES, *look.BY_CODE.values(), B_SPLIT, B_HEADS),
    asked="diagram, picture, slide, paper, svg, png, download", seen_with={code: {"figure": "two_layers"} for code in OF_B},
)  # fmt: skip
