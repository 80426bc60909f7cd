"""Pictures by the stage, a component that draws on a canvas (blocks glide, light up and can be clicked)."""

from collections.abc import Callable, Hashable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from components.app.runtime import component, reported
from components.app.session import Shown
from components.app.stale_widget_values import set_value
from components.widgets.previews import Packed, Prefetch, packed, prefetch, prefetch_scene
from components.widgets.tables import table_view
from headcount import Trace
from headcount.explain import Cell
from headcount.layer import SEED, Origin
from headcount.stage.numbers import of_scene
from headcount.stage.program import MARKUP, STAGE, script, sheet
from headcount.stage.scene import Scene
from headcount.stage.theme import THEMES
from headcount.stage.wire import Slider, pack, with_more

SCRIPT, STYLE = script(**THEMES), sheet(STAGE / "stage.css")


def _draw(key: str, data: bytes, **events: Any) -> None:
    """The stage with a packed scene (headcount.stage.wire.pack); `events`: what its messages do."""
    component("stage", SCRIPT, MARKUP, STYLE)(key=key, data=data, height="content", **events)


def show_picture(
    draw: Callable[..., Scene], shown: Shown, trace: Trace | None, *how: Hashable, any_numbers: bool = False, **more: Any
) -> str:
    """Draws `draw(shown.cfg, trace, *how)`, once for all visitors who see the same. A slider that is touched finds the pictures
    of its next stops. `draw`: a function of a module, the same object in every run; `any_numbers`: whether the page around it is
    the same for trained numbers and others; `more`: as for `show_scene`. Returns how a cell is chosen."""
    picture, following = prefetch_scene(shown, trace, draw, *how, any_numbers=any_numbers)
    return show_scene(picture, slider=following, origin=shown.origin, **more)


def show_scene(
    scene: Callable[[], Scene] | Packed,
    key: str = "stage",
    go: Callable[[str], None] = lambda chosen: None,
    chosen: Cell | None = None,
    slider: Prefetch | None = None,
    example: bool = False,
    tables: DeltaGenerator | None = None,
    origin: Origin = SEED,
) -> str:
    """Draws the scene; its files of numbers call it once more, to draw large matrices whole. `chosen`: a cell to mark; `slider`:
    what it will show when one moves; `example`: nobody chose that cell, and the page is not scrolled to it; `tables`: the place
    of its numbers, if not below it; `origin`: where the numbers come from.

    A chosen cell becomes the value of the bound widget `cell`, and so part of the address; a chosen panel is told to `go`.
    Returns how a cell is chosen: "stage" or "type" (components.widgets.explanation.CHOOSING).
    """

    def choose(what: str, into: Callable[[str], None]) -> None:
        if (value := reported(key, what)) is not None:
            into(str(value))

    picture = scene if isinstance(scene, Packed) else packed(scene)
    data = with_more(picture.data, chosen=chosen and chosen.address, **({"example": True} if example else {}))
    to_address = partial(set_value, "cell")
    _draw(key, data, on_cell_change=partial(choose, "cell", to_address), on_go_change=partial(choose, "go", go))
    prefetch(key, slider)
    stops = slider and slider.heads
    with tables or nullcontext():
        table_view(key, picture.alt, picture.count, lambda: of_scene(picture.draw()), picture.draw, stops, origin=origin)
    return "stage" if picture.cells else "type"  # where every cell is a mean of several numbers


def show_still(draw: Callable[[], Scene], key: str) -> None:
    """The scene with its tables. A click on it changes no setting."""
    picture = packed(draw)
    _draw(key, picture.data)
    table_view(key, picture.alt, picture.count, lambda: of_scene(draw()), draw)


def show_large(scene: Scene, key: str, scales: Mapping[str, str], stills: Slider | None = None) -> None:
    """The scene as large as the window allows, to be seen from afar; a click on it changes no setting. `scales`: their names;
    `stills`: by the still of a film, from 1, what is there by then."""
    _draw(key, pack(scene, stills, large=True, scales=dict(scales)))
