"""Switches for changes to attention that no Keras layer has. Published models have these changes."""

from dataclasses import asdict, dataclass, replace

import numpy as np

from headcount.arrays import Floats
from headcount.config import ROTARY_BASE, Config, read_scaling


@dataclass(frozen=True, slots=True)
class Switches:
    """Changes to attention, named like the fields of Config. The defaults change nothing.
    - `rotary`: rotates queries and keys by an angle that grows with the position (arXiv:2104.09864; `headcount.names.ROTARY`).
    - `rotary_base`: the base of the angles. `rotary_scaling`: makes the angles smaller (`headcount.config.SCALINGS`).
    - `qk_norm`: normalises queries and keys (arXiv:2010.04245; `headcount.names.QK_NORMS`).
    - `soft_cap`: c, which replaces a score by c·tanh(score / c) (Gemma 2, arXiv:2408.00118).
    - `alibi`: subtracts a slope times the distance from each score (arXiv:2108.12409).
    - `sinks`: gives each head a learned score without a value (gpt-oss, arXiv:2508.10925)."""

    rotary: str = "none"
    qk_norm: str = "none"
    soft_cap: float = 0.0
    alibi: bool = False
    sinks: bool = False
    rotary_base: float = ROTARY_BASE
    rotary_scaling: str = ""

    def __bool__(self) -> bool:
        return self != Switches()

    def fitting(self, cfg: Config) -> "Switches":
        """Returns the switches that a layer of these sizes can have. If d_k is odd, rotary positions are left out."""
        return replace(self, rotary="none") if cfg.key_dim % 2 else self

    def on(self, cfg: Config) -> Config:
        """Returns `cfg` with these switches. If d_k is odd, rotary positions are left out."""
        return replace(cfg, **asdict(self.fitting(cfg)))


#: No changes.
NONE = Switches()


#: The number that norms add under the root.
EPSILON = 1e-6


def angles(cfg: Config, positions: int) -> Floats:
    """Returns the angles of rotary positions, float64, axes (position, pair): the position (from 0) times `frequencies`."""
    return np.arange(positions)[:, None] * frequencies(cfg)


def frequencies(cfg: Config) -> Floats:
    """Returns the angle of each pair j at position 1, float64: base^(−2j / d_k). `rotary_scaling` makes these angles smaller:
    - "linear" divides all angles by the factor.
    - "llama3" divides the angles of pairs that turn at most `low_freq_factor` times in the original context. It keeps the angles
      of pairs that turn at least `high_freq_factor` times. It interpolates the other angles.
    - "yarn" (arXiv:2309.00071, 3.2) interpolates between pairs that turn `beta_slow` and `beta_fast` times. With `truncate`,
      these two limits are rounded to whole pairs."""
    kind, given = read_scaling(cfg.rotary_scaling)
    size, pairs = cfg.key_dim, np.arange(cfg.key_dim // 2)
    plain = cfg.rotary_base ** (-2 * pairs / size)
    if not kind:
        return plain
    factor, *numbers = given
    kept = np.zeros(len(pairs))  # the fraction of each pair's angle that is not slowed
    if kind == "llama3":
        low, high, original = numbers
        kept = (original * plain / (2 * np.pi) - low) / (high - low)
    if kind == "yarn":
        original, fast, slow, _, whole = (*numbers, *YARN[len(numbers) :])
        steps = 2 * np.log(max(cfg.rotary_base, LEAST_BASE)) / size
        ends = [np.log(original / (turns * 2 * np.pi)) / steps for turns in (fast, slow)]
        first, last = (np.floor(ends[0]), np.ceil(ends[1])) if whole else ends
        first, last = max(first, 0), min(last, size - 1)
        kept = 1 - (pairs - first) / max(last - first, 1e-3)
    kept = np.clip(kept, 0, 1)
    return plain * (kept + (1 - kept) / factor)


#: Least base in a logarithm. A base of 1 gives all pairs one angle, and its logarithm is 0, by which nothing can be divided.
LEAST_BASE = 1 + 1e-9
#: Defaults of yarn's numbers: original context (always given), beta_fast, beta_slow, attention_factor, truncate.
YARN = (0.0, 32.0, 1.0, 0.0, 1.0)


def gain(cfg: Config) -> float:
    """Returns yarn's factor for rotated queries and keys, by default 0.1 · ln(factor) + 1. Without yarn, the factor is 1."""
    kind, given = read_scaling(cfg.rotary_scaling)
    if kind != "yarn":
        return 1.0
    return (*given, *YARN[len(given) - 1 :])[4] or 0.1 * float(np.log(given[0])) + 1


def slopes(heads: int) -> Floats:
    """Returns ALiBi's slope of each head (arXiv:2108.12409). If `heads` is no power of two, follows the paper's code."""
    closest = 2 ** int(np.log2(heads))
    powers = [8 / closest * i for i in range(1, closest + 1)] + [4 / closest * i for i in range(1, 2 * (heads - closest), 2)]
    return np.array([2.0**-power for power in powers])


def distances(cfg: Config) -> Floats:
    """Returns the distances |t − s| between queries and keys, axes (query, key)."""
    return np.abs(np.arange(cfg.query_len)[:, None] - np.arange(cfg.key_len)[None, :]).astype(np.float64)


#: For each choice, its effect in words, with a model that has it.
ROTARY = {
    "halves": "a rotary embedding as in Llama (numbers j and j + d_k / 2 turn together, more at later positions)",
    "pairs": "a rotary embedding as in GPT-J (numbers 2j and 2j + 1 turn together, more at later positions)",
}
QK_NORM = {
    "rms": "QK-norm of each head (as Qwen3)", "rms_wide": "QK-norm over all heads (as OLMo 2)", "layer": "QK-norm by LayerNorm",
}  # fmt: skip


def in_words(switches: Switches) -> list[str]:
    """Returns a phrase for each change that is on."""
    base = "" if switches.rotary_base == Switches().rotary_base else f", base {switches.rotary_base:,g}"
    base += f", slowed as {switches.rotary_scaling}" if switches.rotary_scaling else ""
    found = [ROTARY.get(switches.rotary, "") and ROTARY[switches.rotary] + base, QK_NORM.get(switches.qk_norm, "")]
    found += [f"scores kept between −{switches.soft_cap:g} and {switches.soft_cap:g} (as Gemma 2)"] if switches.soft_cap else []
    found += ["ALiBi (as BLOOM)"] * switches.alibi + ["a sink for each head (as gpt-oss)"] * switches.sinks
    return [words for words in found if words]
