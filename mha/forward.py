"""The forward pass: the table of steps, run by a backend, with every intermediate kept."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from mha import display
from mha.arrays import Array
from mha.backends import DEFAULT, backend_named
from mha.config import Config
from mha.params import Inputs, Params, make_inputs, make_params, require_fit
from mha.steps import STEPS, Ops, Step, step_of, steps_of


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that one pass computes, fields in the order of computation; `.values` of each is an array.

    What only some layers have (`Step.there`) is None in the others, and `trace[name]` a KeyError.
    """

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
        """An input, intermediate or parameter by its name: `trace["w_q"]`. KeyError names one that there is not."""
        holder = self if name in ARRAYS else self.params if name in PARAMS else None
        values: Array | None = None if holder is None else getattr(holder, name)
        if values is None:
            raise KeyError(f"no array {name!r} in this trace")
        return values

    @property
    def joined(self) -> Array:
        """What Concat joins ("Attention Is All You Need", 3.2.2), axes "bthv": every head's Z, times its gate if it has one."""
        return self[step_of(self.cfg, "concat").needs[0]]

    @property
    def known(self) -> dict[str, Any]:
        """Values of every input, parameter and intermediate by name, as `run_steps` takes them."""
        arrays = {name: array.values for name in ARRAYS if (array := getattr(self, name)) is not None}
        return arrays | self.params.by_name

    def _repr_html_(self) -> str | None:
        """What Jupyter, marimo and Colab show; None where nothing draws: a notebook then prints the trace."""
        found = display.drawers()
        return None if found is None else found[0](self)

    def figure(self, name: str = "attention", **options: Any) -> Any:
        """A `plotly.graph_objects.Figure` of the heatmaps "attention", "projections" or "concatenation", as the pages have them.

        `options`: `words` at the rows and columns, `width` in pixels, and for "attention" `asking`: the query (0-based) whose row
        is framed, and `first`: of up to 16 heads. ValueError for another name; ImportError where Plotly is not installed.
        """
        if (found := display.drawers()) is None:
            raise ImportError("a figure of a trace needs the package components, which is not installed")
        return found[1](self, name, **options)


ARRAYS = tuple(one.name for one in fields(Trace) if one.name not in ("cfg", "params"))
PARAMS = tuple(one.name for one in fields(Params))
if missing := {step.name for step in STEPS} - {*ARRAYS}:
    raise TypeError(f"Trace has no field for {', '.join(sorted(missing))}")


def run_steps(cfg: Config, known: dict[str, Any], ops: Ops, steps: tuple[Step, ...] | None = None) -> dict[str, Any]:
    """`known` (arrays of the backend by name) with the result of every step added, or of `steps` alone. Where a number is too
    large for its type, infinity and NaN follow: `overflow` finds the step."""
    with np.errstate(over="ignore", invalid="ignore"):
        for step in steps_of(cfg) if steps is None else steps:
            known[step.name] = ops[step.op](step, cfg, *(known[name] for name in step.needs))
    return known


def run(cfg: Config, backend: str = DEFAULT.code, params: Params | None = None, inputs: Inputs | None = None) -> Trace:
    """One pass through the layer. Weights and inputs are drawn from `cfg.seed` unless given.

    ValueError for an unknown backend, and for weights or inputs of another layer; ImportError where the backend's library is not
    installed.
    """
    given = params, inputs
    params = make_params(cfg) if params is None else params
    inputs = make_inputs(cfg) if inputs is None else inputs
    if given != (None, None):
        require_fit(cfg, params, inputs)
    return run_ops(cfg, params, inputs, backend_named(backend).load())


def run_ops(cfg: Config, params: Params, inputs: Inputs, ops: Ops) -> Trace:
    """One pass through the layer by these operations."""
    known = run_steps(cfg, {"x_query": inputs.x_query.values, "x_key": inputs.x_key.values, **params.by_name}, ops)
    return trace_from(cfg, params, inputs, known)


def overflow(trace: Trace) -> Step | None:
    """The first step in which a number is too large for the array's type; None where all are finite, as they are for weights of
    usual size. A masked score, minus infinity, is no such number."""
    for step in steps_of(trace.cfg):
        values = trace[step.name].values
        if not (np.isfinite(values) | (np.isneginf(values) & (step.name == "masked"))).all():
            return step
    return None


def trace_from(cfg: Config, params: Params, inputs: Inputs, results: Mapping[str, Any]) -> Trace:
    """Builds a Trace from every step's result by name. KeyError where one is missing."""
    arrays = {step.name: Array(np.asarray(results[step.name]), step.axes) for step in steps_of(cfg)}
    return Trace(cfg, params, inputs.x_query, inputs.x_key, **arrays)
