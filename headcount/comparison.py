"""Comparison of our results with Keras's: differences between numbers, and equality of counts and variables."""

from dataclasses import dataclass

import numpy as np

from headcount.arrays import Array
from headcount.forward import Trace
from headcount.keras.layer import hits_bias_bug, layer_of_config
from headcount.ledger import ledger
from headcount.steps import attention_mask

#: Two float32 computations of one layer differ by rounding, about 1e-6 of the largest value. A wrong formula differs by far more.
TOLERANCE = 1e-5


@dataclass(frozen=True, slots=True)
class KerasAnswer:
    """Results of keras.layers.MultiHeadAttention: `output`, axes (batch, query, d_model), and attention `weights`, axes (batch,
    head, query, key). `count`: the parameter count. `variables`: the path and shape of each variable, in Keras's order."""

    output: Array
    weights: Array
    count: int
    variables: tuple[tuple[str, tuple[int, ...]], ...]
    keras_version: str
    tensorflow_version: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Differences between our results and Keras's. `…_difference`: the largest absolute difference. `…_scale`: Keras's largest
    absolute value. `known_bug`: whether some versions of Keras compute this layer wrongly (`hits_bias_bug`). `row_sum_error`: the
    largest error in a query's sum of attention weights, which should be 1, or 0 without keys."""

    output_difference: float
    output_scale: float
    weights_difference: float
    weights_scale: float
    row_sum_error: float
    count: int
    keras_count: int
    same_variables: bool
    known_bug: bool

    @property
    def same_count(self) -> bool:
        return self.count == self.keras_count

    @property
    def output_error(self) -> float:
        """The largest difference of the output, divided by Keras's largest absolute value. A value of 0 counts as 1."""
        return self.output_difference / (self.output_scale or 1.0)

    @property
    def weights_error(self) -> float:
        """The largest difference of the attention weights, divided by Keras's largest weight. A weight of 0 counts as 1."""
        return self.weights_difference / (self.weights_scale or 1.0)

    @property
    def same_values(self) -> bool:
        """Whether `output_error` and `weights_error` are both at most TOLERANCE."""
        return max(self.output_error, self.weights_error) <= TOLERANCE

    @property
    def agrees(self) -> bool:
        """Whether our values, our parameter count, and the names and shapes of our variables all agree with Keras's."""
        return self.same_values and self.same_count and self.same_variables


def compare(trace: Trace, answer: KerasAnswer) -> Comparison:
    """Compares a trace with Keras's answer. Raises ValueError if the outputs or attention weights have different shapes."""
    rows, looks = ledger(trace.cfg), attention_mask(trace.cfg).any(axis=-1)
    output, weights = (_far_apart(trace[name], getattr(answer, name), name) for name in ("output", "weights"))
    return Comparison(
        *output,
        *weights,
        row_sum_error=float(np.abs(trace.weights.values.sum(axis=-1, dtype=np.float64) - looks).max()),
        count=sum(row.count for row in rows),
        keras_count=answer.count,
        same_variables=tuple((row.path, row.shape) for row in rows) == answer.variables,
        known_bug=hits_bias_bug(layer_of_config(trace.cfg)),
    )


def _far_apart(ours: Array, theirs: Array, name: str) -> tuple[float, float]:
    if (ours.axes, ours.shape) != (theirs.axes, theirs.shape):
        raise ValueError(f"{name}: ours has axes {ours.axes} {ours.shape}, Keras's has {theirs.axes} {theirs.shape}")
    return float(np.abs(ours.values - theirs.values).max()), float(np.abs(theirs.values).max())
