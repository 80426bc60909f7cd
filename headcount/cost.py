"""Cost of a layer (numbers in memory, multiply-adds, scores), and the limits above which the app does not compute the layer."""

import math
from dataclasses import dataclass
from functools import lru_cache

from headcount.arrays import axes_of
from headcount.config import Config
from headcount.ledger import count_parameters, ledger
from headcount.steps import steps_of

#: Most float32 numbers (parameters, inputs, intermediates) that the app computes, 34 MB. BERT-base with 128 tokens has half.
MAX_NUMBERS = 1 << 23
#: Most multiply-adds of a trace that the app computes. They take about 0.1 s on two cores.
MAX_MULTIPLY_ADDS = 1 << 32


def size(cfg: Config, axes: str) -> int:
    """Returns how many numbers an array with these axes has."""
    return math.prod(cfg.size(axis) for axis in axes_of(axes))


@lru_cache(maxsize=1024)  # a page asks some forty times, for a handful of layers
def numbers_kept(cfg: Config) -> int:
    """Counts all numbers of one forward pass: parameters, inputs and every intermediate."""
    inputs = size(cfg, "btm") + size(cfg, "bsm")
    return count_parameters(cfg) + inputs + sum(size(cfg, step.axes) for step in steps_of(cfg))


def multiply_adds(cfg: Config) -> dict[str, int]:
    """Counts the multiply-adds of each step with an einsum: the product of the lengths of all axes in the einsum."""
    return {step.name: math.prod(cfg.size(axis) for axis in set(axes_of(step.einsum))) for step in steps_of(cfg) if step.einsum}


def projection_multiply_adds(cfg: Config) -> int:
    """Counts the multiply-adds of W_Q, W_K, W_V, W_O and a gate's W_G. In the paper's convention, they do not depend on h."""
    return sum(count for name, count in multiply_adds(cfg).items() if name in ("q", "k", "v", "g", "output"))


def score_cells(cfg: Config) -> int:
    """Counts the scores of one sample, h·T·S. The count grows with the number of heads in every convention."""
    return size(cfg, "hts")


@lru_cache(maxsize=1024)
def too_large(cfg: Config, most: int = MAX_NUMBERS) -> bool:
    """Returns whether the layer has more than `most` numbers or too many multiply-adds. The app then shows only counts."""
    return numbers_kept(cfg) > most or sum(multiply_adds(cfg).values()) > MAX_MULTIPLY_ADDS


@dataclass(frozen=True, slots=True)
class Contrast:
    """A quantity (`what`) and its values in two layers."""

    what: str
    here: int | tuple[int, ...]
    there: int | tuple[int, ...]

    @property
    def same(self) -> bool:
        return self.here == self.there


@lru_cache(maxsize=256)  # a class of visitors compares the same few layers
def contrasts(here: Config, there: Config) -> tuple[Contrast, ...]:
    """Compares two layers: a head's slice of W_Q, and counts of scores, weights, biases and projection multiply-adds."""

    def total(cfg: Config, bias: bool) -> int:
        return sum(row.count for row in ledger(cfg) if row.is_bias == bias)

    return (
        Contrast("one head's slice of W_Q", (here.d_model, here.key_dim), (there.d_model, there.key_dim)),
        Contrast("cells of all attention maps: heads · queries · keys", score_cells(here), score_cells(there)),
        Contrast("weights", total(here, False), total(there, False)),
        Contrast("biases", total(here, True), total(there, True)),
        Contrast("multiply-adds of the projections", projection_multiply_adds(here), projection_multiply_adds(there)),
    )
