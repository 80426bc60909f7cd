"""The forward pass: the table of steps, run by a backend, with every intermediate kept."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mha import display
from mha.arrays import Array
from mha.backends import DEFAULT, backend_named
from mha.config import Config
from mha.params import Inputs, Params, make_inputs, make_params
from mha.steps import STEPS, Ops, Step


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything that one pass computes, fields in the order of computation; `.values` of each is an array."""

    cfg: Config
    params: Params
    x_query: Array
    x_key: Array
    q: Array
    k: Array
    v: Array
    scores: Array
    scaled: Array
    masked: Array
    weights: Array
    context: Array
    concat: Array
    output: Array

    def __getitem__(self, name: str) -> Array:
        """An input, intermediate or parameter by its name: `trace["w_q"]`. KeyError names one that there is not."""
        if name in ARRAYS:
            return getattr(self, name)
        if name in PARAMS and (values := getattr(self.params, name)) is not None:
            return values
        raise KeyError(f"no array {name!r} in this trace")

    def _repr_html_(self) -> str | None:
        """What Jupyter, marimo and Colab show."""
        return display.html_of(self)


ARRAYS = tuple(field.name for field in fields(Trace) if field.name not in ("cfg", "params"))
PARAMS = tuple(field.name for field in fields(Params))


def run_steps(cfg: Config, known: dict[str, Any], ops: Ops, steps: tuple[Step, ...] = STEPS) -> dict[str, Any]:
    """`known` (arrays of the backend by name; None for a bias that the layer does not have) with every step's result added."""
    for step in steps:
        known[step.name] = ops[step.op](step, cfg, *(known[name] for name in step.needs))
    return known


def run(cfg: Config, backend: str = DEFAULT.code, params: Params | None = None, inputs: Inputs | None = None) -> Trace:
    """One pass through the layer. Weights and inputs are drawn from `cfg.seed` unless given.

    ValueError for an unknown backend; ImportError where its library is not installed.
    """
    params = make_params(cfg) if params is None else params
    inputs = make_inputs(cfg) if inputs is None else inputs
    return run_ops(cfg, params, inputs, backend_named(backend).load())


def run_ops(cfg: Config, params: Params, inputs: Inputs, ops: Ops) -> Trace:
    """One pass through the layer by these operations."""
    arrays = {name: getattr(inputs, name) for name in ("x_query", "x_key")} | {name: getattr(params, name) for name in PARAMS}
    known = run_steps(cfg, {name: None if array is None else array.values for name, array in arrays.items()}, ops)
    results = {step.name: Array(np.asarray(known[step.name]), step.axes) for step in STEPS}
    return Trace(cfg, params, inputs.x_query, inputs.x_key, **results)
