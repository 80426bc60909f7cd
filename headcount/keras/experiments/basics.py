"""Runs experiments, one or many, and turns a refusal into a result; with one experiment that returns its arguments."""

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
    """Reads a layer from plain JSON, which has no tuples. Raises Declined if it is too large."""
    fields = {key: tuple(cast(list[Any], value)) if isinstance(value, list) else value for key, value in plain.items()}
    layer = KerasLayer(**cast(dict[str, Any], fields))
    if layer.too_large:
        raise Declined(f"the layer takes {layer.numbers:,} numbers; up to {MAX_NUMBERS:,} are computed live")
    return layer


def echo(**arguments: object) -> Facts:
    """Returns its arguments."""
    return arguments


def several(questions: list[tuple[str, Facts]]) -> Facts:
    """Runs each [name, arguments] in order. The result of one that fails is the reason from `attempt`."""
    return {"results": [attempt(partial(run_experiment, name, arguments)) for name, arguments in questions]}


def attempt(act: Callable[[], Facts]) -> Facts:
    """Returns the result of `act`. An error of Keras gives {"error": sentence}, which is shown, too. A refusal by this app gives
    {"declined": sentence}. `headcount.keras.question.reply_of` tells them apart."""
    try:
        return act()
    except Declined as error:
        return {DECLINED: str(error)}
    except Exception as error:  # the page shows any error that Keras raises
        return {ERROR: sentence(error)}


def sentence(error: Exception) -> str:
    """Formats an exception in one line: its kind and the first informative line. Keras wraps an error inside a layer in lines
    that only name the layer and its arguments."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in plain.splitlines() if line.strip() and not WRAPPING.match(line.strip())]
    words = re.sub(r"^\{\{function_node .*?\}\} ", "", lines[0]) if lines else ""  # TensorFlow names its own kernel first
    return f"{type(error).__name__}: {words[:300]}" if words else type(error).__name__
