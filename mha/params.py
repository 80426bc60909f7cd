"""Seeded inputs and parameters, drawn by NumPy so that no framework's version changes the picture."""

from dataclasses import dataclass

import numpy as np

from mha.arrays import Array, Floats
from mha.config import Config

#: One stream of random numbers for each array, so that no size disturbs another array's numbers.
STREAMS = {"x": 0, "y": 1, "w_q": 2, "w_k": 3, "w_v": 4, "w_o": 5, "b_q": 6, "b_k": 7, "b_v": 8, "b_o": 9, "z": 10}

BIAS_SCALE = 0.1  # Keras starts biases at 0; ours are not, so that a forgotten bias shows


@dataclass(frozen=True, slots=True)
class Params:
    """Kernels and biases, axes as Keras shapes them; biases are None in a layer without."""

    w_q: Array
    b_q: Array | None
    w_k: Array
    b_k: Array | None
    w_v: Array
    b_v: Array | None
    w_o: Array
    b_o: Array | None


@dataclass(frozen=True, slots=True)
class Inputs:
    """The sequence that asks, axes "btm", and the one that is looked at, "bsm": the same X in self-attention."""

    x_query: Array
    x_key: Array


def draw(seed: int, stream: str, shape: tuple[int, ...]) -> Floats:
    """Standard normal float32 numbers. A longer first axis continues the same sequence and changes none of its start."""
    return np.random.default_rng([seed, STREAMS[stream]]).standard_normal(shape, dtype=np.float32)


def make_inputs(cfg: Config) -> Inputs:
    """X, and for cross-attention a second sequence. Standard normal numbers."""
    x = Array(draw(cfg.seed, "x", (cfg.batch, cfg.query_len, cfg.d_model)), "btm")
    if cfg.is_self_attention:
        return Inputs(x, Array(x.values, "bsm"))
    return Inputs(x, Array(draw(cfg.seed, "y", (cfg.batch, cfg.key_len, cfg.d_model)), "bsm"))


def _columns(cfg: Config, stream: str, size: str) -> Array:
    """A kernel "mh{k,v}" drawn column by column: the flat d_model × (h·size) numbers do not depend on where heads are cut,
    and one more head appends columns. Variance 1 / d_model, the same as Glorot's for a square matrix."""
    width = cfg.num_heads * cfg.size(size)
    flat = draw(cfg.seed, stream, (width, cfg.d_model)).T / np.float32(np.sqrt(cfg.d_model))
    return Array(np.ascontiguousarray(flat).reshape(cfg.d_model, cfg.num_heads, cfg.size(size)), f"mh{size}")


def _bias(cfg: Config, stream: str, axes: str) -> Array | None:
    if not cfg.use_bias:
        return None
    return Array(BIAS_SCALE * draw(cfg.seed, stream, tuple(map(cfg.size, axes))), axes)


def make_params(cfg: Config) -> Params:
    """All weights of the layer from its seed. With the paper's split the flat numbers are the same for every h;
    in Keras's way one more head appends columns to W_Q, W_K, W_V and rows to W_O."""
    rows = draw(cfg.seed, "w_o", (cfg.size("(hv)"), cfg.d_model)) / np.float32(np.sqrt(cfg.d_model))
    return Params(
        w_q=_columns(cfg, "w_q", "k"),
        b_q=_bias(cfg, "b_q", "hk"),
        w_k=_columns(cfg, "w_k", "k"),
        b_k=_bias(cfg, "b_k", "hk"),
        w_v=_columns(cfg, "w_v", "v"),
        b_v=_bias(cfg, "b_v", "hv"),
        w_o=Array(rows.reshape(cfg.num_heads, cfg.value_dim, cfg.d_model), "hvm"),
        b_o=_bias(cfg, "b_o", "m"),
    )
