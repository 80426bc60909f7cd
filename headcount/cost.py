"""The cost of a layer (numbers in memory, multiply-adds, score cells), and the bounds above which the app does not compute it."""

import math
from dataclasses import dataclass
from functools import lru_cache

from headcount.arrays import axes_of
from headcount.config import Config
from headcount.ledger import count_parameters, ledger
from headcount.steps import steps_of

#: Most float32 numbers (parameters, inputs and intermediates) of one trace that the app computes: 8.4 million are 34 MB. The app
#: keeps two such traces. BERT-base with 128 tokens has 4.1 million.
MAX_NUMBERS = 1 << 23
#: Most multiply-adds of one trace that the app computes: 4.3 billion take about 0.1 s on two cores.
MAX_MULTIPLY_ADDS = 1 << 32


def size(cfg: Config, axes: str) -> int:
    """Counts the numbers in an array with these axes."""
    return math.prod(cfg.size(axis) for axis in axes_of(axes))


@lru_cache(maxsize=1024)  # a page asks some forty times, for a handful of layers
def numbers_kept(cfg: Config) -> int:
    """Counts all numbers of one pass: parameters, both inputs and every intermediate."""
    inputs = size(cfg, "btm") + size(cfg, "bsm")
    return count_parameters(cfg) + inputs + sum(size(cfg, step.axes) for step in steps_of(cfg))


def multiply_adds(cfg: Config) -> dict[str, int]:
    """Counts the multiply-adds of each step that multiplies matrices, by the step's name: the product of all axes' lengths."""
    return {step.name: math.prod(cfg.size(axis) for axis in set(axes_of(step.einsum))) for step in steps_of(cfg) if step.einsum}


def projection_multiply_adds(cfg: Config) -> int:
    """Counts the multiply-adds of W_Q, W_K, W_V, W_O and a gate's W_G. In the paper's convention, h does not change the count."""
    return sum(count for name, count in multiply_adds(cfg).items() if name in ("q", "k", "v", "g", "output"))


def score_cells(cfg: Config) -> int:
    """Counts the scores of one sample, h·T·S. The count grows with the heads, also in the paper's convention."""
    return size(cfg, "hts")


@lru_cache(maxsize=1024)
def too_large(cfg: Config, most: int = MAX_NUMBERS) -> bool:
    """Whether the layer exceeds `most` numbers or MAX_MULTIPLY_ADDS. Such a layer is counted but not computed."""
    return numbers_kept(cfg) > most or sum(multiply_adds(cfg).values()) > MAX_MULTIPLY_ADDS


@dataclass(frozen=True, slots=True)
class Contrast:
    """One quantity of two layers: `what` it is, and its value in the layer `here` and in the layer `there`."""

    what: str
    here: int | tuple[int, ...]
    there: int | tuple[int, ...]

    @property
    def same(self) -> bool:
        return self.here == self.there


@lru_cache(maxsize=256)  # a class of visitors compares the same few layers
def contrasts(here: Config, there: Config) -> tuple[Contrast, ...]:
    """Compares two layers: per-head shapes, weights, biases, multiply-adds of the projections, and score cells h·T·S."""

    def total(cfg: Config, bias: bool) -> int:
        return sum(row.count for row in ledger(cfg) if row.is_bias == bias)

    return (
        Contrast("one head's slice of W_Q", (here.d_model, here.key_dim), (there.d_model, there.key_dim)),
        Contrast("cells of all attention maps, h · T · S", score_cells(here), score_cells(there)),
        Contrast("weights", total(here, False), total(there, False)),
        Contrast("biases", total(here, True), total(there, True)),
        Contrast("multiply-adds of the projections", projection_multiply_adds(here), projection_multiply_adds(there)),
    )
