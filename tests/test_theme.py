"""The colours: named in one place, repeated to Streamlit, and readable in both themes."""

import tomllib

import pytest

from components.theme import DARK, LIGHT, THEMES, Theme
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
