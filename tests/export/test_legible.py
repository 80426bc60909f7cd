"""Nothing is drawn outside its sheet, no type is smaller than promised, no words overlap: every figure in every size, at the
paper's sizes and at the app's largest. If a figure is not legible in a size, it is refused and another size is named."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from headcount.export.figures import EVERY, FIGURES
from headcount.export.rendering import picture_of, sheet_of
from headcount.export.request import Unavailable, request_of
from headcount.export.sheet import Sheet
from headcount.export.style import OWN, SIZES, Style
from headcount.stage import svg
from headcount.stage.pictures.projections import CUTS
from headcount.stage.scene import Scene
from tests.export.sheets import SVG, outside, points, shape_boxes, text_boxes
from tests.stage.reading import Label, lying_on_another

LAYERS = {
    "usual": {},
    "8 heads": {"d_model": 64, "num_heads": 8, "numbers": "seed"},
    "8 trained heads, wide": {"d_model": 64, "num_heads": 8},
    "8 trained heads": {"num_heads": 8},
    "16 trained heads with a mask": {"num_heads": 16, "mask": "causal"},
    "as many heads as columns": {"d_model": 64, "num_heads": 64},
    "one head": {"num_heads": 1},
    "base layer of the paper": {"d_model": 512, "num_heads": 8},
    "2 heads of 512": {"d_model": 1024, "num_heads": 2},
    "free": {"split": "free", "d_model": 97, "num_heads": 3, "key_dim": 509, "value_dim": 67},
    "primes": {"split": "free", "d_model": 11, "num_heads": 13, "key_dim": 2, "value_dim": 5, "query_len": 3, "key_len": 7},
    "few keys": {"d_model": 37, "num_heads": 1, "query_len": 31, "key_len": 2},
    "square": {"d_model": 40, "num_heads": 8, "query_len": 40, "key_len": 40},
    "long": {"d_model": 24, "num_heads": 3, "query_len": 131, "key_len": 67, "mask": "causal"},
    "lopsided": {"d_model": 16, "num_heads": 2, "query_len": 509, "key_len": 7},
    "d_model 4096": {"d_model": 4096, "num_heads": 64},
    "all that can be chosen": {
        "split": "free", "d_model": 4096, "num_heads": 256, "key_dim": 512, "value_dim": 512, "query_len": 512, "key_len": 511,
        "mask": "causal", "dropout": 0.3, "training": True,
    },
}  # fmt: skip
#: Points of the smallest type in each size, and of the width: 3.5, 6.5 and 13⅓ inches.
PROMISED = {"column": (8, 252), "page": (8, 468), "slide": (12, 960)}
#: What every figure has in some size, if there is such a figure.
ALWAYS = ("usual", "one head", "base layer of the paper", "8 heads", "8 trained heads")


def drawn(page: Sheet) -> list[Label]:
    """The boxes of words, cells, outlines, and a chart."""
    found = [*text_boxes(root := ET.fromstring(page.svg)), *shape_boxes(root)]
    assert len(found) > (0 if page.chart else 2)
    if page.chart is None:
        return found
    left, top = map(float, re.search(r'translate\((\S+) (\S+)\)">\n<g class="chart"/>', page.svg).groups())
    return [*found, ("chart", left, top, left + page.chart["layout"]["width"], top + page.chart["layout"]["height"])]


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("name", FIGURES)
def test_in_every_size_type_is_as_large_as_promised_inside_its_sheet_and_apart_or_the_size_is_refused(name, layer, monkeypatch):
    """Numbers in cells are left out, because they fit by construction. Subscripts are smaller."""
    figure = FIGURES[name]
    if not figure.of_layer and layer != "usual":
        pytest.skip("it shows no layer")
    own = layer in (*ALWAYS, "16 trained heads with a mask", "8 trained heads, wide")
    query = LAYERS[layer] | ({} if own else {"numbers": "seed", "tokens": "the cat sat on the mat"}) | {"head_off": 1}
    ask, refused = request_of(query), {}
    try:
        picture = picture_of(figure, ask)
    except Unavailable as why:
        if layer in ALWAYS and not re.search(
            "[Nn]o layer of these sizes was trained|No other .* was trained with these sizes", str(why)
        ):
            raise
        pytest.skip(str(why))
    monkeypatch.setattr(svg, "cells", lambda block, rect, *_, **__: f'<rect {svg.place(rect)} fill="#000"/>')
    fonts = ("sans", "serif") if layer in ALWAYS else ("sans",)
    for look in (Style(size=size, font=font) for size in SIZES for font in fonts):
        try:
            page = sheet_of.__wrapped__(figure, ask, look)
        except Unavailable as why:
            refused[look.size] = str(why)
            continue
        root, (least, wide) = ET.fromstring(page.svg), PROMISED[look.size]
        assert "<image" not in page.svg
        assert page.width * 0.75 == pytest.approx(wide)
        assert min(points(root, wide), default=least) >= least, look
        assert outside(root, drawn(page), 1) == [], look
        assert lying_on_another(text_boxes(root, look.font)) == [], look
        assert page.height * 0.75 <= (540.1 if look.size == "slide" else 225 / 25.4 * 72 + 0.1)
    assert not (layer in ALWAYS and len(refused) == len(SIZES)), "somewhere it is legible"
    for size, why in refused.items():
        assert f"not legible as a {size}" in why or "in no size" in why
        other = re.search(r"Take the size (\w+)\.", why)
        assert bool(other) is (len(refused) < len(SIZES))
        assert other is None or other[1] not in refused
    if isinstance(picture.drawing, Scene):
        for key, grid in picture.scene.grids.items():
            many = grid.scale in ("share", "score") and min(grid.values.shape) >= 64
            assert grid.pool == 1 or many or key == "sums", key
            assert np.isnan(grid.values).mean() < 1


@pytest.mark.parametrize(("width_mm", "least"), [(77.0, 8 * 77 / 88.9), (139.7, 8 * 139.7 / 165.1), (254.0, 8 * 254 / 165.1)])
@pytest.mark.parametrize("name", ["heads", "cuts_schematic", "head_map", "kernel_maps"])
def test_type_of_a_free_width_grows_with_it_from_the_nearer_of_column_and_page(name, width_mm, least):
    page = sheet_of(FIGURES[name], request_of({}), Style(size=OWN, width_mm=width_mm))
    root = ET.fromstring(page.svg)
    assert float(root.get("width").removesuffix("mm")) == pytest.approx(width_mm, abs=0.01)
    assert min(points(root, width_mm / 25.4 * 72)) == pytest.approx(1.006 * least, abs=0.02)


@pytest.mark.parametrize("name", ["heads", "attention", "results", "kernel_maps", "steps", "copied_not_split"])
def test_a_figure_fills_its_slide_in_one_direction(name):
    """Its cells and outlines, without the words beside them, fill four fifths of the width or half the height."""
    root = ET.fromstring(sheet_of(FIGURES[name], request_of({}), Style(size="slide")).svg)
    _, _, wide, high = map(float, root.get("viewBox").split())
    boxes = [*shape_boxes(root)]
    across = max(box[3] for box in boxes) - min(box[1] for box in boxes)
    down = max(box[4] for box in boxes) - min(box[2] for box in boxes)
    assert across > 0.8 * wide or down > 0.5 * high


@pytest.mark.parametrize("name", ["head_map", "results", "shares", "kernel_maps"])
def test_maps_stand_in_the_middle_of_their_slide(name):
    root = ET.fromstring(
        sheet_of(FIGURES[name], request_of({}), Style(size="slide", caption=False, stamp=False, title=False)).svg
    )
    wide = float(root.get("viewBox").split()[2])
    boxes = [*text_boxes(root), *shape_boxes(root)]
    left, right = min(box[1] for box in boxes), wide - max(box[3] for box in boxes)
    assert abs(left - right) < 0.06 * wide


def test_a_column_too_narrow_for_its_labels_is_refused_rather_than_that_they_stand_over_other_heads():
    """Eight slices of 45 pixels have labels of 54, so Z_7 was once above the slice of head 8."""
    with pytest.raises(Unavailable, match=r"not legible as a column with these settings\. Take the size page\."):
        sheet_of(FIGURES["concatenation"], request_of({"d_model": 512, "num_heads": 8}), Style(size="column"))


@pytest.mark.parametrize(("name", "chosen"), [
    *((name, {}) for name in ("pieces", "projections", "copied_not_split", "concatenation")),
    *(("cuts", {"cut": cut}) for cut in CUTS),
], ids=str)  # fmt: skip
def test_weights_are_cells_up_to_64_on_a_side_and_outlines_beyond(name, chosen):
    of = {width: picture_of(EVERY[name], request_of({"d_model": width, "num_heads": 2, **chosen})) for width in (64, 66)}
    weights = {width: [one for one in each.scene.blocks if one.name.startswith("w_")] for width, each in of.items()}
    assert all(of[64].scene.grids[one.grid].pool == 1 for one in weights[64])
    assert weights[66]
    assert [one.id for one in weights[66] if one.grid is not None] == []


def test_the_scores_of_the_papers_base_layer_are_in_its_steps():
    root = ET.fromstring(sheet_of(FIGURES["steps"], request_of({"d_model": 512, "num_heads": 8}), Style()).svg)
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert {"QKᵀ of head 1", "Q of head 1", "K of head 1"} <= {*titles}
