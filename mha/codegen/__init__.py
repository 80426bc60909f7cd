"""The layer as a program: complete scripts for Keras, PyTorch and NumPy that draw the same numbers and print the same results."""

import math

from mha.arrays import Floats
from mha.codegen import keras_script, numpy_script, torch_script
from mha.codegen.common import PRINTED, WEIGHTS_FILE, Settings, Unwritable
from mha.keras.layer import compute, count_of

__all__ = ["LIBRARIES", "WEIGHTS_FILE", "Settings", "Unwritable", "expected", "printed", "write"]

#: Library, and what writes its script.
LIBRARIES = {"Keras": keras_script.script, "PyTorch": torch_script.script, "NumPy": numpy_script.script}


def write(settings: Settings, library: str) -> str:
    """A whole Python file. Unwritable says why the library cannot do what Keras does at these settings."""
    return LIBRARIES[library](settings)


def printed(settings: Settings, output: Floats) -> str:
    """What every script prints for a layer with this output; PyTorch without the scores where it does not give any."""
    layer = settings.layer
    if output.size != math.prod(layer.result_shape):
        raise ValueError(f"output must have the shape {layer.result_shape}, got {output.shape}")
    return "\n".join([
        f"output {layer.result_shape}",
        f"scores {layer.score_shape}",
        f"parameters {count_of(layer)}",
        *(
            f"{end} numbers " + " ".join(f"{x:.4f}" for x in some.tolist())
            for end, some in (("first", output.reshape(-1)[:PRINTED]), ("last", output.reshape(-1)[-PRINTED:]))
        ),
    ])  # fmt: skip


def expected(settings: Settings) -> str:
    """The same by the formula in float64; "" where that has no answer: too large, or not attention along positions."""
    layer = settings.layer
    if layer.too_large or not layer.attends_positions or (settings.masked and not settings.plain):
        return ""
    return printed(settings, compute(layer, settings.allowed() if settings.plain else None)[0])
