"""Multi-head attention as pure numbers: the layer, its every intermediate, and where its parameters are."""

from mha.config import Config
from mha.forward import Trace, run
from mha.ledger import LedgerRow, count_parameters, ledger
from mha.loading import load
from mha.params import Inputs, Params, make_inputs, make_params
from mha.steps import STEPS, Step

__all__ = [
    "STEPS", "Config", "Inputs", "LedgerRow", "Params", "Step", "Trace", "count_parameters", "ledger", "load", "make_inputs",
    "make_params", "run",
]  # fmt: skip
