"""Table of the layer's parameters, with a row for each variable."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from headcount.config import Config
from headcount.names import BY_LETTER


def always(cfg: Config) -> bool:
    """Returns True. This is the condition of the variables and steps (headcount.steps) that are in every layer."""
    return True


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One variable of a layer. `formula`: its parameter count in LaTeX. `numbers`: this formula with numbers for symbols."""

    name: str
    path: str
    axes: str
    shape: tuple[int, ...]
    formula: str
    numbers: str
    count: int
    is_bias: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of layers for which `there` is true. `path`: name in Keras or transformers. `torch`: name in PyTorch."""

    name: str
    path: str
    torch: str
    axes: str
    there: Callable[[Config], bool] = always


#: All variables, in the order of Keras's `.weights`.
VARIABLES = (
    Variable("w_q", "query/kernel", "in_proj_weight, first third", "mhk"),
    Variable("b_q", "query/bias", "in_proj_bias, first third", "hk", lambda cfg: cfg.use_bias),
    Variable("w_k", "key/kernel", "in_proj_weight, middle third", "mhk"),
    Variable("b_k", "key/bias", "in_proj_bias, middle third", "hk", lambda cfg: cfg.use_bias),
    Variable("w_g", "gate/kernel", "a Linear of its own", "mhv", lambda cfg: cfg.use_gate),
    Variable("b_g", "gate/bias", "a Linear of its own", "hv", lambda cfg: cfg.use_gate and cfg.use_bias),
    Variable("w_v", "value/kernel", "in_proj_weight, last third", "mhv"),
    Variable("b_v", "value/bias", "in_proj_bias, last third", "hv", lambda cfg: cfg.use_bias),
    Variable("w_o", "attention_output/kernel", "out_proj.weight", "hvm"),
    Variable("b_o", "attention_output/bias", "out_proj.bias", "m", lambda cfg: cfg.use_bias),
    # Variables that no Keras layer has (headcount.switches), with their names in transformers.
    Variable("n_q", "q_norm.weight", "a norm of its own", "k", lambda cfg: cfg.qk_norm in ("rms", "layer")),
    Variable("m_q", "q_norm.bias", "a norm of its own", "k", lambda cfg: cfg.qk_norm == "layer"),
    Variable("wide_q", "q_norm.weight", "a norm of its own", "hk", lambda cfg: cfg.qk_norm == "rms_wide"),
    Variable("n_k", "k_norm.weight", "a norm of its own", "k", lambda cfg: cfg.qk_norm in ("rms", "layer")),
    Variable("m_k", "k_norm.bias", "a norm of its own", "k", lambda cfg: cfg.qk_norm == "layer"),
    Variable("wide_k", "k_norm.weight", "a norm of its own", "hk", lambda cfg: cfg.qk_norm == "rms_wide"),
    Variable("sinks", "sinks", "a Parameter of its own", "h", lambda cfg: cfg.sinks),
)
#: Names of the weight matrices and biases that Keras's layer has.
OF_KERAS = tuple(variable.name for variable in VARIABLES if variable.name[:2] in ("w_", "b_"))


@lru_cache(maxsize=256)  # a picture of eight layers asks some forty times
def ledger(cfg: Config) -> tuple[LedgerRow, ...]:
    """Lists the layer's variables in Keras's order, then the variables of switches. Raises ValueError if `cfg` is no Config."""
    if not isinstance(cfg, Config):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"cfg must be a Config, got {cfg!r:.80}")
    rows: list[LedgerRow] = []
    for one in (variable for variable in VARIABLES if variable.there(cfg)):
        shape = tuple(map(cfg.size, one.axes))
        formula, numbers = r" \cdot ".join(BY_LETTER[axis].symbol for axis in one.axes), " · ".join(map(str, shape))
        is_bias = one.name.startswith("b_")
        rows.append(LedgerRow(one.name, one.path, one.axes, shape, formula, numbers, math.prod(shape), is_bias))
    return tuple(rows)


@lru_cache(maxsize=1024)  # a page asks some eighty times, for a handful of layers
def count_parameters(cfg: Config) -> int:
    """Returns the parameter count. With biases, the count is h·d_k·2·(d_model + 1) + h·d_v·(2·d_model + 1) + d_model. A gate adds
    h·d_v·(d_model + 1). QK-norm adds 2·d_k ("rms"), 4·d_k ("layer") or 2·h·d_k ("rms_wide"). Sinks add h."""
    return sum(row.count for row in ledger(cfg))


def paper_count(cfg: Config, num_heads: int) -> int | None:
    """Returns the parameter count with d_k = d_v = d_model / h, as in the paper. Returns None if h does not divide d_model."""
    if cfg.d_model % num_heads:
        return None
    return count_parameters(cfg.with_heads(num_heads, paper=True))


def keras_count(cfg: Config, num_heads: int) -> int:
    """Returns the parameter count with `num_heads` heads and the same key_dim and value_dim (Keras). The count is linear in h."""
    return count_parameters(cfg.with_heads(num_heads, paper=False))
