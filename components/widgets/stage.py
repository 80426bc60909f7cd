"""Shows scenes in the stage, a component that draws on a canvas. The matrices of a scene move, light up and can be clicked."""

from collections.abc import Callable, Hashable, Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any

from streamlit.delta_generator import DeltaGenerator

from components.app.runtime import component, reported
from components.app.session import Shown
from components.app.stale_widget_values import set_value
from components.widgets.previews import Packed, followed, packed
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
    component("stage", SCRIPT, MARKUP, STYLE)(key=key, data=data, height="content", **events)


def show_picture(
    draw: Callable[..., Scene], shown: Shown, trace: Trace | None, *how: Hashable, key: str = "stage", any_numbers: bool = False,
    **more: Any,
) -> str:  # fmt: skip
    """Shows the scene that `draw(shown.cfg, trace, *how)` returns, caches it for all visitors, and registers it for prefetching
    (see `followed`). `more`: arguments of `show_scene`. Returns the result of `show_scene`."""
    picture = followed(key, shown, trace, draw, *how, any_numbers=any_numbers)
    return show_scene(picture, key, origin=shown.origin, **more)


def show_scene(
    scene: Callable[[], Scene] | Packed,
    key: str = "stage",
    go: Callable[[str], None] = lambda chosen: None,
    chosen: Cell | None = None,
    example: bool = False,
    tables: DeltaGenerator | None = None,
    origin: Origin = SEED,
) -> str:
    """Shows a scene with its tables. `chosen`: a cell to mark; `example`: whether the scene is only an example, to which the page
    does not scroll. A click on a cell sets the widget `cell`; a click on a panel calls `go`. Returns "stage", or "type" if no
    cell can be clicked. Both are keys of components.widgets.explanation.CHOOSING."""

    def choose(what: str, into: Callable[[str], None]) -> None:
        if (value := reported(key, what)) is not None:
            into(str(value))

    picture = scene if isinstance(scene, Packed) else packed(scene)
    data = with_more(picture.data, chosen=chosen and chosen.address, **({"example": True} if example else {}))
    to_address = partial(set_value, "cell")
    _draw(key, data, on_cell_change=partial(choose, "cell", to_address), on_go_change=partial(choose, "go", go))
    with tables or nullcontext():
        table_view(key, picture.alt, picture.count, lambda: of_scene(picture.draw()), picture.draw, origin=origin)
    return "stage" if picture.cells else "type"  # for example, if every cell is a mean of several numbers


def show_still(draw: Callable[[], Scene], key: str) -> None:
    """Shows a scene with its tables. A click on the scene changes no setting."""
    picture = packed(draw)
    _draw(key, picture.data)
    table_view(key, picture.alt, picture.count, lambda: of_scene(draw()), draw)


def show_large(scene: Scene, key: str, scales: Mapping[str, str], stills: Slider | None = None) -> None:
    """Shows a scene as large as the window allows. `scales`: labels by kind of number; `stills`: a slider with further scenes."""
    _draw(key, pack(scene, stills, large=True, scales=dict(scales)))
