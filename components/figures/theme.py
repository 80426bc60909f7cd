"""Colours and type, light and dark: the one place where a colour is named.

`.streamlit/config.toml` repeats the few that Streamlit itself needs; a test holds the two together.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """One theme. `lift` is a raised surface, `head_text` the heads' hues dark enough to read (WCAG AA).

    `signed` runs from the most negative over 0 to the most positive value, `share` from 0 to 1.
    """

    background: str
    panel: str
    ink: str
    muted: str
    line: str
    accent: str
    good: str
    warn: str
    lift: str
    signed: tuple[str, ...]
    share: tuple[str, ...]
    heads: tuple[str, ...]
    head_text: tuple[str, ...]


LIGHT = Theme(
    background="#fcfbf8",
    panel="#f4f1e9",
    ink="#1b2430",
    muted="#59626e",
    line="#ddd8cb",
    accent="#2f5fc4",
    good="#1d7348",
    warn="#b3261e",
    lift="#ffffff",
    signed=("#0d3f86", "#3f74b8", "#9dbcdd", "#f4f3ef", "#eebb9c", "#d97a43", "#a83c0c"),
    share=("#f6f4ee", "#c5e0d2", "#7fc0ab", "#2f8f80", "#0b5a58", "#06323b"),
    heads=("#0d55bd", "#c57a03", "#3d8d6a", "#994e86", "#328eff", "#bf431c", "#7571b6", "#696969"),
    head_text=("#0b4ba8", "#8a5200", "#25704f", "#8a3f77", "#0b66c8", "#a83512", "#5d59a3", "#565656"),
)
DARK = Theme(
    background="#11151b",
    panel="#191f28",
    ink="#eceae4",
    muted="#a3acb8",
    line="#333c48",
    accent="#86aeff",
    good="#63c995",
    warn="#ff9a8f",
    lift="#1b222c",
    signed=("#8ec1ff", "#4c86cf", "#2b4d7c", "#222933", "#7a4526", "#d17a3e", "#ffb07a"),
    share=("#1c232c", "#17453f", "#1f6f62", "#35a189", "#79d3b6", "#d6f7e6"),
    heads=("#6796fb", "#ffb738", "#26c196", "#c97aba", "#c6ebff", "#f18665", "#cbb2f6", "#b2b5c3"),
    head_text=("#8fb2ff", "#ffc761", "#5fd6b5", "#dc9bcf", "#c6ebff", "#f6a68b", "#d6c3f9", "#c0c7d0"),
)
#: Black on white, nothing lost on a printer without colours: signed numbers are the darker the larger they are and a bar says
#: which are negative; heads' frames are two greys in turn.
PRINT = Theme(
    background="#ffffff",
    panel="#ffffff",
    ink="#000000",
    muted="#3a3a3a",
    line="#b5b5b5",
    accent="#000000",
    good="#000000",
    warn="#000000",
    lift="#ffffff",
    signed=("#000000", "#8f8f8f", "#ffffff", "#8f8f8f", "#000000"),
    share=("#ffffff", "#b9b9b9", "#7a7a7a", "#404040", "#000000"),
    heads=("#000000", "#8a8a8a"),
    head_text=("#000000",),
)
#: For Plotly figures, which do not know the theme: hues of middle lightness, and a signed scale with a transparent middle.
EITHER = ("#3f74d8", "#d07a1a", "#1f9a7c", "#8a8f98")
EITHER_SIGNED = ("#1f57b5", "#6c9ae0", "rgba(140, 140, 140, 0.14)", "#e0935c", "#c4561a")
EITHER_SHARE = ("rgba(140, 140, 140, 0.10)", "#9ed3bf", "#4aa892", "#1c7a6c", "#0b4f4c")
#: A transparent background, and a grey that marks a place without filling it.
CLEAR, GHOST = "rgba(0,0,0,0)", "rgba(140, 140, 140, 0.16)"
NO_GROUND = {"paper_bgcolor": CLEAR, "plot_bgcolor": CLEAR}
THEMES = {"light": LIGHT, "dark": DARK}


def head_colour(theme: Theme, head: int) -> str:
    """The hue of a head (0-based). Eight stay apart, for colour-blind readers as well (tests/test_theme.py computes how far);
    beyond, they come round again, numbered."""
    return theme.heads[head % len(theme.heads)]


def text_colour(theme: Theme, role: str, hue: int | None) -> str:
    """The colour of a label (components/figures/scene.py: Text)."""
    if hue is not None:
        return theme.head_text[hue % len(theme.head_text)]
    return {"muted": theme.muted, "warn": theme.warn}.get(role, theme.ink)


def stops(colours: tuple[str, ...]) -> list[list]:
    """A Plotly colour scale: evenly spaced stops from 0 to 1."""
    return [[place / (len(colours) - 1), colour] for place, colour in enumerate(colours)]
