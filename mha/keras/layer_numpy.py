"""The numbers of a `KerasLayer`: drawn from its seed like those of `mha.params`, and computed by NumPy alone."""

import numpy as np

from mha.arrays import Bools, Floats
from mha.keras.layer import KerasLayer, einsum_in, einsum_out, einsum_scores, variables
from mha.params import BIAS_SCALE, draw


def weights_of(layer: KerasLayer) -> dict[str, Floats]:
    """Each variable by its name, float32: those given, or drawn. Where mha.Config can describe the layer it draws the numbers of
    `make_params`. ValueError where what is given has other names or shapes."""
    if layer.given is not None:
        wanted, got = {row.name: row.shape for row in variables(layer)}, {name: a.shape for name, a in layer.given.items()}
        if wanted != got:
            raise ValueError(f"given must have the shapes {wanted}, got {got}")
        return {name: layer.given[name] for name in wanted}
    made: dict[str, Floats] = {}
    for row in variables(layer):
        if row.name.startswith("b_"):
            made[row.name] = BIAS_SCALE * draw(layer.seed, row.name, row.shape)
        elif row.name == "w_o":
            flat = draw(layer.seed, "w_o", (row.shape[0] * row.shape[1], row.count // (row.shape[0] * row.shape[1])))
            made["w_o"] = (flat / np.float32(np.sqrt(layer.query_shape[-1]))).reshape(row.shape)
        else:
            width, columns = row.shape[0], row.shape[1] * row.shape[2]
            flat = draw(layer.seed, row.name, (columns, width)).T / np.float32(np.sqrt(width))
            made[row.name] = np.ascontiguousarray(flat).reshape(row.shape)
    return made


def inputs_of(layer: KerasLayer) -> tuple[Floats, Floats, Floats]:
    """Query, value and key, float32. Inputs of one shape are one array, as in self-attention."""
    query = draw(layer.seed, "x", layer.query_shape)
    value = query if layer.value_shape == layer.query_shape else draw(layer.seed, "y", layer.value_shape)
    same = {layer.query_shape: query, layer.value_shape: value}
    key = same[layer.key_shape] if layer.key_shape in same else draw(layer.seed, "z", layer.key_shape)
    return query, value, key


def compute(layer: KerasLayer, mask: Bools | None = None) -> tuple[Floats, Floats]:
    """Output and scores (after the softmax, as Keras names them) in float64. `mask`: True where a query may look, shaped to
    broadcast against the scores; a row without any True gives zeros, as Keras's path with scores does.

    For attended axes of positions only. Einsum by einsum as Keras writes them, softmax over all attended axes together.
    """
    weights = {name: values.astype(np.float64) for name, values in weights_of(layer).items()}
    query, value, key = (x.astype(np.float64) for x in inputs_of(layer))

    def project(x: Floats, letter: str) -> Floats:
        return np.einsum(einsum_in(layer.rank), x, weights[f"w_{letter}"]) + weights.get(f"b_{letter}", 0.0)

    q, k, v = project(query, "q"), project(key, "k"), project(value, "v")
    dot, combine = einsum_scores(layer)
    scores = np.einsum(dot, k, q, optimize=True) / np.sqrt(layer.key_dim)
    over = tuple(range(-len(layer.axes), 0))
    allowed = np.ones(scores.shape, bool) if mask is None else np.broadcast_to(mask, scores.shape)
    top = np.max(scores, axis=over, keepdims=True, where=allowed, initial=-np.inf)
    shares = np.where(allowed, np.exp(scores - np.where(np.isfinite(top), top, 0.0)), 0.0)
    total = shares.sum(axis=over, keepdims=True)
    shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
    context = np.einsum(combine, shares, v, optimize=True)
    output = np.einsum(einsum_out(layer.rank, len(layer.output_dims)), context, weights["w_o"]) + weights.get("b_o", 0.0)
    return output, shares


def hits_bias_bug(layer: KerasLayer) -> bool:
    """Whether Keras on TensorFlow adds a bias along the wrong axis here: see mha.comparison.hits_bias_bug. A bias (h, 1) is
    taken for one of axis 1 wherever axis 1 of the projected input is h long; a bias (n, 1) of the output likewise."""
    if not layer.use_bias:
        return False
    first = {"k": (layer.query_shape[1], layer.key_shape[1]), "v": (layer.value_shape[1],)}
    small = [lengths for size, lengths in ((layer.key_dim, first["k"]), (layer.value_dim, first["v"])) if size == 1]
    if layer.num_heads > 1 and any(layer.num_heads in lengths for lengths in small):
        return True
    out = layer.output_dims
    return len(out) > 1 and all(n == 1 for n in out[1:]) and out[0] > 1 and out[0] == layer.query_shape[1]
