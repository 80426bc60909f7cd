"""Asks a configuration's real class in transformers, in a separate process, if `make models` has installed what that needs."""

import json
import math
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any, cast

from headcount.assets import ROOT
from headcount.bounded_cache import BoundedCache
from headcount.bounded_process import Ended, OnDemand

#: Most seconds for building a class; seconds until an idle process ends; seconds until a failure is tried again.
MAX_SECONDS, IDLE, TRY_AGAIN = 20.0, 60.0, 60.0
#: Environment that forbids the libraries to use the network or a GPU.
ENVIRONMENT = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "-1"}


@dataclass(frozen=True, slots=True)
class Counted:
    """The parameter counts of a class: `total`, of `attention`, and of its `projections`. `rows` is a ledger (label, each, times,
    kind). `refused` is the error of the class, or says that a bound was exceeded. `modules` groups attention modules of one
    shape: their number, and each weight matrix (name, rows, columns, biases). `kept` groups layers by what they cache: number of
    layers, numbers per token, window in tokens (0 means all). It is empty for a model without a cache, and None if a forward pass
    did not show it."""

    name: str = ""
    version: str = ""
    total: int = 0
    attention: int = 0
    projections: int = 0
    rows: tuple[tuple[str, int, int, str], ...] = ()
    modules: tuple[tuple[int, tuple[tuple[str, int, int, int], ...]], ...] = ()
    kept: tuple[tuple[int, int, int], ...] | None = None
    refused: str = ""


@cache
def interpreter() -> str | None:
    """Returns the path of a Python with PyTorch and transformers: that of `make models`, or the server's own. Returns None if
    neither has them."""
    if (own := ROOT / ".venv-models" / "bin" / "python").exists():
        return str(own)
    there = sys.platform != "emscripten" and find_spec("torch") and find_spec("transformers")
    return sys.executable if there else None


@cache
def _worker() -> OnDemand:
    command = (interpreter() or sys.executable, "-m", "headcount.models.worker")
    return OnDemand(command, seconds=MAX_SECONDS, idle=IDLE, environment=ENVIRONMENT)


def _tuples(value: Any) -> Any:
    """Converts JSON lists to tuples, at every depth."""
    return tuple(map(_tuples, cast(list[Any], value))) if isinstance(value, list) else value


_KNOWN = BoundedCache[Counted](256, 4 << 20)


def count(config: Mapping[str, Any], heads: int | None = None, kv_heads: int | None = None) -> Counted | None:
    """Counts the parameters of a configuration's class, with other head counts if given; takes seconds. Returns None if no class
    can be asked."""
    if interpreter() is None:
        return None
    question = {"config": config, "heads": heads, "kv_heads": kv_heads}
    key = json.dumps(question, sort_keys=True)
    if (known := _KNOWN.get(key)) is None:
        until = math.inf
        try:
            facts, _ = _worker().ask(question)
            known = Counted(**{name: _tuples(value) for name, value in facts.items()})
        except Ended as why:  # perhaps because the machine is busy
            known, until = Counted(refused=f"not counted yet, {why}; ask again in a minute"), time.monotonic() + TRY_AGAIN
        _KNOWN.put(key, known, len(key) + 200 * len(known.rows), until)
    return known
