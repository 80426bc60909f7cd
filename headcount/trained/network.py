"""A trained network in NumPy: summed embeddings, this project's layer with trained numbers, and one dense layer."""

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
    """A task, a number of heads and every weight by its name (`Task.shapes`)."""

    task: Task
    heads: int
    weights: Mapping[str, Floats]

    @property
    def parameters(self) -> int:
        """Counts the trained numbers."""
        return sum(weight.size for weight in self.weights.values())

    @property
    def params(self) -> Params:
        """The attention layer's own weights."""
        return params_of({name: self.weights[key] for name in PARAMS if (key := f"layer1_{name}") in self.weights})

    @property
    def key_dim(self) -> int:
        """Numbers per head in queries and keys."""
        return self.weights["layer1_w_q"].shape[-1]

    @property
    def value_dim(self) -> int:
        """Numbers per head in values."""
        return self.weights["layer1_w_v"].shape[-1]

    def as_type(self, dtype: type) -> "Network":
        """Returns the network in another precision; a pass has the precision of its weights."""
        return replace(self, weights={name: weight.astype(dtype) for name, weight in self.weights.items()})

    def cut_for(self, heads: int) -> "Network":
        """Returns the same numbers with matrices cut for other heads. Raises ValueError if their count does not divide
        d_model."""
        shapes = self.task.shapes(heads)
        return replace(self, heads=heads, weights={name: weight.reshape(shapes[name]) for name, weight in self.weights.items()})


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: the layer's trace, and logits, axes "btra" (batch, position, question, answer)."""

    trace: Trace
    logits: Floats

    @property
    def probabilities(self) -> Floats:
        """Probability of each answer, axes "btra"; every question's answers sum to 1."""
        return softmax(self.logits.reshape(-1, self.logits.shape[-1])).reshape(self.logits.shape)

    @property
    def predicted(self) -> Ints:
        """The likeliest answer, axes "btr"."""
        return self.logits.argmax(axis=-1)


def params_and_inputs(network: Network, tokens: Ints) -> tuple[Params, Inputs]:
    """Makes the network's attention layer on tokens "btf": its weights, and as X the sum of the features' embeddings."""
    tables = (network.weights[f"embed_{name}"] for name, _ in network.task.features)
    x = np.sum([table[tokens[..., column]] for column, table in enumerate(tables)], axis=0)
    return network.params, Inputs(Array(x, "btm"), Array(x, "bsm"))


def forward(network: Network, tokens: Ints) -> Pass:
    """Runs the network on tokens "btf" and keeps every intermediate of its layer."""
    task = network.task
    cfg = Config(task.d_model, network.heads, network.key_dim, network.value_dim, query_len=task.length, batch=len(tokens))
    trace = run_ops(cfg, *params_and_inputs(network, tokens), OPS)
    return Pass(trace, logits_of(network, trace.output.values))


def logits_of(network: Network, output: Floats) -> Floats:
    """Computes the network's logits, axes "btra", from its layer's output "btm"."""
    logits = output @ network.weights["answer_w"] + network.weights["answer_b"]
    return logits.reshape(*logits.shape[:2], len(network.task.questions), len(network.task.answers))


def predict(network: Network, output: Floats) -> Ints:
    """Gives the likeliest answers, axes "btr", for its layer's output "btm", also if scores or heads were changed."""
    return logits_of(network, output).argmax(axis=-1)
