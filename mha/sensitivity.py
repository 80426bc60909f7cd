"""What each array of the parameters does: changed, what moves and by how much; and the gradient, by a backward pass by hand.

All in float64, so that what does not move differs by 1e-15 of its size and not by float32's 1e-7.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from mha.arrays import Floats, axes_of, einsum
from mha.config import Config
from mha.forward import PARAMS, Trace, run_steps
from mha.ledger import VARIABLES
from mha.numpy_backend import OPS, turned_by_position
from mha.steps import Step, kept, steps_of
from mha.switches import EPSILON

AXES = {one.name: one.axes for one in VARIABLES}
#: The intermediates whose change is shown: before the softmax, after it, and what comes out.
WATCHED = ("scores", "weights", "output")
#: Below this share of an array's largest number a difference of two passes in float64 is rounding, and counts as 0.
ROUNDING = 1e-12
Arrays = dict[str, Floats]


def in_float64(trace: Trace) -> Arrays:
    """Inputs and parameters of the layer in float64, by name; without the biases that it does not have."""
    names = [name for name in PARAMS if getattr(trace.params, name) is not None]
    return {name: trace[name].values.astype(np.float64) for name in ("x_query", "x_key", *names)}


def forward(cfg: Config, arrays: Mapping[str, Floats]) -> Arrays:
    """One pass: the arrays given and every step's result, by name."""
    return run_steps(cfg, dict(arrays), OPS)


# Backward: for each operation, the gradient of its operands from that of its result.


def _project(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    x_name, kernel_name, *biases = step.needs
    left, right = step.einsum.split("->")[0].split(",")
    kernel = known[kernel_name]
    flat = kernel.reshape(prod(kernel.shape[:-1]), -1) if "(hv)m" in step.einsum else kernel
    result = {
        x_name: einsum(f"{step.axes},{right}->{left}", slope, flat),
        kernel_name: einsum(f"{left},{step.axes}->{right}", known[x_name], slope).reshape(kernel.shape),
    }
    for bias in biases:
        result[bias] = slope.sum(axis=tuple(i for i, axis in enumerate(axes_of(step.axes)) if axis not in AXES[bias]))
    return result


def _contract(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    (a, b), (left, right) = step.needs, step.einsum.split("->")[0].split(",")
    return {
        a: einsum(f"{step.axes},{right}->{left}", slope, known[b]),
        b: einsum(f"{step.axes},{left}->{right}", slope, known[a]),
    }


def _scale(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    return {step.needs[0]: slope * float(np.float32(1 / np.sqrt(cfg.key_dim)))}


def _mask(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    return {step.needs[0]: np.where(np.isneginf(known[step.name]), 0.0, slope)}


def _softmax(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    """Of one row: a_i (g_i - sum of a_j g_j); a sink is one score more, whose share goes nowhere."""
    weights = known[step.name]
    mean = (weights * slope).sum(axis=-1, keepdims=True)
    result = {step.needs[0]: weights * (slope - mean)}
    if len(step.needs) == 2:
        lost = 1 - weights.sum(axis=-1, keepdims=True)
        result[step.needs[1]] = -(lost * mean).sum(axis=(0, 2, 3))
    return result


def _sigmoid(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    gate = known[step.name]
    return {step.needs[0]: slope * gate * (1 - gate)}


def _multiply(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    a, b = step.needs
    return {a: slope * known[b], b: slope * known[a]}


def _dropout(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    return {step.needs[0]: slope * kept(cfg)}


def _cap(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    """tanh' is 1 - tanh²."""
    return {step.needs[0]: slope * (1 - (known[step.name] / cfg.soft_cap) ** 2)}


def _alibi(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    return {step.needs[0]: slope}


def _rotate(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    """Turned back by the same angle."""
    return {step.needs[0]: turned_by_position(cfg, slope, -1)}


def _norm(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    """Of n = c / r with r = √(mean of c² + ε), times the gain: (g - n · mean of g n) / r; a LayerNorm takes the mean off c."""
    x_name, gain_name, *shift = step.needs
    x, gain = known[x_name], known[gain_name]
    together = (-2, -1) if gain.ndim == 2 else -1
    centred = x - x.mean(axis=-1, keepdims=True) if shift else x
    size = np.sqrt((centred * centred).mean(axis=together, keepdims=True) + EPSILON)
    normed, inner = centred / size, slope * gain
    back = (inner - normed * (inner * normed).mean(axis=together, keepdims=True)) / size
    rest = tuple(range(slope.ndim - gain.ndim))
    result = {
        x_name: back - back.mean(axis=-1, keepdims=True) if shift else back,
        gain_name: (slope * normed).sum(axis=rest),
    }
    return result | {name: slope.sum(axis=rest) for name in shift}


def _join(step: Step, cfg: Config, known: Arrays, slope: Floats) -> Arrays:
    return {step.needs[0]: slope.reshape(known[step.needs[0]].shape)}


BACKWARD: dict[str, Callable[[Step, Config, Arrays, Floats], Arrays]] = {
    "project": _project, "contract": _contract, "scale": _scale, "mask": _mask, "softmax": _softmax, "join": _join,
    "sigmoid": _sigmoid, "multiply": _multiply, "dropout": _dropout, "cap": _cap, "alibi": _alibi, "rotate": _rotate,
    "norm": _norm,
}  # fmt: skip


def gradients(cfg: Config, arrays: Mapping[str, Floats], slope: Floats | None = None) -> Arrays:
    """The gradient with respect to each input and parameter, in its shape.

    `slope`: that of the output, axes "btm"; None: the output itself, which is the slope of L = ½ Σ output².
    """
    known = forward(cfg, arrays)
    slopes = {"output": known["output"] if slope is None else slope}
    for step in reversed(steps_of(cfg)):
        for name, of_operand in BACKWARD[step.op](step, cfg, known, slopes[step.name]).items():
            slopes[name] = slopes[name] + of_operand if name in slopes else of_operand
    return {name: slopes[name] for name in arrays}


@dataclass(frozen=True, slots=True)
class Moved:
    """The layer before and after one of its arrays was multiplied by a number: WATCHED by name, axes "bhts", "bhts", "btm"."""

    array: str
    before: Arrays
    after: Arrays

    def by(self, name: str) -> Floats:
        """What it moved by; differences that are rounding are 0."""
        change = self.after[name] - self.before[name]
        largest = max(np.abs(self.before[name]).max(), np.abs(self.after[name]).max())
        return np.where(np.abs(change) <= ROUNDING * largest, 0.0, change)

    def largest(self, name: str) -> float:
        return float(np.abs(self.by(name)).max())


def moved(cfg: Config, arrays: Mapping[str, Floats], array: str, times: float) -> Moved:
    """What one array does: the pass with all of its numbers times `times`, beside the pass without."""
    def seen(arrays: Mapping[str, Floats]) -> Arrays:  # all else that a pass makes is free before the next one begins
        known = forward(cfg, arrays)
        return {name: known[name] for name in WATCHED}

    return Moved(array, seen(arrays), seen({**arrays, array: arrays[array] * times}))


@dataclass(frozen=True, slots=True)
class Effect:
    """Of one array of parameters: how many numbers it holds, the largest change of each of WATCHED when it is multiplied, and the
    norm of the gradient of ½ Σ output², 0 where that is rounding."""

    array: str
    count: int
    moved: Mapping[str, float]
    gradient: float


def effects(cfg: Config, arrays: Mapping[str, Floats], times: float) -> tuple[Effect, ...]:
    """For every array of parameters, in Keras's order."""
    slopes = gradients(cfg, arrays)
    norms = {name: float(np.linalg.norm(slopes[name])) for name in PARAMS if name in slopes}
    top = max(norms.values())
    result: list[Effect] = []
    for name, norm in norms.items():
        one = moved(cfg, arrays, name, times)
        largest = {watched: one.largest(watched) for watched in WATCHED}
        result.append(Effect(name, arrays[name].size, largest, norm if norm > ROUNDING * top else 0.0))
    return tuple(result)
