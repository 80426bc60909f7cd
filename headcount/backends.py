"""The backends: what can compute the table of steps. A new one is a row here and a file with its operations."""

import importlib
from dataclasses import dataclass

from headcount.steps import Ops


@dataclass(frozen=True, slots=True)
class Backend:
    """`code`: as the address and `headcount.run` spell it; `label`: on screen; `module`: has its operations.

    `in_worker`: too slow to import for the app's server, which asks `headcount.keras.worker` instead.
    """

    code: str
    label: str
    module: str
    in_worker: bool = False

    def load(self) -> Ops:
        """Imports its operations: those of TensorFlow take seconds, and some 500 MB."""
        return importlib.import_module(self.module).OPS


#: The first is the default.
BACKENDS = (
    Backend("numpy", "NumPy", "headcount.numpy_backend"),
    Backend("tensorflow", "TensorFlow", "headcount.keras.backend", in_worker=True),
)
DEFAULT = BACKENDS[0]


def backend_named(code: str) -> Backend:
    """Finds a backend by its code. ValueError for an unknown one."""
    backend = next((one for one in BACKENDS if one.code == code), None)
    if backend is None:
        raise ValueError(f"backend must be {' or '.join(one.code for one in BACKENDS)}, got {code!r}")
    return backend
