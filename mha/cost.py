"""What a layer costs: numbers kept, multiply-adds, score cells; and from where on it is not computed live."""

import math
from functools import lru_cache

from mha.arrays import axes_of
from mha.config import Config
from mha.ledger import count_parameters
from mha.steps import STEPS

#: Numbers (parameters and intermediates, float32) that one live trace may keep: 8.4 million are 34 MB,
#: and the app keeps four traces. BERT-base with 128 tokens has 4.1 million.
MOST_NUMBERS = 1 << 23
#: Multiply-adds of one live trace: 4.3 thousand million take about 0.1 s on two cores.
MOST_MULTIPLY_ADDS = 1 << 32


def size(cfg: Config, axes: str) -> int:
    """How many numbers an array with these axes holds."""
    return math.prod(cfg.size(axis) for axis in axes_of(axes))


@lru_cache(maxsize=1024)  # a page asks some forty times, for a handful of layers
def numbers_kept(cfg: Config) -> int:
    """Parameters, both inputs and every intermediate."""
    inputs = size(cfg, "btm") + size(cfg, "bsm")
    return count_parameters(cfg) + inputs + sum(size(cfg, step.axes) for step in STEPS)


def multiply_adds(cfg: Config) -> dict[str, int]:
    """Multiply-adds of every contraction, by step: the product of the lengths of all its axes."""
    return {step.name: math.prod(cfg.size(axis) for axis in set(axes_of(step.einsum))) for step in STEPS if step.einsum}


def projection_multiply_adds(cfg: Config) -> int:
    """Those of W_Q, W_K, W_V and W_O: the same for every h in the paper's split."""
    made = multiply_adds(cfg)
    return made["q"] + made["k"] + made["v"] + made["output"]


def score_cells(cfg: Config) -> int:
    """h·T·S per sample: what grows with the heads even in the paper's split."""
    return size(cfg, "hts")


@lru_cache(maxsize=1024)
def too_large(cfg: Config) -> bool:
    """Whether the numbers are more than one visitor may ask of a server. Counts and shapes stay exact without them."""
    return numbers_kept(cfg) > MOST_NUMBERS or sum(multiply_adds(cfg).values()) > MOST_MULTIPLY_ADDS
