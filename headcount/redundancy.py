"""Redundant parameters: the number of directions in parameter space along which no output changes."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from headcount.arrays import Floats
from headcount.config import Config
from headcount.ledger import count_parameters
from headcount.steps import attention_mask
from headcount.switches import NONE


@dataclass(frozen=True, slots=True)
class Idle:
    """Counts of directions in parameter space along which no output changes. `qk` are within W_Q, b_Q and W_K, `vo` within W_V
    and W_O. `b_k` is all of b_K, and `b_v` what b_O can replace. `alone` counts single numbers without effect."""

    qk: int
    b_k: int
    vo: int
    b_v: int
    alone: int
    count: int

    @property
    def effective(self) -> int:
        """The number of independent parameters that determine what the layer computes."""
        return self.count - self.qk - self.b_k - self.vo - self.b_v


def _spare(rows: int, inner: int, columns: int) -> int:
    """Returns the redundant numbers in a product of two matrices, rows × inner and inner × columns. The product has at most rank
    r, and matrices of rank r have r (rows + columns − r) degrees of freedom."""
    rank = min(rows, inner, columns)
    return inner * (rows + columns) - rank * (rows + columns - rank)


def idle(cfg: Config) -> Idle:
    """Counts redundant directions for generic weights; tests/layer/test_redundancy.py compares them with the rank of the
    Jacobian. A head's scores depend only on [W_Q; b_Q] W_Kᵀ, and its contribution only on W_V W_O. As rows of attention weights
    sum to 1, b_V only adds Σ b_V W_O to b_O. If a query has no key, only numbers of b_V beyond the rank of W_O are redundant. If
    each query has one key, W_Q, b_Q, W_K and b_K have no effect, and only the sum of all heads' W_V W_O matters. With a gate,
    only the scale of each column of W_V and b_V against its row of W_O is free. Raises ValueError for dropout or a switch."""
    if cfg.drops or cfg != NONE.on(cfg):
        raise ValueError("idle parameters are counted for a layer of Keras's without dropout")
    width, heads, bias = cfg.d_model, cfg.num_heads, int(cfg.use_bias)
    b_k, b_v, all_qk = bias * heads * cfg.key_dim, bias * heads * cfg.value_dim, heads * cfg.key_dim * (2 * width + bias)
    keys = attention_mask(cfg).sum(axis=-1)  # to how many each query may attend
    if keys.max() == 1:  # its attention weight is always 1
        qk, vo, alone = all_qk, _spare(width, heads * cfg.value_dim, width), all_qk + b_k
    else:
        qk, vo, alone = heads * _spare(width + bias, cfg.key_dim, width), heads * _spare(width, cfg.value_dim, width), b_k
    if cfg.use_gate:
        vo, b_v = heads * cfg.value_dim, 0
    elif not keys.all():
        b_v = bias * (heads * cfg.value_dim - min(heads * cfg.value_dim, width))
    return Idle(qk, b_k, vo, b_v, alone, count_parameters(cfg))


def rank_of(left: Floats, right: Floats) -> int:
    """Returns the rank of left · right from the R factors of two QR decompositions, which are only as large as the inner size."""
    one, other = (cast(Floats, np.linalg.qr(side.astype(np.float64), mode="r")) for side in (left, right.T))
    return int(np.linalg.matrix_rank(one @ other.T))
