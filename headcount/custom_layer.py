"""Layer whose weights are given, for example by a visitor's file, instead of drawn from a seed."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from headcount.arrays import Floats
from headcount.backends import DEFAULT
from headcount.bounded_cache import BoundedCache
from headcount.config import Config
from headcount.cost import MAX_NUMBERS
from headcount.forward import Trace, overflow, run
from headcount.ledger import ledger
from headcount.params import Inputs, Params, inputs_of, params_of, require_fit
from headcount.steps import Step

#: Limits on Keras's results for one custom layer, which are cached with the layer: their number and their bytes.
MAX_ANSWERS, MAX_BYTES = 3, 96 << 20


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CustomLayer:
    """A layer with given weights and inputs. Layers are compared by identity, so no visitor gets another visitor's results."""

    cfg: Config
    params: Params
    inputs: Inputs
    known: BoundedCache[Any] = field(default_factory=lambda: BoundedCache[Any](MAX_ANSWERS, MAX_BYTES))
    _traces: dict[str, Trace] = field(default_factory=dict)
    _overflows: list[Step | None] = field(default_factory=list)

    def __post_init__(self):
        """Raises ValueError if the weights or inputs do not fit `cfg` (`require_fit`)."""
        require_fit(self.cfg, self.params, self.inputs)

    @property
    def config(self) -> Config:
        return self.cfg

    def run(self, x: Any = None, backend: str = DEFAULT.code, *, mask: Any = None, limit: int | None = MAX_NUMBERS) -> Trace:
        """Computes a forward pass on the input `x`, by default the layer's own input. `x` may have another length than the
        layer's input if the mask is no array. `headcount.run` describes the arguments; `x` is called `inputs` there."""
        inputs = self.inputs if x is None else inputs_of(x)
        (batch, query_len, _), key_len = inputs.x_query.shape, inputs.x_key.shape[1]
        mask = self.cfg.mask if mask is None else mask
        cfg = replace(self.cfg, batch=batch, query_len=query_len, key_len=key_len, mask=mask)
        return run(cfg, backend, self.params, inputs, limit=limit)

    def __repr__(self) -> str:
        return f"<Layer of {self.cfg}>"

    def trace(self, backend: str = DEFAULT.code) -> Trace:
        """Returns the trace on the layer's own input. Each backend computes this trace only once."""
        if backend not in self._traces:
            self._traces[backend] = run(self.cfg, backend, self.params, self.inputs)
        return self._traces[backend]

    def overflow(self) -> Step | None:
        """Returns the first step in which NumPy gets a number that is too large for its type. Returns None if no step does."""
        if not self._overflows:
            self._overflows.append(overflow(self.trace()))
        return self._overflows[0]

    def message(self) -> tuple[dict[str, object], dict[str, Floats]]:
        """Returns the layer as a message to the worker: its Config as a dict, and its weights and inputs by name."""
        arrays = {row.name: getattr(self.params, row.name).values for row in ledger(self.cfg)}
        return {"cfg": asdict(self.cfg)}, {**arrays, "x_query": self.inputs.x_query.values, "x_key": self.inputs.x_key.values}


def from_arrays(arrays: dict[str, Floats]) -> tuple[Params | None, Inputs | None]:
    """Rebuilds weights and inputs from the arrays of `CustomLayer.message`. Returns (None, None) if there are no arrays."""
    if not arrays:
        return None, None
    weights = {name: values for name, values in arrays.items() if name not in ("x_query", "x_key")}
    return params_of(weights), inputs_of(arrays["x_query"], arrays["x_key"])
