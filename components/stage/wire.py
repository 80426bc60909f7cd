"""A scene as bytes for the stage: a length, the plan as JSON, then all values as float32.

The plan's keys are typed in assets/stage/types.d.ts.
"""

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from components.stage.scene import Block, Grid, Length, Panel, Scene, Text
from mha.explain import CHOSEN
from mha.names import LABELS

#: By the class of a part: the defaults of its fields.
DEFAULTS = {kind: {field.name: field.default for field in fields(kind)} for kind in (Block, Text, Panel)}


def _length(length: Length) -> list[float]:
    return [round(length.cells, 4), round(length.px, 2)]


def _sent(part: Block | Text | Panel, **always: object) -> dict[str, Any]:
    """The fields of a part that are not at their defaults, and those that are `always` sent."""
    usual = DEFAULTS[type(part)]
    return {name: value for name in usual if (value := getattr(part, name)) != usual[name]} | always


def _block(block: Block) -> dict:
    place = {"x": _length(block.x), "y": _length(block.y), "width": block.w, "height": block.h}
    return _sent(block, name=block.name, row=block.row, col=block.col, **place)


def _text(text: Text) -> dict:
    return _sent(text, x=_length(text.x), y=_length(text.y), size=text.size, anchor=text.anchor)


def _panel(panel: Panel) -> dict:
    blocks, texts = [_block(block) for block in panel.blocks], [_text(text) for text in panel.texts]
    size = {"width": _length(panel.width), "height": _length(panel.height), "least_px": round(panel.least_px, 2)}
    return _sent(panel, on=panel.on, go=panel.go, zone=panel.zone or panel.id, **size, blocks=blocks, texts=texts)


def _grid(grid: Grid, at: int) -> dict:
    rows, cols = grid.values.shape
    return {"at": at, "rows": rows, "cols": cols, "scale": grid.scale, "pool": grid.pool, **({"flat": True} if grid.flat else {})}


@dataclass(frozen=True, slots=True)
class Slider:
    """A number that a picture follows: where it stands, and the scenes at some of its other stops."""

    at: int
    scenes: Mapping[int, Scene]


class Values:
    """The values of all grids one after the other, each array once."""

    def __init__(self):
        self.parts: list[bytes] = []
        self._places: dict[bytes, int] = {}
        self._next = 0

    def put(self, grid: Grid) -> int:
        """Where the grid's first value stands, in values."""
        raw = np.ascontiguousarray(grid.values, dtype=np.float32).tobytes()
        if raw not in self._places:
            self._places[raw] = self._next
            self.parts.append(raw)
            self._next += grid.values.size
        return self._places[raw]


def _plan(scene: Scene, values: Values) -> dict:
    """Everything of a scene but its values."""
    return {
        "rows": [[_panel(panel) for panel in row] for row in scene.rows],
        **({"narrow": [[_panel(panel) for panel in row] for row in scene.narrow]} if scene.narrow else {}),
        **({"links": scene.links} if scene.links else {}),
        "grids": {name: _grid(grid, values.put(grid)) for name, grid in scene.grids.items()},
        "tops": dict(scene.tops),
        **({"scales": dict(scene.named)} if scene.named else {}),
        "alt": scene.alt,
        "captions": list(scene.captions),
        "max_cell": scene.max_cell,
        "min_cell": scene.min_cell,
    }


def _brief(plan: object) -> str:
    return json.dumps(plan, default=asdict, separators=(",", ":"))


class Packed(NamedTuple):
    """A scene as it is sent: its plan without the last brace, its values, and a number that stands for its looks."""

    plan: bytes
    values: bytes
    look: int

    @property
    def size(self) -> int:
        return len(self.plan) + len(self.values)

    def bytes(self, **extra: object) -> bytes:
        """The message for the component; `extra` goes into the plan as it is (the chosen cell)."""
        head = self.plan + (b"," + _brief(extra)[1:].encode() if extra else b"}")
        return _headed(head) + self.values


def _headed(head: bytes) -> bytes:
    """Prefixes a JSON header with its length, padded with spaces to a multiple of 4 bytes: the float32 payload is aligned."""
    head += b" " * (-(len(head) + 4) % 4)
    return struct.pack("<I", len(head)) + head


def pack_scene(scene: Scene, slider: Slider | None = None) -> Packed:
    values = Values()
    plan = _brief(_plan(scene, values)).encode()
    look = zlib.crc32(b"".join([plan, *values.parts]))  # the stage does not animate between equal looks
    more = {"look": look, "labels": LABELS, "computed": list(CHOSEN)}
    if slider is not None:
        scenes = {value: _plan(next_one, values) for value, next_one in slider.scenes.items()}
        more["slider"] = {"at": slider.at, "scenes": scenes}
    return Packed(plan[:-1] + b"," + _brief(more)[1:-1].encode(), b"".join(values.parts), look)


def pack(scene: Scene, slider: Slider | None = None, **extra: object) -> bytes:
    """Packs a scene for its component; `extra` goes into the plan as it is (the chosen cell)."""
    return pack_scene(scene, slider).bytes(**extra)


def ahead_bytes(head: Mapping[str, object], looks: Mapping[str, int], sent: Mapping[str, Mapping[int, bytes]]) -> bytes:
    """Packs the message for assets/ahead: `head`, and by the key of each picture its present look and, by the slider's value,
    where in the rest the picture that it will show, as `pack` packs it, begins and ends."""
    parts: list[bytes] = []
    pictures: dict[str, dict] = {}
    end = 0
    for key, scenes in sent.items():
        pictures[key] = {"look": looks[key], "scenes": {}}
        for value, scene in scenes.items():
            pictures[key]["scenes"][value] = [end, end + len(scene)]
            end += len(scene)
            parts.append(scene)
    return _headed(_brief({**head, "pictures": pictures}).encode()) + b"".join(parts)
