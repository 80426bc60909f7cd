"""The colours: named in one place, repeated to Streamlit, and legible in both themes. In print a chart tells nothing by colour
alone."""

import tomllib
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pytest

from headcount.export.figures import FIGURES
from headcount.export.request import request_of
from headcount.plots.recolour import grey, in_theme
from headcount.stage.svg import TINT, number_is_dark
from headcount.stage.theme import DARK, EITHER, EITHER_HEADS, LIGHT, PRINT, THEMES, Theme, stops, tint
from tests.sources import ROOT

CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
#: What Streamlit calls our colours.
SAME = {"primaryColor": "ink", "linkColor": "ink", "codeTextColor": "muted", "backgroundColor": "background",
        "secondaryBackgroundColor": "panel", "textColor": "ink", "borderColor": "line"}  # fmt: skip
BOTH = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
READABLE = 4.5  # WCAG 2.2, AA, text of usual size


def channel(part: int) -> float:
    """sRGB to linear light (WCAG 2.2, relative luminance)."""
    c = part / 255
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def luminance(colour: str) -> float:
    red, green, blue = (channel(int(colour[i : i + 2], 16)) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", THEMES)
def test_streamlit_has_the_same_colours_and_the_sidebar_swaps_background_and_panel(name):
    theme: Theme = THEMES[name]
    assert {key: CONFIG[name][key] for key in SAME} == {key: getattr(theme, ours) for key, ours in SAME.items()}
    sidebar = CONFIG[name]["sidebar"]
    assert (sidebar["backgroundColor"], sidebar["secondaryBackgroundColor"]) == (theme.panel, theme.background)


@BOTH
@pytest.mark.parametrize("ground", ["background", "panel", "lift"])
def test_every_text_can_be_read_on_every_ground(theme, ground):
    texts = {"ink": theme.ink, "muted": theme.muted}
    texts |= {f"head {i + 1}": colour for i, colour in enumerate(theme.head_text)}
    found = {name: round(contrast(colour, getattr(theme, ground)), 2) for name, colour in texts.items()}
    assert {name: ratio for name, ratio in found.items() if ratio < READABLE} == {}


#: What is left of light for a reader without one kind of cone, in linear sRGB: Machado, Oliveira and Fernandes 2009, severity 1.
SIGHT = {
    "all cones": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
#: sRGB's primaries in XYZ (IEC 61966-2-1); white is their sum.
XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])
#: CIEDE2000 between any two heads' hues: 1 is just seen side by side, 10 is told apart at a glance.
APART = 10
#: WCAG 2.2, 1.4.11: lines and strips against what is behind them.
VISIBLE = 3


def lab(colour: str, sight: str = "all cones") -> np.ndarray:
    """CIELAB (D65) of a colour as a reader with this sight sees it."""
    light = np.array([channel(int(colour[i : i + 2], 16)) for i in (1, 3, 5)])
    t = XYZ @ np.clip(SIGHT[sight] @ light, 0, 1) / XYZ.sum(axis=1)
    f = np.where(t > (6 / 29) ** 3, np.cbrt(t), t * (29 / 6) ** 2 / 3 + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """CIEDE2000 of two colours in CIELAB (Sharma, Wu and Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    stretch = 1.5 - 0.5 * np.sqrt(mean**7 / (mean**7 + 25**7))
    c1, c2 = np.hypot(a1 * stretch, b1), np.hypot(a2 * stretch, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1 * stretch)) % 360, np.degrees(np.arctan2(b2, a2 * stretch)) % 360
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    hue = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    light, chroma = (l1 + l2) / 2, (c1 + c2) / 2
    cos = lambda degrees: np.cos(np.radians(degrees))  # noqa: E731
    t = 1 - 0.17 * cos(hue - 30) + 0.24 * cos(2 * hue) + 0.32 * cos(3 * hue + 6) - 0.2 * cos(4 * hue - 63)
    by_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    by_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    by_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    twist = -2 * np.sqrt(chroma**7 / (chroma**7 + 25**7)) * np.sin(np.radians(60 * np.exp(-(((hue - 275) / 25) ** 2))))
    return float(np.sqrt(by_light**2 + by_chroma**2 + by_hue**2 + twist * by_chroma * by_hue))


@pytest.mark.parametrize("sight", SIGHT)
@BOTH
def test_eight_heads_stay_apart_for_every_kind_of_sight(theme, sight):
    seen = [lab(colour, sight) for colour in theme.heads]
    assert len(seen) == len({*theme.head_text}) == 8
    close = {(i + 1, j + 1): round(difference(seen[i], seen[j]), 1) for i, j in combinations(range(8), 2)
             if difference(seen[i], seen[j]) < APART}  # fmt: skip
    assert close == {}


@BOTH
@pytest.mark.parametrize("ground", ["background", "lift"])
def test_heads_hues_stand_out_from_their_ground(theme, ground):
    assert min(contrast(colour, getattr(theme, ground)) for colour in theme.heads) >= VISIBLE


#: Published colour scales, every 17th of their 256 colours: cividis (Nunez, Anderton and Renslow 2018) and vik (Crameri 2018).
CIVIDIS = ("#00224e", "#002e6c", "#1e3a6f", "#35456c", "#47516c", "#575d6d", "#666970", "#757575",
           "#848279", "#948e77", "#a59c74", "#b7a96e", "#c8b866", "#dbc75a", "#eed649", "#fee838")  # fmt: skip
VIK = ("#001261", "#022d72", "#034783", "#116496", "#3c85ac", "#71a8c4", "#a7c9da", "#dbe5e9",
       "#eed9cd", "#e1b8a0", "#d39774", "#c6794c", "#b75a26", "#983307", "#761706", "#590008")  # fmt: skip
SCALES = pytest.mark.parametrize("scale", ["signed", "share"])


def mixed(colours: tuple[str, ...], count: int) -> list[str]:
    """A scale at evenly spaced places, mixed as the painters do: each channel linearly between the stops, in whole numbers."""
    stops = np.array([[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in colours])
    at, places = np.linspace(0, 1, len(stops)), np.linspace(0, 1, count)
    rows = np.stack([np.interp(places, at, part) for part in stops.T], axis=1).round().astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in rows.tolist()]


def sides(colours: list[str], scale: str) -> list[list[str]]:
    """The two sides of a signed scale, each from the middle outwards; the only side of a scale of weights."""
    half = len(colours) // 2
    return [colours[: len(colours) - half][::-1], colours[half:]] if scale == "signed" else [colours]


def unevenness(runs: list[list[str]]) -> float:
    """The largest step divided by the smallest; 1 if all look equal."""
    steps = [difference(lab(one), lab(next_one)) for run in runs for one, next_one in pairwise(run)]
    return max(steps) / min(steps)


@BOTH
@SCALES
def test_a_larger_number_is_always_further_from_the_ground_in_lightness(theme, scale):
    for side in sides(mixed(getattr(theme, scale), 257), scale):
        lights = [lab(colour)[0] for colour in side]
        assert lights in (sorted(lights), sorted(lights, reverse=True))
        assert abs(lights[-1] - lights[0]) > 60
        assert difference(lab(side[0]), lab(theme.background)) < 5, "0 is nearly the page"


@BOTH
@SCALES
def test_steps_of_equal_size_look_equal(theme, scale):
    """Sixteen steps to each side. In smaller ones, rounding of red, green and blue would be visible."""
    assert unevenness(sides(mixed(getattr(theme, scale), 33 if scale == "signed" else 17), scale)) < 1.3


@BOTH
def test_the_scales_step_at_least_as_evenly_as_vik_and_cividis(theme):
    """Measured at the published places; vik and the signed scale on each side, without the step across the middle."""
    both_sides = lambda colours: [colours[:8], colours[8:]]  # noqa: E731
    published = min(unevenness(both_sides(list(VIK))), unevenness([list(CIVIDIS)]))
    assert unevenness(both_sides(mixed(theme.signed, 16))) <= published
    assert unevenness([mixed(theme.share, 16)]) <= published


@BOTH
@pytest.mark.parametrize("sight", SIGHT)
def test_a_number_and_its_negative_stay_apart_for_every_kind_of_sight(theme, sight):
    """Tested from a quarter of the scale on. Nearer to 0 both are nearly the background, and the numbers are written."""
    colours = mixed(theme.signed, 257)
    close = [i for i in range(32, 129) if difference(lab(colours[128 - i], sight), lab(colours[128 + i], sight)) < APART]
    assert close == []


def hues(colours: list[str]) -> np.ndarray:
    """Angles in CIELAB, in degrees, of the colours that are not nearly grey."""
    found = np.array([lab(colour)[1:] for colour in colours])
    return np.degrees(np.arctan2(found[:, 1], found[:, 0]))[np.hypot(*found.T) > 20]


@BOTH
def test_the_four_heads_of_the_sentence_differ_in_hue_and_their_sheets_for_every_kind_of_sight(theme):
    """A sheet has half of a head's colour over its background where its number is largest."""
    turns = hues(list(theme.heads[:4]))
    assert min(abs((one - other + 180) % 360 - 180) for one, other in combinations(turns, 2)) >= 12
    sheets = [[lab(tint(theme, head, TINT["high"]), sight) for head in range(4)] for sight in SIGHT]
    assert min(difference(one, other) for seen in sheets for one, other in combinations(seen, 2)) > 9


@BOTH
@SCALES
def test_no_head_has_a_colour_of_a_scale_nor_its_hue(theme, scale):
    colours = mixed(getattr(theme, scale), 129)
    nearest = {head + 1: min(difference(lab(hue), lab(colour)) for colour in colours) for head, hue in enumerate(theme.heads)}
    assert {head: near for head, near in nearest.items() if near < APART} == {}
    turns = hues(list(theme.heads))[:, None] - hues(colours)
    assert np.abs((turns + 180) % 360 - 180).min() >= 12


@BOTH
def test_what_can_be_pressed_has_the_colour_of_no_head_and_no_number(theme):
    others = [*theme.heads, *mixed(theme.signed, 129), *mixed(theme.share, 129)]
    assert min(difference(lab(theme.ink), lab(colour)) for colour in others) >= APART


@BOTH
@SCALES
def test_a_number_can_be_read_on_every_colour_of_its_scale(theme, scale):
    for colour in mixed(getattr(theme, scale), 257):
        rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)], dtype=np.uint8)
        assert contrast("#000000" if number_is_dark(rgb) else "#ffffff", colour) >= READABLE


@BOTH
def test_charts_kinds_are_greys_that_are_no_head_and_can_be_seen_in_both_themes(theme):
    assert min(contrast(colour, theme.background) for colour in (*EITHER, *EITHER_HEADS)) >= VISIBLE
    assert min(difference(lab(one), lab(head)) for one in EITHER for head in (*theme.heads, *EITHER_HEADS)) >= APART
    for some in (EITHER, EITHER_HEADS):
        assert min(difference(lab(one), lab(other)) for one, other in combinations(some, 2)) >= APART
    assert max(np.hypot(*lab(colour)[1:]) for colour in EITHER) < 20


printed = partial(in_theme, theme=PRINT, family="Source Sans")


def figure(name: str, **query) -> dict:
    return FIGURES[name].draw(request_of(query)).drawing


def test_a_colour_becomes_a_grey_as_light_as_it_is():
    """0.299 · 255 = 76, 0.587 · 255 = 150, 0.114 · 255 = 29."""
    assert [grey(c) for c in ("#ff0000", "#00ff00", "#0000ff", "#ffffff")] == ["#4c4c4c", "#969696", "#1d1d1d", "#ffffff"]
    assert grey("rgba(255, 0, 0, 0.5)") == "rgba(76,76,76,0.5)"
    assert [grey(word) for word in ("solid", "heads (h)", "x2")] == ["solid", "heads (h)", "x2"]


def colours(part: object, key: str = "") -> set[str]:
    if isinstance(part, dict):
        return {c for k, value in part.items() for c in colours(value, k)}
    if isinstance(part, list | tuple):
        return {c for value in part for c in colours(value, key)}
    return {part} if isinstance(part, str) and part.startswith("#") else set()


def test_in_print_every_colour_is_a_grey_and_the_signed_scale_has_its_own():
    for name in ("time", "divisors", "right_answers", "head_switched_off"):
        given = figure(name, head_off=1)
        before = repr(given)
        found = colours(printed(given))
        assert found
        assert repr(given) == before, "the figure that is given stays as it is"
        assert {c for c in found if not c[1:3] == c[3:5] == c[5:7]} == set(), name
    made = printed({"data": [], "layout": {"coloraxis": {"colorscale": stops(LIGHT.signed)}}})
    assert made["layout"]["coloraxis"]["colorscale"] == stops(PRINT.signed), "as dark at both ends"


def test_in_print_bars_differ_by_hatching_and_lines_by_dash_and_sign_those_too_that_only_colour_told_apart():
    bars = printed(figure("divisors"))["data"]
    assert len({bar["marker"]["pattern"]["shape"] for bar in bars}) == 3
    hues = ("#3f74d8", "#d07a1a", "#1f9a7c")
    plain = [{"type": "scatter", "mode": "lines+markers", "line": {"color": hue}} for hue in hues]
    every = printed(figure("time"))["data"]
    for lines in (every[:3], printed({"data": plain, "layout": {}})["data"]):
        assert len({line["line"]["dash"] for line in lines}) == 3
        assert len({line["line"]["color"] for line in lines}) == 3
    assert len({line["marker"]["symbol"] for line in lines}) == 3
    assert [line["marker"]["symbol"][-1] for line in every[3:5]] == ["circle", "square"]
