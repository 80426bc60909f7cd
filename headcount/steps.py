"""Table of the layer's steps in the order of computation, one step for each intermediate array. The basic steps are from
"Attention Is All You Need", 3.2.1 and 3.2.2."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from headcount.arrays import Bools, Floats
from headcount.config import Config
from headcount.ledger import VARIABLES, always
from headcount.names import MASKS

#: Functions of a backend by operation. They take (step, cfg, *operand values) and return values, in the backend's array type.
Ops = Mapping[str, Callable[..., Any]]
#: Number of dropout's random stream. headcount.params has those of weights and inputs.
DROPOUT_STREAM = 13


@dataclass(frozen=True, slots=True)
class Step:
    """The rule that computes one intermediate. `axes`: the axes of the result. `there`: whether a layer has the step.
    - `op`: the backend's operation. `einsum`: contracts the first two operands; a third operand is a bias.
    - `needs`: names of the operands. If a layer lacks an operand's step, `steps_of` takes that step's first operand instead."""

    name: str
    axes: str
    needs: tuple[str, ...]
    op: str
    einsum: str
    sentence: str
    there: Callable[[Config], bool] = always


STEPS = (
    Step("q", "bthk", ("x_query", "w_q", "b_q"), "project", "btm,mhk->bthk",
         "Every head multiplies the whole of X by its own slice of W_Q."),
    Step("k", "bshk", ("x_key", "w_k", "b_k"), "project", "bsm,mhk->bshk",
         "The keys: what each position offers to be found by."),
    Step("v", "bshv", ("x_key", "w_v", "b_v"), "project", "bsm,mhv->bshv",
         "The values: what each position passes on when it is looked at."),
    Step("g", "bthv", ("x_query", "w_g", "b_g"), "project", "btm,mhv->bthv",
         "What each query says about its own result: how much of every column of Z passes.", lambda cfg: cfg.use_gate),
    Step("q_normed", "bthk", ("q", "n_q", "wide_q", "m_q"), "norm", "",
         "Each query is divided by its own size, then multiplied by learned numbers γ (QK-norm).",
         lambda cfg: cfg.qk_norm != "none"),
    Step("k_normed", "bshk", ("k", "n_k", "wide_k", "m_k"), "norm", "",
         "Each key is divided by its own size, then multiplied by learned numbers γ (QK-norm).",
         lambda cfg: cfg.qk_norm != "none"),
    Step("q_rotated", "bthk", ("q_normed",), "rotate", "",
         "Numbers of each query are turned in pairs, by an angle that grows with its position (rotary embedding).",
         lambda cfg: cfg.rotary != "none"),
    Step("k_rotated", "bshk", ("k_normed",), "rotate", "",
         "Keys are turned likewise: a product then depends on how far apart the two are, not on where they stand.",
         lambda cfg: cfg.rotary != "none"),
    Step("scores", "bhts", ("q_rotated", "k_rotated"), "contract", "bthk,bshk->bhts",
         "How well query t matches key s: one product per pair of positions."),
    Step("scaled", "bhts", ("scores",), "scale", "",
         "Divided by the square root of d_k, so that wider heads do not give larger scores."),
    Step("capped", "bhts", ("scaled",), "cap", "",
         "Kept between −c and c, small scores nearly as they are (soft-capping).", lambda cfg: cfg.soft_cap > 0),
    Step("biased", "bhts", ("capped",), "alibi", "",
         "Keys that are farther away lose: the distance times a fixed slope of the head (ALiBi).", lambda cfg: cfg.alibi),
    Step("masked", "bhts", ("biased",), "mask", "",
         "Where a query may not look, the score is minus infinity."),
    Step("weights", "bhts", ("masked", "sinks"), "softmax", "",
         "Each row becomes shares that sum to 1. Keras calls these attention_scores."),
    Step("dropped", "bhts", ("weights",), "dropout", "",
         "While it is trained a layer sets a share p of the weights to 0 and divides the others by 1 − p.",
         lambda cfg: cfg.drops),
    Step("context", "bthv", ("dropped", "v"), "contract", "bhts,bshv->bthv",
         "Each query takes the mean of the values, weighted by its row of A."),
    Step("gate", "bthv", ("g",), "sigmoid", "",
         "Between 0 and 1: 1 / (1 + e to the power −G). Keras: use_gate.", lambda cfg: cfg.use_gate),
    Step("gated", "bthv", ("context", "gate"), "multiply", "",
         "Number by number: each head's result times its gate.", lambda cfg: cfg.use_gate),
    Step("concat", "bt(hv)", ("gated",), "join", "",
         "The heads' results side by side: h blocks of d_v columns."),
    Step("output", "btm", ("concat", "w_o", "b_o"), "project", "bt(hv),(hv)m->btm",
         "W_O mixes the heads' columns back to the model's width."),
)  # fmt: skip

BY_NAME = {step.name: step for step in STEPS}


@lru_cache(maxsize=256)
def steps_of(cfg: Config) -> tuple[Step, ...]:
    """Lists the steps of this layer in the order of computation. The `needs` of a step name only arrays that this layer has."""
    here, missing = {step.name for step in STEPS if step.there(cfg)}, {one.name for one in VARIABLES if not one.there(cfg)}

    def handed_on(name: str) -> str:
        while name in BY_NAME and name not in here:
            name = BY_NAME[name].needs[0]
        return name

    def operands(step: Step) -> tuple[str, ...]:
        return tuple(handed_on(name) for name in step.needs if name not in missing)

    return tuple(replace(step, needs=operands(step)) for step in STEPS if step.name in here)


def step_of(cfg: Config, name: str) -> Step:
    """Returns the step called `name`. Raises KeyError if this layer does not have it."""
    for step in steps_of(cfg):
        if step.name == name:
            return step
    raise KeyError(f"this layer has no step {name!r}")


def attention_mask(cfg: Config) -> Bools:
    """Returns the mask, axes (query, key), True if query t may attend to key s. As in Keras, a causal mask allows keys 0 to t for
    query t. A sliding window w requires |t − s| < w (`_compute_sliding_window_mask` of Keras's layer)."""
    allowed = np.ones((cfg.query_len, cfg.key_len), dtype=bool)
    if cfg.mask == "causal":
        allowed = np.tril(allowed)
    elif cfg.mask not in MASKS:
        allowed = np.frombuffer(cfg.mask.replace("/", "").encode(), np.uint8).reshape(allowed.shape) == ord("1")
    if cfg.sliding_window is not None:
        allowed = np.triu(np.tril(allowed, cfg.sliding_window - 1), 1 - cfg.sliding_window)
    return allowed


def dropout_factors(cfg: Config) -> Floats:
    """Returns dropout's factor for each attention weight, axes (batch, head, query, key), float32. Keras draws other factors."""
    return drawn_factors(cfg.dropout_seed, cfg.dropout, (cfg.batch, cfg.num_heads, cfg.query_len, cfg.key_len))


def drawn_factors(seed: int, rate: float, shape: tuple[int, ...]) -> Floats:
    """Draws factors of dropout in any shape, float32. A factor is 0 with probability `rate`, otherwise 1 / (1 − rate)."""
    numbers = np.random.default_rng([seed, DROPOUT_STREAM]).random(shape, dtype=np.float32)
    return np.where(numbers >= rate, np.float32(1 / (1 - rate)), np.float32(0))
