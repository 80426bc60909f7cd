"""Backends that can compute the steps of a layer. To add one, add a row here and a module with its operations."""

import importlib
from dataclasses import dataclass

from headcount.steps import Ops


@dataclass(frozen=True, slots=True)
class Backend:
    """One backend. `code` is its name in the address, `label` its name on screen, and `module` has its operations. With
    `in_worker`, it runs in a process of its own (`headcount.keras.worker`), because its import is slow."""

    code: str
    label: str
    module: str
    in_worker: bool = False

    def load(self) -> Ops:
        """Imports the backend's module and returns its operations. TensorFlow takes seconds and hundreds of megabytes."""
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
