"""Nothing is drawn outside its sheet: every figure of the table, at the paper's sizes and at the largest that the app offers."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from components.export.figures import EVERY, FIGURES
from components.export.look import SIZES, Look
from components.export.rendering import picture_of, sheet_of
from components.export.request import Unavailable, request_of
from components.stage.pictures.projections import CUTS
from components.stage.scene import Scene
from tests.export.sheets import SVG, outside, shape_boxes, text_boxes, words

LAYERS = {
    "small": {},
    "base layer of the paper": {"d_model": 512, "num_heads": 8},
    "one head of 64": {"d_model": 64, "num_heads": 1},
    "64 heads": {"d_model": 1024, "num_heads": 64},
    "2 heads of 512": {"d_model": 1024, "num_heads": 2},
    "free": {"split": "free", "d_model": 97, "num_heads": 3, "key_dim": 509, "value_dim": 67},
    "long": {"d_model": 24, "num_heads": 3, "query_len": 131, "key_len": 67, "mask": "causal"},
    "lopsided": {"d_model": 16, "num_heads": 2, "query_len": 509, "key_len": 7},
}  # fmt: skip


@pytest.mark.parametrize(("name", "layer"), [
    *((name, one) for name, figure in FIGURES.items() for one in (LAYERS if figure.of_layer else ["small"])),
    *(("cuts cut=keras", one) for one in LAYERS),
])  # fmt: skip
def test_nothing_is_drawn_outside_its_sheet(name, layer):
    name, _, cut = name.partition(" cut=")
    ask = request_of(LAYERS[layer] | ({"cut": cut} if cut else {}))
    for look in (*map(Look, SIZES if layer == "small" else ("screen", "talk")), Look(size="paper", width_mm=82.6)):
        try:
            page = sheet_of(EVERY[name], ask, look)
            root = ET.fromstring(page.svg)
        except Unavailable as why:
            pytest.skip(str(why))
        found = [*text_boxes(root), *shape_boxes(root)]
        if page.chart is not None:
            move = re.search(r'(?:translate\((\S+) (\S+)\) scale\((\S+)\)">)?<g class="chart"/>', page.svg)
            left, top, scale = (float(part or add) for part, add in zip(move.groups(), (0, 0, 1), strict=True))
            sides = (scale * page.chart["layout"][side] for side in ("width", "height"))
            found += [("chart", left, top, left + next(sides), top + next(sides))]
        assert len(found) > (2 if page.chart is None else 1)
        assert outside(root, found, 1) == [], look.size


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("name", [name for name, figure in FIGURES.items() if figure.of_layer])
def test_what_is_too_large_is_an_outline_and_no_map_is_averaged_below_64(name, layer):
    try:
        drawing = picture_of(FIGURES[name], request_of(LAYERS[layer])).drawing
    except Unavailable as why:
        pytest.skip(str(why))
    if isinstance(drawing, Scene):
        for key, grid in drawing.grids.items():
            assert grid.pool == 1 or (grid.scale in ("share", "score") and min(grid.values.shape) >= 64) or key == "sums", key
            assert np.isnan(grid.values).mean() < 1


@pytest.mark.parametrize(("name", "chosen"), [
    *((name, {}) for name in ("pieces", "projections", "copied_not_split", "concatenation", "qk_and_ov")),
    *(("cuts", {"cut": cut}) for cut in CUTS),
], ids=str)  # fmt: skip
def test_weights_are_cells_up_to_64_on_a_side_and_outlines_beyond(name, chosen):
    of = {width: picture_of(EVERY[name], request_of({"d_model": width, "num_heads": 2, **chosen})) for width in (64, 66)}
    weights = {width: [one for one in each.scene.blocks if one.name.startswith("w_")] for width, each in of.items()}
    assert all(of[64].scene.grids[one.grid].pool == 1 for one in weights[64])
    assert weights[66]
    assert [one.id for one in weights[66] if one.grid is not None] == []


def test_the_scores_of_the_papers_base_layer_are_in_its_steps():
    root = ET.fromstring(sheet_of(FIGURES["steps"], request_of({"d_model": 512, "num_heads": 8}), Look()).svg)
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert {"QKᵀ of head 1", "Q of head 1", "K of head 1"} <= {*titles}
    assert "Q1   13 × 64" in [said.replace("\u00a0", " ") for said in words(root)]
