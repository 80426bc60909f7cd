"""A page as a slide: look=slide in its address shows its figure alone."""

import xml.etree.ElementTree as ET

import pytest

from components.export.look import Look
from tests.app.driver import figures, open_page, preview
from tests.test_theme import contrast

SVG = "{http://www.w3.org/2000/svg}"


pytestmark = pytest.mark.usefixtures("no_browser")


@pytest.mark.parametrize(("page", "query", "words"), [
    ("heads", {}, "Keras"), ("figures", {"figure": "block_diagram"}, "Linear W"), ("projections", {"kernel": "w_v"}, "V"),
    ("concatenation", {"num_heads": 2}, "Concat"), ("models", {}, "32 query heads of 128"),
])  # fmt: skip
def test_a_page_is_its_figure_alone_in_large_strong_type(page, query, words):
    """A sheet of 800 × 600 pixels, of which no letter has fewer than 16, and every colour of a word 7 to 1 on its ground."""
    at = open_page(page, look="slide", **query)
    root = ET.fromstring(preview(at))
    assert (root.get("width"), root.get("height")) == ("800px", "600px")
    assert not at.title
    texts = [*root.iter(f"{SVG}text")]
    assert words in " ".join("".join(text.itertext()) for text in texts)
    assert min(contrast(text.get("fill"), "#ffffff") for text in texts) >= 7


def test_heatmaps_without_a_browser_are_drawn_in_the_page():
    assert figures(open_page("attention", look="slide"))["slide_chart"]["data"]


def test_a_page_without_a_figure_stays():
    assert open_page("questions", look="slide").title[0].value


def test_the_hues_of_heads_on_a_slide_have_seven_to_one():
    assert min(contrast(hue, "#ffffff") for hue in Look(size="slide").colours.head_text) >= 7
