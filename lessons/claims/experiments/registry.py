"""The experiments by name: a claim or a question names one, with its arguments."""

from collections.abc import Callable, Mapping

import numpy as np

from mha.arrays import Floats

EXPERIMENTS: dict[str, Callable[..., dict]] = {}


def experiment(function: Callable[..., dict]) -> Callable[..., dict]:
    """Registers a function as an experiment that a claim or a question can name."""
    EXPERIMENTS[function.__name__] = function
    return function


def measure(name: str, arguments: Mapping[str, object]) -> dict:
    """Runs an experiment here and now. KeyError for a name that is none."""
    return EXPERIMENTS[name](**arguments)


def gap(one: Floats, other: Floats) -> float:
    """The largest difference between two arrays."""
    return float(np.abs(one - other).max())
