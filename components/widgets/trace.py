"""The trace of the layer on the screen, computed within limits on memory and time."""

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

#: Large traces kept over all visitors, the two that the start page compares; each is at most headcount.cost.MAX_NUMBERS × 4
#: bytes.
KEPT = 2
#: Smaller layers (numbers kept) are kept by their value alone: Streamlit's cache takes longer than they take to compute.
#: A page needs those of the next stops, too, and a class looks at the same ones. At most 16 MB, usually one.
SMALL, SMALL_KEPT = 1 << 16, 64
LARGE = RLock()


def in_turn(cfg: Config) -> AbstractContextManager[object]:
    """A context for computing a layer's numbers. Large layers are computed one at a time, because the memory for several
    passes at once would be most of the server's."""
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
    """The client of this server's only TensorFlow process, which starts with the first question."""
    return KerasClient()


def trace_of(origin: Origin, cfg: Config, backend: str = DEFAULT.code) -> Trace | None:
    """The trace of a layer by a backend in this process. None if it has too many numbers to compute, or numbers too large for
    float32. A visitor's own layer is kept with the visitor and in no shared cache."""
    if has_no_numbers(origin, cfg):
        return None
    if (own := origin.layer(cfg)) is not None:
        with in_turn(cfg):
            return own.trace(backend)
    return _trace(cfg, backend) if numbers_kept(cfg) > SMALL else _small_trace(cfg, backend)


def trace_by(shown: Shown) -> tuple[Trace | None, str]:
    """The trace of the shown layer, and the label of the backend that computed it. While the worker computes, the default
    backend's."""
    origin, cfg, wanted = shown.origin, shown.cfg, backend_named(shown.settings.backend)
    if not wanted.in_worker:
        return trace_of(origin, cfg, wanted.code), wanted.label
    trace = None if has_no_numbers(origin, cfg) else keras_client().trace(own := origin.layer(cfg) or cfg, wanted.code)
    if trace is not None and (own is cfg or overflow(trace) is None):
        return trace, wanted.label
    return trace_of(origin, cfg), DEFAULT.label


def overflow_of(origin: Origin, cfg: Config) -> Step | None:
    """The step at which a visitor's own numbers become too large for float32. None if all are finite."""
    own = None if too_large(cfg) else origin.layer(cfg)
    if own is None:
        return None
    with in_turn(cfg):
        return own.overflow()


def has_no_numbers(origin: Origin, cfg: Config) -> bool:
    """Whether only counts and shapes of the layer can be shown."""
    return too_large(cfg) or overflow_of(origin, cfg) is not None


def explain_no_numbers(shown: Shown) -> None:
    """Shows why a layer has no values, and that counts and shapes are exact. Shows nothing if it has values."""
    cfg = shown.cfg
    if (step := overflow_of(shown.origin, cfg)) is not None:
        st.info(
            f"Float32 ends at the step **{set_symbols(LABELS[step.name])}**: a number there is beyond 3.4 · 10³⁸, the largest "
            "that it holds. So no values are drawn; counts and shapes come from formulas. Layers keep their numbers small on the "
            "way: QK-norm before the scores, √d_k and a soft cap after them."
        )
    if too_large(cfg):
        st.info(
            f"Too large to compute here, so no values are drawn: {numbers_kept(cfg):,} numbers and "
            f"{sum(multiply_adds(cfg).values()):,} multiply-adds. The limits are {MAX_NUMBERS:,} numbers and "
            f"{MAX_MULTIPLY_ADDS:,} multiply-adds. Counts and shapes are still exact."
        )
