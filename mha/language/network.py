"""A language model run by NumPy: embeddings, layers of attention with a norm before each, a norm, the embeddings again."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mha.arrays import Array, Floats
from mha.config import Config
from mha.custom_layer import CustomLayer
from mha.forward import Trace, run_ops
from mha.numpy_backend import OPS, join
from mha.params import Inputs
from mha.steps import Step
from mha.trained.network import Weights

LAYERS = 2
LENGTH = 32  # tokens that a network was trained on at once: it has no numbers for later positions
EPSILON = 1e-5  # added to the variance in a norm


def shapes(words: int, d_model: int, heads: int) -> dict[str, tuple[int, ...]]:
    """Name and shape of every weight, in the order of computation, kernels shaped as Keras shapes them. The count is the same
    for every number of heads. ValueError where `heads` does not divide `d_model`."""
    if d_model % heads:
        raise ValueError(f"heads must divide {d_model}, got {heads}")
    size = d_model // heads
    result: dict[str, tuple[int, ...]] = {"words": (words, d_model), "positions": (LENGTH, d_model)}
    for layer in range(1, LAYERS + 1):
        result[f"norm{layer}_gain"] = result[f"norm{layer}_bias"] = (d_model,)
        for letter in "qkv":
            result[f"layer{layer}_w_{letter}"] = (d_model, heads, size)
            result[f"layer{layer}_b_{letter}"] = (heads, size)
        result[f"layer{layer}_w_o"] = (heads, size, d_model)
        result[f"layer{layer}_b_o"] = (d_model,)
    return {**result, "last_gain": (d_model,), "last_bias": (d_model,)}


@dataclass(frozen=True, slots=True)
class Network(Weights):
    """Every weight (`shapes`) and the words that the rows of "words" stand for."""

    d_model: int
    heads: int
    vocabulary: tuple[str, ...]
    layers: int = LAYERS

    @property
    def name(self) -> str:
        """ "d64-h4"."""
        return f"d{self.d_model}-h{self.heads}"


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass. `inputs`: what enters each layer's attention, axes "btm"; `traces`: each layer; `last`: what is compared with
    the words' rows, "btm"; `logits`, axes (batch, position, word): the word that comes next."""

    inputs: tuple[Floats, ...]
    traces: tuple[Trace, ...]
    last: Floats
    logits: Floats


def norm(x: Floats, gain: Floats, bias: Floats) -> Floats:
    """Layer normalization over the last axis ("Layer Normalization", Ba et al. 2016)."""
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + x.dtype.type(EPSILON)) * gain + bias


def forward(network: Network, ids: Sequence[int] | np.ndarray, off: tuple[int, int] | None = None) -> Pass:
    """Everything that the network computes for the words `ids`, one sentence or a batch of equally long ones.
    `off`: the layer (from 1) and head (from 0) whose result is set to 0. ValueError for an empty or too long sentence."""
    x, inputs, traces = embed(network, ids), list[Floats](), list[Trace]()
    for layer in range(1, network.layers + 1):
        inputs.append(norm(x, network.weights[f"norm{layer}_gain"], network.weights[f"norm{layer}_bias"]))
        traces.append(_attend(network, layer, inputs[-1], off))
        x = x + traces[-1].output.values
    last = norm(x, network.weights["last_gain"], network.weights["last_bias"])
    logits = last.reshape(-1, network.d_model) @ network.weights["words"].T  # one product for the whole batch
    return Pass(tuple(inputs), tuple(traces), last, logits.reshape(*last.shape[:2], -1))


def embed(network: Network, ids: Sequence[int] | np.ndarray) -> Floats:
    """Each word's row plus its position's row, axes "btm"."""
    tokens = np.atleast_2d(np.asarray(ids, dtype=np.int64))
    if not 1 <= tokens.shape[1] <= LENGTH:
        raise ValueError(f"ids must be 1 to {LENGTH} words, got {tokens.shape[1]}")
    return network.weights["words"][tokens] + network.weights["positions"][: tokens.shape[1]]


def layer(network: Network, ids: Sequence[int], number: int) -> CustomLayer:
    """Layer `number` (from 1) by itself: its own weights, and as X what enters it for these words."""
    if not 1 <= number <= network.layers:
        raise ValueError(f"layer must be a whole number from 1 to {network.layers}, got {number!r}")
    x = embed(network, ids)
    for before in range(1, number):
        entering = norm(x, network.weights[f"norm{before}_gain"], network.weights[f"norm{before}_bias"])
        x = x + _attend(network, before, entering, None).output.values
    x = norm(x, network.weights[f"norm{number}_gain"], network.weights[f"norm{number}_bias"])
    return CustomLayer(_config(network, x), network.params(number), Inputs(Array(x, "btm"), Array(x, "bsm")))


def _config(network: Network, x: Floats) -> Config:
    return Config(network.d_model, network.heads, query_len=x.shape[1], mask="causal", batch=x.shape[0])


def _attend(network: Network, number: int, x: Floats, off: tuple[int, int] | None) -> Trace:
    def joined_without(step: Step, cfg: Config, context: Floats) -> Floats:
        if off is not None and off[0] == number:
            context[:, :, off[1]] = 0
        return join(step, cfg, context)

    inputs = Inputs(Array(x, "btm"), Array(x, "bsm"))
    return run_ops(_config(network, x), network.params(number), inputs, {**OPS, "join": joined_without})
