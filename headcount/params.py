"""Inputs and parameters from a seed. NumPy draws the numbers, so that no framework's version changes them."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np

from headcount.arrays import Array, Floats
from headcount.config import Config
from headcount.ledger import OF_KERAS, VARIABLES, ledger
from headcount.names import did_you_mean

#: Number of each array's random stream. With its own stream, an array does not depend on the sizes of others.
STREAMS = {"x": 0, "y": 1, "w_q": 2, "w_k": 3, "w_v": 4, "w_o": 5, "b_q": 6, "b_k": 7, "b_v": 8, "b_o": 9, "z": 10,
           "w_g": 11, "b_g": 12, "n_q": 21, "n_k": 22, "m_q": 23, "m_k": 24, "wide_q": 25, "wide_k": 26,
           "sinks": 27}  # fmt: skip

#: Names of the gains of norms. Libraries initialise them with 1. Ours differ from 1, so that tests notice a missing gain.
GAINS = ("n_q", "n_k", "wide_q", "wide_k")
BIAS_SCALE = 0.1  # Keras starts biases at 0; ours are not 0, so that a missing bias shows


@dataclass(frozen=True, slots=True)
class Params:
    """The weight matrices and biases, with Keras's axes, and the parameters of norms and sinks. A missing array is None."""

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
        """The values of all parameters that are not None, by name."""
        arrays = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: array.values for name, array in arrays.items() if array is not None}


@dataclass(frozen=True, slots=True)
class Inputs:
    """The sequences for queries and for keys, axes (batch, position, d_model). In self-attention, both are X."""

    x_query: Array
    x_key: Array


def sample(seed: int, stream: str, shape: tuple[int, ...]) -> Floats:
    """Draws standard normal float32 numbers from the random stream called `stream`. A longer first axis only appends numbers."""
    return np.random.default_rng([seed, STREAMS[stream]]).standard_normal(shape, dtype=np.float32)


def make_inputs(cfg: Config) -> Inputs:
    """Draws the input X as standard normal numbers. For cross-attention, also draws a second sequence."""
    x = sample(cfg.seed, "x", (cfg.batch, cfg.query_len, cfg.d_model))
    return inputs_of(x, x if cfg.is_self_attention else sample(cfg.seed, "y", (cfg.batch, cfg.key_len, cfg.d_model)))


def inputs_of(x: Any, x_key: Any = None) -> Inputs:
    """Makes Inputs from X and an optional second sequence `x_key`, axes (positions, d_model) or (batch, positions, d_model). `x`
    may also be Inputs, or a mapping with x_query and, optionally, x_key. Raises ValueError for anything else."""
    if isinstance(x, Inputs):
        return x
    if isinstance(x, Mapping):
        sequences = cast(Mapping[str, Any], x)
        require_names(sequences, ("x_query", "x_key"), "x_query")
        x, x_key = sequences["x_query"], sequences.get("x_key")
    both = [as_floats(name, one) for name, one in (("x_query", x), ("x_key", x if x_key is None else x_key))]
    for name, one in zip(("x_query", "x_key"), both, strict=True):
        if one.ndim not in (2, 3):
            raise ValueError(f"{name} must have the axes (positions, width) or (batch, positions, width), got {one.shape}")
    query, key = (one[None] if one.ndim == 2 else one for one in both)
    return Inputs(Array(query, "btm", "x_query"), Array(key, "bsm", "x_key"))


def as_floats(name: str, values: Any) -> Floats:
    """Makes an array of floats. Integers and Booleans become float32, floats do not change. Raises ValueError for other types."""
    try:
        array = np.asarray(values)
        return array if array.dtype.kind == "f" else array.astype(np.float32, casting="same_kind")
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be an array of numbers, got {values!r:.80}") from None


def require_names(given: Mapping[str, Any], known: Iterable[str], *needed: str) -> None:
    """Raises ValueError if a name in `given` is not in `known`, or if one of `needed` is not in `given`."""
    known = tuple(known)
    for name in given:
        if name not in known:
            raise ValueError(f"there is no array {name!r} among {', '.join(known)}{did_you_mean(str(name), known)}")
    if missing := [name for name in needed if name not in given]:
        raise ValueError(f"there must be an array {missing[0]!r}, got {', '.join(map(str, given)) or 'none'}")


def draw_weights(seed: int, shapes: Mapping[str, tuple[int, ...]], d_model: int) -> dict[str, Floats]:
    """Draws float32 weights with these names and shapes. W_Q, W_K, W_V and W_G are drawn column by column, W_O row by row.
    Another head thus only appends columns or rows. If h·d_k and h·d_v are the same, the flat matrices are the same for every h.
    The variance of a matrix is 1 / (width of its input), but 1 / `d_model` for W_O."""
    weights: dict[str, Floats] = {}
    for name, shape in shapes.items():
        if name in GAINS:
            weights[name] = 1 + BIAS_SCALE * sample(seed, name, shape)
        elif name == "sinks":
            weights[name] = sample(seed, name, shape)
        elif name.startswith(("b_", "m_")):
            weights[name] = BIAS_SCALE * sample(seed, name, shape)
        elif name == "w_o":
            rows = sample(seed, name, (shape[0] * shape[1], math.prod(shape[2:])))
            weights[name] = (rows / np.float32(np.sqrt(d_model))).reshape(shape)
        else:
            columns = sample(seed, name, (shape[1] * shape[2], shape[0]))
            weights[name] = np.ascontiguousarray(columns.T / np.float32(np.sqrt(shape[0]))).reshape(shape)
    return weights


def make_params(cfg: Config) -> Params:
    """Draws all weights of the layer from its seed. In the paper's convention, W_Q to W_O have the same numbers for every h."""
    return params_of(draw_weights(cfg.seed, {row.name: row.shape for row in ledger(cfg)}, cfg.d_model))


def params_of(arrays: Params | Mapping[str, Any]) -> Params:
    """Builds Params from arrays by name. Raises ValueError for a missing matrix, an unknown name or a wrong number of axes."""
    if isinstance(arrays, Params):
        return arrays
    if not hasattr(arrays, "keys"):
        raise ValueError(f"params must be arrays by name, got {arrays!r:.80}")
    require_names(arrays, (one.name for one in VARIABLES), "w_q", "w_k", "w_v", "w_o")
    named: dict[str, Any] = {one.name: None for one in VARIABLES}
    for one in VARIABLES:
        if one.name in arrays:
            values = as_floats(one.name, arrays[one.name])
            if values.ndim != len(one.axes):
                raise ValueError(f"{one.name} ({one.path}) must have {len(one.axes)} axes, {one.axes!r}, got {values.shape}")
            named[one.name] = Array(values, one.axes, one.name)
    return Params(**named)


def require_fit(cfg: Config, params: Params, inputs: Inputs) -> None:
    """Raises ValueError if an array is missing, has a wrong shape, or is not of this layer. Allows unused norms and sinks."""
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
