"""What a layer costs: numbers kept, multiply-adds, score cells; from where on it is not computed live; and what a pass costs part
by part, at lengths where nothing can be computed."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from mha.arrays import axes_of
from mha.config import Config
from mha.ledger import count_parameters, ledger
from mha.steps import BY_NAME, steps_of

#: Numbers (parameters and intermediates, float32) that one live trace may keep: 8.4 million are 34 MB,
#: and the app keeps two such traces. BERT-base with 128 tokens has 4.1 million.
MOST_NUMBERS = 1 << 23
#: Multiply-adds of one live trace: 4.3 thousand million take about 0.1 s on two cores.
MOST_MULTIPLY_ADDS = 1 << 32
#: Bytes of a number in the formats in which layers are stored and served.
FORMATS = {"fp32": 4, "fp16": 2, "bf16": 2, "int8": 1}
#: One multiply-add is a product and a sum.
FLOPS = 2
#: Of the softmax for each entry, as TensorFlow's profiler counts it: the largest off, e to it, added up, divided.
SOFTMAX_FLOPS = 5
MOST_LENGTH, MOST_BATCH, MOST_LAYERS = 1_000_000, 65_536, 1_000


def size(cfg: Config, axes: str) -> int:
    """How many numbers an array with these axes holds."""
    return math.prod(cfg.size(axis) for axis in axes_of(axes))


@lru_cache(maxsize=1024)  # a page asks some forty times, for a handful of layers
def numbers_kept(cfg: Config) -> int:
    """Parameters, both inputs and every intermediate."""
    inputs = size(cfg, "btm") + size(cfg, "bsm")
    return count_parameters(cfg) + inputs + sum(size(cfg, step.axes) for step in steps_of(cfg))


def multiply_adds(cfg: Config) -> dict[str, int]:
    """Multiply-adds of every contraction, by step: the product of the lengths of all its axes."""
    return {step.name: math.prod(cfg.size(axis) for axis in set(axes_of(step.einsum))) for step in steps_of(cfg) if step.einsum}


def projection_multiply_adds(cfg: Config) -> int:
    """Those of W_Q, W_K, W_V and W_O, and of a gate's W_G: the same for every h in the paper's split."""
    return sum(count for name, count in multiply_adds(cfg).items() if name in ("q", "k", "v", "g", "output"))


def score_cells(cfg: Config) -> int:
    """h·T·S per sample: what grows with the heads even in the paper's split."""
    return size(cfg, "hts")


@lru_cache(maxsize=1024)
def too_large(cfg: Config) -> bool:
    """Whether the numbers are more than one visitor may ask of a server. Counts and shapes stay exact without them."""
    return numbers_kept(cfg) > MOST_NUMBERS or sum(multiply_adds(cfg).values()) > MOST_MULTIPLY_ADDS


@dataclass(frozen=True, slots=True)
class Contrast:
    """One quantity for two layers."""

    what: str
    here: int | tuple[int, ...]
    there: int | tuple[int, ...]

    @property
    def same(self) -> bool:
        return self.here == self.there


@lru_cache(maxsize=256)  # a class of visitors compares the same few layers
def contrasts(here: Config, there: Config) -> tuple[Contrast, ...]:
    """Per-head shapes, kernels, biases, multiply-adds of the projections, score cells h·T·S."""

    def total(cfg: Config, bias: bool) -> int:
        return sum(row.count for row in ledger(cfg) if row.is_bias == bias)

    rows = [
        ("one head's piece of W_Q", (here.d_model, here.key_dim), (there.d_model, there.key_dim)),
        ("attention maps and their cells, h · T · S", score_cells(here), score_cells(there)),
        ("weights in the kernels", total(here, False), total(there, False)),
        ("biases", total(here, True), total(there, True)),
        ("multiply-adds of the projections", projection_multiply_adds(here), projection_multiply_adds(there)),
    ]
    return tuple(Contrast(*row) for row in rows)


@dataclass(frozen=True, slots=True)
class Part:
    """What one part of a pass costs. `next_token`: the multiply-adds for one token more of each sequence, where the keys and
    values before it are kept."""

    name: str
    multiply_adds: int
    flops: int
    next_token: int


#: The parts of a pass in their order, and the steps whose contractions are not projections of an input.
PARTS = ("projections", "scores", "softmax", "weighting", "output")
PART_OF = {"scores": "scores", "context": "weighting", "output": "output"}


def part_of(step: str) -> str:
    """The part in which a step's contraction is counted."""
    return PART_OF.get(step, "projections")


def pairs(cfg: Config) -> int:
    """Pairs of a query and a key that are looked at: T·S, or those with |t − s| < w under a sliding window."""
    queries, keys, window = cfg.query_len, cfg.key_len, cfg.sliding_window

    def beyond(longer: int, shorter: int, w: int) -> int:  # pairs in which the first is ahead by w or more
        rows = min(shorter, max(0, longer - w))
        return rows * (longer - w) - rows * (rows - 1) // 2

    return queries * keys - (beyond(queries, keys, window) + beyond(keys, queries, window) if window else 0)


def parts(cfg: Config, layers: int = 1, kv_heads: int | None = None) -> tuple[Part, ...]:
    """Of `layers` such layers, with `kv_heads` key/value heads (None: as many as heads). Every query is counted with every key of
    its window; biases, the division by √d_k and the mask are not counted."""
    loads = (cfg, replace(cfg, query_len=1), replace(cfg, query_len=1, key_len=1))
    once, query, token = (_by_step(one, kv_heads) for one in loads)
    more = {name: (query if "t" in BY_NAME[name].axes else token)[name] for name in once}
    found: list[Part] = []
    for name in PARTS:
        steps = [step for step in once if part_of(step) == name]
        count, next_token = (layers * sum(one[step] for step in steps) for one in (once, more))
        flops = SOFTMAX_FLOPS * score_entries(cfg, layers) if name == "softmax" else FLOPS * count
        found.append(Part(name, count, flops, next_token))
    return tuple(found)


def _by_step(cfg: Config, kv_heads: int | None) -> dict[str, int]:
    counts = multiply_adds(cfg)
    for step in ("k", "v"):
        counts[step] = counts[step] * (kv_heads or cfg.num_heads) // cfg.num_heads
    for step in ("scores", "context"):
        counts[step] = counts[step] // (cfg.query_len * cfg.key_len) * pairs(cfg)
    return counts


def score_entries(cfg: Config, layers: int = 1) -> int:
    """B·h·T·S, or those of the window, of `layers` layers."""
    return layers * cfg.batch * cfg.num_heads * pairs(cfg)


def cache_entries(cfg: Config, layers: int = 1, kv_heads: int | None = None) -> int:
    """Keys and values of all positions that can be looked at, B·S·h_kv·(d_k + d_v), of `layers` layers."""
    positions = min(cfg.key_len, cfg.sliding_window or cfg.key_len)
    return layers * cfg.batch * positions * (kv_heads or cfg.num_heads) * (cfg.key_dim + cfg.value_dim)


def balanced_length(cfg: Config) -> int:
    """Positions from which on QKᵀ and A·V take more multiply-adds than the four projections, in self-attention."""
    one = {part.name: part.multiply_adds for part in parts(replace(cfg, query_len=1, key_len=1, batch=1))}
    return (one["projections"] + one["output"]) // (one["scores"] + one["weighting"]) + 1


def seconds_to_read(entries: int, number_bytes: int, gigabytes_a_second: float) -> float:
    """How long so many numbers take from memory, at 10⁹ bytes for each gigabyte."""
    return entries * number_bytes / (gigabytes_a_second * 1e9)
