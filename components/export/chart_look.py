"""A plain Plotly figure in a look: its ground, ink and type; and in print, greys, dashes, signs and hatching instead of hues."""

import re
from copy import deepcopy

from components.export.look import Look
from components.figures.letters import FACES
from components.theme import EITHER, EITHER_SHARE, EITHER_SIGNED, LIGHT, PRINT, Theme, stops

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SIGNS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
HATCHING = ("", "/", ".", "x", "-", "\\", "|", "+")
#: What stands in print for the hues that charts use.
GREYS = dict(zip(EITHER, ("#000000", "#7d7d7d", "#b4b4b4", "#8f8f8f"), strict=True))
GREYS |= {hue: ("#1a1a1a", "#a0a0a0")[i % 2] for i, hue in enumerate(LIGHT.heads)}
SCALES = {EITHER_SIGNED: "signed", LIGHT.signed: "signed", EITHER_SHARE: "share", LIGHT.share: "share"}


def dressed(figure: dict, look: Look) -> dict:
    """The same figure in the look's colours and type; the one given stays as it is."""
    theme = look.colours
    made = deepcopy({"data": list(figure["data"]), "layout": figure["layout"]})
    for number, trace in enumerate(made["data"]):
        trace["uid"] = f"t{number}"  # drawn by chance otherwise, and part of the SVG
    layout = made["layout"]
    layout["template"] = {"layout": _ground(theme, FACES[look.font].css)}
    layout |= {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)"}
    layout.pop("width", None)
    layout.pop("height", None)
    if theme is not PRINT:
        return made
    for number, trace in enumerate(made["data"]):
        _told_apart(trace, number)
    return _in_greys(made)


def _ground(theme: Theme, family: str) -> dict:
    axis = {
        "gridcolor": theme.line, "linecolor": theme.muted, "zerolinecolor": theme.line, "tickcolor": theme.line,
        "automargin": True, "title": {"font": {"color": theme.muted}}, "tickfont": {"color": theme.muted},
    }  # fmt: skip
    font = {"family": family, "size": 13, "color": theme.ink}
    return {"font": font, "xaxis": axis, "yaxis": axis, "colorway": list(theme.heads)}


def _told_apart(trace: dict, number: int) -> None:
    """By dash, sign and hatching, where the figure does not do that itself."""
    if trace.get("type") == "bar":
        marker = trace.setdefault("marker", {})
        marker.setdefault("pattern", {"shape": HATCHING[number % len(HATCHING)], "fgcolor": "#000000", "solidity": 0.25})
        marker.setdefault("line", {"color": "#000000", "width": 0.6})
    elif trace.get("type", "scatter") == "scatter" and "lines" in trace.get("mode", "lines"):
        trace.setdefault("line", {}).setdefault("dash", DASHES[number % len(DASHES)])
        if "markers" in trace.get("mode", ""):
            trace.setdefault("marker", {}).setdefault("symbol", SIGNS[number % len(SIGNS)])


def _in_greys(part: object) -> object:
    """Every colour below as a grey; the app's own scales as the print theme's."""
    if isinstance(part, dict):
        return {key: _scale(value) if key == "colorscale" else _in_greys(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_in_greys(value) for value in part]
    return grey(part) if isinstance(part, str) else part


def _scale(colours: object) -> object:
    if isinstance(colours, str):
        return colours
    kind = SCALES.get(tuple(colour for _, colour in colours))
    return stops(getattr(PRINT, kind)) if kind else [[at, grey(colour)] for at, colour in colours]


def grey(text: str) -> str:
    """A colour without its hue: a chosen grey for the charts' own, one as light for any other. Other words stay as they are."""
    if text.lower() in GREYS:
        return GREYS[text.lower()]
    if re.fullmatch(r"#[0-9a-fA-F]{6}", text):
        parts, rest = [int(text[i : i + 2], 16) for i in (1, 3, 5)], ""
    elif found := re.fullmatch(r"rgba?\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*([\d.]+)\s*)?\)", text):
        parts, rest = [int(part) for part in found.groups()[:3]], found[4] or ""
    else:
        return text
    light = round(0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2])
    return f"rgba({light},{light},{light},{rest})" if rest else f"#{light:02x}{light:02x}{light:02x}"
