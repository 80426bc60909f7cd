"""A plain figure in a theme: ground, ink and type as Plotly's template; in print greys, dashes, symbols and hatching for hues."""

import re
from typing import Any

from components.stage.theme import DARK, EITHER, EITHER_HEADS, LIGHT, NO_GROUND, PRINT, Theme, stops

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SIGNS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
HATCHING = ("", "/", ".", "x", "-", "\\", "|", "+")
#: The greys that replace the charts' hues in print.
GREYS: dict[str, str] = dict(zip(EITHER, ("#000000", "#7d7d7d", "#b4b4b4", "#8f8f8f"), strict=True))
GREYS |= {hue: ("#1a1a1a", "#a0a0a0")[i % 2] for i, hue in enumerate(EITHER_HEADS)}
#: Shares of rows that ask nothing, from 0 to 1: on light ground and on dark.
GREYED = (("#f6f5f2", "#e2e1dd", "#cbcac5"), ("#1e2227", "#32363b", "#484c52"))
SCALES = {LIGHT.signed: "signed", LIGHT.share: "share"}


def template(ink: str, ground: str, line: str, family: str) -> dict:
    """What Plotly draws where a figure says nothing else: on the page (assets/chart/chart.js) and in files."""
    small, title = {"color": ink, "size": 12}, {"font": {"color": ink, "size": 14}}
    axis = {"gridcolor": line, "zerolinecolor": line, "tickcolor": line, "tickfont": small, "automargin": True}
    across = {"title": {**title, "standoff": 20}, "showgrid": False, "zeroline": False}
    return {
        "data": {"scatter": [{"marker": {"line": {"width": 0}}}]},
        "layout": {
            "font": {**small, "family": family}, "margin": {"pad": 8, "l": 0, "r": 0}, "colorway": [ink],
            "legend": {"borderwidth": 0, "font": small, "valign": "top"},
            "xaxis": {**axis, **across},
            "yaxis": {**axis, "title": {**title, "standoff": 24}, "ticklabelposition": "outside"},
            "hoverlabel": {"bgcolor": ground, "bordercolor": line, "font": {**small, "family": family}},
        },
    }  # fmt: skip


def in_theme(figure: dict[str, Any], theme: Theme, family: str) -> dict[str, Any]:
    """A copy of the figure in the theme's colours and a font family; arrays stay the same objects."""
    is_map, data = "grow" in figure["layout"].get("meta", {}), list(figure["data"])
    if theme is PRINT:
        data = [_distinguished(trace, number) for number, trace in enumerate(data)]
        changed = _in_greys({"data": data, "layout": figure["layout"]})
    else:
        changed = _swapped({"data": data, "layout": figure["layout"]}, colours(theme) if is_map else {})
    look = template(theme.ink, theme.background, theme.line, family)
    return {"data": changed["data"], "layout": changed["layout"] | NO_GROUND | {"template": look}}


def colours(theme: Theme) -> dict[str, str]:
    """What each colour of a figure of heatmaps is in `theme`: light colour → its own. Heads have their readable hues."""
    pairs: dict[str, str] = {}
    for role in ("ink", "muted", "line", "lift", "background"):
        pairs[getattr(LIGHT, role)] = getattr(theme, role)
    for role in ("signed", "share"):
        pairs |= zip(getattr(LIGHT, role), getattr(theme, role), strict=True)
    pairs |= {light: theme.head_text[i % len(theme.head_text)] for i, light in enumerate(LIGHT.head_text)}
    return pairs | dict(zip(GREYED[0], GREYED[theme is DARK], strict=True))


def _swapped(part: Any, swap: dict[str, str]) -> Any:
    if isinstance(part, dict):
        return {key: _swapped(value, swap) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_swapped(value, swap) for value in part]
    return swap.get(part, part) if isinstance(part, str) else part


def _distinguished(trace: dict, number: int) -> dict:
    """A trace with its dash, symbol or hatching, where the figure has not chosen one."""
    if trace.get("type") == "bar":
        marker = {
            "pattern": {"shape": HATCHING[number % len(HATCHING)], "fgcolor": "#000000", "solidity": 0.25},
            "line": {"color": "#000000", "width": 0.6}, **trace.get("marker", {}),
        }  # fmt: skip
        return {**trace, "marker": marker}
    if trace.get("type", "scatter") == "scatter" and "lines" in trace.get("mode", "lines"):
        trace = {**trace, "line": {"dash": DASHES[number % len(DASHES)], **trace.get("line", {})}}
        if "markers" in trace.get("mode", ""):
            trace["marker"] = {"symbol": SIGNS[number % len(SIGNS)], **trace.get("marker", {})}
    return trace


def _in_greys(part: Any) -> Any:
    """Every colour below as a grey; the app's own scales as the print theme's."""
    if isinstance(part, dict):
        return {key: _scale(value) if key == "colorscale" else _in_greys(value) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_in_greys(value) for value in part]
    return grey(part) if isinstance(part, str) else part


def _scale(scale: Any) -> Any:
    if isinstance(scale, str):
        return scale
    kind = SCALES.get(tuple(colour for _, colour in scale))
    return stops(getattr(PRINT, kind)) if kind else [[at, grey(colour)] for at, colour in scale]


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
