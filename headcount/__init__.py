"""Multi-head attention in numbers: the layer, its parameters, and every intermediate array of a forward pass."""

from headcount.config import Config
from headcount.forward import Trace, run
from headcount.ledger import LedgerRow, count_parameters, ledger
from headcount.loading import load
from headcount.params import Inputs, Params, make_inputs, make_params
from headcount.steps import STEPS, Step

__all__ = [
    "STEPS", "Config", "Inputs", "LedgerRow", "Params", "Step", "Trace", "count_parameters", "ledger", "load", "make_inputs",
    "make_params", "run",
]  # fmt: skip
