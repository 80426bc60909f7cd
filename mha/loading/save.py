"""A layer's weights as a file that can be read back, here and by the generated scripts."""

import io
from collections.abc import Mapping

import numpy as np

from mha.arrays import Floats
from mha.forward import PARAMS
from mha.params import Params


def as_npz(arrays: Mapping[str, Floats]) -> bytes:
    """The arrays by their names; the same arrays give the same bytes."""
    made = io.BytesIO()
    np.savez(made, allow_pickle=False, **arrays)
    return made.getvalue()


def by_name(params: Params) -> dict[str, Floats]:
    """Kernels and biases under the names that `mha.loading` finds again, in Keras's shapes."""
    return {name: array.values for name in PARAMS if (array := getattr(params, name)) is not None}
