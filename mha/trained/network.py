"""A trained network run by NumPy: embeddings summed, the layer of this project with its trained numbers, one dense layer."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from mha.arrays import Array, Floats, Ints
from mha.config import Config
from mha.forward import PARAMS, Trace, run_ops
from mha.numpy_backend import OPS, join, scale, softmax
from mha.params import Inputs, Params, params_of
from mha.steps import Step
from mha.trained.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Every weight of a network by its name, those of attention layer 1 as "layer1_w_q" and so on."""

    weights: Mapping[str, Floats]

    @property
    def parameters(self) -> int:
        """How many numbers were trained."""
        return sum(weight.size for weight in self.weights.values())

    def params(self, layer: int) -> Params:
        """The attention layer's own weights, layers counted from 1."""
        own = {name: self.weights.get(f"layer{layer}_{name}") for name in PARAMS}
        return params_of({name: values for name, values in own.items() if values is not None})

    def as_type(self, dtype: type) -> Self:
        """Returns the network in another precision; a pass is computed in that of its weights."""
        return replace(self, weights={name: weight.astype(dtype) for name, weight in self.weights.items()})


@dataclass(frozen=True, slots=True)
class Network(Weights):
    """A task, a number of heads and every weight (`Task.shapes`)."""

    task: Task
    heads: int

    @property
    def key_dim(self) -> int:
        """Numbers per head in queries, keys and values."""
        return self.weights["layer1_w_q"].shape[-1]

    def cut_for(self, heads: int) -> "Network":
        """Returns the same numbers, each matrix cut for another number of heads. ValueError where it does not divide d_model."""
        shapes = self.task.shapes(heads)
        return replace(self, heads=heads, weights={name: weight.reshape(shapes[name]) for name, weight in self.weights.items()})


@dataclass(frozen=True, slots=True)
class Change:
    """A change to a network after its training. `temperature`: the scaled scores are multiplied by it; `off`: the layer (from 1)
    and head (from 0) with its result set to 0."""

    temperature: float = 1.0
    off: tuple[int, int] | None = None


AS_TRAINED = Change()


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: every layer's trace, and logits, axes "btra" (batch, position, question, answer)."""

    traces: tuple[Trace, ...]
    logits: Floats

    @property
    def probabilities(self) -> Floats:
        """Probability of each answer, axes "btra"; every question's answers sum to 1."""
        return softmax(self.logits.reshape(-1, self.logits.shape[-1])).reshape(self.logits.shape)

    @property
    def predicted(self) -> Ints:
        """The likeliest answer, axes "btr"."""
        return self.logits.argmax(axis=-1)


def embed(network: Network, tokens: Ints) -> Floats:
    """The sum of the features' rows, axes "btm"."""
    tables = (network.weights[f"embed_{name}"] for name, _ in network.task.features)
    return np.sum([table[tokens[..., column]] for column, table in enumerate(tables)], axis=0)


def forward(network: Network, tokens: Ints, change: Change = AS_TRAINED) -> Pass:
    """The network's answers for tokens "btf", with every intermediate of each layer kept."""
    task, x = network.task, embed(network, tokens)
    traces: list[Trace] = []
    mask = "causal" if task.causal else "none"
    cfg = Config(task.d_model, network.heads, network.key_dim, query_len=task.length, mask=mask, batch=len(tokens))
    for layer in range(1, task.layers + 1):
        traces.append(_attend(cfg, network.params(layer), x, change, layer))
        output = traces[-1].output.values
        x = x + output if task.causal else output
    logits = x @ network.weights["answer_w"] + network.weights["answer_b"]
    return Pass(tuple(traces), logits.reshape(*logits.shape[:2], len(task.questions), len(task.answers)))


def params_and_inputs(network: Network, tokens: Ints) -> tuple[Params, Inputs]:
    """The network's first attention layer by itself on tokens "btf": its weights, and as X what enters it."""
    x = embed(network, tokens)
    return network.params(1), Inputs(Array(x, "btm"), Array(x, "bsm"))


def predict(network: Network, output: Floats) -> Ints:
    """The likeliest answers from the layer's output "btm", axes "btr": of a layer whose scores or heads were changed, too."""
    logits = output @ network.weights["answer_w"] + network.weights["answer_b"]
    return logits.reshape(*logits.shape[:2], len(network.task.questions), len(network.task.answers)).argmax(axis=-1)


def _attend(cfg: Config, params: Params, x: Floats, change: Change, layer: int) -> Trace:
    """The layer's table of steps, with scaling and joining changed."""

    def scaled_by_temperature(step: Step, cfg: Config, scores: Floats) -> Floats:
        root = math.sqrt(cfg.key_dim)
        return scale(step, cfg, scores, root / change.temperature if change.temperature else math.inf)

    def joined_without(step: Step, cfg: Config, context: Floats) -> Floats:
        if change.off is not None and change.off[0] == layer:
            context[:, :, change.off[1]] = 0
        return join(step, cfg, context)

    inputs = Inputs(Array(x, "btm"), Array(x, "bsm"))
    return run_ops(cfg, params, inputs, {**OPS, "scale": scaled_by_temperature, "join": joined_without})
