"""A scene's parts by hand: lengths, means of squares, a scale's common end, and its bytes for the stage. Also, data from Python
to the programs in assets has exactly the keys of their types."""

import json
import re
import zlib
from collections.abc import Iterable
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headcount.assets import ASSETS
from headcount.stage.program import script
from headcount.stage.scene import Block, Curve, Grid, Length, Link, LitPart, Panel, Scene, Text, longest, pool_for, pooled, top_of
from headcount.stage.theme import THEMES
from headcount.stage.wire import Slider, pack
from tests.stage.reading import unpacked


def test_a_length_is_cells_and_pixels_and_the_longest_is_so_at_a_usual_cell_size():
    """With 8 pixels a cell: 3 cells are longer than 20 pixels, and shorter than 1 cell and 20 pixels."""
    assert Length(2, 3) + Length(5, 7) == Length(7, 10)
    assert Length(2, 3).at(11) == 25
    assert Length().at(11) == 0
    assert longest([Length(0, 20), Length(3), Length(1, 20)]) == Length(1, 20)
    assert longest([]) == Length()


def test_a_block_is_as_large_as_its_cells_unless_it_says_otherwise():
    block = Block("a", None, Length(), Length(), 3, 5)
    assert (block.w, block.h) == (5, 3)
    narrow = Block("a", None, Length(), Length(), 3, 5, width=4.5, height=2.5)
    assert (narrow.w, narrow.h) == (4.5, 2.5)


@settings(deadline=None)
@given(st.integers(1, 9), st.integers(1, 20), st.sampled_from([1, 2, 4, 8]), st.integers(0, 99))
def test_means_of_squares_are_those_of_plain_loops(rows, columns, pool, seed):
    values = np.random.default_rng(seed).standard_normal((rows, columns)).astype(np.float32)
    made = pooled(values, pool)
    want = [
        [values[top : top + pool, left : left + pool].mean() for left in range(0, columns, pool)] for top in range(0, rows, pool)
    ]
    np.testing.assert_allclose(made, want, atol=1e-6)
    assert made.dtype == np.float32


@pytest.mark.parametrize(("side", "most", "pool"), [
    (1, 48, 1), (48, 48, 1), (49, 48, 2), (96, 48, 2), (97, 48, 4), (4096, 48, 128),
])  # fmt: skip
def test_squares_are_powers_of_two_and_as_small_as_can_be(side, most, pool):
    assert pool_for(side, most) == pool


def test_a_scale_ends_at_the_largest_of_all_that_are_compared():
    assert top_of(np.array([1.0, -7.0]), np.array([[3.0]])) == 7.0
    assert top_of(np.array([2.0, -np.inf, np.nan]), np.array([np.inf])) == 2.0
    assert top_of() == 1.0
    assert top_of(np.zeros(3)) == 1.0


def small(values=((1.5, -2.0), (np.nan, 0.25)), count: str = "5") -> Scene:
    sources = (LitPart("x", "row"), LitPart("w", "col", "c"))
    block = Block("q-0", "q", Length(1, 2), Length(3, 4), 2, 2, name="q", head=0, sources=sources)
    panel = Panel("p", Length(3, 5), Length(4, 4), (block,), (Text(f"{count} numbers", Length(), Length()),), on=True, go="two")
    grids = {"x": Grid(np.array([[0.5]], np.float32), "weight"), "q": Grid(np.array(values, np.float32), "score", 4)}
    return Scene(((panel,),), grids, alt=f"{count} numbers", tops={"weight": 0.5, "score": 2.0})


def test_the_bytes_hold_every_value_where_the_plan_says_row_by_row_of_a_grid_that_is_transposed_too():
    plan, values = unpacked(pack(small()))
    q = plan["grids"]["q"]
    assert (q["rows"], q["cols"], q["scale"], q["pool"]) == (2, 2, "score", 4)
    np.testing.assert_array_equal(
        values[q["at"] : q["at"] + 4].reshape(2, 2), np.array([[1.5, -2.0], [np.nan, 0.25]], np.float32)
    )
    assert values[plan["grids"]["x"]["at"]] == np.float32(0.5)
    assert values.size == 5
    assert plan["tops"] == {"weight": 0.5, "score": 2.0}
    turned = np.arange(6, dtype=np.float32).reshape(2, 3).T
    plan, sent = unpacked(pack(Scene((), {"w": Grid(turned)}, alt="")))
    assert (plan["grids"]["w"]["rows"], plan["grids"]["w"]["cols"]) == (3, 2)
    assert sent.tolist() == [0, 3, 1, 4, 2, 5]


def test_a_block_without_its_grid_and_one_whose_cells_would_be_means_of_weights_are_outlines_in_narrow_rows_too():
    (row,) = small().rows
    means = Grid(np.ones((2, 2), np.float32), "weight", 4)
    for grids in ({}, {"q": means}, {"q": replace(means, pool=1)}):
        scene = Scene((row,), grids, alt="", narrow=(row, row))
        drawn = {block.grid for rows in (scene.rows, scene.narrow) for one in rows for panel in one for block in panel.blocks}
        assert drawn == ({"q"} if grids and grids["q"].pool == 1 else {None})
        assert {*scene.grids} == drawn - {None}


def test_the_plan_holds_blocks_sources_and_words():
    plan, _ = unpacked(pack(small(), chosen="q.1.1.2"))
    ((panel,),) = plan["rows"]
    (block,) = panel["blocks"]
    assert (panel["on"], panel["go"], panel["width"]) == (True, "two", [3, 5])
    assert (block["id"], block["grid"], block["name"], block["head"]) == ("q-0", "q", "q", 0)
    assert (block["x"], block["y"]) == ([1, 2], [3, 4])
    assert (block["rows"], block["cols"], block["width"], block["height"]) == (2, 2, 2, 2)
    assert block["sources"] == [{"block": "x", "part": "row", "by": "r"}, {"block": "w", "part": "col", "by": "c"}]
    assert [text["text"] for text in panel["texts"]] == ["5 numbers"]
    assert (plan["alt"], plan["chosen"]) == ("5 numbers", "q.1.1.2")


def look(scene: Scene, **extra) -> int:
    return unpacked(pack(scene, **extra))[0]["look"]


def test_the_look_changes_with_values_and_words_and_not_with_the_chosen_cell():
    assert look(small()) == look(small(), chosen="q.1.1.1") == look(small(), chosen=None)
    assert len({look(small()), look(small(values=((1.5, -2.0), (np.nan, 0.5)))), look(small(count="7"))}) == 3


def test_the_look_is_a_checksum_of_the_plan_and_the_values():
    data = pack(small())
    plan, values = unpacked(data)
    told = plan.pop("look")
    for same_for_all in ("labels", "computed"):
        del plan[same_for_all]
    assert told == zlib.crc32(json.dumps(plan, separators=(",", ":")).encode() + values.tobytes())


TYPES = ASSETS / "stage" / "types.d.ts"


def interfaces(text: str) -> dict[str, dict[str, bool]]:
    """Each interface's keys, and whether each is optional."""
    text = re.sub(r"//.*|/\*.*?\*/", "", text)
    found = re.findall(r"interface (\w+)(?: extends (\w+))? \{([^}]*)\}", text)
    bodies = {name: {key: bool(maybe) for key, maybe in re.findall(r"(\w+)(\??):", body)} for name, _, body in found}
    return {name: {**bodies.get(parent, {}), **bodies[name]} for name, parent, _ in found}


def faults(sent: Iterable[dict], typed: dict[str, bool]) -> list[str]:
    """The differences between sent data and its type. An optional key must be missing once and be there once."""
    sent = list(sent)
    ever, always = set().union(*sent), set(sent[0]).intersection(*sent)
    found = [f"{key} is sent and has no type" for key in ever - set(typed)]
    found += [f"{key} has a type and is never sent" for key in set(typed) - ever]
    found += [f"{key} is typed as always there" for key in (ever - always) & set(typed) if not typed[key]]
    found += [f"{key} is typed as sometimes missing" for key in always if typed.get(key)]
    return sorted(found)


ENDS = (Length(), Length()), (Length(1), Length(2))
CURVES = (Curve(ENDS, 2), Curve(ENDS, 3, hue=1, label="2", along=0.4, dot=True, faded=True))


def scene() -> Scene:
    """A scene with two blocks: one has every field, the other only the required ones."""
    full = Block("q-1", "q", Length(1, 2), Length(3), 2, 3, name="q", head=1, hue=1, strip="top", copy=1, faded=True, turned=True,
                 first=2, look="bar",
                 edges="o-oc", warn=True, bands=3, calm=True, pale=(1,),
                 sources=(LitPart("bare", "row"),), row_labels=("a", "b"), col_labels=("a", "b", "c"), hit=1)  # fmt: skip
    bare = Block("bare", None, Length(), Length(), 2, 3)
    texts = (Text("q", Length(), Length(), hue=1, role="strong", mark="dots", press="1"), Text("plain", Length(), Length()))
    grids = {"q": Grid(np.zeros((2, 3), np.float32)), "b": Grid(np.zeros((1, 3), np.float32), "weight")}
    panels = (
        Panel("p", Length(7), Length(5), (full, bare), texts, go="two"),
        Panel("wide", Length(7), Length(5), (), curves=CURVES, low=True),
    )
    return Scene((panels,), grids, alt="", tops={"signed": 1.0})


def table() -> Scene:
    """The same as a table."""
    beside = Panel("beside", Length(7), Length(5), ())
    return replace(scene(), narrow=scene().rows, links=(Link("p", "wide", "the same"),), beside=beside)


SLIDER = Slider(1, {2: scene(), 3: table()})
FULL = pack(scene(), SLIDER, chosen="q.1.1.1", example=True, large=True, scales={"weight": "tables"})
PLANS = [unpacked(data)[0] for data in (FULL, pack(scene()), pack(table()))]


PANELS = [panel for row in PLANS[0]["rows"] for panel in row]
BLOCKS = [block for panel in PANELS for block in panel["blocks"]]
#: Everything of each kind that the plans hold.
SENT = {
    "Plan": PLANS, "Slider": [PLANS[0]["slider"]], "Picture": [*PLANS[0]["slider"]["scenes"].values()],
    "Grid": [grid for plan in PLANS for grid in plan["grids"].values()], "Panel": PANELS, "Block": BLOCKS,
    "Link": PLANS[2]["links"], "Text": [text for panel in PANELS for text in panel["texts"]],
    "Curve": [curve for panel in PANELS for curve in panel.get("curves", ())],
    "LitPart": [source for block in BLOCKS for source in block.get("sources", ())],
}  # fmt: skip


def test_the_stage_is_sent_what_its_types_name():
    typed = interfaces(TYPES.read_text(encoding="utf-8").partition("\n}\n")[0])
    assert {name: faults(SENT[name], keys) for name, keys in typed.items()} == {name: [] for name in SENT}


def test_the_palettes_have_the_colours_that_the_stages_type_names():
    palettes = json.loads(re.search(r"const PALETTE =\s*\((\{.*\})\);", script(**THEMES))[1])
    typed = interfaces(TYPES.read_text(encoding="utf-8"))["Palette"]
    assert set(palettes) == {"light", "dark"}
    assert set(typed) <= set(palettes["light"]) == set(palettes["dark"]) == {*asdict(THEMES["light"])}
