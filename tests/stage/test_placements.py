"""One layout: Python and the stage's own program put every panel, block and word in the same places, those of the golden file.

The program's arrangement runs in Node, with the bytes that the stage gets and the widths of words that Python measured.
"""

import base64
import json
from pathlib import Path

import numpy as np
import pytest

from components.stage import program
from components.stage.layout import Placed, lines_of, place, strip_of
from components.stage.scene import Scene
from components.stage.text import LAYOUT
from components.stage.wire import pack
from tests.stage.placements import CASES, GOLDEN, WIDTHS, measured, name_of, rounded, scenes
from tests.stage.reading import in_node

PURE = (program.STAGE / "1_plan.js", program.STAGE / "2_arrange.js", Path(__file__).parent / "placements.js")
NAMES = [name_of(*case) for case in CASES]
PLACES = json.loads(GOLDEN.read_text(encoding="utf-8"))
#: Lengths travel with two decimals of a pixel and four of a cell.
APART = 0.05


def corners(placed: Placed) -> list[tuple[list[float], list]]:
    """The middle of each block's last cell, and what is there: panel, block, row and column."""
    panel_of = {id(block): panel.id for panel, _ in placed.frames for block in panel.blocks}
    found = []
    for block, rect in placed.blocks:
        if block.grid:
            spot = [rect.x + rect.w * (1 - 0.5 / block.cols), rect.y + rect.h * (1 - 0.5 / block.rows)]
            found.append((spot, [panel_of[id(block)], block.id, block.rows - 1, block.cols - 1]))
    return found


def ask(scene: Scene) -> dict:
    points = {width: [spot for spot, _ in corners(place(scene, width))] for width in WIDTHS}
    return {"bytes": base64.b64encode(pack(scene)).decode(), "words": measured(scene), "points": points}


@pytest.fixture(scope="module")
def stage(tmp_path_factory) -> dict:
    """What the stage's program answers about all scenes."""
    asked = {"scenes": {name: ask(scene) for name, scene in scenes().items()}, "widths": WIDTHS}
    asked["addresses"] = ["weights.2.3.1", "x.7.5", ""]
    text = program.joined(*PURE).replace("/*LAYOUT*/{}", json.dumps(LAYOUT))
    return in_node(tmp_path_factory.mktemp("stage"), text, asked)


def differences(made: dict, want: dict) -> list[str]:
    """What stands elsewhere, in words."""
    unlike = [key for key in ("cell", "height") if made[key] != pytest.approx(want[key], abs=APART)]
    found = [f"{key}: {made[key]} is not {want[key]}" for key in unlike]
    for key in ("frames", "blocks", "texts"):
        if len(made[key]) != len(want[key]):
            found.append(f"{len(made[key])} {key}, not {len(want[key])}")
            continue
        for here, there in zip(made[key], want[key], strict=True):
            words = [part for part in there if isinstance(part, str)]
            if here[: len(words)] != words or here[len(words) :] != pytest.approx(there[len(words) :], abs=APART):
                found.append(f"{key}: {here} is not {there}")
    return found


@pytest.mark.parametrize("case", [f"{name} at {width}" for name in NAMES for width in WIDTHS])
def test_python_and_the_stage_put_everything_in_the_golden_places_and_draw_outlines_cuts_and_strips_alike(case: str, stage: dict):
    name, width = case.rsplit(" at ", 1)
    placed, want = place(scenes()[name], int(width)), PLACES[case]
    assert differences(rounded(placed), want) == []
    assert differences(stage["places"][case], want) == []
    lines = []
    for block, rect in placed.blocks:
        strip = strip_of(block, rect)
        lines += [(one.x, one.y, one.w, one.h) for one in [*lines_of(block, rect), *([strip] if strip else [])]]
    np.testing.assert_allclose(np.array(stage["places"][case]["lines"]), np.array(lines), atol=APART)
    assert stage["found"][case] == [there for _, there in corners(placed)], "each block's last cell at its middle"


def test_the_stage_reads_every_value(stage: dict):
    for name, scene in scenes().items():
        arrays = {np.ascontiguousarray(grid.values, np.float32).tobytes(): grid.values.size for grid in scene.grids.values()}
        assert stage["values"][name] == sum(arrays.values())


def test_the_stage_reads_an_address_as_places_from_0(stage: dict):
    assert stage["addresses"] == [
        {"name": "weights", "head": 1, "row": 2, "col": 0}, {"name": "x", "row": 6, "col": 4}, None,
    ]  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
def test_panels_in_several_lines_stand_in_columns(width: int):
    """ "head 13" is wider than "head 3"."""
    placed = place(scenes()[name_of("pieces", {"d_model": 26, "num_heads": 13})], width)
    lines: dict[float, list[float]] = {}
    for _, rect in placed.frames:
        lines.setdefault(rect.y, []).append(rect.x)
    first, *others = lines.values()
    assert all(line == first[: len(line)] for line in others)
