"""Where scenes of the app's own figures go at three widths: golden places that Python and the stage must both meet.

`python -m tests.stage.placements` writes tests/stage/golden/placements.json anew, after a change of layout that is wanted.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from components.export.figures import EVERY
from components.export.request import request_of
from components.stage.layout import Placed, place
from components.stage.scene import Scene
from components.stage.text import pieces, width_of

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


def write() -> None:
    places = {f"{name} at {width}": rounded(place(scene, width)) for name, scene in scenes().items() for width in WIDTHS}
    brief = {name: json.dumps(where, ensure_ascii=False, separators=(",", ":")) for name, where in places.items()}
    lines = [f"{json.dumps(name)}: {where}" for name, where in brief.items()]
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    write()
