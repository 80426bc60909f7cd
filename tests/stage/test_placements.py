"""One layout: Python and the stage's own program put every panel, block and word in the same places, those of the golden file.

The program's arrangement runs in Node, with the bytes that the stage gets and the widths of words that Python measured.
`python -m tests.stage.test_placements` writes the golden file anew, after a change of layout that is wanted.
"""

import base64
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from components.export.figures import EVERY
from components.export.request import request_of
from components.stage import program
from components.stage.layout import Placed, lines_of, place, strip_of
from components.stage.scene import Scene
from components.stage.text import LAYOUT, pieces, width_of
from components.stage.wire import pack
from tests.stage.reading import in_node

GOLDEN = Path(__file__).parent / "golden" / "placements.json"
WIDTHS = (358, 940, 1240)
SENTENCE = "the cat sat on the mat"
#: Figures of the registry and settings off their defaults.
CASES: tuple[tuple[str, dict], ...] = (
    ("heads", {}),
    ("heads", {"num_heads": 1}),
    ("heads", {"num_heads": 16}),
    ("heads", {"split": "free", "key_dim": 3, "value_dim": 5}),
    ("heads", {"d_model": 13, "num_heads": 2, "split": "free", "key_dim": 3, "value_dim": 17}),
    ("pieces", {}),
    ("pieces", {"num_heads": 2, "use_bias": False}),
    ("pieces", {"d_model": 26, "num_heads": 13}),
    ("projections", {}),
    ("projections", {"num_heads": 16, "use_bias": False}),
    ("projections", {"d_model": 256, "num_heads": 8}),
    ("cuts", {"num_heads": 1}),
    ("cuts", {}),
    ("steps", {}),
    ("steps", {"mask": "causal", "tokens": SENTENCE}),
    ("steps", {"num_heads": 1, "tokens": SENTENCE}),
    ("concatenation", {"use_bias": False}),
    ("concatenation", {"num_heads": 16}),
    ("concatenation", {"num_heads": 1, "head_off": 1}),
    ("concatenation", {"d_model": 256, "num_heads": 8}),
    ("concatenation", {"split": "free", "key_dim": 3, "value_dim": 5}),
)


def name_of(figure: str, query: dict) -> str:
    return " ".join([figure, *(f"{key}={value}" for key, value in query.items())])


@cache
def scenes() -> dict[str, Scene]:
    """The cases' scenes, by name."""
    asked = ((figure, query, request_of({"numbers": "seed"} | query)) for figure, query in CASES)
    drawn = {name_of(figure, query): EVERY[figure].draw(request).drawing for figure, query, request in asked}
    return {name: scene for name, scene in drawn.items() if isinstance(scene, Scene)}


def rounded(placed: Placed) -> dict:
    """Its places in hundredths of a pixel's precision."""
    rect = lambda one: [round(one.x, 2), round(one.y, 2), round(one.w, 2), round(one.h, 2)]  # noqa: E731
    return {
        "cell": round(placed.cell, 3),
        "height": round(placed.height, 2),
        "frames": [rect(frame) for _, frame in placed.frames],
        "blocks": [rect(block) for _, block in placed.blocks],
        "texts": [[text.text, round(x, 2), round(y, 2)] for text, x, y in placed.texts],
    }


def words(scene: Scene) -> Iterator[tuple[str, bool]]:
    """Every text that a drawer may measure to lay the scene out, and whether it is bold: labels, and what may become a line of a
    caption."""
    panels = [*scene.panels, *(panel for row in scene.narrow for panel in row)]
    labels = [(text.text, text.role == "strong") for panel in panels for text in panel.texts]
    for caption in scene.captions:
        parts = caption.split()
        labels += [(" ".join(parts[i:j]), False) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)]
    for text, bold in labels:
        yield from ((part, bold) for part, _ in pieces(text))


def measured(scene: Scene) -> dict[str, float]:
    """The width of every such text at a size of one pixel; bold ones after a *."""
    return {("*" if bold else "") + text: width_of(text, 1, bold=bold) for text, bold in words(scene)}


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


def write() -> None:
    places = {f"{name} at {width}": rounded(place(scene, width)) for name, scene in scenes().items() for width in WIDTHS}
    brief = {name: json.dumps(where, ensure_ascii=False, separators=(",", ":")) for name, where in places.items()}
    lines = [f"{json.dumps(name)}: {where}" for name, where in brief.items()]
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
