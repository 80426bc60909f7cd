"""What Python sends to the programs in assets has the keys that their types name: no more, no fewer, none spelt otherwise."""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, replace

import numpy as np

from components.stage.pictures.trained import table as round_table
from components.stage.program import script
from components.stage.scene import Block, Grid, Length, Link, Panel, Scene, Source, Text
from components.stage.theme import THEMES
from components.stage.wire import Slider, pack
from mha.assets import ASSETS
from mha.trained.network import forward
from mha.trained.store import load
from mha.trained.task import fixed_examples
from tests.stage.reading import unpacked

TYPES = ASSETS / "stage" / "types.d.ts"
TABLE_TYPES = ASSETS / "round_table" / "types.d.ts"


def interfaces(text: str) -> dict[str, dict[str, bool]]:
    """Each interface's keys, and whether each may be missing."""
    text = re.sub(r"//.*|/\*.*?\*/", "", text)
    found = re.findall(r"interface (\w+)(?: extends (\w+))? \{([^}]*)\}", text)
    bodies = {name: {key: bool(maybe) for key, maybe in re.findall(r"(\w+)(\??):", body)} for name, _, body in found}
    return {name: {**bodies.get(parent, {}), **bodies[name]} for name, parent, _ in found}


def faults(sent: Iterable[dict], typed: dict[str, bool]) -> list[str]:
    """Where what is sent and its type differ; a key that may be missing must be missing once, and be there once."""
    sent = list(sent)
    ever, always = set().union(*sent), set(sent[0]).intersection(*sent)
    found = [f"{key} is sent and has no type" for key in ever - set(typed)]
    found += [f"{key} has a type and is never sent" for key in set(typed) - ever]
    found += [f"{key} is typed as always there" for key in (ever - always) & set(typed) if not typed[key]]
    found += [f"{key} is typed as sometimes missing" for key in always if typed.get(key)]
    return sorted(found)


def scene() -> Scene:
    """A block that has everything and one that has only what it must."""
    full = Block("q-1", "q", Length(1, 2), Length(3), 2, 3, name="q", head=1, hue=1, strip="top", copy=1, faded=True, turned=True,
                 edges="o-oc", warn=True, bands=3, calm=True,
                 sources=(Source("bare", "row"),), row_labels=("a", "b"), col_labels=("a", "b", "c"))  # fmt: skip
    bare = Block("bare", None, Length(), Length(), 2, 3)
    texts = (Text("q", Length(), Length(), hue=1, role="strong"), Text("plain", Length(), Length()))
    grids = {"q": Grid(np.zeros((2, 3), np.float32)), "b": Grid(np.zeros((1, 3), np.float32), "weight")}
    panels = (
        Panel("p", Length(7), Length(5), (full, bare), texts, go="two"),
        Panel("wide", Length(7), Length(5), (), padded=True, low=True),
    )
    return Scene((panels,), grids, alt="", tops={"signed": 1.0})


def table() -> Scene:
    """The same as a table."""
    return replace(scene(), narrow=scene().rows, links=(Link("p", "wide", "the same", "="),))


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
    "Source": [source for block in BLOCKS for source in block.get("sources", ())],
}  # fmt: skip


def test_the_stage_is_sent_what_its_types_name():
    typed = interfaces(TYPES.read_text(encoding="utf-8").partition("\n}\n")[0])
    assert {name: faults(SENT[name], keys) for name, keys in typed.items()} == {name: [] for name in SENT}


def test_the_palettes_have_the_colours_that_the_stages_type_names():
    palettes = json.loads(re.search(r"const PALETTE =\s*\((\{.*\})\);", script(**THEMES))[1])
    typed = interfaces(TYPES.read_text(encoding="utf-8"))["Palette"]
    assert set(palettes) == {"light", "dark"}
    assert set(typed) <= set(palettes["light"]) == set(palettes["dark"]) == {*asdict(THEMES["light"])}


def test_the_round_table_is_sent_what_its_types_name():
    network = load("dinner-1")
    here = fixed_examples(network.task)[:1]
    made = round_table.plan([round_table.table("one", "note", here, forward(network, here.tokens), np.ones(4))], 0)
    typed = interfaces(TABLE_TYPES.read_text(encoding="utf-8").partition("\n}\n")[0])
    (one,) = made["tables"]
    kinds = {"Guest": one["guests"], "Answer": one["answers"][0], "Table": [one], "Plan": [made]}
    assert {name: faults(kinds[name], typed[name]) for name in typed} == {kind: [] for kind in kinds}
