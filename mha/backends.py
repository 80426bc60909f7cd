"""The backends: what can compute the table of steps. A new one is a row here and a file with its operations."""

from collections.abc import Callable
from dataclasses import dataclass

from mha.steps import Ops


@dataclass(frozen=True, slots=True)
class Backend:
    """`code`: as the address and `mha.run` spell it; `label`: on screen; `load`: imports its operations.

    `in_worker`: too slow to import for the app's server, which asks `mha.keras.worker` instead.
    """

    code: str
    label: str
    load: Callable[[], Ops]
    in_worker: bool = False


def _numpy() -> Ops:
    from mha.numpy_backend import OPS

    return OPS


def _tensorflow() -> Ops:
    from mha.keras.backend import OPS  # seconds, and some 500 MB

    return OPS


#: The first is the default.
BACKENDS = (
    Backend("numpy", "NumPy", _numpy),
    Backend("tensorflow", "TensorFlow", _tensorflow, in_worker=True),
)
DEFAULT = BACKENDS[0]


def backend_named(code: str) -> Backend:
    """Finds a backend by its code. ValueError for an unknown one."""
    backend = next((one for one in BACKENDS if one.code == code), None)
    if backend is None:
        raise ValueError(f"backend must be {' or '.join(one.code for one in BACKENDS)}, got {code!r}")
    return backend
