"""Where the layer's parameters are: one row per variable."""

import math
from dataclasses import dataclass
from functools import lru_cache

from mha.config import Config
from mha.names import BY_LETTER


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One variable. `shape` in the order of `axes`; `formula` in LaTeX, `numbers` the same with the sizes filled in.

    `torch` says where PyTorch's nn.MultiheadAttention keeps the same numbers, transposed.
    """

    name: str
    path: str
    torch: str
    axes: str
    shape: tuple[int, ...]
    formula: str
    numbers: str
    count: int
    is_bias: bool


#: name, Keras path, PyTorch's place, axes; in the order of Keras's `.weights`.
VARIABLES = (
    ("w_q", "query/kernel", "in_proj_weight, first third", "mhk"),
    ("b_q", "query/bias", "in_proj_bias, first third", "hk"),
    ("w_k", "key/kernel", "in_proj_weight, second third", "mhk"),
    ("b_k", "key/bias", "in_proj_bias, second third", "hk"),
    ("w_v", "value/kernel", "in_proj_weight, last third", "mhv"),
    ("b_v", "value/bias", "in_proj_bias, last third", "hv"),
    ("w_o", "attention_output/kernel", "out_proj.weight", "hvm"),
    ("b_o", "attention_output/bias", "out_proj.bias", "m"),
)


def ledger(cfg: Config) -> tuple[LedgerRow, ...]:
    """The layer's variables in Keras's order: eight, or the four kernels in a layer without biases."""
    rows: list[LedgerRow] = []
    for name, path, torch, axes in VARIABLES:
        is_bias = name.startswith("b_")
        if is_bias and not cfg.use_bias:
            continue
        shape = tuple(map(cfg.size, axes))
        formula, numbers = r" \cdot ".join(BY_LETTER[axis].symbol for axis in axes), " · ".join(map(str, shape))
        rows.append(LedgerRow(name, path, torch, axes, shape, formula, numbers, math.prod(shape), is_bias))
    return tuple(rows)


@lru_cache(maxsize=1024)  # a page asks some eighty times, for a handful of layers
def count_parameters(cfg: Config) -> int:
    """All trainable numbers: h·d_k·2·(d_model + 1) + h·d_v·(2·d_model + 1) + d_model with biases."""
    return sum(row.count for row in ledger(cfg))


def paper_count(cfg: Config, num_heads: int) -> int | None:
    """d_k = d_v = d_model / h (paper, PyTorch, Hugging Face): flat. None where h does not divide d_model."""
    if cfg.d_model % num_heads:
        return None
    return count_parameters(cfg.with_heads(num_heads, paper=True))


def keras_count(cfg: Config, num_heads: int) -> int:
    """key_dim and value_dim belong to each head (Keras): straight up."""
    return count_parameters(cfg.with_heads(num_heads, paper=False))


def pinned_count(cfg: Config, num_heads: int, num_kv_heads: int = 1) -> int | None:
    """Head size d_model / h, key/value heads pinned (Llama, Falcon): down. None where the sizes do not divide.

    P = h·d·(2·D + b) + h_kv·d·(2·D + 2·b) + b·D with D = d_model, d = D / h, b = 1 with biases
    (keras.layers.GroupQueryAttention with head_dim = d).
    """
    if cfg.d_model % num_heads or num_heads % num_kv_heads:
        return None
    width, bias = cfg.d_model, int(cfg.use_bias)
    head = width // num_heads
    return width * (2 * width + bias) + num_kv_heads * head * (2 * width + 2 * bias) + bias * width
