"""Forward pass of the layer: a backend computes each step, and every intermediate is kept."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from headcount.arrays import Array
from headcount.backends import DEFAULT, backend_named
from headcount.config import Config
from headcount.cost import MAX_MULTIPLY_ADDS, MAX_NUMBERS, multiply_adds, numbers_kept, too_large
from headcount.names import SIZES, did_you_mean
from headcount.params import Inputs, Params, inputs_of, make_inputs, make_params, params_of, require_fit
from headcount.steps import STEPS, Ops, Step, step_of, steps_of


@dataclass(frozen=True, slots=True, repr=False)
class Trace:
    """Every array of one forward pass, in the order of computation. A field is None if the layer has no such array."""

    cfg: Config
    params: Params
    x_query: Array
    x_key: Array
    q: Array
    k: Array
    v: Array
    g: Array | None = field(default=None, kw_only=True)
    q_normed: Array | None = field(default=None, kw_only=True)
    k_normed: Array | None = field(default=None, kw_only=True)
    q_rotated: Array | None = field(default=None, kw_only=True)
    k_rotated: Array | None = field(default=None, kw_only=True)
    scores: Array
    scaled: Array
    capped: Array | None = field(default=None, kw_only=True)
    biased: Array | None = field(default=None, kw_only=True)
    masked: Array
    weights: Array
    dropped: Array | None = field(default=None, kw_only=True)
    context: Array
    gate: Array | None = field(default=None, kw_only=True)
    gated: Array | None = field(default=None, kw_only=True)
    concat: Array
    output: Array

    def __getitem__(self, name: str) -> Array:
        """Returns an input, intermediate or parameter by name: `trace["w_q"]`. Raises KeyError if this trace does not have it."""
        holder = self if name in ARRAYS else self.params if name in PARAMS else None
        values: Array | None = None if holder is None else getattr(holder, name)
        if values is None:
            raise KeyError(f"no array {name!r} in this trace{did_you_mean(str(name), self.known)}")
        return values

    def __repr__(self) -> str:
        sizes = ", ".join(f"{size.code}={getattr(self.cfg, size.code)}" for size in SIZES)
        return "\n".join([f"Trace of a layer with {sizes}", *(f"  {self[name]!r}" for name in self.known)])

    @property
    def joined(self) -> Array:
        """The head outputs that Concat joins (paper, 3.2.2), axes "bthv": Z, multiplied by the gate if the layer has a gate."""
        return self[step_of(self.cfg, "concat").needs[0]]

    @property
    def known(self) -> dict[str, Any]:
        """The values of the layer's inputs, parameters and intermediates by name, in the form that `run_steps` takes."""
        arrays = {name: array.values for name in ARRAYS if (array := getattr(self, name)) is not None}
        return arrays | self.params.by_name

    def _repr_html_(self) -> str | None:
        """Returns HTML for notebooks. Returns None without the packages for drawings, so that notebooks print the trace."""
        try:
            return self.show().html
        except ImportError:
            return None

    def show(self, figure: str = "heads", **options: Any) -> Any:
        """Draws a figure in a notebook. The command `headcount figures --list` lists the names of figures. `options` are settings
        of the figure's page, as in the address (`head=2`), and `theme`: "light", "dark" or "print". Raises ValueError for a wrong
        name or option. Raises ImportError without the packages for drawings, and Unavailable if this layer has no such figure."""
        return notebook().show(self, figure, **options)

    def figure(self, name: str = "attention", **options: Any) -> Any:
        """Draws heatmaps as a `plotly.graph_objects.Figure`. `name` is "attention", "projections", "kernels", "results" or
        "concatenation". Raises ValueError for a wrong name or option, and ImportError without Plotly. The options are:
        - `width`: pixels, for all names. `words`: labels of positions, for all names but "kernels".
        - `asking`: the 0-based query that gets a frame. `first`: the 0-based first of up to 16 heads. Both are for "attention".
        - `off`: the 0-based head that is switched off, for "results" and "concatenation"."""
        return notebook().heatmaps(self, name, **options)

    def save(self, path: str | Path) -> None:
        """Writes inputs, weights, results of steps and the Config to an .npz file. `headcount.load` reads this file."""
        with Path(path).open("wb") as file:
            np.savez(file, meta=np.array(json.dumps({"config": asdict(self.cfg)})), **self.known)


def notebook() -> ModuleType:
    """Imports and returns `headcount.notebook`, which no module may import at the top (tests/test_layers.py). Raises ImportError
    if a library for drawings is missing."""
    try:
        return import_module("headcount.notebook")
    except ImportError as why:
        raise ImportError(f"a figure needs {why.name}: pip install 'headcount[figures]'") from None


ARRAYS = tuple(one.name for one in fields(Trace) if one.name not in ("cfg", "params"))
PARAMS = tuple(one.name for one in fields(Params))
if missing := {step.name for step in STEPS} - {*ARRAYS}:
    raise TypeError(f"Trace has no field for {', '.join(sorted(missing))}")


def run_steps(cfg: Config, known: dict[str, Any], ops: Ops, steps: tuple[Step, ...] | None = None) -> dict[str, Any]:
    """Computes every step, or only `steps`. Adds the results to `known`, arrays by name in the backend's type, and returns
    `known`. A number that is too large for its type becomes infinity or NaN; `overflow` finds the step."""
    with np.errstate(over="ignore", invalid="ignore"):
        for step in steps_of(cfg) if steps is None else steps:
            known[step.name] = ops[step.op](step, cfg, *(known[name] for name in step.needs))
    return known


def run(
    cfg: Config,
    backend: str = DEFAULT.code,
    params: Params | Mapping[str, Any] | None = None,
    inputs: Any = None,
    *,
    mask: Any = None,
    limit: int | None = MAX_NUMBERS,
) -> Trace:
    """Computes one forward pass of the layer. Weights and inputs that are not given are drawn from `cfg.seed`.
    - `params`: arrays with the names and shapes of `ledger(cfg)`. `mask`: replaces the mask of `cfg`.
    - `inputs`: X, axes (positions, d_model) or (batch, positions, d_model), or a mapping of "x_query" and "x_key".
    - `limit`: the most parameters, inputs and intermediates together. None also lifts the fixed limit of multiply-adds.
    Raises ValueError for an unknown backend, a layer above a limit, or arrays that do not fit. Raises ImportError if the
    backend's library is missing."""
    if not isinstance(cfg, Config):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValueError(f"cfg must be a Config, got {cfg!r:.80}")
    cfg = cfg if mask is None else replace(cfg, mask=mask)
    if limit is not None and too_large(cfg, limit):
        raise ValueError(
            f"this layer keeps {numbers_kept(cfg):,} numbers and takes {sum(multiply_adds(cfg).values()):,} multiply-adds; at "
            f"most {limit:,} and {MAX_MULTIPLY_ADDS:,} are computed: choose smaller sizes, or run(…, limit=None)"
        )
    ops, given = backend_named(backend).load(), params is not None or inputs is not None
    params = make_params(cfg) if params is None else params_of(params)
    inputs = make_inputs(cfg) if inputs is None else inputs_of(inputs)
    if given:
        require_fit(cfg, params, inputs)
    return run_ops(cfg, params, inputs, ops)


def run_ops(cfg: Config, params: Params, inputs: Inputs, ops: Ops) -> Trace:
    """Computes one forward pass of the layer with the operations of a backend."""
    known = run_steps(cfg, {"x_query": inputs.x_query.values, "x_key": inputs.x_key.values, **params.by_name}, ops)
    return trace_from(cfg, params, inputs, known)


def overflow(trace: Trace) -> Step | None:
    """Returns the first step whose result has infinity or NaN, or None. Minus infinity does not count in masked scores."""
    for step in steps_of(trace.cfg):
        values = trace[step.name].values
        if not (np.isfinite(values) | (np.isneginf(values) & (step.name == "masked"))).all():
            return step
    return None


def trace_from(cfg: Config, params: Params, inputs: Inputs, results: Mapping[str, Any]) -> Trace:
    """Builds a Trace from the results of all steps by name. Raises KeyError if a result is missing."""
    arrays = {step.name: Array(np.asarray(results[step.name]), step.axes, step.name) for step in steps_of(cfg)}
    return Trace(cfg, params, inputs.x_query, inputs.x_key, **arrays)
