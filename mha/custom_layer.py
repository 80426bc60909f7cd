"""A layer with weights of its own, not drawn from a seed: a visitor's."""

from dataclasses import asdict, dataclass, field
from typing import Any

from mha.arrays import Array, Floats
from mha.backends import DEFAULT
from mha.bounded_cache import BoundedCache
from mha.config import Config
from mha.forward import Trace, overflow, run
from mha.ledger import ledger
from mha.params import Inputs, Params, params_of, require_fit
from mha.steps import Step

#: Keras's answers about a custom layer are kept with it and go with it: how many, and how many bytes of them.
MAX_ANSWERS, MAX_BYTES = 3, 96 << 20


@dataclass(frozen=True, slots=True, eq=False)
class CustomLayer:
    """Weights and inputs that fit `cfg`; norms of queries and keys may be there besides.

    Compared by identity: what is known of one visitor's layer is never another's."""

    cfg: Config
    params: Params
    inputs: Inputs
    known: BoundedCache[Any] = field(default_factory=lambda: BoundedCache[Any](MAX_ANSWERS, MAX_BYTES))
    _traces: dict[str, Trace] = field(default_factory=dict)
    _overflows: list[Step | None] = field(default_factory=list)

    def __post_init__(self):
        """ValueError where an array does not have the shape that `cfg` asks for, or is missing."""
        require_fit(self.cfg, self.params, self.inputs)

    def trace(self, backend: str = DEFAULT.code) -> Trace:
        """Every intermediate, computed once by each backend."""
        if backend not in self._traces:
            self._traces[backend] = run(self.cfg, backend, self.params, self.inputs)
        return self._traces[backend]

    def overflow(self) -> Step | None:
        """The step of NumPy's pass at which the numbers are too large for float32, looked for once; None where they never are."""
        if not self._overflows:
            self._overflows.append(overflow(self.trace()))
        return self._overflows[0]

    def message(self) -> tuple[dict[str, object], dict[str, Floats]]:
        """The layer as a message to the worker: its Config as a dict, and its weights and inputs by name."""
        arrays = {row.name: getattr(self.params, row.name).values for row in ledger(self.cfg)}
        return {"cfg": asdict(self.cfg)}, {**arrays, "x_query": self.inputs.x_query.values, "x_key": self.inputs.x_key.values}


def from_arrays(arrays: dict[str, Floats]) -> tuple[Params | None, Inputs | None]:
    """Rebuilds weights and inputs from what `message` sent; (None, None) where that is nothing: the seed's are drawn then."""
    if not arrays:
        return None, None
    return params_of(arrays), Inputs(Array(arrays["x_query"], "btm"), Array(arrays["x_key"], "bsm"))
