"""Checks whether the pages can show a layer from a file, and converts the layer to a Config and to arrays by head."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from headcount.arrays import Floats
from headcount.config import Config
from headcount.cost import MAX_NUMBERS, numbers_kept, too_large
from headcount.files.names import NORMS
from headcount.ledger import ledger
from headcount.names import BY_CODE
from headcount.params import Params, params_of
from headcount.switches import NONE, Switches


@dataclass(frozen=True, slots=True)
class LayerSizes:
    """Sizes of one layer in a file, with what the file tells about its attention.
    - `num_heads`: the number of heads, or None if unknown. `inner_k`: h·d_k. `inner_v`: h·d_v. `inner_g`: h_kv·d_k.
    - `biases`: the names of the biases. `count`: the number of all numbers in the layer.
    - `changes`: what changes attention and is not drawn. `gate`: Keras's use_gate.
    - `looks_back`: whether there is a causal mask. `cross`: whether keys and values come from another sequence.
    - `said`: whether mask, positions and scale are known."""

    num_heads: int | None
    query_width: int
    key_width: int
    value_width: int
    out_width: int
    inner_k: int
    inner_v: int
    inner_g: int
    biases: tuple[str, ...] = ()
    count: int = 0
    changes: tuple[str, ...] = ()
    gate: bool = False
    sliding_window: int | None = None
    looks_back: bool = False
    cross: bool = False
    said: bool = True
    switches: Switches = NONE

    @property
    def shared(self) -> int:
        """The number of query heads for each key/value head; 1 if each query head has its own."""
        return self.inner_k // self.inner_g

    @property
    def kv_heads(self) -> int | None:
        return None if self.num_heads is None else self.num_heads // self.shared


def head_counts(sizes: LayerSizes) -> list[int]:
    """Lists the numbers of heads with which the pages can show the layer. If the layer's number is known, no other is listed.
    Each is a multiple of `sizes.shared`, divides `inner_k` and `inner_v`, and keeps within the pages' limits. In the paper's
    convention, a head may be as wide as the largest d_model."""
    paper = sizes.inner_k == sizes.inner_v == sizes.query_width
    most, wide = BY_CODE["num_heads"].most, BY_CODE["d_model" if paper else "key_dim"].most
    counts = [h for h in range(1, most + 1) if sizes.num_heads in (None, h)]
    parts = (sizes.inner_k, sizes.inner_v)
    return [h for h in counts if h % sizes.shared == 0 and all(inner % h == 0 and inner // h <= wide for inner in parts)]


def why_not(sizes: LayerSizes) -> str:
    """Returns a sentence on why the pages cannot show a layer of these sizes. Returns "" if they can."""
    if len({*(widths := (sizes.query_width, sizes.key_width, sizes.value_width, sizes.out_width))}) > 1:
        four = "{}, {}, {} and {}".format(*widths)
        return f"Queries, keys, values and output are {four} wide; these pages show layers of one width."
    width = BY_CODE["d_model"]
    if not width.least <= sizes.query_width <= width.most:
        return f"d_model is {sizes.query_width:,}; these pages show {width.least} to {width.most:,}."
    if not head_counts(sizes):
        inner = f"h·d_k = {sizes.inner_k:,}, h·d_v = {sizes.inner_v:,}"
        most, wide = BY_CODE["num_heads"].most, BY_CODE["key_dim"].most
        return f"{inner}: no number of heads within the pages' bounds ({most} heads, {wide:,} numbers each) fits."
    if too_large(smallest := config(sizes, head_counts(sizes)[0], query_len=1)):
        return f"It holds {numbers_kept(smallest):,} numbers; up to {MAX_NUMBERS:,} are computed live."
    return ""


def config(sizes: LayerSizes, num_heads: int, **others: Any) -> Config:
    """Makes the layer's Config with `num_heads` heads. Raises ValueError if that number is not in `head_counts`."""
    if num_heads not in head_counts(sizes):
        raise ValueError(f"num_heads must be one of {head_counts(sizes)}, got {num_heads}")
    key_dim, value_dim = sizes.inner_k // num_heads, sizes.inner_v // num_heads
    own: dict[str, Any] = {"use_bias": bool(sizes.biases), "use_gate": sizes.gate, "sliding_window": sizes.sliding_window}
    return sizes.switches.on(Config(sizes.query_width, num_heads, key_dim, value_dim, **own | others))


def params(flat: dict[str, Floats], cfg: Config) -> Params:
    """Splits a layer's arrays into the heads of `cfg`. `flat` has the arrays, from `headcount.files.layers.StoredLayer.numbers`.
    If the file has more heads, they are dropped. Missing biases become zeros. Each head gets a copy of the key/value head that it
    shares."""
    arrays: dict[str, Floats] = {}
    for row in ledger(cfg):
        if row.name in NORMS:
            continue
        values = flat.get(row.name, np.zeros(row.count, np.float32)) if row.is_bias else flat[row.name]
        if row.name[2:] in ("k", "v") and row.name in flat:
            heads = flat["w_o"].shape[0] // cfg.value_dim  # heads of the file, cut as `cfg` cuts them
            cut = values.reshape(*values.shape[:-1], -1, row.shape[-1])
            values = np.repeat(cut, heads // cut.shape[-2], axis=-2).reshape(*values.shape[:-1], -1)
        if row.name == "w_o":
            values = values[: cfg.size("(hv)")]
        elif row.name != "b_o":
            values = values[..., : cfg.num_heads * row.shape[-1]]
        arrays[row.name] = values.reshape(row.shape)
    arrays |= {role: flat[role] for role in NORMS if role in flat and flat[role].shape == (cfg.key_dim,)}
    return params_of(arrays)
