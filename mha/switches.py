"""What else published models changed about attention: switches that no layer of Keras's has."""

from dataclasses import asdict, dataclass, replace

import numpy as np

from mha.arrays import Floats
from mha.config import ROTARY_BASE, Config


@dataclass(frozen=True, slots=True)
class Switches:
    """Fields of Config by their names; the defaults are the layer itself.

    `rotary`: queries and keys turned by their position (RoFormer, arXiv:2104.09864), numbers paired as in `mha.names.ROTARY`;
    `rotary_base`: of the angles (10,000 there, 500,000 in Llama 3).
    `qk_norm`: queries and keys normalised (arXiv:2010.04245), as in `mha.names.QK_NORMS`. `soft_cap`: scores kept between −c
    and c by c·tanh(score / c) (Gemma 2, arXiv:2408.00118). `alibi`: the distance times a slope taken off each score
    (arXiv:2108.12409). `sinks`: a learned score more for each head, whose share goes nowhere (gpt-oss, arXiv:2508.10925).
    """

    rotary: str = "none"
    qk_norm: str = "none"
    soft_cap: float = 0.0
    alibi: bool = False
    sinks: bool = False
    rotary_base: float = ROTARY_BASE

    def __bool__(self) -> bool:
        return self != Switches()

    def fitting(self, cfg: Config) -> "Switches":
        """Returns the switches that a layer of these sizes can have: rotary needs an even d_k."""
        return replace(self, rotary="none") if cfg.key_dim % 2 else self

    def on(self, cfg: Config) -> Config:
        """Returns `cfg` with these switches."""
        return replace(cfg, **asdict(self.fitting(cfg)))


#: None of them: the layer itself.
NONE = Switches()


#: What a norm adds below its root.
EPSILON = 1e-6


def angles(cfg: Config, positions: int) -> Floats:
    """Angles of rotary embeddings, float64, axes (position, pair): position t turns pair j by t · base^(−2j / d_k), t from 0
    (RoFormer, arXiv:2104.09864, 3.2.2, where the base is 10,000)."""
    return np.arange(positions)[:, None] * cfg.rotary_base ** (-np.arange(0, cfg.key_dim, 2) / cfg.key_dim)


def slopes(heads: int) -> Floats:
    """Slopes of ALiBi, one a head (arXiv:2108.12409; the rule for other counts than powers of two as in its code and BLOOM's)."""
    closest = 2 ** int(np.log2(heads))
    powers = [8 / closest * i for i in range(1, closest + 1)] + [4 / closest * i for i in range(1, 2 * (heads - closest), 2)]
    return np.array([2.0**-power for power in powers])


def distances(cfg: Config) -> Floats:
    """|t − s|, axes "ts"."""
    return np.abs(np.arange(cfg.query_len)[:, None] - np.arange(cfg.key_len)[None, :]).astype(np.float64)
