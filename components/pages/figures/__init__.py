from dataclasses import replace

from components.page import Page
from headcount.export import style
from headcount.export.figures import FIGURES
from headcount.export.request import FRAME
from headcount.settings import Word, word

FIGURE = word("figure", ("all", *FIGURES), "Figure")
#: The three most wanted formats. A figure opens in the slide format, with large type.
FILE = Word(code="file", choices=("svg", "pdf", "png"), labels=("SVG", "PDF", "PNG"), default="svg", label="File", spelt=True)
SIZE = replace(style.BY_CODE["size"], default="slide")

PAGE = Page(
    "figures", "Figures", "if you write or teach", own=False,
    settings=(FIGURE, FILE, FRAME, *(style.BY_CODE | {"size": SIZE}).values()),
    asked="diagram, picture, slide, paper, svg, png, download",
)  # fmt: skip
