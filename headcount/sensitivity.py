"""The effect of each parameter array: which results change with it, and by how much. All passes use float64, in which rounding
changes a result by about 1e-15 of its size; in float32 it would be 1e-7."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from headcount.arrays import Floats
from headcount.config import Config
from headcount.forward import PARAMS, Trace, run_steps
from headcount.numpy_backend import OPS

#: The arrays whose change is shown: the scores before the softmax, the attention weights after it, and the output.
WATCHED = ("scores", "weights", "output")
#: Below this fraction of an array's largest number, a difference of two float64 passes is rounding and counts as 0.
ROUNDING = 1e-12
Arrays = dict[str, Floats]


def in_float64(trace: Trace) -> Arrays:
    """Returns the inputs and the layer's parameters in float64, by name."""
    return {name: trace[name].values.astype(np.float64) for name in ("x_query", "x_key", *trace.params.by_name)}


def forward(cfg: Config, arrays: Mapping[str, Floats]) -> Arrays:
    """Computes one pass. Returns the given arrays and the result of every step, by name."""
    return run_steps(cfg, dict(arrays), OPS)


@dataclass(frozen=True, slots=True)
class Moved:
    """The results in WATCHED by name, `before` and `after` the parameter array called `array` was multiplied by a number."""

    array: str
    before: Arrays
    after: Arrays

    def by(self, name: str) -> Floats:
        """Returns the change of the array called `name`. Differences that are only rounding are 0."""
        change = self.after[name] - self.before[name]
        largest = max(np.abs(self.before[name]).max(), np.abs(self.after[name]).max())
        return np.where(np.abs(change) <= ROUNDING * largest, 0.0, change)

    def largest(self, name: str) -> float:
        return float(np.abs(self.by(name)).max())


def moved(cfg: Config, arrays: Mapping[str, Floats], array: str, times: float) -> Moved:
    """Computes two passes: one unchanged, and one with all numbers of the array called `array` multiplied by `times`."""

    def seen(arrays: Mapping[str, Floats]) -> Arrays:  # all other arrays of a pass are freed before the next one begins
        known = forward(cfg, arrays)
        return {name: known[name] for name in WATCHED}

    return Moved(array, seen(arrays), seen({**arrays, array: arrays[array] * times}))


def effects(cfg: Config, arrays: Mapping[str, Floats], times: float) -> dict[str, dict[str, float]]:
    """Computes how much each array in WATCHED changes at most if one parameter array is multiplied by `times`. Returns the
    changes for each parameter array, in Keras's order."""
    changes = (moved(cfg, arrays, name, times) for name in PARAMS if name in arrays)
    return {one.array: {name: one.largest(name) for name in WATCHED} for one in changes}
