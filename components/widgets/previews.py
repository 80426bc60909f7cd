"""Caches pictures, and prefetches them: sends the pictures of a slider's next stops before the slider moves.

A picture is drawn and packed once for all visitors with the same settings. Pictures of private or large layers are not cached.
The browser asks for the pictures of a slider's next stops when the pointer or the focus is on the slider, and after each move. A
fragment apart from the page sends them. In the answer to a move, they would delay the present picture on a slow connection.
"""

from collections.abc import Callable, Hashable, Mapping, Sized
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

T = TypeVar("T", bound=Sized)
PROGRAM = joined(SHARED, ASSETS / "ahead" / "ahead.js")

#: The sliders whose next pictures are prefetched.
SLIDERS = ("num_heads", "d_model", "key_dim", "value_dim")
#: Stops on either side that are prefetched: for a focused slider, and for one below the pointer, which may be dragged far.
NEAR, FAR = 1, 6
#: Limits on prefetching: numbers of a layer and cells of a picture, and bytes of one answer (four seconds of a slow line).
MAX_NUMBERS, MAX_CELLS, MAX_BYTES = 1 << 16, 6000, 1 << 18
#: Limits of the picture cache for all visitors: pictures, and bytes including the numbers of their layers.
KEPT, KEPT_BYTES = 256, 8 << 20
#: Key of the session: the slider whose pictures the browser asks for, and the number of stops.
ASKED = "asked_ahead"


@dataclass(frozen=True, slots=True)
class Packed:
    """A picture as the bytes that the browser gets. `count`: how many numbers the picture has. `draw`: draws the picture again;
    heatmaps take a `width` and `high` in pixels. `cells`: whether the cells of a scene can be clicked."""

    data: bytes
    alt: str
    count: int
    draw: Callable[..., Any]
    cells: bool = False

    def __len__(self) -> int:
        return len(self.data)


def packed(draw: Callable[[], Scene]) -> Packed:
    scene = draw()
    cells = any(block.grid and block.name in EXPLAINED and scene.grids[block.grid].pool == 1 for block in scene.blocks)
    return Packed(pack(scene), scene.alt, scene_count(scene), draw, cells)


PICTURES: "BoundedCache[tuple[Trace, Any]]" = BoundedCache(KEPT, KEPT_BYTES)


def once(origin: Origin, trace: Trace | None, make: Callable[[], T], *how: Hashable) -> T:
    """The result of `make()`, cached for all visitors by the trace and `how`. Nothing is cached without a trace, for a large
    layer, or if `origin` is private. The result's `len` counts as its bytes in the cache."""
    if trace is None or numbers_kept(trace.cfg) > MAX_NUMBERS or origin.is_private:
        return make()
    key = (*(one for one in how if one is not trace), id(trace))
    found = PICTURES.get(key)
    if found is not None and found[0] is trace:  # another object may have this id by now; one in the cache keeps its own
        return found[1]
    made = make()
    PICTURES.put(key, (trace, made), len(made) + 4 * numbers_kept(trace.cfg))
    return made


@dataclass(frozen=True, slots=True)
class Prefetch:
    """A plan to draw a picture for a slider's next stops; it holds no trace. `look`: a checksum of the present picture; `of`:
    packs the picture of another layer. `any_numbers`: whether the page is the same for trained and random numbers."""

    shown: Shown
    look: int
    of: Callable[[Config, Trace], Packed]
    any_numbers: bool

    def layer(self, code: str, value: int) -> tuple[Config, Trace] | None:
        """The layer with another value of a setting, and its trace. None if the layer is impossible or large, or lacks a chosen
        head. Also None if the layer's numbers have another source and the rest of the page would change."""
        cfg, here = self.shown.settings.but(**{code: value}).config(), self.shown.origin
        if cfg is None or cfg.num_heads < _head_named(self.shown.cfg):
            return None
        if here.reading(cfg) != here.reading(self.shown.cfg) and not self.any_numbers:
            return None
        trace = None if numbers_kept(cfg) > MAX_NUMBERS else trace_of(here, cfg)
        return trace and (cfg, trace)

    def beside(self, code: str, reach: int) -> list[int]:
        """The next stops of a slider: at most `reach` on either side of its value, the nearest first."""
        settings = self.shown.settings
        stops = settings.stops(code)
        here = stops.index(settings.values[code])
        near = [here + sign * step for step in range(1, reach + 1) for sign in (1, -1)]
        return [stops[place] for place in near if 0 <= place < len(stops)]


def _head_named(cfg: Config) -> int:
    """The highest head (from 1) that a field of the page names and that this layer has. 1 if no field names such a head."""
    named = [st.session_state.get(setting.code, 1) for setting in (HEAD, HEAD_OFF)]
    return max(1, *(head for head in named if isinstance(head, int) and head <= cfg.num_heads))


def of_layer(how: tuple[Hashable, ...], cfg: Config) -> tuple[Hashable, ...]:
    """The arguments `how` for the layer `cfg`. A function becomes its value, and a cell that the layer lacks becomes None."""
    held = (None if isinstance(one, Cell) and not has_cell(cfg, one) else one for one in how)
    return tuple(one(cfg) if callable(one) else one for one in held)


def followed(
    key: str, shown: Shown, trace: Trace | None, draw: Callable[..., Scene], *how: Hashable, any_numbers: bool = False
) -> Packed:
    """Packs the picture that `draw(shown.cfg, trace, *how)` returns. Registers a picture for prefetching, if it has a trace and
    is not large. `draw` is part of the cache's key, so it must be a module's function. `any_numbers`: as in Prefetch."""

    def of(cfg: Config, trace: Trace | None) -> Packed:
        here = (cfg, trace, *of_layer(how, cfg))
        return once(shown.origin, trace, partial(packed, partial(draw, *here)), draw, *here)

    here = of(shown.cfg, trace)
    if trace is not None and here.count <= MAX_CELLS:
        visit().pictures[key] = Prefetch(shown, look_of(here.data), of, any_numbers)
    return here


def follow_beside(key: str, data: bytes, of: Callable[[Config, Trace], Packed]) -> None:
    """Registers a chart for prefetching together with the page's first picture. Does nothing if no picture is registered."""
    for first in [*visit().pictures.values()][:1]:
        visit().pictures[key] = replace(first, look=look_of(data), of=of)


def send_ahead() -> None:
    """Draws the fragment that sends the prefetched pictures to the browser. Call it at the end of every page. Streamlit (1.67)
    identifies a fragment by its place. If a message names a missing fragment, a slider's move in the message is lost
    (tests/deploy/test_messages.py). So the fragment is always in the sidebar."""
    pictures = visit().pictures

    @st.fragment
    def ahead() -> None:
        rerun_if_changed()
        data = message(pictures, *st.session_state.pop(ASKED, ("", NEAR)))
        component("ahead", PROGRAM)(key="ahead", data=data, height="content", on_ask_change=_take)

    with st.sidebar:
        ahead()


def _take() -> None:
    """Callback: remembers the slider for which the browser asks for pictures, and the number of stops."""
    code, _, reach = str(reported("ahead", "ask")).partition(" ")
    if code in SLIDERS:
        st.session_state[ASKED] = code, FAR if reach == "far" else NEAR


def message(pictures: Mapping[str, Prefetch], touched: str, reach: int) -> bytes:
    """The data of the prefetching component: the page's sliders, and pictures at the next stops of the slider `touched`."""
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
