"""Encoding of a scene as bytes for the stage in the browser: the length of a JSON text, that text, and all values as float32. The
text, called the plan, has everything except values. assets/stage/types.d.ts has the types of the plan."""

import json
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from headcount.explain import EXPLAINED
from headcount.names import LABELS
from headcount.stage.scene import Block, Curve, Grid, Length, Link, LitPart, Panel, Scene, Text

#: For each class of a scene's parts, the defaults of its fields; and the fields that are sent even at their defaults.
DEFAULTS = {kind: {field.name: field.default for field in fields(kind)} for kind in (Block, Curve, Link, Panel, LitPart, Text)}
ALWAYS = {"name", "row", "col", "by", "size", "anchor", "on", "go", "texts"}


@dataclass(frozen=True, slots=True)
class Slider:
    """A slider on which a picture depends. `at` is its present value, and `scenes` has the scenes at some other values."""

    at: int
    scenes: Mapping[int, Scene]


def _sent(part: Any) -> list[float] | dict[str, Any]:
    """Encodes part of a scene for JSON: a Length as [cells, px], other parts as a dict. Most default values are left out."""
    if isinstance(part, Length):
        return [round(part.cells, 4), round(part.px, 2)]
    usual = DEFAULTS[type(part)]
    sent = {name: value for name in usual if (value := getattr(part, name)) != usual[name] or name in ALWAYS}
    if isinstance(part, Block):
        sent |= {"width": part.w, "height": part.h}
    elif isinstance(part, Panel):
        sent |= {"zone": part.zone or part.id, "least_px": round(part.least_px, 2)}
    return sent


def _grid(grid: Grid, values: dict[bytes, int]) -> dict[str, Any]:
    """Encodes a grid for JSON. Its numbers are added to `values`, which maps each distinct array (as bytes) to the index of its
    first number."""
    raw = np.ascontiguousarray(grid.values, dtype=np.float32).tobytes()
    at, (rows, cols) = values.setdefault(raw, sum(map(len, values)) // 4), grid.values.shape
    return {"at": at, "rows": rows, "cols": cols, "scale": grid.scale, "pool": grid.pool}


def _plan(scene: Scene, values: dict[bytes, int]) -> dict[str, Any]:
    """Encodes for JSON what the stage draws of a scene. The numbers of its grids are added to `values`."""
    sometimes = {"narrow": scene.narrow, "links": scene.links, "scales": dict(scene.named), "beside": scene.beside}
    return {
        "rows": scene.rows,
        "grids": {name: _grid(grid, values) for name, grid in scene.grids.items()},
        "tops": dict(scene.tops),
        "alt": scene.alt,
        "captions": scene.captions,
        "max_cell": scene.max_cell,
        "min_cell": scene.min_cell,
        **{name: part for name, part in sometimes.items() if part},
    }


def _brief(plan: object) -> str:
    return json.dumps(plan, default=_sent, separators=(",", ":"))


def _headed(head: bytes) -> bytes:
    """Returns a JSON text with its length in front. Spaces after the text align the float32 values that follow to 4 bytes."""
    head += b" " * (-(len(head) + 4) % 4)
    return struct.pack("<I", len(head)) + head


def pack(scene: Scene, slider: Slider | None = None, **extra: object) -> bytes:
    """Packs a scene, with the scenes of `slider`, for its component. `extra` has further fields, such as the chosen cell."""
    values: dict[bytes, int] = {}  # by their bytes: where each begins, counted in numbers
    plan = _brief(_plan(scene, values))
    look = zlib.crc32(b"".join([plan.encode(), *values]))  # the stage does not animate between equal looks
    more = {"labels": LABELS, "computed": EXPLAINED, **extra}
    if slider is not None:
        scenes = {value: _plan(next_one, values) for value, next_one in slider.scenes.items()}
        more["slider"] = {"at": slider.at, "scenes": scenes}
    return _headed(f'{{"look":{look},{plan[1:-1]},{_brief(more)[1:]}'.encode()) + b"".join(values)


def with_more(data: bytes, **extra: object) -> bytes:
    (length,) = struct.unpack_from("<I", data)
    plan, values = data[4 : 4 + length].rstrip(), data[4 + length :]
    return _headed(plan[:-1] + b"," + _brief(extra)[1:].encode()) + values


def look_of(data: bytes) -> int:
    """Returns the checksum that identifies a packed picture (a scene or a chart)."""
    start = data.index(b'"look":') + len('"look":')
    return int(data[start : data.index(b",", start)])


def ahead_bytes(head: Mapping[str, object], looks: Mapping[str, int], sent: Mapping[str, Mapping[int, bytes]]) -> bytes:
    """Packs the message for assets/ahead, which prefetches pictures: a header, then the scenes `sent` by picture and slider
    value. The header has the fields of `head`, the range of bytes of each scene, and the pictures' checksums `looks`."""
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
