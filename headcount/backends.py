"""Table of the backends that compute the steps of a layer. A new backend needs a row here and a module with its operations."""

import importlib
from dataclasses import dataclass

from headcount.steps import Ops


@dataclass(frozen=True, slots=True)
class Backend:
    """A backend. `code`: the name in the address. `label`: the name on screen. `module`: the module with the operations.
    `in_worker`: whether the backend runs in a separate process (`headcount.keras.worker`), because its import is slow."""

    code: str
    label: str
    module: str
    in_worker: bool = False

    def load(self) -> Ops:
        """Imports the backend's module and returns its operations. For TensorFlow, this takes seconds and hundreds of MB."""
        return importlib.import_module(self.module).OPS


#: The first is the default.
BACKENDS = (
    Backend("numpy", "NumPy", "headcount.numpy_backend"),
    Backend("tensorflow", "TensorFlow", "headcount.keras.backend", in_worker=True),
)
DEFAULT = BACKENDS[0]


def backend_named(code: str) -> Backend:
    """Returns the backend with this code. Raises ValueError for an unknown code."""
    backend = next((one for one in BACKENDS if one.code == code), None)
    if backend is None:
        raise ValueError(f"backend must be {' or '.join(one.code for one in BACKENDS)}, got {code!r}")
    return backend
