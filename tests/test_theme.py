"""The colours: named in one place, repeated to Streamlit, and readable in both themes."""

import tomllib
from itertools import combinations

import numpy as np
import pytest

from components.figures.theme import DARK, LIGHT, THEMES, Theme
from tests.sources import ROOT

CONFIG = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["theme"]
#: What Streamlit calls our colours.
SAME = {"primaryColor": "accent", "backgroundColor": "background", "secondaryBackgroundColor": "panel", "textColor": "ink",
        "borderColor": "line"}  # fmt: skip
READABLE = 4.5  # WCAG 2.2, AA, text of usual size


def channel(part: int) -> float:
    """sRGB to linear light (WCAG 2.2, relative luminance)."""
    c = part / 255
    return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def luminance(colour: str) -> float:
    red, green, blue = (channel(int(colour[i:i + 2], 16)) for i in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_by_hand():
    """Black on white is 21 to 1, and #767676 is the lightest grey that can be read on white."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)
    assert contrast("#777777", "#ffffff") < READABLE


@pytest.mark.parametrize("name", THEMES)
def test_streamlit_has_the_same_colours(name):
    theme: Theme = THEMES[name]
    assert {key: CONFIG[name][key] for key in SAME} == {key: getattr(theme, ours) for key, ours in SAME.items()}


@pytest.mark.parametrize("name", THEMES)
def test_the_sidebar_swaps_background_and_panel(name):
    theme: Theme = THEMES[name]
    sidebar = CONFIG[name]["sidebar"]
    assert (sidebar["backgroundColor"], sidebar["secondaryBackgroundColor"]) == (theme.panel, theme.background)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["background", "panel", "lift"])
def test_every_text_can_be_read_on_every_ground(theme, ground):
    texts = {"ink": theme.ink, "muted": theme.muted, "accent": theme.accent, "good": theme.good}
    texts |= {f"head {i + 1}": colour for i, colour in enumerate(theme.head_text)}
    found = {name: round(contrast(colour, getattr(theme, ground)), 2) for name, colour in texts.items()}
    assert {name: ratio for name, ratio in found.items() if ratio < READABLE} == {}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_heads_hues_are_as_many_as_their_texts_and_all_different(theme):
    assert len(set(theme.heads)) == len(set(theme.head_text)) == 8


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_signed_scale_has_a_middle_and_a_share_runs_one_way(theme):
    assert len(theme.signed) % 2 == 1
    lights = [luminance(colour) for colour in theme.share]
    assert lights in (sorted(lights), sorted(lights, reverse=True))


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
    light = np.array([channel(int(colour[i:i + 2], 16)) for i in (1, 3, 5)])
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


@pytest.mark.parametrize(("one", "other", "published"), [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425), ((50, -1, 2), (50, 0, 0), 2.3669),
    ((50, 2.5, 0), (73, 25, -18), 27.1492), ((50, 2.5, 0), (58, 24, 15), 19.4535),
    ((50, 2.49, -0.001), (50, -2.49, 0.0011), 7.2195),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ((22.7233, 20.0904, -46.6940), (23.0331, 14.9730, -42.5619), 2.0373),
])  # fmt: skip
def test_the_difference_of_colours_is_that_of_the_published_pairs(one, other, published):
    assert difference(np.array(one), np.array(other)) == pytest.approx(published, abs=1e-4)


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_eight_heads_stay_apart_for_every_kind_of_sight(theme, sight):
    seen = [lab(colour, sight) for colour in theme.heads]
    close = {(i + 1, j + 1): round(difference(seen[i], seen[j]), 1) for i, j in combinations(range(8), 2)
             if difference(seen[i], seen[j]) < APART}  # fmt: skip
    assert close == {}


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["background", "lift"])
def test_heads_hues_stand_out_from_their_ground(theme, ground):
    assert min(contrast(colour, getattr(theme, ground)) for colour in theme.heads) >= VISIBLE
