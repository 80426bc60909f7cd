"""Settings for which scripts are written and run, and the output that the page shows for them."""

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np

from headcount.codegen import KerasCall
from headcount.keras.layer import KerasLayer
from tests.sources import ROOT


def _self(num_heads: int, key_dim: int, value_dim: int, length: int, width: int, batch: int = 1, **more) -> KerasLayer:
    shape = (batch, length, width)
    return KerasLayer(num_heads, key_dim, value_dim, shape, shape, **more)


CROSS = ((2, 7, 12), (2, 11, 12))
#: Name, settings, and whether nn.MultiheadAttention can be this layer.
CASES = {
    "the page as it opens": (KerasCall(_self(4, 4, 4, 6, 16, 2)), True),
    "the layer as the app opens": (KerasCall(_self(4, 4, 4, 6, 16)), True),
    "one head": (KerasCall(_self(1, 7, 7, 5, 7, seed=3)), True),
    "as many heads as numbers": (KerasCall(_self(5, 1, 1, 3, 5)), True),
    "without biases": (KerasCall(_self(3, 5, 5, 7, 15, 2, use_bias=False)), True),
    "another seed": (KerasCall(_self(2, 8, 8, 6, 16, seed=9999)), True),
    "causal": (KerasCall(_self(3, 5, 5, 7, 15, 2), causal=True), True),
    "cross-attention": (KerasCall(KerasLayer(3, 4, 4, *CROSS)), True),
    "cross-attention, causal": (KerasCall(KerasLayer(3, 4, 4, *CROSS), causal=True), True),
    "three widths": (KerasCall(KerasLayer(2, 3, 3, (2, 7, 6), (2, 5, 11), (2, 5, 13))), True),
    "Keras's way": (KerasCall(_self(3, 5, 5, 7, 11, 2)), False),
    "values of another size": (KerasCall(_self(3, 5, 2, 7, 15, 2), causal=True), False),
    "another output": (KerasCall(_self(3, 5, 5, 7, 15, output_shape=(13,))), False),
    "an output of two axes": (KerasCall(_self(3, 5, 5, 7, 15, output_shape=(7, 2))), False),
    "rank 4, all positions": (KerasCall(KerasLayer(2, 3, 5, (2, 3, 4, 7), (2, 5, 3, 7))), False),
    "rank 4, one axis": (KerasCall(KerasLayer(2, 3, 3, (2, 3, 4, 6), (2, 3, 7, 6), attention_axes=(2,))), False),
    "rank 4, axes turned round": (KerasCall(KerasLayer(2, 3, 3, (2, 3, 4, 6), (2, 3, 4, 6), attention_axes=(2, 1))), False),
    "rank 5, two of three axes": (
        KerasCall(KerasLayer(2, 3, 5, (2, 3, 4, 5, 7), (2, 3, 4, 5, 7), attention_axes=(2, 3))),
        False,
    ),
    "a gate": (KerasCall(_self(3, 5, 2, 7, 15, 2, use_gate=True), causal=True), False),
    "a gate without biases": (KerasCall(_self(3, 5, 5, 7, 15, use_gate=True, use_bias=False)), False),
    "a gate, rank 4": (KerasCall(KerasLayer(2, 3, 5, (2, 3, 4, 7), (2, 5, 3, 7), output_shape=(3, 2), use_gate=True)), False),
    "a window": (KerasCall(_self(3, 5, 5, 7, 15, 2, sliding_window=3)), True),
    "a window, causal": (KerasCall(_self(3, 5, 5, 7, 15, 2, sliding_window=2), causal=True), True),
    "a window past a key": (KerasCall(KerasLayer(3, 4, 4, (2, 11, 12), (2, 7, 12), sliding_window=4), causal=True), False),
    "a window up to the last key": (KerasCall(KerasLayer(3, 4, 4, (2, 11, 12), (2, 7, 12), sliding_window=5)), True),
    "a window past the keys": (KerasCall(KerasLayer(3, 4, 4, (2, 11, 12), (2, 3, 12), sliding_window=2)), False),
    "dropout in a call that is no training": (KerasCall(_self(3, 5, 5, 7, 15, 2, dropout=0.3)), True),
    "the standard example": (KerasCall(_self(2, 8, 8, 6, 8, 10)), False),
}
#: Where weights are dropped Keras draws other ones: held by NumPy alone.
DROPPED = {
    "dropout": KerasCall(_self(3, 5, 5, 7, 15, 2, dropout=0.3, dropout_seed=11), training=True),
    "dropout, a gate, masks": KerasCall(
        KerasLayer(3, 4, 5, *CROSS, dropout=0.5, use_gate=True, sliding_window=5), causal=True, training=True
    ),
    "dropout past the keys": KerasCall(
        KerasLayer(3, 4, 4, (2, 11, 12), (2, 3, 12), dropout=0.5, sliding_window=2), training=True
    ),
    "dropout, rank 4": KerasCall(
        KerasLayer(2, 3, 3, (2, 3, 4, 6), (2, 3, 7, 6), attention_axes=(2,), dropout=0.4), training=True
    ),
}


def run_script(code: str, folder: Path | str = ".") -> tuple[str, dict]:
    """The output of a script and its global names. It runs in this process, with `folder` as the current folder."""
    left = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.chdir(folder):
        exec(compile(code, "script", "exec"), left)  # noqa: S102 (our own script is what is tested)
    return out.getvalue(), left


def run_apart(code: str, *arguments: str) -> str:
    """The output of a program in a process of its own, with the tests' environment."""
    command, environment = (sys.executable, "-c", code, *arguments), os.environ | {"KERAS_BACKEND": "tensorflow"}
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout


def parsed(text: str) -> tuple[dict[str, str], list[float]]:
    """The lines of a script's output by name, and its first and last numbers."""
    lines = dict(re.match(r"(\w+ numbers|\w+) (.*)", line).groups() for line in text.strip().splitlines())
    numbers = [float(x) for key in ("first numbers", "last numbers") for x in lines.pop(key).split()]
    return lines, numbers


def assert_same(said: str, wanted: str) -> None:
    """Asserts that two outputs have the same words, and numbers that agree to four decimals."""
    (words, numbers), (wanted_words, wanted_numbers) = parsed(said), parsed(wanted)
    assert words == wanted_words
    np.testing.assert_allclose(numbers, wanted_numbers, atol=1.1e-4)
