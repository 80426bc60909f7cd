"""The experiments in NumPy behind the cards. An experiment takes plain arguments and returns values by name. A parameter `trace`
is the forward pass of a layer. Arguments with names of Config's fields are then the layer's sizes and switches."""

from collections.abc import Mapping
from dataclasses import fields
from inspect import signature
from typing import Any

from experiments.records import EXPERIMENTS
from experiments.runs import layer, masks, models  # noqa: F401  each adds its experiments
from headcount.config import Config
from headcount.forward import run

#: The sizes and switches of a layer, as arguments name them.
SIZES = {field.name for field in fields(Config)}


def measure(name: str, arguments: Mapping[str, Any]) -> dict:
    """Returns the result of an experiment, run in this process. Raises KeyError for an unknown name."""
    experiment = EXPERIMENTS[name]
    if "trace" not in signature(experiment).parameters:
        return experiment(**arguments)
    sizes = {key: value for key, value in arguments.items() if key in SIZES}
    return experiment(run(Config(**sizes)), **{key: value for key, value in arguments.items() if key not in SIZES})
