"""Pictures by the stage, a component that draws on a canvas (blocks glide, light up and can be clicked)."""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from components.app.runtime import component, reported
from components.app.stale_widget_values import set_value
from components.settings import Settings
from components.stage.numbers import of_scene, scene_count
from components.stage.program import MARKUP, script, style
from components.stage.scene import Scene
from components.stage.theme import THEMES
from components.stage.wire import Slider, pack
from components.widgets.previews import Drawn, Prefetch, drawn, prefetch, prefetch_scene
from components.widgets.tables import table_view
from mha import Config, Trace
from mha.explain import Cell

SCRIPT, STYLE = script(**THEMES), style()


def _draw(key: str, data: bytes, **events: Any) -> None:
    """The stage with a packed scene (components.stage.wire.pack); `events`: what its messages do."""
    component("stage", SCRIPT, MARKUP, STYLE)(key=key, data=data, height="content", **events)


def _send(key: str, what: str, into: str | Callable[[str], None]) -> None:
    """A click or key on the stage becomes the value of a bound widget, and so part of the address; or `into` makes of it what it
    means."""
    if (value := reported(key, what)) is None:
        return
    if isinstance(into, str):
        set_value(into, int(value) if what == "go" else value)
    else:
        into(str(value))


def show_picture(
    draw: Callable[..., Scene], settings: Settings, cfg: Config, trace: Trace | None, *how: Hashable, any_numbers: bool = False,
    **more: Any,
) -> str:  # fmt: skip
    """Draw `draw(cfg, trace, *how)` as the settings say, once for all visitors who see the same; a slider that is touched finds
    what it will be at its next stops. `draw`: a function of a module, the same object in every run; `any_numbers`: whether the
    page around it is the same for trained numbers and others; `more`: as for `show_scene`. Returns how a cell is chosen."""
    picture, following = prefetch_scene(settings, cfg, trace, draw, *how, any_numbers=any_numbers)
    return show_scene(picture, slider=following, **more)


def show_scene(
    scene: Callable[[], Scene] | Drawn,
    key: str = "stage",
    go: str | Callable[[str], None] = "num_heads",
    chosen: Cell | None = None,
    slider: Prefetch | None = None,
    example: bool = False,
) -> str:
    """Draw the scene; its files of numbers call it once more, to draw large matrices whole. `chosen`: a cell to mark;
    `slider`: what it will show when one moves; `example`: nobody chose that cell, and the page is not scrolled to it.

    A chosen cell comes back through the bound widget `cell`, a chosen panel through the one named `go`. Returns how a cell is
    chosen: "stage" or "type" (components.widgets.explanation.CHOOSING).
    """
    picture = scene if isinstance(scene, Drawn) else drawn(scene)
    data = picture.packed.bytes(chosen=chosen and chosen.address, **({"example": True} if example else {}))
    _draw(key, data, on_cell_change=lambda: _send(key, "cell", "cell"), on_go_change=lambda: _send(key, "go", go))
    prefetch(key, slider)
    table_view(key, picture.alt, picture.count, lambda: of_scene(picture.draw()), picture.draw, slider and slider.heads)
    return "stage" if picture.cells else "type"  # where every cell is a mean of several numbers


def show_still(draw: Callable[[], Scene], key: str) -> None:
    """The scene with its tables, where a click on it changes no setting."""
    scene = draw()
    _draw(key, pack(scene))
    table_view(key, scene.alt, scene_count(scene), lambda: of_scene(scene), draw)


def show_large(scene: Scene, key: str, scales: Mapping[str, str], stills: Slider[Scene] | None = None) -> None:
    """The scene as large as the window allows, to be seen from afar; a click on it changes no setting. `scales`: their names;
    `stills`: by the still of a film, from 1, what is there by then."""
    _draw(key, pack(scene, stills, large=True, scales=dict(scales)))
