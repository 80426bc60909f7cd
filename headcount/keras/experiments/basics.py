"""Functions that run experiments by name and turn errors of Keras into results."""

import importlib
import re
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from headcount.bounded_process import Facts
from headcount.keras.experiments import EXPERIMENTS
from headcount.keras.layer import MAX_NUMBERS, KerasLayer
from headcount.keras.question import DECLINED, ERROR, Declined

WRAPPING = re.compile(r"Exception encountered when calling|Arguments received by|•")


def run_experiment(name: str, arguments: Facts) -> Facts:
    """Runs one experiment in this process, which must be the worker. Raises ValueError for an unknown name."""
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {', '.join(EXPERIMENTS)}, got {name!r}")
    read = {key: layer_of(value) if key == "layer" else value for key, value in arguments.items()}
    return getattr(importlib.import_module(f"headcount.keras.experiments.{EXPERIMENTS[name]}"), name)(**read)


def layer_of(plain: Facts) -> KerasLayer:
    """Makes a KerasLayer from plain JSON, which has lists in place of tuples. Raises Declined if the layer is too large."""
    fields = {key: tuple(cast(list[Any], value)) if isinstance(value, list) else value for key, value in plain.items()}
    layer = KerasLayer(**cast(dict[str, Any], fields))
    if layer.too_large:
        raise Declined(f"the layer takes {layer.numbers:,} numbers; up to {MAX_NUMBERS:,} are computed live")
    return layer


def echo(**arguments: object) -> Facts:
    """Experiment that returns its arguments."""
    return arguments


def several(questions: list[tuple[str, Facts]]) -> Facts:
    """Experiment that runs several [name, arguments] in order. Returns a dict with the list "results". An experiment that fails
    has the error from `attempt` as its result."""
    return {"results": [attempt(partial(run_experiment, name, arguments)) for name, arguments in questions]}


def attempt(act: Callable[[], Facts]) -> Facts:
    """Returns the result of `act`, or {"declined": sentence} for a refusal by this app, or {"error": sentence} for any other
    exception. `headcount.keras.question.reply_of` reads all three."""
    try:
        return act()
    except Declined as error:
        return {DECLINED: str(error)}
    except Exception as error:  # the page shows any error that Keras raises
        return {ERROR: in_one_line(error)}


def in_one_line(error: Exception) -> str:
    """Formats an exception in one line: its type and the first line of its message that says what is wrong. Keras adds lines that
    only name the layer and its arguments."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in plain.splitlines() if line.strip() and not WRAPPING.match(line.strip())]
    words = re.sub(r"^\{\{function_node .*?\}\} ", "", lines[0]) if lines else ""  # TensorFlow names its own kernel first
    return f"{type(error).__name__}: {words[:300]}" if words else type(error).__name__
