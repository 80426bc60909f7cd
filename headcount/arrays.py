"""Arrays whose axes have names, and a fast einsum of two arrays."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

#: Types of NumPy arrays of any shape. Floats are float32 unless a docstring says otherwise.
Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]


@lru_cache(maxsize=256)
def axes_of(spec: str) -> tuple[str, ...]:
    """Splits a text of axes: "bt(hv)" has the axes "b", "t" and "(hv)". Parentheses join two axes into one."""
    return tuple(re.findall(r"\(\w+\)|\w", spec))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Array(NDArrayOperatorsMixin):
    """A NumPy array with named `axes`, such as "bthk" or "bt(hv)". Raises ValueError if `values` has another number of axes."""

    values: Floats
    axes: str
    name: str = ""

    def __post_init__(self):
        if self.values.ndim != len(axes_of(self.axes)):
            raise ValueError(f"axes {self.axes!r} do not fit an array of shape {self.values.shape}")

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    @property
    def dtype(self) -> np.dtype[np.floating[Any]]:
        return self.values.dtype

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, place: Any) -> Any:
        """Indexes the values as NumPy does and returns plain NumPy values. The method `at` returns an Array."""
        return self.values[place]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return np.array(self.values, dtype) if copy else np.asarray(self.values, dtype)

    def __array_ufunc__(self, function: Any, method: str, *operands: Any, **options: Any) -> Any:
        return getattr(function, method)(*(np.asarray(one) if isinstance(one, Array) else one for one in operands), **options)

    def __getattr__(self, name: str) -> Any:
        """Returns an attribute of the NumPy values, such as `max`. Raises AttributeError for a name that begins with "_"."""
        if name.startswith("_") or name == "values":
            raise AttributeError(name)
        return getattr(self.values, name)

    def __repr__(self) -> str:
        return f"<{self.name or 'Array'} {self.axes} {self.shape} {self.dtype}>"

    def at(self, **places: int) -> "Array":
        """Selects 0-based indices by axis: `weights.at(b=0, h=2)` has the axes "ts". Raises ValueError for an unknown axis."""
        axes = axes_of(self.axes)
        unknown = set(places) - set(axes)
        if unknown:
            raise ValueError(f"no axis {sorted(unknown)} in {self.axes!r}")
        index = tuple(places.get(axis, slice(None)) for axis in axes)
        return Array(self.values[index], "".join(axis for axis in axes if axis not in places), self.name)


@lru_cache(maxsize=256)
def plan(spec: str, *shapes: tuple[int, ...]) -> Callable[[Floats, Floats], Floats]:
    """Returns a function that contracts two arrays of these shapes with one np.matmul. Raises ValueError if one axis has two
    lengths. np.einsum takes about 8 times as long at the size of BERT-base. Its `optimize=True` plans every call again."""
    inputs, output = spec.split("->")
    left, right = (axes_of(part) for part in inputs.split(","))
    out = axes_of(output)
    shared = [axis for axis in left if axis in right and axis in out]
    summed = [axis for axis in left if axis in right and axis not in out]
    rows = [axis for axis in left if axis not in right]
    columns = [axis for axis in right if axis not in left]
    size = dict(zip(left + right, shapes[0] + shapes[1], strict=True))
    if any(shapes[1][right.index(axis)] != shapes[0][left.index(axis)] for axis in shared + summed):
        raise ValueError(f"einsum {spec!r} got shapes {shapes[0]} and {shapes[1]}")

    def lengths(axes: list[str]) -> tuple[int, ...]:
        return tuple(size[axis] for axis in axes)

    turn_left = tuple(left.index(axis) for axis in shared + rows + summed)
    turn_right = tuple(right.index(axis) for axis in shared + summed + columns)
    flat_left = (*lengths(shared), math.prod(lengths(rows)), math.prod(lengths(summed)))
    flat_right = (*lengths(shared), math.prod(lengths(summed)), math.prod(lengths(columns)))
    computed = shared + rows + columns
    turn_out = tuple(computed.index(axis) for axis in out)
    shape = lengths(computed)

    def contract(a: Floats, b: Floats) -> Floats:
        product = np.matmul(a.transpose(turn_left).reshape(flat_left), b.transpose(turn_right).reshape(flat_right))
        return product.reshape(shape).transpose(turn_out)

    return contract


def einsum(spec: str, a: Floats, b: Floats) -> Floats:
    """Contracts two arrays with a spec such as "btm,mhk->bthk". Raises ValueError if one axis has two lengths."""
    return plan(spec, a.shape, b.shape)(a, b)
