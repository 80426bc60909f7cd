"""Picture cache, and prefetching: the pictures of a slider's next stops are sent before the slider moves.

A picture is drawn and packed once for all visitors who see the same. When the pointer or the focus is on one of the four sliders,
the browser asks for the pictures of its next stops. It asks again after each move, in a fragment of its own. It shows such a
picture the moment the slider moves. The answer to a move does not contain next pictures: on a slow line, those of many quick
moves would come before the last picture. The prefetched bytes are the same that the server sends for that setting.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from components.app.controls import slider_label
from components.app.runtime import component, reported
from components.app.session import Shown
from components.app.stale_widget_values import rerun_if_changed
from components.app.visit import visit
from components.widgets.trace import trace_of
from headcount import Config, Trace
from headcount.assets import ASSETS
from headcount.bounded_cache import BoundedCache
from headcount.cost import numbers_kept
from headcount.explain import EXPLAINED, Cell, has_cell
from headcount.layer import Origin
from headcount.settings import HEAD, HEAD_OFF, HEAD_SIZES
from headcount.stage.numbers import scene_count
from headcount.stage.program import SHARED, joined
from headcount.stage.scene import Scene
from headcount.stage.wire import ahead_bytes, look_of, pack

T = TypeVar("T")
PROGRAM = joined(SHARED, ASSETS / "ahead" / "ahead.js")

#: The sliders that are watched.
SLIDERS = ("num_heads", "d_model", "key_dim", "value_dim")
#: Stops on either side that are sent: of a focused slider, and of a slider below the pointer, which may be dragged far.
NEAR, FAR = 1, 6
#: Only layers that are computed and drawn in a few milliseconds are drawn ahead, and only pictures of at most MAX_CELLS cells.
#: MAX_BYTES are sent at once: some five stops of the start page, four seconds of a slow line.
MAX_NUMBERS, MAX_CELLS, MAX_BYTES = 1 << 16, 6000, 1 << 18
#: Limits of the picture cache for all visitors: pictures, and bytes with the numbers of their layers.
KEPT, KEPT_BYTES = 256, 8 << 20
#: Key of the session: the slider whose pictures the browser asks for, and the number of stops.
ASKED = "asked_ahead"


@dataclass(frozen=True, slots=True)
class Packed:
    """A packed scene or chart. `alt`: its words; `count`: the number of numbers in it. `draw`: draws it again, heatmaps also
    for a given `width` and at most `high` pixels; `cells`: whether a cell of the scene can be chosen."""

    data: bytes
    alt: str
    count: int
    draw: Callable[..., Any]
    cells: bool = False

    def __len__(self) -> int:
        return len(self.data)


def packed(draw: Callable[[], Scene]) -> Packed:
    """The scene that `draw` returns, packed for the browser."""
    scene = draw()
    cells = any(block.grid and block.name in EXPLAINED and scene.grids[block.grid].pool == 1 for block in scene.blocks)
    return Packed(pack(scene), scene.alt, scene_count(scene), draw, cells)


PICTURES: "BoundedCache[tuple[Trace, Any]]" = BoundedCache(KEPT, KEPT_BYTES)


def once(origin: Origin, trace: Trace | None, make: Callable[[], T], size: Callable[[T], int], *how: Hashable) -> T:
    """The result of `make()`, cached by the trace and `how`. `size(result)`: its bytes. Nothing with a visitor's own numbers
    is cached."""
    if trace is None or numbers_kept(trace.cfg) > MAX_NUMBERS or origin.is_private:
        return make()
    key = (*(one for one in how if one is not trace), id(trace))
    found = PICTURES.get(key)
    if found is not None and found[0] is trace:  # another object may have this id by now; one in the cache keeps its own
        return found[1]
    made = make()
    PICTURES.put(key, (trace, made), size(made) + 4 * numbers_kept(trace.cfg))
    return made


@dataclass(frozen=True, slots=True)
class Prefetch:
    """The means to draw a slider's next pictures. `shown`: what the page shows; `look`: the present picture's number; `of`: packs
    another layer's picture; `any_numbers`: the page around it is the same for trained and other numbers. The session keeps this
    until the next run, so it has no numbers of the layer."""

    shown: Shown
    look: int
    of: Callable[[Config, Trace], Packed]
    any_numbers: bool

    def layer(self, code: str, value: int) -> tuple[Config, Trace] | None:
        """The layer with another value of this setting, and its trace. None if there is no such layer, or it is large. None
        also if the rest of the page would change: its numbers are of another kind, or it lacks the head that a field names."""
        cfg, here = self.shown.settings.but(**{code: value}).config(), self.shown.origin
        if cfg is None or cfg.num_heads < _head_named(self.shown.cfg):
            return None
        if here.has(cfg) != here.has(self.shown.cfg) and not self.any_numbers:
            return None
        cfg = here.config(cfg)
        trace = None if numbers_kept(cfg) > MAX_NUMBERS else trace_of(here, cfg)
        return trace and (cfg, trace)

    def beside(self, code: str, reach: int) -> list[int]:
        """The slider's stops on either side of its value, at most `reach` on each, the nearest first."""
        settings = self.shown.settings
        stops = settings.stops(code)
        here = stops.index(settings.values[code])
        near = [here + sign * step for step in range(1, reach + 1) for sign in (1, -1)]
        return [stops[place] for place in near if 0 <= place < len(stops)]


def _head_named(cfg: Config) -> int:
    """The highest head (from 1) that a field of the page names and this layer has; 1 without such a field."""
    named = [st.session_state.get(setting.code, 1) for setting in (HEAD, HEAD_OFF)]
    return max(1, *(head for head in named if isinstance(head, int) and head <= cfg.num_heads))


def of_layer(how: tuple[Hashable, ...], cfg: Config) -> tuple[Hashable, ...]:
    """Drawing arguments for another layer: a function in `how` is replaced by its value for `cfg`, and a cell that the layer
    lacks by None."""
    held = (None if isinstance(one, Cell) and not has_cell(cfg, one) else one for one in how)
    return tuple(one(cfg) if callable(one) else one for one in held)


def begin_pictures() -> None:
    visit().pictures = {}


def followed(
    key: str, shown: Shown, trace: Trace | None, draw: Callable[..., Scene], *how: Hashable, any_numbers: bool = False
) -> Packed:
    """The picture `draw(shown.cfg, trace, *how)`. Its next ones are sent when a slider is touched, unless it is large. `draw`
    must be a module's function, because it is part of the cache's key. `any_numbers`: as in Prefetch."""

    def of(cfg: Config, trace: Trace | None) -> Packed:
        here = (cfg, trace, *of_layer(how, cfg))
        return once(shown.origin, trace, partial(packed, partial(draw, *here)), len, draw, *here)

    here = of(shown.cfg, trace)
    if trace is not None and here.count <= MAX_CELLS:
        visit().pictures[key] = Prefetch(shown, look_of(here.data), of, any_numbers)
    return here


def follow_beside(key: str, data: bytes, of: Callable[[Config, Trace], Packed]) -> None:
    """Sends also the next ones of a chart that changes together with the page's first picture."""
    for first in [*visit().pictures.values()][:1]:
        visit().pictures[key] = replace(first, look=look_of(data), of=of)


def send_ahead() -> None:
    """Draws, at the end of every page, the fragment that sends the pictures which the browser has asked for.

    The fragment is in the sidebar on every page, because Streamlit (1.67) knows a fragment by its place. If a message names a
    fragment that is gone, a move in the same tick is lost with it (tests/deploy/test_messages.py).
    """
    pictures = visit().pictures

    @st.fragment
    def ahead() -> None:
        rerun_if_changed()
        data = message(pictures, *st.session_state.pop(ASKED, ("", NEAR)))
        component("ahead", PROGRAM)(key="ahead", data=data, height="content", on_ask_change=_take)

    with st.sidebar:
        ahead()


def _take() -> None:
    """Callback: remembers for which slider the browser asks, and for how many stops."""
    code, _, reach = str(reported("ahead", "ask")).partition(" ")
    if code in SLIDERS:
        st.session_state[ASKED] = code, FAR if reach == "far" else NEAR


def message(pictures: Mapping[str, Prefetch], touched: str, reach: int) -> bytes:
    """The bytes for the browser: the page's sliders, and for each picture its next ones at the stops of the `touched` slider."""
    if not pictures:
        return ahead_bytes({"sliders": [], "touched": "", "far": False}, {}, {})
    first = next(iter(pictures.values()))
    settings = first.shown.settings
    codes = [code for code in SLIDERS if not (settings.paper and code in HEAD_SIZES)]
    sliders = [{"code": code, "label": slider_label(code), "at": settings.values[code]} for code in codes]
    room, sent = MAX_BYTES, {key: {} for key in pictures}
    for value in first.beside(touched, reach) if touched in codes else ():
        for key, picture in pictures.items():
            layer = picture.layer(touched, value)
            if layer is not None and len(data := picture.of(*layer).data) <= room:
                sent[key][value] = data
                room -= len(data)
    looks = {key: picture.look for key, picture in pictures.items()}
    return ahead_bytes({"sliders": sliders, "touched": touched, "far": reach == FAR}, looks, sent)
