"""A plain Plotly figure in a look: background, ink and type; in print, greys, dashes, symbols and hatching replace hues."""

import re
from copy import deepcopy
from typing import Any

from components.export.look import Look
from components.figures.text import FACES
from components.figures.theme import EITHER, EITHER_HEADS, EITHER_SHARE, EITHER_SIGNED, LIGHT, NO_GROUND, PRINT, Theme, stops

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SIGNS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
HATCHING = ("", "/", ".", "x", "-", "\\", "|", "+")
#: The greys that replace the charts' hues in print.
GREYS: dict[str, str] = dict(zip(EITHER, ("#000000", "#7d7d7d", "#b4b4b4", "#8f8f8f"), strict=True))
GREYS |= {hue: ("#1a1a1a", "#a0a0a0")[i % 2] for i, hue in enumerate(EITHER_HEADS)}
SCALES = {EITHER_SIGNED: "signed", LIGHT.signed: "signed", EITHER_SHARE: "share", LIGHT.share: "share"}


def dressed(figure: dict[str, Any], look: Look) -> dict[str, Any]:
    """A copy of the figure in the look's colours and type."""
    theme = look.colours
    copy = deepcopy({"data": list(figure["data"]), "layout": figure["layout"]})
    for number, trace in enumerate(copy["data"]):
        trace["uid"] = f"t{number}"  # random otherwise, and part of the SVG
    layout = copy["layout"]
    layout["template"] = {"layout": _ground(theme, FACES[look.font].css)}
    layout |= NO_GROUND
    for side in ("width", "height"):
        layout.pop(side, None)
    if theme is not PRINT:
        return copy
    for number, trace in enumerate(copy["data"]):
        _distinguished(trace, number)
    return _in_greys(copy)


def _ground(theme: Theme, family: str) -> dict:
    axis = {
        "gridcolor": theme.line, "linecolor": theme.muted, "zerolinecolor": theme.line, "tickcolor": theme.line,
        "automargin": True, "title": {"font": {"color": theme.muted}}, "tickfont": {"color": theme.muted},
    }  # fmt: skip
    font = {"family": family, "size": 13, "color": theme.ink}
    return {"font": font, "xaxis": axis, "yaxis": axis, "colorway": list(theme.heads)}


def _distinguished(trace: dict, number: int) -> None:
    """Gives a trace its dash, symbol or hatching, where the figure has not chosen one."""
    if trace.get("type") == "bar":
        marker = trace.setdefault("marker", {})
        marker.setdefault("pattern", {"shape": HATCHING[number % len(HATCHING)], "fgcolor": "#000000", "solidity": 0.25})
        marker.setdefault("line", {"color": "#000000", "width": 0.6})
    elif trace.get("type", "scatter") == "scatter" and "lines" in trace.get("mode", "lines"):
        trace.setdefault("line", {}).setdefault("dash", DASHES[number % len(DASHES)])
        if "markers" in trace.get("mode", ""):
            trace.setdefault("marker", {}).setdefault("symbol", SIGNS[number % len(SIGNS)])


def _in_greys(part: Any) -> Any:
    """Every colour below as a grey; the app's own scales as the print theme's."""
    if isinstance(part, dict):
        return {key: _scale(value) if key == "colorscale" else _in_greys(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_in_greys(value) for value in part]
    return grey(part) if isinstance(part, str) else part


def _scale(colours: Any) -> Any:
    if isinstance(colours, str):
        return colours
    kind = SCALES.get(tuple(colour for _, colour in colours))
    return stops(getattr(PRINT, kind)) if kind else [[at, grey(colour)] for at, colour in colours]


def grey(text: str) -> str:
    """A colour without its hue: a chosen grey for the charts' colours, an equally light one for others. Other text stays."""
    if text.lower() in GREYS:
        return GREYS[text.lower()]
    if re.fullmatch(r"#[0-9a-fA-F]{6}", text):
        parts, rest = [int(text[i : i + 2], 16) for i in (1, 3, 5)], ""
    elif match := re.fullmatch(r"rgba?\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*([\d.]+)\s*)?\)", text):
        parts, rest = [int(part) for part in match.groups()[:3]], match[4] or ""
    else:
        return text
    light = round(0.299 * parts[0] + 0.587 * parts[1] + 0.114 * parts[2])
    return f"rgba({light},{light},{light},{rest})" if rest else f"#{light:02x}{light:02x}{light:02x}"
