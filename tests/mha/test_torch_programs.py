"""Whom the program in PyTorch lets look, read off the program itself without PyTorch.

nn.MultiheadAttention, a call of `layer`: True forbids. Source: its documentation; that the whole program prints the same is held
by `make parity`, in an environment with PyTorch.
"""

import ast
import re
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from mha.codegen import Settings, write
from tests.mha.snippets import CASES

SETTINGS = {name: settings for name, (settings, own) in CASES.items() if own}
MASKED = [name for name, settings in SETTINGS.items() if settings.masked]
#: What the mask of a program is made of.
OF_MASK = {"num_heads", "rows", "mask", "allowed"}


class Tensor(np.ndarray):
    """As much of a torch.Tensor as a mask needs."""

    def expand(self, *shape: int) -> "Tensor":
        return np.broadcast_to(self, shape).view(Tensor)

    def repeat_interleave(self, times: int, dim: int) -> "Tensor":
        return np.repeat(self, times, axis=dim)


TORCH = SimpleNamespace(from_numpy=lambda values: values.view(Tensor))


def may_look_in(program: str, settings: Settings) -> np.ndarray:
    """(batch, heads, T, S), as the one call that takes a mask reads it."""
    tree, names = ast.parse(program), {"np": np, "torch": TORCH}
    for line in tree.body:
        if isinstance(line, ast.Assign) and OF_MASK & set(re.findall(r"\w+", ast.unparse(line.targets[0]))):
            exec(compile(ast.Module([line], []), "program", "exec"), names)  # noqa: S102 (our own program is what is tested)
    (call,) = (part for part in ast.walk(tree) if isinstance(part, ast.Call) and ast.unparse(part.func) == "layer")
    (given,) = (word.value for word in call.keywords if word.arg == "attn_mask")
    values = np.asarray(eval(ast.unparse(given), names))  # noqa: S307
    assert values.dtype == bool
    (batch, queries, _), keys, heads = settings.layer.query_shape, settings.layer.key_shape[1], settings.layer.num_heads
    if values.ndim == 3:
        values = values.reshape(batch, heads, queries, keys)
    return np.broadcast_to(~values, (batch, heads, queries, keys))


def may_look(settings: Settings) -> np.ndarray:
    """By what the settings mean, pair by pair."""
    layer, window = settings.layer, settings.layer.sliding_window
    (batch, queries, _), keys = layer.query_shape, layer.key_shape[1]
    may = np.ones((batch, layer.num_heads, queries, keys), bool)
    for b, h, t, s in product(*map(range, may.shape)):
        given = settings.mask is None or np.broadcast_to(settings.mask, (batch, queries, keys))[b, t, s]
        may[b, h, t, s] = given and (s <= t or not settings.causal) and (window is None or abs(t - s) < window)
    return may


@pytest.mark.parametrize("name", MASKED)
def test_the_program_in_pytorch_lets_look_whom_the_settings_let_look(name):
    settings = SETTINGS[name]
    wanted = may_look(settings)
    assert wanted.any()
    assert not wanted.all()
    np.testing.assert_array_equal(may_look_in(write(settings, "PyTorch"), settings), wanted)


@pytest.mark.parametrize("name", [name for name, settings in SETTINGS.items() if not settings.masked])
def test_a_program_without_a_mask_gives_none(name):
    assert "attn_mask" not in write(SETTINGS[name], "PyTorch")
