"""Conversion of a Plotly figure, as plain dictionaries and arrays, to JSON for Plotly.js."""

import base64
import json
import math
from typing import Any

import numpy as np

#: Plotly's names of NumPy's number types.
TYPES = {
    "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8",
}  # fmt: skip


def as_json(figure: dict | list, packed: bool = True) -> str:
    """Returns a figure as JSON. If `packed`, arrays with a number type of TYPES are in base64, except empty ones. In all other
    numbers, NaN and infinity become null. Raises TypeError for a value that is not plain JSON or NumPy's."""
    default = _array if packed else _listed
    try:
        return json.dumps(figure, default=default, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    except ValueError:
        return json.dumps(_finite(figure), default=default, separators=(",", ":"), allow_nan=False, ensure_ascii=False)


def _listed(value: Any) -> Any:
    if not isinstance(value, np.generic | np.ndarray):
        raise TypeError(f"a figure holds numbers, words, lists and arrays, got {type(value).__name__}")
    if value.dtype == np.float32:  # with its own digits, not those of a float64
        value = value.astype(np.str_).astype(np.float64)
    return _finite(value.tolist())


def _array(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return _listed(value)
    if value.dtype.kind in "iu" and value.size and value.dtype.itemsize == 8:
        value = value.astype(np.result_type(np.min_scalar_type(value.min()), np.min_scalar_type(value.max())))
    if value.dtype.name not in TYPES or not value.size:
        return _listed(value)
    spec = {"dtype": TYPES[value.dtype.name], "bdata": base64.b64encode(value.tobytes()).decode()}
    return spec if value.ndim == 1 else {**spec, "shape": ", ".join(map(str, value.shape))}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float | np.floating) and not math.isfinite(value) else value
