"""Colours of all themes. `.streamlit/config.toml` repeats the colours that Streamlit needs, and a test compares both files."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one theme. Between the evenly spaced colours of a scale, red, green and blue are mixed linearly.
    - `ink`: text, and what can be clicked. `lift`: raised surfaces. `head_text`: heads in text, with enough contrast (WCAG AA).
    - `signed`: a scale from the most negative value over 0 to the most positive. `share`: a scale from 0 to 1.
    - `pale`: a scale for rows of queries without an answer. If it is empty, such rows have half the height."""

    background: str
    panel: str
    ink: str
    muted: str
    line: str
    warn: str
    lift: str
    signed: tuple[str, ...]
    share: tuple[str, ...]
    heads: tuple[str, ...]
    head_text: tuple[str, ...]
    pale: tuple[str, ...] = ()


LIGHT = Theme(
    background="#fcfbf8",
    panel="#f4f1e9",
    ink="#1b2430",
    muted="#59626e",
    line="#ddd8cb",
    warn="#b3261e",
    lift="#ffffff",
    signed=(
        "#004b51", "#006c72", "#0e8a8e", "#57a6a8", "#94c4c5", "#c7d9d8", "#f4f2ee",
        "#dfcfc0", "#d3b090", "#c38d60", "#af6d3b", "#974e1d", "#743007",
    ),
    share=("#f4f3f7", "#dfd8e9", "#c8bcda", "#b29fcd", "#9e84c0", "#8a6bb3", "#7554a0", "#5d3c86", "#412364"),
    heads=("#0265c5", "#c63f7b", "#739908", "#7a075c", "#0e98c5", "#6c6106", "#c18077", "#174a2a"),
    head_text=("#0265c5", "#bf3875", "#507700", "#7a075c", "#00749f", "#6c6106", "#985b53", "#174a2a"),
    pale=("#f6f5f2", "#efeeeb", "#e8e7e3"),
)  # fmt: skip
#: Colours for a projector: every word has a contrast of at least 7 to 1 (WCAG AAA).
SLIDE = replace(
    LIGHT,
    background="#ffffff",
    muted=LIGHT.ink,
    head_text=("#0156a9", "#9a2d5e", "#406000", "#7a075c", "#005d80", "#615705", "#7b4943", "#174a2a"),
)
DARK = Theme(
    background="#11151b",
    panel="#191f28",
    ink="#eceae4",
    muted="#a3acb8",
    line="#333c48",
    warn="#ff9a8f",
    lift="#1b222c",
    signed=(
        "#82e3dc", "#3fb8b6", "#199596", "#177578", "#22555a", "#27383d", "#171b21",
        "#3c3432", "#5d4334", "#865a3c", "#aa754c", "#ca9868", "#edc59a",
    ),
    share=("#15181f", "#2c2e42", "#454067", "#64538f", "#8369b5", "#a284d0", "#c3a5e5", "#ddc8f1", "#f2e7f9"),
    heads=("#5493ff", "#fe85ae", "#c6d966", "#bc2f9f", "#7ad6ff", "#75750b", "#fec4bf", "#36ac67"),
    head_text=("#5493ff", "#fe85ae", "#c6d966", "#e568cc", "#7ad6ff", "#908e2a", "#fec4bf", "#36ac67"),
    pale=("#14181e", "#20242a", "#2c3036"),
)  # fmt: skip
#: Black on white, for printers without colours. Signed numbers are darker if farther from 0, and bars mark negative ones.
PRINT = Theme(
    background="#ffffff",
    panel="#ffffff",
    ink="#000000",
    muted="#3a3a3a",
    line="#b5b5b5",
    warn="#000000",
    lift="#ffffff",
    signed=("#000000", "#8f8f8f", "#ffffff", "#8f8f8f", "#000000"),
    share=("#ffffff", "#b9b9b9", "#7a7a7a", "#404040", "#000000"),
    heads=("#000000", "#8a8a8a"),
    head_text=("#000000",),
)
#: Colours of middle lightness for Plotly figures, which do not know the theme: greys, and colours of heads.
EITHER = ("#60646e", "#a08e76", "#7f8ba0", "#726554")
EITHER_HEADS = ("#196fcc", "#c63f7b", "#739908", "#884b97", "#0e98c5", "#75750b", "#c18077", "#2f8e58")
CLEAR = "rgba(0,0,0,0)"
NO_GROUND = {"paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR}
THEMES = {"light": LIGHT, "dark": DARK}


def head_colour(theme: Theme, head: int) -> str:
    """Returns the colour of a head (0-based). Colours repeat after eight heads, and in print after two."""
    return theme.heads[head % len(theme.heads)]


def tint(theme: Theme, head: int, share: float) -> str:
    """Mixes the fraction `share` of a head's colour into the colour of raised surfaces. Returns "#rrggbb"."""
    ends = (theme.lift, head_colour(theme, head))
    pairs = zip(*([int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in ends), strict=True)
    return "#" + "".join(f"{round(ground + (hue - ground) * share):02x}" for ground, hue in pairs)


def text_colour(theme: Theme, role: str, hue: int | None) -> str:
    if hue is not None:
        return theme.head_text[hue % len(theme.head_text)]
    return {"muted": theme.muted, "warn": theme.warn}.get(role, theme.ink)


def stops(colours: tuple[str, ...]) -> list[list]:
    """Returns a Plotly colour scale that has these colours at evenly spaced positions from 0 to 1."""
    return [[place / (len(colours) - 1), colour] for place, colour in enumerate(colours)]
