"""Whether the pages can show a layer, and as which Config; its numbers cut into heads."""

from typing import Any

import numpy as np

from mha.arrays import Floats
from mha.config import Config
from mha.cost import MOST_NUMBERS, numbers_kept, too_large
from mha.forward import PARAMS
from mha.ledger import ledger
from mha.loading.layers import Layer, Measured, is_columns
from mha.loading.names import BIASES, GATE, KERNELS, NORMS
from mha.loading.tensors import UnreadableFile
from mha.names import BY_CODE
from mha.params import Params, params_of


def head_counts(sizes: Measured) -> list[int]:
    """The numbers of heads that the layer can have: the file's, or all that give each head a whole size within the pages'
    bounds. In the paper's split a head may be as wide as the layer."""
    paper = sizes.inner_k == sizes.inner_v == sizes.query_width
    most, wide = BY_CODE["num_heads"].most, BY_CODE["d_model" if paper else "key_dim"].most
    counts = [h for h in range(1, most + 1) if sizes.num_heads in (None, h)]
    parts = (sizes.inner_k, sizes.inner_v)
    return [h for h in counts if h % sizes.shared == 0 and all(inner % h == 0 and inner // h <= wide for inner in parts)]


def why_not(sizes: Measured) -> str:
    """Why the pages cannot show it, in a sentence; "" where they can. Its count is exact all the same."""
    if not sizes.packing:
        return (
            "Query, key and value are packed in one array, and weights do not say in which order; a config.json dropped with "
            "them does, for GPT-NeoX, BLOOM, Falcon and ChatGLM."
        )
    widths = (sizes.query_width, sizes.key_width, sizes.value_width, sizes.out_width)
    if len(set(widths)) > 1:
        four = "{}, {}, {} and {}".format(*widths)
        return f"Queries, keys, values and output are {four} wide; these pages show layers of one width."
    if sizes.extras:
        return f"It has {' and '.join(sizes.extras)}, which these pages do not show."
    width = BY_CODE["d_model"]
    if not width.least <= sizes.query_width <= width.most:
        return f"d_model is {sizes.query_width:,}; these pages show {width.least} to {width.most:,}."
    if not head_counts(sizes):
        inner = f"h·d_k = {sizes.inner_k:,}, h·d_v = {sizes.inner_v:,}"
        most, wide = BY_CODE["num_heads"].most, BY_CODE["key_dim"].most
        return f"{inner}: no number of heads within the pages' bounds ({most} heads, {wide:,} numbers each) fits."
    if too_large(smallest := config(sizes, head_counts(sizes)[0], query_len=1)):
        return f"It holds {numbers_kept(smallest):,} numbers; up to {MOST_NUMBERS:,} are computed live."
    return ""


def config(sizes: Measured, num_heads: int, **others: Any) -> Config:
    """The layer as the pages know it. ValueError where `num_heads` does not divide."""
    if num_heads not in head_counts(sizes):
        raise ValueError(f"num_heads must be one of {head_counts(sizes)}, got {num_heads}")
    key_dim, value_dim = sizes.inner_k // num_heads, sizes.inner_v // num_heads
    own: dict[str, Any] = {"use_bias": bool(sizes.biases), "use_gate": sizes.gate, "sliding_window": sizes.sliding_window}
    return sizes.switches.on(Config(sizes.query_width, num_heads, key_dim, value_dim, **own | others))


def params(flat: dict[str, Floats], cfg: Config) -> Params:
    """The arrays of `numbers` cut into the heads of `cfg`; only the first heads where it has fewer. Where the layer has some of
    the biases, the others are zeros. A key and a value head that several heads share is there once for each of them."""
    arrays: dict[str, Floats] = {}
    for row in ledger(cfg):
        if row.name in NORMS:
            continue
        values = flat.get(row.name, np.zeros(row.count, np.float32)) if row.is_bias else flat[row.name]
        if row.name[2:] in ("k", "v") and row.name in flat:
            heads = flat["w_o"].shape[0] // cfg.value_dim  # of the file, cut as `cfg` cuts them
            cut = values.reshape(*values.shape[:-1], -1, row.shape[-1])
            values = np.repeat(cut, heads // cut.shape[-2], axis=-2).reshape(*values.shape[:-1], -1)
        if row.name == "w_o":
            values = values[: cfg.size("(hv)")]
        elif row.name != "b_o":
            values = values[..., : cfg.num_heads * row.shape[-1]]
        arrays[row.name] = values.reshape(row.shape)
    arrays |= {role: flat[role] for role in NORMS if role in flat and flat[role].shape == (cfg.key_dim,)}
    return params_of(arrays)


def numbers(layer: Layer) -> dict[str, Floats]:
    """w_q, w_k, w_v, a gate's w_g (in, h·d), w_o (h·d_v, out) and flat biases, float32; a bias that the file does not have is
    left out.

    For layers without a `why_not`. UnreadableFile where a number is missing, infinite or not a number.
    """
    if layer.sizes is None:
        raise UnreadableFile(layer.misfit, *layer.named)
    roles = (*KERNELS, *BIASES, *GATE, *NORMS, "w_qkv", "b_qkv")
    read = {role: layer.pieces[role].numbers() for role in layer.pieces if role in roles}
    flat = {role: values.reshape(-1) for role, values in read.items() if role in (*BIASES, "b_g", *NORMS)}
    if "b_qkv" in read:
        flat |= dict(zip(BIASES[:3], unpacked(read["b_qkv"], layer.sizes), strict=True))
    if layer.sizes.num_heads is not None and len(layer.pieces["w_o"].shape) > 2:
        flat |= {role: read[role].reshape(len(read[role]), -1) for role in (*KERNELS[:3], "w_g") if role in read}
        flat["w_o"] = read["w_o"].reshape(layer.sizes.inner_v, -1)
    else:
        kernels = {role: values for role, values in read.items() if role.startswith("w_")}
        columns = {role: values if is_columns(layer.pieces, role) else values.T for role, values in kernels.items()}
        if "w_qkv" in columns:
            columns |= dict(zip(KERNELS[:3], unpacked(columns.pop("w_qkv"), layer.sizes), strict=True))
        flat |= columns
    return {role: np.ascontiguousarray(values) for role, values in flat.items()}


def unpacked(values: Floats, sizes: Measured) -> list[Floats]:
    """Query, key and value of a packed array, whose last axis has them all, in the order of heads. Each as wide as h·d_k."""
    before = values.shape[:-1]
    if sizes.packing == "heads":
        each = values.reshape(*before, sizes.num_heads or 1, 3, -1)
        return [each[..., part, :].reshape(*before, -1) for part in range(3)]
    return np.split(values, [sizes.inner_k, sizes.inner_k + sizes.inner_g], axis=-1)


def by_name(params: Params) -> dict[str, Floats]:
    """Kernels and biases in Keras's shapes under names that `mha.loading` reads back."""
    return {name: array.values for name in PARAMS if (array := getattr(params, name)) is not None}
