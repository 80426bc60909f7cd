"""Trained network in NumPy: a sum of embeddings, this project's attention layer with trained weights, and one dense layer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from headcount.arrays import Array, Floats, Ints
from headcount.config import Config
from headcount.forward import PARAMS, Trace, run_ops
from headcount.numpy_backend import OPS, softmax
from headcount.params import Inputs, Params, params_of
from headcount.trained.task import Task


@dataclass(frozen=True, slots=True)
class Network:
    """A trained network: its task, its number of heads, and every weight by name (`Task.shapes`)."""

    task: Task
    heads: int
    weights: Mapping[str, Floats]

    @property
    def parameters(self) -> int:
        """The parameter count of the network."""
        return sum(weight.size for weight in self.weights.values())

    @property
    def params(self) -> Params:
        """The weights of the attention layer."""
        return params_of({name: self.weights[key] for name in PARAMS if (key := f"layer1_{name}") in self.weights})

    @property
    def key_dim(self) -> int:
        return self.weights["layer1_w_q"].shape[-1]

    @property
    def value_dim(self) -> int:
        return self.weights["layer1_w_v"].shape[-1]

    def as_type(self, dtype: type) -> "Network":
        """Returns the network with weights in another number type. Forward passes of that network compute in this type."""
        return replace(self, weights={name: weight.astype(dtype) for name, weight in self.weights.items()})

    def cut_for(self, heads: int) -> "Network":
        """Returns the network with `heads` heads, as in the paper. Raises ValueError if `heads` does not divide d_model."""
        shapes = self.task.shapes(heads)
        return replace(self, heads=heads, weights={name: weight.reshape(shapes[name]) for name, weight in self.weights.items()})


@dataclass(frozen=True, slots=True)
class Pass:
    """The result of one forward pass: the layer's trace, and logits, axes "btra" (batch, position, question, answer)."""

    trace: Trace
    logits: Floats

    @property
    def probabilities(self) -> Floats:
        """The probability of each answer, axes (batch, position, question, answer). A question's probabilities sum to 1."""
        return softmax(self.logits.reshape(-1, self.logits.shape[-1])).reshape(self.logits.shape)

    @property
    def predicted(self) -> Ints:
        """The most likely answers, axes (batch, position, question)."""
        return self.logits.argmax(axis=-1)


def params_and_inputs(network: Network, tokens: Ints) -> tuple[Params, Inputs]:
    """Returns the layer's weights, and X: the sum of the embeddings of `tokens`, axes (batch, position, feature)."""
    tables = (network.weights[f"embed_{name}"] for name, _ in network.task.features)
    x = np.sum([table[tokens[..., column]] for column, table in enumerate(tables)], axis=0)
    return network.params, Inputs(Array(x, "btm"), Array(x, "bsm"))


def forward(network: Network, tokens: Ints) -> Pass:
    """Runs the network on `tokens`, axes (batch, position, feature), and keeps every intermediate of the attention layer."""
    task = network.task
    cfg = Config(task.d_model, network.heads, network.key_dim, network.value_dim, query_len=task.length, batch=len(tokens))
    trace = run_ops(cfg, *params_and_inputs(network, tokens), OPS)
    return Pass(trace, logits_of(network, trace.output.values))


def logits_of(network: Network, output: Floats) -> Floats:
    """Computes logits, axes (batch, position, question, answer), from the layer's output, axes (batch, position, d_model)."""
    logits = output @ network.weights["answer_w"] + network.weights["answer_b"]
    return logits.reshape(*logits.shape[:2], len(network.task.questions), len(network.task.answers))


def predict(network: Network, output: Floats) -> Ints:
    """Returns the most likely answers, axes (batch, position, question). `output` has the axes (batch, position, d_model)."""
    return logits_of(network, output).argmax(axis=-1)
