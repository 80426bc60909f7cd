"""Traces of the layer on the screen (the arrays of every step), computed and cached within limits on memory and time."""

from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from threading import RLock

import streamlit as st

from components.app.session import Shown
from components.symbols import set_symbols
from headcount import Config, Trace, run
from headcount.backends import DEFAULT, backend_named
from headcount.cost import MAX_MULTIPLY_ADDS, MAX_NUMBERS, multiply_adds, numbers_kept, too_large
from headcount.forward import overflow
from headcount.keras.client import KerasClient
from headcount.layer import Origin
from headcount.names import LABELS
from headcount.steps import Step

#: Number of large traces in the cache for all visitors, because the start page compares two layers.
KEPT = 2
#: Layers with at most SMALL numbers have a cache that is faster than Streamlit's, also for a slider's next stops: at most 16 MB.
SMALL, SMALL_KEPT = 1 << 16, 64
LARGE = RLock()


def in_turn(cfg: Config) -> AbstractContextManager[object]:
    """A context manager in which only one large layer at a time is computed. Several would take most of the memory."""
    return LARGE if numbers_kept(cfg) > SMALL else nullcontext()


@st.cache_resource(max_entries=KEPT, show_spinner=False)
def _trace(cfg: Config, backend: str) -> Trace:
    with LARGE:
        return run(cfg, backend)


@lru_cache(maxsize=SMALL_KEPT)
def _small_trace(cfg: Config, backend: str) -> Trace:
    return run(cfg, backend)


@st.cache_resource(show_spinner=False)
def keras_client() -> KerasClient:
    """The client of the TensorFlow process that all visitors share. The process starts with the first question."""
    return KerasClient()


def trace_of(origin: Origin, cfg: Config, backend: str = DEFAULT.code) -> Trace | None:
    """The trace of the layer `cfg`, computed in this process. None if the layer or one of its numbers is too large."""
    if has_no_numbers(origin, cfg):
        return None
    if (own := origin.layer(cfg)) is not None:
        with in_turn(cfg):
            return own.trace(backend)
    return _trace(cfg, backend) if numbers_kept(cfg) > SMALL else _small_trace(cfg, backend)


def trace_by(shown: Shown) -> tuple[Trace | None, str]:
    """The trace of the shown layer and its backend's label. While the chosen backend has no trace, the default one computes."""
    origin, cfg, wanted = shown.origin, shown.cfg, backend_named(shown.settings.backend)
    if not wanted.in_worker:
        return trace_of(origin, cfg, wanted.code), wanted.label
    trace = None if has_no_numbers(origin, cfg) else keras_client().trace(own := origin.layer(cfg) or cfg, wanted.code)
    if trace is not None and (own is cfg or overflow(trace) is None):
        return trace, wanted.label
    return trace_of(origin, cfg), DEFAULT.label


def overflow_of(origin: Origin, cfg: Config) -> Step | None:
    """The first step at which a number of a visitor's own layer becomes too large for float32, or None."""
    own = None if too_large(cfg) else origin.layer(cfg)
    if own is None:
        return None
    with in_turn(cfg):
        return own.overflow()


def has_no_numbers(origin: Origin, cfg: Config) -> bool:
    """Whether only counts and shapes can be shown, because the layer or one of its numbers is too large."""
    return too_large(cfg) or overflow_of(origin, cfg) is not None


def explain_no_numbers(shown: Shown) -> None:
    """Shows why a layer has no values. Shows nothing if the layer has values."""
    cfg = shown.cfg
    if (step := overflow_of(shown.origin, cfg)) is not None:
        st.info(
            f"Float32 ends at the step **{set_symbols(LABELS[step.name])}**: a number there is beyond 3.4 · 10³⁸, the largest "
            "that it holds. So no values are drawn; counts and shapes come from formulas. Layers keep their numbers small on the "
            "way: QK-norm before the scores, √d_k and a soft cap after them."
        )
    if too_large(cfg):
        st.info(
            f"Too large to compute here, so no values are drawn: the layer needs {numbers_kept(cfg):,} numbers and "
            f"{sum(multiply_adds(cfg).values()):,} multiply-adds. The limits are {MAX_NUMBERS:,} numbers and "
            f"{MAX_MULTIPLY_ADDS:,} multiply-adds. Counts and shapes are still exact."
        )
