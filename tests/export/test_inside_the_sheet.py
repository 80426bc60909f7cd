"""Nothing is drawn outside its sheet, and what a hall reads is large: every figure of the table, at the paper's sizes and at the
largest that the app offers."""

import re
import xml.etree.ElementTree as ET
from contextlib import suppress

import numpy as np
import pytest

from components.export.figures import EVERY, FIGURES
from components.export.look import SIZES, Look
from components.export.rendering import picture_of, sheet_of
from components.export.request import Unavailable, request_of
from components.export.sheet import Sheet
from components.stage.pictures.projections import CUTS
from components.stage.scene import Scene
from tests.export.sheets import SVG, outside, points, shape_boxes, text_boxes, words
from tests.stage.reading import Label

LAYERS = {
    "usual": {},
    "8 heads": {"d_model": 64, "num_heads": 8},
    "as many heads as columns": {"d_model": 64, "num_heads": 64},
    "one head": {"d_model": 64, "num_heads": 1},
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
#: Of these each layer meets one, and each figure all; besides a screen and a hall.
OTHERS = (*(Look(size=size) for size in SIZES if size not in ("screen", "talk")), Look(size="paper", width_mm=82.6))


def drawn(page: Sheet) -> list[Label]:
    """Words, cells, outlines, and the place of a chart."""
    found = [*text_boxes(root := ET.fromstring(page.svg)), *shape_boxes(root)]
    if page.chart is None:
        assert len(found) > 2
        return found
    assert len(found) > 0
    move = re.search(r'(?:translate\((\S+) (\S+)\) scale\((\S+)\)">)?<g class="chart"/>', page.svg)
    left, top, scale = (float(part or add) for part, add in zip(move.groups(), (0, 0, 1), strict=True))
    wide, high = (scale * page.chart["layout"][side] for side in ("width", "height"))
    return [*found, ("chart", left, top, left + wide, top + high)]


@pytest.mark.parametrize(("name", "layer"), [
    *((name, one) for name, figure in FIGURES.items() for one in (LAYERS if figure.of_layer else ["usual"])),
    *(("cuts cut=keras", one) for one in LAYERS),
])  # fmt: skip
def test_nothing_is_drawn_outside_its_sheet_and_in_a_hall_no_type_is_smaller_than_16_points(name, layer):
    """By hand: a slide is 13⅓ inches wide, 960 points. What is left out there is said. What is too large is an outline, and no
    map is averaged below 64."""
    name, _, cut = name.partition(" cut=")
    words_typed = {} if layer == "usual" else {"numbers": "seed", "tokens": "the cat sat on the mat"}
    ask = request_of(LAYERS[layer] | words_typed | {"head_off": 1} | ({"cut": cut} if cut else {}))
    others = OTHERS if layer == "usual" else [OTHERS[([*LAYERS].index(layer) + [*EVERY].index(name)) % len(OTHERS)]]
    pages = {}
    for look in (Look(), Look(size="talk"), *others):
        with suppress(Unavailable):
            pages[look.size] = page = sheet_of(EVERY[name], ask, look)
            assert outside(ET.fromstring(page.svg), drawn(page), 1) == [], look.size
    if "talk" not in pages:
        pytest.skip("there is no such figure of this layer, or a slide has no room for it")
    drawing = picture_of(EVERY[name], ask).drawing
    for key, grid in drawing.grids.items() if isinstance(drawing, Scene) else ():
        assert grid.pool == 1 or (grid.scale in ("share", "score") and min(grid.values.shape) >= 64) or key == "sums", key
        assert np.isnan(grid.values).mean() < 1
    hall, root = pages["talk"], ET.fromstring(pages["talk"].svg)
    said = words(root)
    assert (root.get("width"), root.get("height")) == ("1280px", "720px")
    assert min(points(root, 960)) >= 16 - 0.05
    assert ("Headcount" in " ".join(said)) is ("the line of settings" not in hall.note)
    linked = "the line of settings" not in hall.note and EVERY[name].link(ask) != "/"
    assert ("Headcount · /" in " ".join(said)) is linked
    fewer = {w for w in words(pages["screen"].svg) if re.fullmatch(r"head \d+", w)} - {*said}
    part = re.search(r"Left out for large type: (\d+ of \d+ (?:panels|rows))", hall.note)
    assert bool(part) or not fewer
    assert not part or part[1].split()[0] in " ".join(said) or "the caption" in hall.note, "the caption has it, too"


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
