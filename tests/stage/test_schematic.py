"""The block diagram and the schematic of the cuts: shapes and counts by hand, and nothing that lies on anything else."""

import re
import xml.etree.ElementTree as ET

import pytest

from components.export.figures import FIGURES
from components.export.look import FONTS, Look
from components.export.rendering import sheet_of
from components.export.request import request_of
from components.stage.diagram import Diagram
from components.stage.pictures.schematic import block, cuts
from components.stage.scene import Text
from mha import Config
from tests.export.sheets import outside, text_boxes, words
from tests.stage.reading import labels_of, lying_on_another

ODD = Config(d_model=7, num_heads=3, key_dim=2, value_dim=5, query_len=11, key_len=13)
LAYERS = {
    "usual": {},
    "odd": {"split": "free", "d_model": 7, "num_heads": 3, "key_dim": 2, "value_dim": 5, "query_len": 11, "key_len": 13},
    "large": {"d_model": 4096, "num_heads": 32, "query_len": 512, "key_len": 509, "mask": "causal"},
    "many": {"d_model": 17, "num_heads": 17, "use_bias": False},
    "one": {"num_heads": 1, "query_len": 1, "key_len": 1, "d_model": 1},
}  # fmt: skip


def written(diagram: Diagram) -> str:
    return " | ".join(re.sub(r"[_^]\{([^}]*)\}", r"\1", text.text) for text in diagram.of(Text))


def test_every_arrow_has_its_shape_and_every_box_its_parameters_and_so_has_the_file():
    """By hand. W_Q and W_K: 7 · 3 · 2 + 3 · 2 = 48, W_V: 7 · 3 · 5 + 3 · 5 = 120, W_O: 3 · 5 · 7 + 7 = 112; together 328."""
    said = written(block(ODD))
    for size in (
        "X   11 × 7 = 77", "X′   13 × 7 = 91", "Qi   3 × (11 × 2) = 66", "Ki   3 × (13 × 2) = 78", "Vi   3 × (13 × 5) = 195",
        "3 maps of 11 × 13: 429 weights", "Zi   3 × (11 × 5) = 165", "Concat   11 × 15 = 165", "output   11 × 7 = 77",
        "48 parameters", "120 parameters", "112 parameters",
    ):  # fmt: skip
        assert size in said, size
    assert "328 parameters" in block(ODD).alt
    assert "mask" not in said, "a step that does nothing is no step"
    found = {row[0]: row[2:] for row in block(ODD).tables[0].rows}
    assert found["K"] == (3, 13, 2, 78)
    assert found["W_V"] == (3, 7, 5, 105)
    assert found["W_O"] == (3, 5, 7, 105)
    assert found["b_O"] == (1, 1, 7, 7)
    assert sum(int(str(row[-1])) for row in block(ODD).tables[0].rows if row[1] == "parameters") == 328


def test_a_cut_adds_no_number():
    """7 rows, 3 heads of 5 columns: 105 numbers, whichever way they are cut."""
    rows = cuts(ODD, "w_v").tables[0].rows
    assert [row[1:] for row in rows] == [(1, 7, 15, 105), (3, 7, 5, 105), (7, 3, 5, 105)]
    said = written(cuts(ODD, "w_v"))
    for size in ("dmodel = 7", "h · dv = 3 · 5", "each 7 × 5", "Keras: (7, 3, 5)", "7 tiles"):
        assert size in said, size


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("size", ["screen", "paper", "talk"])
@pytest.mark.parametrize("name", ["block_diagram", "cuts_schematic"])
def test_no_word_of_a_schematic_is_cut_off_and_none_lies_on_another(name, size, layer):
    for font in FONTS:
        sheet = sheet_of(FIGURES[name], request_of(LAYERS[layer]), Look(size=size, font=font))
        root = ET.fromstring(sheet.svg)
        if "scale(" in sheet.svg:
            continue  # too wide for its type: read at another size
        boxes = text_boxes(root, font)
        assert len(words(root)) > 8
        assert outside(root, boxes, 0.5) == []
        assert lying_on_another(boxes) == [], font


@pytest.mark.parametrize("layer", LAYERS)
def test_the_layer_stands_upright_as_the_paper_draws_it_and_no_word_lies_on_another(layer):
    drawn = block(request_of(LAYERS[layer]).cfg)
    at = {text.text.split(":")[0]: (text.x.px, text.y.px) for text in drawn.of(Text) if text.role == "strong"}
    names = [next(name for name in at if name.startswith(f"Linear W_{{{one}}}")) for one in "VKQ"]
    assert [at[name][0] for name in names] == sorted(at[name][0] for name in names)
    assert at["Concat"][1] < at["Scaled dot-product attention"][1] < at[names[0]][1]
    assert lying_on_another(labels_of(drawn)) == []
