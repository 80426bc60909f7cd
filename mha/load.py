"""What a pass of a layer costs, part by part, and what it keeps: counts alone, at lengths where nothing can be computed."""

from dataclasses import dataclass, replace

from mha.config import Config
from mha.cost import multiply_adds, size
from mha.steps import BY_NAME

#: Bytes of a number in the formats in which layers are stored and served.
FORMATS = {"fp32": 4, "fp16": 2, "bf16": 2, "int8": 1}
#: One multiply-add is a product and a sum.
FLOPS = 2
#: Of the softmax for each entry, as TensorFlow's profiler counts it: the largest off, e to it, added up, divided.
SOFTMAX_FLOPS = 5
MOST_LENGTH, MOST_BATCH, MOST_LAYERS = 1_000_000, 65_536, 1_000


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


def parts(cfg: Config, layers: int = 1) -> tuple[Part, ...]:
    """Of `layers` such layers. Every query is counted with every key; biases, the division by √d_k and the mask are not."""
    once, query, token = (multiply_adds(one) for one in (cfg, replace(cfg, query_len=1), replace(cfg, query_len=1, key_len=1)))
    more = {name: (query if "t" in BY_NAME[name].axes else token)[name] for name in once}
    found: list[Part] = []
    for name in PARTS:
        steps = [step for step in once if part_of(step) == name]
        count, next_token = (layers * sum(one[step] for step in steps) for one in (once, more))
        flops = layers * SOFTMAX_FLOPS * size(cfg, "bhts") if name == "softmax" else FLOPS * count
        found.append(Part(name, count, flops, next_token))
    return tuple(found)


def score_entries(cfg: Config, layers: int = 1) -> int:
    """B·h·T·S, of `layers` layers."""
    return layers * size(cfg, "bhts")


def cache_entries(cfg: Config, layers: int = 1) -> int:
    """Keys and values of all positions that can be looked at, B·S·h·(d_k + d_v), of `layers` layers."""
    return layers * (size(cfg, "bshk") + size(cfg, "bshv"))


def balanced_length(cfg: Config) -> int:
    """Positions from which on QKᵀ and A·V take more multiply-adds than the four projections, in self-attention."""
    one = {part.name: part.multiply_adds for part in parts(replace(cfg, query_len=1, key_len=1, batch=1))}
    return (one["projections"] + one["output"]) // (one["scores"] + one["weighting"]) + 1


def seconds_to_read(entries: int, number_bytes: int, gigabytes_a_second: float) -> float:
    """How long so many numbers take from memory, at 10⁹ bytes for each gigabyte."""
    return entries * number_bytes / (gigabytes_a_second * 1e9)
