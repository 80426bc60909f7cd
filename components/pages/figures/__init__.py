from dataclasses import replace

from components.page import Page
from headcount.export import style
from headcount.export.figures import FIGURES
from headcount.export.request import B_HEADS, B_SPLIT, FRAME, LINES, OF_B
from headcount.settings import Word, word

FIGURE = word("figure", ("all", *FIGURES), "Figure")
#: The three most wanted formats. A figure opens in the slide format, with large type.
FILE = Word(code="file", choices=("svg", "pdf", "png"), labels=("SVG", "PDF", "PNG"), default="svg", label="File", spelt=True)
SIZE = replace(style.BY_CODE["size"], default="slide")

PAGE = Page(
    "figures", "Figures", "if you write or teach", own=False,
    settings=(FIGURE, FILE, FRAME, LINES, *(style.BY_CODE | {"size": SIZE}).values(), B_SPLIT, B_HEADS),
    asked="diagram, picture, slide, paper, svg, png, download", seen_with={code: {"figure": "two_layers"} for code in OF_B},
)  # fmt: skip
