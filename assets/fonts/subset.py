"""Makes the fonts of this folder from those that Streamlit ships: few letters, two weights, a name of their own.

Figures embed them, so that they look the same wherever they are opened. Each weight is a file of its own: a variable font would
come out in a PDF as Type 3, which publishers refuse. Needs `pip install "fonttools[woff]"`; run once, by hand:
`python assets/fonts/subset.py`. The licence of the originals (OFL.txt) asks that a changed font have another name.
"""

from importlib.util import find_spec
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

HERE = Path(__file__).parent
FONTS = {
    "sans": ("SourceSansVF-Upright", "Headcount Sans"),
    "serif": ("SourceSerifVariable-Roman", "Headcount Serif"),
}
WEIGHTS = (400, 600)
#: Latin with its accents, and the signs of the formulas.
LETTERS = [*range(0x20, 0x7F), *range(0xA0, 0x180), *map(ord, "√×−·≤≥→↓◂…Σ÷ᵀ′–—“”‘’„•∞≈≠αβγδεθλμπσφω")]


def made(path: Path, name: str, weight: int) -> TTFont:
    font = TTFont(path, recalcTimestamp=False)
    options = subset.Options(layout_features=["kern", "mark"], hinting=False, name_IDs=[0, 1, 2, 4, 6, 13, 14])
    options.drop_tables += ["STAT", "MVAR"]
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=LETTERS)
    chosen.subset(font)
    limits = {"wght": weight, "opsz": 14}
    font = instancer.instantiateVariableFont(font, {a.axisTag: limits[a.axisTag] for a in font["fvar"].axes}, inplace=True)
    for number, text in ((1, name), (4, name), (6, name.replace(" ", ""))):
        font["name"].setName(text, number, 3, 1, 0x409)
    font.flavor = "woff2"
    return font


if __name__ == "__main__":
    media = Path(find_spec("streamlit").origin).parent / "static" / "static" / "media"
    for file, (original, name) in FONTS.items():
        for weight in WEIGHTS:
            made(next(media.glob(f"{original}*.woff2")), name, weight).save(HERE / f"{file}-{weight}.woff2")
