"""A figure too small for words: what is left of it, and where it is cut off."""

import io
import re
import xml.etree.ElementTree as ET
from base64 import b64decode

import numpy as np
import pytest
from PIL import Image

from headcount.export.figure import Picture
from headcount.export.figures import FIGURES
from headcount.export.request import request_of
from headcount.export.thumbnail import SHAPE, small, thumbnail
from headcount.stage.diagram import Arrow, Box, Diagram, word
from headcount.stage.layout import Rect
from headcount.stage.theme import DARK, LIGHT

SVG = "{http://www.w3.org/2000/svg}"


def of(name: str, theme=LIGHT, **query):
    picture = FIGURES[name].draw(request_of(query))
    return small(picture.chart) if picture.is_plotted else thumbnail(picture, theme)


@pytest.mark.parametrize("name", FIGURES)
def test_no_figure_keeps_a_word(name):
    drawn = of(name)
    if isinstance(drawn, str):
        assert not [*ET.fromstring(drawn).iter(f"{SVG}text")]
        return
    layout = drawn["layout"]
    assert (layout["annotations"], layout["showlegend"]) == ([], False)
    assert not any(layout[axis]["showticklabels"] or layout[axis]["title"] for axis in layout if re.match("[xy]axis", axis))
    assert not any(trace["text"] or trace["texttemplate"] for trace in drawn["data"])
    assert (layout["width"], layout["height"]) == SHAPE


def test_what_is_shown_ends_eight_pixels_beyond_the_drawing_and_its_lines_are_thicker_the_more_it_shrinks():
    shapes = (Box(Rect(101, 203, 503, 107)), Arrow(((111, 310), (111, 401)), plain=True), word("far", 5, 5))
    root = ET.fromstring(thumbnail(Picture(Diagram(900, 700, shapes, "", ()), "", ""), LIGHT))
    assert root.get("viewBox") == "93 195 519 214"
    assert [float(path.get("stroke-width")) for path in root.iter(f"{SVG}path")] == [pytest.approx(1.2 * 519 / 240, abs=0.01)]


def images(name: str, **query) -> list[np.ndarray]:
    """Pixels (rows, columns, RGB) of a figure's matrices, in the order of its drawing."""
    hrefs = (one.get("href").partition("base64,")[2] for one in ET.fromstring(of(name, **query)).iter(f"{SVG}image"))
    return [np.asarray(Image.open(io.BytesIO(b64decode(href))))[..., :3].astype(int) for href in hrefs]


def test_a_matrix_beside_one_of_no_head_is_in_its_heads_tint_and_others_keep_the_colours_of_their_numbers():
    """Concat and W_O have 3 heads each. The output between them has no image, nor has X."""
    sizes = {"d_model": 22, "num_heads": 3, "split": "free", "key_dim": 5, "value_dim": 7, "query_len": 13, "numbers": "seed"}
    for name, count in (("concatenation", 6), ("projections", 9)):
        found = images(name, **sizes)
        assert len(found) == count
        for number, pixels in enumerate(found):
            hue = [*bytes.fromhex(LIGHT.heads[number % 3][1:])]
            assert {int(one) for one in np.argmax(pixels, axis=-1).ravel()} <= {int(np.argmax(hue))}, (name, number)


def test_a_matrix_is_an_image_with_a_pixel_for_each_number_and_none_where_it_is_masked():
    root = ET.fromstring(of("head_map", DARK, numbers="seed", mask="causal", query_len=5, key_len=5))
    image, _bar = root.iter(f"{SVG}image")
    with Image.open(io.BytesIO(b64decode(image.get("href").partition("base64,")[2]))) as opened:
        pixels = np.asarray(opened)
    assert pixels.shape == (5, 5, 4)
    assert np.array_equal(pixels[..., 3] > 0, np.tri(5, dtype=bool)), "a query sees no later key"
    assert tuple(pixels[0, 0, :3]) == tuple(bytes.fromhex(DARK.share[-1][1:])), "the first sees itself alone: weight 1"
