"""What the worker is asked for and what comes back: how large the one is, and what the other becomes."""

import json

import numpy as np

from mha.arrays import Array
from mha.comparison import KerasAnswer
from mha.config import Config
from mha.cost import numbers_kept
from mha.forward import Trace
from mha.given import Given
from mha.keras_question import Question, lower
from mha.params import make_inputs, make_params
from mha.steps import STEPS

Key = tuple[str, Config | Question | Given]  # what is wanted ("answer", "trace", "experiment"), and of what
Found = KerasAnswer | Trace | dict


def layer_bytes(cfg: Config) -> int:
    """Bytes of the layer's parameters, inputs and intermediates together."""
    return 4 * numbers_kept(cfg)


def asked_bytes(what: Config | Question | Given) -> int:
    """What asking costs. What an experiment takes besides, it bounds itself."""
    return what.bytes if isinstance(what, Question) else layer_bytes(what.cfg if isinstance(what, Given) else what)


def too_large(size: int, most: int) -> str:
    return f"This layer takes {size >> 20} MB in Keras; at most {most >> 20} MB are asked for."


def found_bytes(facts: dict, arrays: dict[str, np.ndarray]) -> int:
    return len(json.dumps(facts)) + sum(values.nbytes for values in arrays.values())


def unpack(key: Key, facts: dict, arrays: dict[str, np.ndarray]) -> Found:
    """KeyError or ValueError where the worker's message does not answer `key`."""
    want, what = key
    if want == "experiment":
        return lower(facts["result"], arrays)
    if want == "answer":
        return KerasAnswer(
            output=Array(arrays["output"], "btm"),
            weights=Array(arrays["weights"], "bhts"),
            count=facts["count"],
            variables=tuple((path, tuple(shape)) for path, shape in facts["variables"]),
            keras_version=facts["keras_version"],
            tensorflow_version=facts["tensorflow_version"],
        )
    made = {step.name: Array(arrays[step.name], step.axes) for step in STEPS}
    if isinstance(what, Given):
        return Trace(what.cfg, what.params, what.inputs.x_query, what.inputs.x_key, **made)
    inputs = make_inputs(what)
    return Trace(what, make_params(what), inputs.x_query, inputs.x_key, **made)
