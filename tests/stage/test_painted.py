"""Every painted picture of the stage: blocks' corner cells have their numbers' colours, only masked cells are hatched, each head
has its own colour everywhere, and a chosen panel has a frame. Colours are mixed by hand."""

import re
import xml.etree.ElementTree as ET
from contextlib import suppress
from functools import cache
from itertools import product

import numpy as np
import pytest

from components.presenter.walk import picture
from headcount.export.figures import EVERY
from headcount.export.request import Unavailable, request_of
from headcount.names import decimals
from headcount.stage import svg
from headcount.stage.layout import place
from headcount.stage.scene import Block, Scene
from headcount.stage.svg import Ink
from headcount.stage.theme import DARK, LIGHT, Theme
from lessons.walk import STEPS

NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
SVG = "{http://www.w3.org/2000/svg}"
#: A trained layer under a mask; a drawn one whose sizes are all different, with fewer cells than words.
LAYERS = {"trained": {"mask": "causal"}, "drawn": {
    "split": "free", "d_model": 11, "num_heads": 3, "key_dim": 5, "value_dim": 7, "query_len": 6, "key_len": 13, "mask": "causal",
}}  # fmt: skip


@cache
def scenes(layer: str) -> dict[str, Scene]:
    """Every registered figure that is a scene of such a layer, and the walk's pictures."""
    found = {f"walk {number}": picture(step) for number, step in enumerate(STEPS, 1)} if layer == "trained" else {}
    for name, figure in EVERY.items():
        with suppress(Unavailable):
            found[name] = figure.draw(request_of(LAYERS[layer])).drawing
    return {name: scene for name, scene in found.items() if isinstance(scene, Scene)}


def mixed(value: float, scale: str, top: float, theme: Theme, pale: bool) -> list[float]:
    """A number's colour, mixed between the evenly spaced stops of its scale. `pale`: in greys."""
    colours = theme.pale if pale else theme.share if scale == "share" else theme.signed
    at = (value / top if scale == "share" else (value + top) / (2 * top)) * (len(colours) - 1)
    stops = [[int(colour[i : i + 2], 16) for colour in colours] for i in (1, 3, 5)]
    return [float(np.interp(at, range(len(colours)), channel)) for channel in stops]


def groups(scene: Scene, theme: Theme) -> list[tuple[Block, object, ET.Element]]:
    """Each block with its place and its drawing."""
    placed = place(scene, 1600)
    root = ET.fromstring(f"<svg {NAMES}>{svg.draw(scene, placed, Ink(theme))}</svg>")
    drawn = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}title") is not None]
    return [(block, rect, group) for (block, rect), group in zip(placed.blocks, drawn, strict=True)]


def rects(group: ET.Element) -> dict[tuple[float, float], str]:
    return {(float(one.get("x")), float(one.get("y"))): one.get("fill") for one in group.iter(f"{SVG}rect")}


def at(drawn: dict[tuple[float, float], str], x: float, y: float) -> str | None:
    return next((fill for (left, top), fill in drawn.items() if abs(left - x) < 0.02 and abs(top - y) < 0.02), None)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("layer", LAYERS)
def test_the_corners_of_each_block_have_their_numbers_colours_and_what_is_masked_and_nothing_else_is_hatched(layer, theme):
    blocks = [(name, scene, *one) for name, scene in scenes(layer).items() for one in groups(scene, theme) if one[0].grid]
    assert len({name for name, *_ in blocks}) >= 7
    for name, scene, block, rect, group in blocks:
        grid = scene.grids[block.grid]
        wide, high, drawn = rect.w / block.cols, rect.h / block.rows, rects(group)
        for r, c in product({0, block.rows - 1}, {0, block.cols - 1}):
            value = grid.values[block.row + r, block.col + c]
            fill = at(drawn, rect.x + c * wide, rect.y + r * high)
            if np.isnan(value):
                assert fill is None
            elif block.look:
                number = decimals(float(value), 3) if grid.scale == "share" else decimals(float(value))
                assert [one.text for one in group.iter(f"{SVG}text")][r] == number, (name, block.id, r)
                bars = [float(one.get("width")) for one in group.iter(f"{SVG}rect")][2 * r : 2 * r + 2]
                assert not bars or bars[1] == pytest.approx(bars[0] * value, abs=0.02)
            elif not block.bands:
                wanted = mixed(float(value), grid.scale, scene.end_of(grid.scale), theme, r in block.pale)
                assert [int(fill[i : i + 2], 16) for i in (1, 3, 5)] == pytest.approx(wanted, abs=2), (name, block.id, r, c)
        masked = np.isnan(grid.values[block.row : block.row + block.rows, block.col : block.col + block.cols])
        hatched = {
            (int((float(y) + float(v) - 2 * rect.y) / 2 // high), int((float(x) + float(u) - 2 * rect.x) / 2 // wide))
            for path in group.iter(f"{SVG}path") if path.get("stroke") == theme.muted
            for x, y, u, v in re.findall(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", path.get("d"))
        }  # fmt: skip
        assert hatched == {*map(tuple, np.argwhere(masked).tolist())}, (name, block.id)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_a_heads_block_has_its_own_hue_on_its_strip_and_its_name_the_same(theme):
    strips, names = 0, 0
    for scene in scenes("trained").values():
        for block, _, group in groups(scene, theme):
            assert block.hue is None or block.head is None or block.hue == block.head
            if block.strip and block.hue is not None:
                assert theme.heads[block.hue % 8] in rects(group).values()
                strips += 1
        for text in (text for panel in scene.panels for text in panel.texts if text.hue is not None):
            if named := re.search(r"\bhead (\d+)|_{(\d+)}", text.text):
                assert text.hue == int(named[1] or named[2]) - 1, text.text
                names += 1
    assert min(strips, names) > 10


def test_a_chosen_panel_has_a_frame_around_all_that_stands_in_it():
    scene = scenes("trained")["heads"]
    placed = place(scene, 1600)
    (chosen,) = [(panel, rect) for panel, rect in placed.frames if panel.on]
    root = ET.fromstring(f"<svg {NAMES}>{svg.draw(scene, placed, Ink(LIGHT))}</svg>")
    (frame,) = [one for one in root.iter(f"{SVG}rect") if one.get("rx") == "10" and one.get("stroke") == LIGHT.ink]
    x, y, w, h = (float(frame.get(side)) for side in ("x", "y", "width", "height"))
    inside = [rect for block, rect in placed.blocks if block in chosen[0].blocks]
    assert inside
    assert all(x <= rect.x and rect.x + rect.w <= x + w and y <= rect.y and rect.y + rect.h <= y + h for rect in inside)
    assert "4" in chosen[0].id
