"""Seeded inputs and parameters, drawn by NumPy so that no framework's version changes the picture."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mha.arrays import Array, Floats
from mha.config import Config
from mha.ledger import OF_KERAS, VARIABLES, ledger

#: One stream of random numbers for each array, so that no size disturbs another array's numbers.
STREAMS = {"x": 0, "y": 1, "w_q": 2, "w_k": 3, "w_v": 4, "w_o": 5, "b_q": 6, "b_k": 7, "b_v": 8, "b_o": 9, "z": 10,
           "w_g": 11, "b_g": 12, "n_q": 21, "n_k": 22, "m_q": 23, "m_k": 24, "wide_q": 25, "wide_k": 26,
           "sinks": 27}  # fmt: skip

#: What a norm multiplies by. Libraries start it at 1; ours are not, so that a forgotten one shows.
GAINS = ("n_q", "n_k", "wide_q", "wide_k")
BIAS_SCALE = 0.1  # Keras starts biases at 0; ours are not, so that a forgotten bias shows


@dataclass(frozen=True, slots=True)
class Params:
    """Kernels and biases, axes as Keras shapes them; what a layer does not have is None."""

    w_q: Array
    b_q: Array | None
    w_k: Array
    b_k: Array | None
    w_v: Array
    b_v: Array | None
    w_o: Array
    b_o: Array | None
    w_g: Array | None = None
    b_g: Array | None = None
    n_q: Array | None = None
    m_q: Array | None = None
    wide_q: Array | None = None
    n_k: Array | None = None
    m_k: Array | None = None
    wide_k: Array | None = None
    sinks: Array | None = None

    @property
    def by_name(self) -> dict[str, Floats]:
        """The values of those that the layer has."""
        arrays = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: array.values for name, array in arrays.items() if array is not None}


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


def draw_weights(seed: int, shapes: Mapping[str, tuple[int, ...]], d_model: int) -> dict[str, Floats]:
    """Kernels and biases by name, float32, in Keras's shapes.

    A kernel of a projection is drawn column by column: the flat D × (h·size) numbers do not depend on where heads are cut, and
    one more head appends columns. Variance 1 / D, the same as Glorot's for a square matrix.
    """
    weights: dict[str, Floats] = {}
    for name, shape in shapes.items():
        if name in GAINS:
            weights[name] = 1 + BIAS_SCALE * draw(seed, name, shape)
        elif name == "sinks":
            weights[name] = draw(seed, name, shape)
        elif name.startswith(("b_", "m_")):
            weights[name] = BIAS_SCALE * draw(seed, name, shape)
        elif name == "w_o":
            rows = draw(seed, name, (shape[0] * shape[1], math.prod(shape[2:])))
            weights[name] = (rows / np.float32(np.sqrt(d_model))).reshape(shape)
        else:
            columns = draw(seed, name, (shape[1] * shape[2], shape[0]))
            weights[name] = np.ascontiguousarray(columns.T / np.float32(np.sqrt(shape[0]))).reshape(shape)
    return weights


def make_params(cfg: Config) -> Params:
    """All weights of the layer from its seed. With the paper's split the flat numbers are the same for every h;
    in Keras's way one more head appends columns to W_Q, W_K, W_V and rows to W_O."""
    return params_of(draw_weights(cfg.seed, {row.name: row.shape for row in ledger(cfg)}, cfg.d_model))


def params_of(arrays: Mapping[str, Floats]) -> Params:
    """Builds Params from arrays by name, in Keras's shapes; without those of biases, a layer without biases."""
    named: dict[str, Any] = {one.name: Array(arrays[one.name], one.axes) if one.name in arrays else None for one in VARIABLES}
    return Params(**named)


def require_fit(cfg: Config, params: Params, inputs: Inputs) -> None:
    """ValueError names the first array that does not have the shape of its place in the layer of `cfg`, is missing, or has no
    place there; norms of queries and keys, and sinks, may be there besides."""
    for one in VARIABLES:
        array = getattr(params, one.name)
        spare = array is not None and one.name not in OF_KERAS
        _require(f"{one.name} ({one.path})", one.axes if one.there(cfg) or spare else None, array, cfg)
    for name, axes in (("x_query", "btm"), ("x_key", "bsm")):
        _require(name, axes, getattr(inputs, name), cfg)


def _require(name: str, axes: str | None, array: Array | None, cfg: Config) -> None:
    wanted, got = (None if axes is None else tuple(map(cfg.size, axes))), (None if array is None else array.shape)
    if got != wanted:
        must = f"have the shape {wanted}, axes {axes!r}," if wanted else "be None"
        raise ValueError(f"{name} must {must} in this layer of {cfg.num_heads} heads, {cfg.d_model} wide; got {got}")
