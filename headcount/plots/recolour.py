"""Conversion of a plain Plotly figure to another theme. In print, greys, dashes, symbols and hatching replace colours."""

import re
from collections.abc import Callable
from typing import Any

from headcount.stage.theme import EITHER, EITHER_HEADS, LIGHT, NO_GROUND, PRINT, Theme, stops

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SIGNS = ("circle", "square", "diamond", "triangle-up", "cross", "x")
HATCHING = ("", "/", ".", "x", "-", "\\", "|", "+")
#: The greys that replace the colours of charts in print.
GREYS: dict[str, str] = dict(zip(EITHER, ("#000000", "#7d7d7d", "#b4b4b4", "#8f8f8f"), strict=True))
GREYS |= {hue: ("#1a1a1a", "#a0a0a0")[i % 2] for i, hue in enumerate(EITHER_HEADS)}
#: The app's colour scales, in Plotly's form.
SCALES = {kind: stops(getattr(LIGHT, kind)) for kind in ("signed", "share", "pale")}


def template(ink: str, ground: str, line: str, family: str) -> dict:
    """Makes Plotly's template (its default look) for figures on pages (assets/chart/chart.js) and in files."""
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
    """Returns a copy of a figure in the colours of a theme and the font `family`. Lines and bars of charts keep their colours,
    except in print. The copy has the same arrays."""
    part = {"data": list(figure["data"]), "layout": figure["layout"]}
    if "grow" in figure["layout"].get("meta", {}):  # a figure of heatmaps
        swap = colours(theme)
        part = _recoloured(part, lambda text: swap.get(text, text), theme)
    elif theme is PRINT:
        part["data"] = [_distinguished(trace, number) for number, trace in enumerate(part["data"])]
        part = _recoloured(part, grey, theme)
    look = template(theme.ink, theme.background, theme.line, family)
    return {"data": part["data"], "layout": part["layout"] | NO_GROUND | {"template": look}}


def colours(theme: Theme) -> dict[str, str]:
    """Maps each colour of the light theme to the colour that replaces it in a figure of heatmaps. Head colours become the theme's
    `head_text`."""
    pairs: dict[str, str] = {}
    for role in ("ink", "muted", "line", "lift", "background"):
        pairs[getattr(LIGHT, role)] = getattr(theme, role)
    for role in ("signed", "share", "pale"):
        pairs |= zip(getattr(LIGHT, role), getattr(theme, role), strict=False)  # print's scales are short: SCALES has them whole
    return pairs | {light: theme.head_text[i % len(theme.head_text)] for i, light in enumerate(LIGHT.head_text)}


def _recoloured(part: Any, other: Callable[[str], str], theme: Theme) -> Any:
    """Returns a part of a figure with `other` applied to each text. Colour scales become those of the theme."""
    if isinstance(part, dict):
        return {key: _recoloured(value, other, theme) for key, value in part.items()}
    if isinstance(part, list | tuple):
        own = [kind for kind, scale in SCALES.items() if part == scale]
        return stops(getattr(theme, own[0]) or theme.share) if own else [_recoloured(value, other, theme) for value in part]
    return other(part) if isinstance(part, str) else part


def _distinguished(trace: dict, number: int) -> dict:
    """Returns a trace with a dash, symbol or hatching that depends on `number`. Only lines and bars without their own change."""
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


def grey(text: str) -> str:
    """Converts a colour such as "#rrggbb" or "rgb(…)" to its grey in GREYS or an equally light one. Other texts stay."""
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
